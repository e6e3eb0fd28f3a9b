"""What changes when something in the network is changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from headscope import _headscope
from headscope.asking import (
    Bos,
    Head,
    Method,
    Metric,
    Progress,
    Prompt,
    Token,
    metric_words,
    one_of,
    prompt_of,
    text_of,
    texts_of,
)
from headscope.checking import checked_methods
from headscope.table import Table
from headscope.waiting import telling

Receiver = tuple[Head, Literal["q", "k", "v"]]  #: a head, and what of it reads


@checked_methods
class Interventions:
    """The part of `headscope.Model` that intervenes.

    All of these measure a ``metric``: the loss (nats per token), the difference of the logits of two
    ``tokens``, the probability of ``target``, or the KL divergence from the whole model (nats).
    ``position`` is where it is read: by default logit-diff and probability at the last position (or
    the mask token), loss and kl at all.
    """

    _model: _headscope.Model

    def sweep(
        self,
        prompt: Prompt,
        *,
        heads: Sequence[Head] | Literal["all", "kv-groups"] = "all",
        ablation: Literal["zero", "mean", "resample", "pattern-preserving"] = "zero",
        others: Sequence[Prompt] = (),
        metric: Metric = "loss",
        tokens: Sequence[Token] = (),
        target: Token | None = None,
        position: int | None = None,
        method: Method = "exact",
        text_pair: str | None = None,
        bos: Bos = "auto",
        progress: Progress | None = None,
    ) -> Table:
        """Ablates each head by itself and measures what that changes.

        ``others``: the prompt whose values stand in for resample, or those that mean averages.
        A row for each head, or group that shares its keys: ``value`` and ``difference`` to the whole
        model, in the metric's unit.

        >>> m = headscope.open(headscope.sample("gpt2-mini-6l"))
        >>> t = m.sweep("When Mary and John went to", heads=[(4, 1), (4, 2)])
        >>> t.cells("heads")
        [[(4, 1)], [(4, 2)]]
        """
        words: dict[str, object] = {
            **metric_words(metric, tokens, target, position),
            "prompt": prompt_of(prompt, text_pair),
            "heads": heads if isinstance(heads, str) else texts_of(heads),
            "ablation": one_of(
                ablation, "ablation", ("zero", "mean", "resample", "pattern-preserving")
            ),
            "others": [prompt_of(other) for other in others],
            "method": _method(method),
            "bos": bos,
        }
        with telling(progress) as tell:
            return Table(_headscope.sweep(self._model, words, tell))

    def patch(
        self,
        clean: Prompt,
        corrupted: Prompt,
        *,
        hook: str,
        by: Sequence[Literal["position", "head"]] = (),
        method: Method = "exact",
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

        >>> m = headscope.open(headscope.sample("gpt2-mini-6l"))
        >>> t = m.patch("When Mary and John", "When Anna and John", hook="resid_pre")
        >>> len(t) == m.n_layers
        True
        """
        words: dict[str, object] = {
            **metric_words(metric, tokens, target, position),
            **_pair(clean, corrupted, bos),
            "hook": hook,
            "by": [one_of(each, "by", ("position", "head")) for each in by],
            "method": _method(method),
        }
        with telling(progress) as tell:
            return Table(_headscope.patch(self._model, words, tell))

    def patch_path(
        self,
        clean: Prompt,
        corrupted: Prompt,
        *,
        senders: Sequence[Head] | Literal["all"] = "all",
        receivers: Sequence[Receiver] | Literal["logits"] = "logits",
        metric: Metric = "loss",
        tokens: Sequence[Token] = (),
        target: Token | None = None,
        position: int | None = None,
        bos: Bos = "auto",
        progress: Progress | None = None,
    ) -> Table:
        """Path patching: the clean prompt with what flows straight from a head of the corrupted one.

        A row for each sender; ``receivers``: the logits, or queries, keys and values of heads, such
        as ``[((5, 3), "q")]``. ``normalised`` is 0 where nothing flows along the path.
        """
        words: dict[str, object] = {
            **metric_words(metric, tokens, target, position),
            **_pair(clean, corrupted, bos),
            "senders": senders if isinstance(senders, str) else texts_of(senders),
            "receivers": receivers
            if isinstance(receivers, str)
            else ",".join(f"{text_of(head)}:{reads}" for head, reads in receivers),
        }
        with telling(progress) as tell:
            return Table(_headscope.patch_path(self._model, words, tell))

    def edges(
        self,
        clean: Prompt,
        corrupted: Prompt,
        *,
        estimate: Literal["slope", "integrated", "recomputed"] = "slope",
        steps: int = 5,
        top: int = 20,
        exact: bool = False,
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
        """
        words: dict[str, object] = {
            **metric_words(metric, tokens, target, position),
            **_pair(clean, corrupted, bos),
            **_estimated(estimate, steps),
            "top": top,
            "exact": exact,
        }
        with telling(progress) as tell:
            return Table(_headscope.edges(self._model, words, tell))

    def edge_circuits(
        self,
        clean: Prompt,
        corrupted: Prompt,
        *,
        estimate: Literal["slope", "integrated", "recomputed"] = "slope",
        steps: int = 5,
        sizes: Sequence[int] = (),
        metric: Metric = "loss",
        tokens: Sequence[Token] = (),
        target: Token | None = None,
        position: int | None = None,
        bos: Bos = "auto",
        progress: Progress | None = None,
    ) -> Table:
        """Measures networks in which the best edges alone carry the clean prompt.

        A row for each number of edges in ``sizes`` (by default 0, 1, 2, 5, 10 … and all): the metric
        with them alone (``kept``) and without them (``without``), and which share of the clean
        prompt's metric that is.
        """
        words: dict[str, object] = {
            **metric_words(metric, tokens, target, position),
            **_pair(clean, corrupted, bos),
            **_estimated(estimate, steps),
            "sizes": list(sizes),
        }
        with telling(progress) as tell:
            return Table(_headscope.edge_circuits(self._model, words, tell))

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

        ``weight`` and ``score`` read a head from a query to a key in place of the metric, behind and
        before the softmax: ``((4, 1), 14, 2)``. Each method has a column: the value without the
        token less the value of the prompt, exactly (hide, replace) or as gradients estimate it.
        ``replace``: the token that stands in; by default the mask token or the mean embedding.

        >>> m = headscope.open(headscope.sample("gpt2-mini-6l"))
        >>> m.token_dependence("the cat", weight=((1, 0), 1, 0), methods=["hide"]).keys()[:2]
        ['position', 'token']
        """
        words: dict[str, object] = {
            **metric_words(metric, tokens, target, position),
            "prompt": prompt_of(prompt, text_pair),
            "weight": _entry(weight),
            "score": _entry(score),
            "replace": replace,
            "replace_mean": replace_mean,
            "methods": list(methods),
            "steps": steps,
            "bos": bos,
        }
        with telling(progress) as tell:
            return Table(_headscope.token_dependence(self._model, words, tell))


def _pair(clean: Prompt, corrupted: Prompt, bos: str) -> dict[str, object]:
    return {"clean": prompt_of(clean), "corrupted": prompt_of(corrupted), "bos": bos}


def _estimated(estimate: str, steps: int) -> dict[str, object]:
    choices = ("slope", "integrated", "recomputed")
    return {"estimate": one_of(estimate, "estimate", choices), "steps": steps}


def _method(method: str) -> str:
    return one_of(method, "method", ("exact", "gradient"))


def _entry(entry: tuple[Head, int, int] | None) -> str | None:
    if entry is None:
        return None
    head, query, key = entry
    return f"{text_of(head)}:{query}:{key}"
