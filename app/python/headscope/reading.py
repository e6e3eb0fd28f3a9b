"""What is read of many prompts."""

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
    """The part of `headscope.Model` that runs sets of prompts."""

    _model: _headscope.Model

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
