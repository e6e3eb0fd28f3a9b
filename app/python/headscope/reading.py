"""What is read of runs: logits, texts."""

from __future__ import annotations

import os
from collections.abc import Sequence

from headscope import _headscope
from headscope.asking import (
    Ablation,
    Bos,
    Head,
    Path,
    Progress,
    Prompt,
    Token,
    ablation_of,
    prompt_of,
    text_of,
    texts_of,
)
from headscope.checking import checked_methods
from headscope.table import Table
from headscope.waiting import telling


@checked_methods
class Reading:
    """The part of `headscope.Model` that reads runs."""

    _model: _headscope.Model

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
        words = {
            "prompt": prompt_of(prompt, text_pair),
            "token": token,
            "top": top,
            "ablate": texts_of(ablate),
            "ablation": ablation_of(ablation),
            "bos": bos,
        }
        with telling(progress) as tell:
            return Table(_headscope.lens(self._model, words, tell))

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
        if backup_of and ablate:
            raise ValueError("backup_of compares two runs, and ablate reads one; give one of them.")
        words = {
            "prompt": prompt_of(prompt, text_pair),
            "token": token,
            "against": against,
            "position": position,
            "backup_of": texts_of(backup_of),
            "ablate": texts_of(ablate),
            "ablation": ablation_of(ablation),
            "bos": bos,
        }
        asked = _headscope.backup if backup_of else _headscope.attribute
        return Table(asked(self._model, words))

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
        """Writes on behind a prompt: a row per token; ``fields["text"]`` is what was written.

        ``temperature`` divides the logits before a token is drawn; at 0 it is the most probable.
        ``probability`` is what the network gives a token, whatever the temperature.

        >>> m = headscope.open(headscope.sample("induction-circuit"))
        >>> m.generate("A B C D A B", tokens=2).fields["text"]
        'cd'
        """
        words = {
            "prompt": prompt_of(prompt, text_pair),
            "tokens": tokens,
            "temperature": float(temperature),
            "seed": seed,
            "ablate": texts_of(ablate),
            "ablation": ablation_of(ablation),
            "bos": bos,
        }
        with telling(progress) as tell:
            return Table(_headscope.generate(self._model, words, tell))

    def prompts(
        self,
        prompts: Path | Sequence[Prompt],
        *,
        ablate: Sequence[Head] = (),
        ablation: Ablation = "zero",
        score: tuple[Head, str] | None = None,
        bos: Bos = "auto",
        progress: Progress | None = None,
    ) -> Table:
        """Runs prompts, or those of a file, whole and with heads ablated: a row for each.

        A prompt of a file is a line of text, or of JSON that holds it under "prompt" or "text", or a
        row of a .csv or .tsv that has a column of that name; "text_pair" is a second text.
        Losses are in nats per token, ``kl`` in nats. ``score``: a column with what this head does
        in each prompt, such as ``((4, 1), "induction")``.

        >>> m = headscope.open(headscope.sample("gpt2-mini-6l"))
        >>> m.prompts(["the cat sat", "the dog sat"], ablate=[(4, 1)]).cells("prompt")
        ['the cat sat', 'the dog sat']
        """
        file = None
        given: list[str | tuple[str, str] | list[int]] = []
        if isinstance(prompts, (str, os.PathLike)):
            file = os.fspath(prompts)
        else:
            given = [prompt_of(prompt) for prompt in prompts]
        words = {
            "file": file,
            "prompts": given,
            "ablate": texts_of(ablate),
            "ablation": ablation_of(ablation),
            "score": None if score is None else f"{text_of(score[0])}:{score[1]}",
            "bos": bos,
        }
        with telling(progress) as tell:
            return Table(_headscope.prompts(self._model, words, tell))
