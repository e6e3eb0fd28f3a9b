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
    texts_of,
)
from headscope.checking import checked_methods
from headscope.table import Table
from headscope.waiting import telling


@checked_methods
class Interventions:
    """The part of `headscope.Model` that ablates heads one by one."""

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
            "method": one_of(method, "method", ("exact", "gradient")),
            "bos": bos,
        }
        with telling(progress) as tell:
            return Table(_headscope.sweep(self._model, words, tell))
