"""What heads do: their types, what ablating one costs, where they look."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal

from headscope import _headscope
from headscope.asking import (
    Ablation,
    Bos,
    Head,
    Path,
    Progress,
    Prompt,
    ablation_of,
    one_of,
    prompt_of,
    texts_of,
)
from headscope.checking import checked_methods
from headscope.table import Table
from headscope.waiting import telling


@checked_methods
class Heads:
    """The part of `headscope.Model` that says what its heads do."""

    _model: _headscope.Model

    def heads(
        self,
        prompts: Sequence[Prompt] = (),
        *,
        corpus: Path | None = None,
        length: int = 256,
        treebank: Path | None = None,
        types: Sequence[str] = (),
        sequences: int = 10,
        period: int = 50,
        seed: int = 0,
        bos: Bos = "auto",
        progress: Progress | None = None,
    ) -> Table:
        """Scores every head against the known types: a row for each head and type.

        Heads are measured on ``prompts``, or on ``corpus``, a text file that is cut into sequences
        of ``length`` tokens, or on ``treebank``, a file in CoNLL-U. Without any of them each type is
        measured on what it is defined by: ``sequences`` random ones of ``period`` tokens, repeated,
        or the bundled sentences. ``types`` leaves all others out.
        Scores are shares of attention, from 0 to 1, unless the type says otherwise; ``low`` and
        ``high`` are 95 % intervals.

        >>> m = headscope.open(headscope.sample("induction-circuit"))
        >>> t = m.heads(types=["induction"])
        >>> [(t.cells("head")[i], t["score"][i]) for i in range(len(t)) if t["score"][i] == 1]
        [(0, 1.0), (3, 1.0)]
        """
        if bool(prompts) + (corpus is not None) + (treebank is not None) > 1:
            raise ValueError("Heads are scored on prompts, a corpus or a treebank; give one of them.")
        words = {
            "prompts": [prompt_of(prompt) for prompt in prompts],
            "corpus": _path(corpus),
            "length": length,
            "treebank": _path(treebank),
            "types": list(types),
            "sequences": sequences,
            "period": period,
            "seed": seed,
            "bos": bos,
        }
        with telling(progress) as tell:
            return Table(_headscope.scores(self._model, words, tell))

    def trust(
        self,
        heads: Sequence[Head] | Literal["all"] = "all",
        *,
        types: Sequence[str] = (),
        effects: bool = True,
        text: str = "",
        sequences: int = 10,
        period: int = 50,
        seed: int = 0,
        bos: Bos = "auto",
        progress: Progress | None = None,
    ) -> Table:
        """What is measured of every label beyond its pattern: a row for each label of each head.

        ``word`` says it in short: ``cause`` (the model needs the head), ``secondary`` (no more than
        others, or others make up for it), ``correlate: pattern only``, ``interferer`` (the model
        does better without it), ``undecided``, ``untested``, or ``description`` of a type that
        claims no cause. It follows from six grades: ``pattern``, ``specific`` (above a control),
        ``writes``, ``needed`` (as ``effect()`` says), ``transfers`` (to five other sets of input)
        and ``stable`` (in nine of ten resamples), each ``passed``, ``failed``, ``undecided``,
        ``untested`` or ``not asked``; their figures are columns, and in JSON ``evidence`` has a
        sentence for each.

        Only labels of ``heads`` and of ``types`` are tested. ``effects=False`` ablates no
        heads; ablation takes most of the time. Labels that are read from random tokens are also
        read on the tokens of ``text``, a sixth set, where it has 50 different ones. The other arguments are those of ``heads()``.

        >>> m = headscope.open(headscope.sample("induction-circuit"))
        >>> t = m.trust([(0, 0), (0, 1)], types=["previous", "duplicate"])
        >>> [(t.cells("head")[i], t.cells("word")[i]) for i in range(len(t))]
        [((0, 0), 'cause'), ((0, 1), 'correlate: pattern only')]
        """
        words = {
            "heads": "" if isinstance(heads, str) else texts_of(heads),
            "types": list(types),
            "effects": effects,
            "text": text,
            "sequences": sequences,
            "period": period,
            "seed": seed,
            "bos": bos,
        }
        with telling(progress) as tell:
            return Table(_headscope.trust(self._model, words, tell))

    def examples(
        self,
        corpus: Path | None = None,
        *,
        heads: Sequence[Head] | Literal["all"] = "all",
        show: Literal["deciles", "strongest", "middle", "random"] = "deciles",
        count: int = 50,
        seed: int = 0,
        length: int = 64,
        tokens: int = 100_000,
        effect: Ablation | None = None,
        bos: Bos = "auto",
        progress: Progress | None = None,
    ) -> Table:
        """Where in a text heads look most strongly: up to ``count`` rows for each head.

        ``corpus``: a text file, by default the bundled text, of which ``tokens`` are read at most,
        evenly, in sequences of ``length``. Of each sequence the query counts whose largest weight
        off the first token and the diagonal is largest. ``show``: some of every tenth by that
        weight, the strongest, those around the median, or any, drawn by ``seed``. ``effect``: what
        ablating the head does to the loss of the next token (``change``, nats).

        >>> m = headscope.open(headscope.sample("gpt2-mini-6l"))
        >>> t = m.examples(heads=[(4, 1)], show="strongest", count=3, tokens=512)
        >>> len(t), bool(t["weight"][0] >= t["weight"][2])
        (3, True)
        """
        words = {
            "corpus": _path(corpus),
            "heads": "" if isinstance(heads, str) else texts_of(heads),
            "show": one_of(show, "show", ("deciles", "strongest", "middle", "random")),
            "count": count,
            "seed": seed,
            "length": length,
            "tokens": tokens,
            "effect": None if effect is None else ablation_of(effect),
            "bos": bos,
        }
        with telling(progress) as tell:
            return Table(_headscope.examples(self._model, words, tell))


def _path(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)
