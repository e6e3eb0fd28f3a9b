# Made of core/ask: HEADSCOPE_WRITE_METHODS=1 build/PRESET/tests/tests_ask test_python_methods
"""What is asked of a model in the same words as on the command line."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Literal

from headscope import _headscope
from headscope.asking import (
    Ablation,
    Bos,
    Head,
    Method,
    Metric,
    Path,
    Place,
    Progress,
    Prompt,
    Token,
    entry_of,
    prompt_of,
    text_of,
    texts_of,
)
from headscope.checking import checked_methods
from headscope.table import Table
from headscope.waiting import telling


@checked_methods
class Analyses:
    """The part of `headscope.Model` that core declares.

    A ``metric`` is the loss (nats per token), the difference of the logits of two ``tokens``, the
    probability of ``target``, or the KL divergence from the whole model (nats). ``position`` is where
    it is read: by default logit-diff and probability at the last position (or the mask token), loss
    and kl at all.
    """

    _model: _headscope.Model

    def _ask(self, key: str, words: Mapping[str, object], progress: Progress | None) -> Table:
        with telling(progress) as tell:
            return Table(_headscope.ask(self._model, key, words, tell))

    def effect(
        self,
        head: Head | None = None,
        prompts: Sequence[Prompt] = (),
        *,
        type: str | None = None,
        ablation: Literal["zero", "mean", "resample", "pattern-preserving"] = "mean",
        others: int = 10,
        least_effect: float | None = None,
        most_sequences: int = 80,
        backups: bool = False,
        seed: int = 0,
        bos: Bos = "auto",
        progress: Progress | None = None,
    ) -> Table:
        """Whether the model needs a head, or all of a type: what ablating costs, and ``others``.

        Measured on what each of the head's types is read from, or on ``prompts``. The first row is
        the head's, with a 95 % interval; heads of its type are not among the others. Further rows
        have it replaced by zero, mean and resample. ``fields`` say what is measured, in nats, its
        value in the whole model, and the ``verdict`` with a ``sentence``: ``needed`` (a cause),
        ``secondary`` (no more than others), ``interferes`` (the model does better without it),
        ``no effect found`` or ``undecided``; ``effects`` say the same for each input.

        An effect counts from ``least_effect`` nats on, by default the larger of 0.01 and 1 % of
        what the whole model has. Sequences are added, up to ``most_sequences``, until the interval
        is on one side of that; it is Student's, and wide enough to be looked at that often
        (Bonferroni). ``backups``: also names heads of its layer and later ones that cost more when
        it is ablated.

        With ``type`` in place of a head the same is asked of all heads of a type together, compared with
        ``others`` random sets of as many heads of the same layers. Heads that stand in for one another show
        there, and not one by one.

        >>> m = headscope.open(headscope.sample("induction-circuit"))
        >>> t = m.effect((1, 0), others=2)
        >>> t.cells("head")[0], bool(t["difference"][0] > t["difference"][1])
        ((1, 0), True)
        >>> t.fields["verdict"]
        'no effect found'
        >>> [backup["head"] for backup in m.effect((1, 0), backups=True).fields["backups"]]
        ['1.3']
        >>> t = m.effect(type="induction")
        >>> t.fields["heads"], t.fields["verdict"]
        ('1.0 1.3', 'needed')
        """
        words: dict[str, object] = {
            "head": None if head is None else text_of(head),
            "type": type,
            "prompts": [prompt_of(prompt) for prompt in prompts],
            "ablation": ablation,
            "others": others,
            "least_effect": least_effect,
            "most_sequences": most_sequences,
            "backups": backups,
            "seed": seed,
            "bos": bos,
        }
        return self._ask("effect", words, progress)

    def why(
        self,
        prompt: Prompt,
        head: Head | None = None,
        *,
        query: Place | None = None,
        key: Place | None = None,
        against: str = "others",
        ablate: Sequence[Head] = (),
        ablation: Ablation = "zero",
        signals: int | None = None,
        dimensions: bool = False,
        all_keys: bool = False,
        trace: bool = False,
        graphml: Path | None = None,
        remove: str | None = None,
        token: Token | None = None,
        against_token: Token | None = None,
        least: float = 0.1,
        nodes: int = 20,
        follow_from: float | None = None,
        follow: Sequence[str] = (),
        text_pair: str | None = None,
        bos: Bos = "auto",
        progress: Progress | None = None,
    ) -> Table:
        """Why a head looks there: an attention score as the sum of what query and key read.

        ``query`` and ``key`` are positions, from the end where negative; by default the last, and
        the key with the largest weight. ``against``: what the score is compared with: "others" (the
        mean of the other keys), "none", or the position of another key, "3". A row for each pair of writers;
        values are in units of the score, before the softmax. In place of that

        * ``signals=N``: along the singular directions of the head's QK form, N of them with words
        * ``dimensions``: along the dimensions of the head; with ``all_keys`` against every key
        * ``trace``: walks back to the heads it came from, and on; a row for each edge. With
          ``token`` it begins at a logit, or with ``against_token`` at a difference of two.
          ``least``: the smallest share that is shown; ``follow_from``: the share from which heads
          are followed, by default ``least``; ``follow``: heads that are in any case, with the position
          at which they wrote: ``["0.0:-4"]``; ``graphml``: a file for the graph
        * ``remove``: takes a part out of what the head reads ("key:3.5", "query:mlp 2",
          "key:embedding", "key:direction 1") and measures that

        >>> m = headscope.open(headscope.sample("induction-circuit"))
        >>> t = m.why("A B C D A B C", (1, 0))
        >>> bool(abs(t["value"].sum() + t.fields["distance"] - t.fields["difference"]) < 1e-3)
        True
        """
        words: dict[str, object] = {
            "prompt": prompt_of(prompt, text_pair),
            "head": None if head is None else text_of(head),
            "query": query,
            "key": key,
            "against": against,
            "ablate": texts_of(ablate),
            "ablation": ablation,
            "signals": signals,
            "dimensions": dimensions,
            "all_keys": all_keys,
            "trace": trace,
            "graphml": None if graphml is None else os.fspath(graphml),
            "remove": remove,
            "token": token,
            "against_token": against_token,
            "least": least,
            "nodes": nodes,
            "follow_from": follow_from,
            "follow": follow,
            "bos": bos,
        }
        return self._ask("why", words, progress)

    def token_dependence(
        self,
        prompt: Prompt,
        *,
        metric: Metric = "loss",
        tokens: Sequence[Token] = (),
        target: Token | None = None,
        position: int | None = None,
        weight: tuple[Head, int, int] | None = None,
        score: tuple[Head, int, int] | None = None,
        replace: Token | None = None,
        replace_mean: bool = False,
        methods: Sequence[Literal["hide", "replace", "gradient", "integrated"]] = (),
        steps: int = 64,
        text_pair: str | None = None,
        bos: Bos = "auto",
        progress: Progress | None = None,
    ) -> Table:
        """Which tokens a metric depends on, or an attention weight: a row for each token.

        ``weight`` and ``score`` read a head from a query to a key in place of the metric, after and
        before the softmax: ``((4, 1), 14, 2)``. Each method has a column: the value without the
        token less the value of the prompt, exactly (hide, replace) or as gradients estimate it.
        ``replace``: the token in place of each; by default the mask token or the mean embedding.

        >>> m = headscope.open(headscope.sample("gpt2-mini-6l"))
        >>> m.token_dependence("the cat", weight=((1, 0), 1, 0), methods=["hide"]).keys()[:2]
        ['position', 'token']
        """
        words: dict[str, object] = {
            "prompt": prompt_of(prompt, text_pair),
            "metric": metric,
            "tokens": tokens,
            "target": target,
            "position": position,
            "weight": entry_of(weight),
            "score": entry_of(score),
            "replace": replace,
            "replace_mean": replace_mean,
            "methods": methods,
            "steps": steps,
            "bos": bos,
        }
        return self._ask("tokens", words, progress)

    def patch(
        self,
        clean: Prompt,
        corrupted: Prompt,
        *,
        hook: str | None = None,
        by: Sequence[Literal["position", "head"]] = (),
        method: Method = "exact",
        path: tuple[str, str] | None = None,
        metric: Metric = "loss",
        tokens: Sequence[Token] = (),
        target: Token | None = None,
        position: int | None = None,
        bos: Bos = "auto",
        progress: Progress | None = None,
    ) -> Table:
        """Activation patching: the corrupted prompt with one activation of the clean one.

        Both prompts have as many tokens. ``hook``: which activation, layer by layer: resid_pre, q,
        pattern, z, attn_out, mlp_out, … ``by``: one position or head at a time. ``normalised`` is 0
        where a patch changes nothing and 1 where it brings back what the clean prompt has.

        Path patching, with ``path=(senders, receivers)``: the clean prompt with what flows straight from a
        head of the corrupted one. A row for each sender ("0.1,0.2", or "all"); receivers are "logits", or
        queries, keys and values of heads ("5.3:q,6.0:k"). ``normalised`` is then 0 where nothing flows.

        >>> m = headscope.open(headscope.sample("gpt2-mini-6l"))
        >>> t = m.patch("When Mary and John", "When Anna and John", hook="resid_pre")
        >>> len(t) == m.n_layers
        True
        >>> len(m.patch("When Mary and John", "When Anna and John", path=("4.1,4.2", "logits")))
        2
        """
        words: dict[str, object] = {
            "clean": prompt_of(clean),
            "corrupted": prompt_of(corrupted),
            "hook": hook,
            "by": by,
            "method": method,
            "path": path,
            "metric": metric,
            "tokens": tokens,
            "target": target,
            "position": position,
            "bos": bos,
        }
        return self._ask("patch", words, progress)

    def edges(
        self,
        clean: Prompt,
        corrupted: Prompt,
        *,
        estimate: Literal["slope", "integrated", "recomputed"] = "slope",
        steps: int = 5,
        top: int = 20,
        exact: bool = False,
        circuits: bool = False,
        sizes: Sequence[int] = (),
        metric: Metric = "loss",
        tokens: Sequence[Token] = (),
        target: Token | None = None,
        position: int | None = None,
        bos: Bos = "auto",
        progress: Progress | None = None,
    ) -> Table:
        """Estimates what flows along every edge between heads, MLPs and logits: the ``top`` ones.

        ``score`` is how the metric changes when the edge alone carries the corrupted prompt;
        ``exact`` measures that, too, by a run for each. ``steps`` are those of integrated.

        With ``circuits`` networks are measured in which the best edges alone carry the clean prompt: a row
        for each number of edges in ``sizes`` (by default 0, 1, 2, 5, 10 … and all), with the metric with
        them alone (``kept``) and without them (``without``), and which share of the clean prompt's metric
        that is.
        """
        words: dict[str, object] = {
            "clean": prompt_of(clean),
            "corrupted": prompt_of(corrupted),
            "estimate": estimate,
            "steps": steps,
            "top": top,
            "exact": exact,
            "circuits": circuits,
            "sizes": sizes,
            "metric": metric,
            "tokens": tokens,
            "target": target,
            "position": position,
            "bos": bos,
        }
        return self._ask("edges", words, progress)

    def attribute(
        self,
        prompt: Prompt,
        token: Token,
        *,
        against: Token | None = None,
        position: int | None = None,
        backup_of: Sequence[Head] = (),
        ablate: Sequence[Head] = (),
        ablation: Ablation = "zero",
        text_pair: str | None = None,
        bos: Bos = "auto",
        progress: Progress | None = None,
    ) -> Table:
        """What each head, MLP, embedding and bias adds to a logit, or to the difference of two.

        Values are in logits and add up to ``fields["logit"]``. With ``backup_of`` the table
        shows the direct effect of every head instead, in the whole model and with these heads
        ablated: heads whose effect rises are backup heads. ``ablate``: reads only the run in which
        these heads are ablated.

        >>> m = headscope.open(headscope.sample("gpt2-mini-6l"))
        >>> t = m.attribute("When Mary and John went to", " the")
        >>> bool(abs(t["value"].sum() - t.fields["logit"]) < 1e-3)
        True
        """
        words: dict[str, object] = {
            "prompt": prompt_of(prompt, text_pair),
            "token": token,
            "against": against,
            "position": position,
            "backup_of": texts_of(backup_of),
            "ablate": texts_of(ablate),
            "ablation": ablation,
            "bos": bos,
        }
        return self._ask("attribute", words, progress)

    def lens(
        self,
        prompt: Prompt,
        *,
        token: Token | None = None,
        top: int = 5,
        ablate: Sequence[Head] = (),
        ablation: Ablation = "zero",
        text_pair: str | None = None,
        bos: Bos = "auto",
        progress: Progress | None = None,
    ) -> Table:
        """The logit lens: what the residual stream predicts at each depth and position.

        A row for each depth (0 is the embedding) and position: the ``top`` best tokens, probability
        and rank of ``token`` where one is given, the divergence from the model's own prediction and
        the entropy, both in nats.

        >>> m = headscope.open(headscope.sample("gpt2-mini-6l"))
        >>> len(m.lens("the cat")) == (m.n_layers + 1) * len(m.tokens("the cat"))
        True
        """
        words: dict[str, object] = {
            "prompt": prompt_of(prompt, text_pair),
            "token": token,
            "top": top,
            "ablate": texts_of(ablate),
            "ablation": ablation,
            "bos": bos,
        }
        return self._ask("lens", words, progress)

    def circuits(
        self,
        *,
        composition: bool = False,
        copying: bool = False,
        ov: Head | None = None,
        top: int = 10,
        offset: Place | None = None,
        kind: Literal["q", "k", "v"] | None = None,
        progress: Progress | None = None,
    ) -> Table:
        """Reads circuits from the weights, without a run; the ``top`` strongest.

        * composition: how strongly heads write to queries, keys and values of later ones, from 0 to
          1; with rotary positions at an ``offset`` of query minus key; of one ``kind`` of the three
        * copying: which heads raise the tokens they attend to, from -1 to 1, by the eigenvalues of
          the OV circuit, and how often the best token is the one attended to
        * ov: what this head reads and writes, by the singular directions of its OV circuit

        >>> m = headscope.open(headscope.sample("induction-circuit"))
        >>> t = m.circuits(composition=True, top=2)
        >>> list(zip(t.cells("kind"), t.cells("from"), t.cells("to")))
        [('K', (0, 0), (1, 0)), ('K', (0, 0), (1, 3))]
        """
        words: dict[str, object] = {
            "composition": composition,
            "copying": copying,
            "ov": None if ov is None else text_of(ov),
            "top": top,
            "offset": offset,
            "kind": kind,
        }
        return self._ask("circuits", words, progress)

    def similarity(
        self,
        prompts: Sequence[Prompt] = (),
        *,
        below: float = 0.05,
        bos: Bos = "auto",
        progress: Progress | None = None,
    ) -> Table:
        """Compares patterns and outputs of all pairs of heads; without prompts on random tokens.

        ``pattern_distance`` is the mean Jensen-Shannon divergence of attention rows, in nats, and
        ``output_cosine`` the mean cosine of what two heads write. ``below``: pairs whose patterns
        are closer than this count as similar (``redundant``).
        """
        words: dict[str, object] = {
            "prompts": [prompt_of(prompt) for prompt in prompts],
            "below": below,
            "bos": bos,
        }
        return self._ask("similarity", words, progress)

    def generate(
        self,
        prompt: Prompt,
        *,
        tokens: int = 20,
        temperature: float = 0.0,
        seed: int = 0,
        ablate: Sequence[Head] = (),
        ablation: Ablation = "zero",
        text_pair: str | None = None,
        bos: Bos = "auto",
        progress: Progress | None = None,
    ) -> Table:
        """Writes on after a prompt: a row per token; ``fields["text"]`` is what was written.

        ``temperature`` divides the logits before a token is drawn; at 0 it is the most probable.
        ``probability`` is what the network gives a token, whatever the temperature.

        >>> m = headscope.open(headscope.sample("induction-circuit"))
        >>> m.generate("A B C D A B", tokens=2).fields["text"]
        'cd'
        """
        words: dict[str, object] = {
            "prompt": prompt_of(prompt, text_pair),
            "tokens": tokens,
            "temperature": temperature,
            "seed": seed,
            "ablate": texts_of(ablate),
            "ablation": ablation,
            "bos": bos,
        }
        return self._ask("generate", words, progress)
