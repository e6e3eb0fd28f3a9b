"""Why a head looks there, and what the weights say of it without a run."""

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
    Place,
    Progress,
    Prompt,
    Token,
    ablation_of,
    one_of,
    prompt_of,
    text_of,
    texts_of,
)
from headscope.checking import checked_methods
from headscope.table import Table
from headscope.waiting import telling


@checked_methods
class Circuits:
    """The part of `headscope.Model` that takes heads apart."""

    _model: _headscope.Model

    def why(
        self,
        prompt: Prompt,
        head: Head | None = None,
        *,
        query: Place | None = None,
        key: Place | None = None,
        against: Literal["others", "none"] | Place = "others",
        signals: int = 0,
        dimensions: bool = False,
        all_keys: bool = False,
        trace: bool = False,
        remove: str | None = None,
        token: Token | None = None,
        against_token: Token | None = None,
        least: float = 0.1,
        nodes: int = 20,
        follow: Sequence[tuple[Head, Place]] = (),
        follow_from: float = 0.0,
        graphml: Path | None = None,
        ablate: Sequence[Head] = (),
        ablation: Ablation = "zero",
        text_pair: str | None = None,
        bos: Bos = "auto",
    ) -> Table:
        """Why a head looks there: an attention score as the sum of what query and key read.

        ``query`` and ``key`` are positions, from the end where negative; by default the last, and
        the key with the largest weight. ``against``: what the score is compared with: the mean of
        the other keys, nothing, or the position of another key. A row for each pair of writers;
        values are in units of the score, before the softmax. In place of that

        * ``signals=N``: along the singular directions of the head's QK form, N of them with words
        * ``dimensions``: along the dimensions of the head; with ``all_keys`` against every key
        * ``trace``: walks back to the heads it came from, and on; a row for each edge. With
          ``token`` it begins at a logit, or with ``against_token`` at a difference of two.
          ``least``: the smallest share that is shown and followed; ``follow_from``: a larger one
          from which heads are followed, and ``follow``: heads that are in any case, with the position
          at which they wrote: ``[((0, 0), -4)]``; ``graphml``: a file for the graph
        * ``remove``: takes a part out of what the head reads ("key:3.5", "query:mlp 2",
          "key:embedding", "key:direction 1") and measures that

        >>> m = headscope.open(headscope.sample("induction-circuit"))
        >>> t = m.why("A B C D A B C", (1, 0))
        >>> bool(abs(t["value"].sum() + t.fields["distance"] - t.fields["difference"]) < 1e-3)
        True
        """
        show = _shown(signals, dimensions, all_keys, trace, remove)
        if (head is None) == (token is None):
            raise ValueError("Give either head, whose look is explained, or token, whose logit is.")
        if token is not None and show != "trace":
            raise ValueError("token needs trace=True; attribute() shows the parts of a logit.")
        if (follow or follow_from) and show != "trace":
            raise ValueError("follow and follow_from belong to trace=True.")
        if graphml is not None and show != "trace":
            raise ValueError("graphml is the graph of a trace; give trace=True.")
        words = {
            "prompt": prompt_of(prompt, text_pair),
            "head": "" if head is None else text_of(head),
            "query": query,
            "key": key,
            "against": str(against),
            "show": show,
            "signals": signals,
            "remove": remove,
            "token": token,
            "against_token": against_token,
            "least": float(least),
            "nodes": nodes,
            "follow": [f"{text_of(head)}:{position}" for head, position in follow],
            "follow_from": float(follow_from),
            "graphml": None if graphml is None else os.fspath(graphml),
            "ablate": texts_of(ablate),
            "ablation": ablation_of(ablation),
            "bos": bos,
        }
        return Table(_headscope.why(self._model, words))

    def circuits(
        self,
        kind: Literal["composition", "copying", "ov"],
        *,
        head: Head | None = None,
        top: int = 10,
        offset: Place | None = None,
        only: Literal["q", "k", "v"] | None = None,
        progress: Progress | None = None,
    ) -> Table:
        """Reads circuits from the weights, without a run; the ``top`` strongest.

        * composition: how strongly heads write to queries, keys and values of later ones, from 0 to
          1; with rotary positions at an ``offset`` of query minus key; ``only`` one of the three
        * copying: which heads raise the tokens they attend to, from -1 to 1, by the eigenvalues of
          the OV circuit, and how often the best token is the one attended to
        * ov: what ``head`` reads and writes, by the singular directions of its OV circuit

        >>> m = headscope.open(headscope.sample("induction-circuit"))
        >>> t = m.circuits("composition", top=2)
        >>> list(zip(t.cells("kind"), t.cells("from"), t.cells("to")))
        [('K', (0, 0), (1, 0)), ('K', (0, 0), (1, 3))]
        """
        one_of(kind, "kind", ("composition", "copying", "ov"))
        if (head is not None) != (kind == "ov"):
            raise ValueError("head belongs to the kind ov, which needs it.")
        if (offset is not None or only is not None) and kind != "composition":
            raise ValueError("offset and only belong to the kind composition.")
        if only is not None:
            one_of(only, "only", ("q", "k", "v"))
        if head is not None:
            return Table(_headscope.directions(self._model, text_of(head), top))
        with telling(progress) as tell:
            if kind == "copying":
                return Table(_headscope.copying(self._model, top, tell))
            return Table(_headscope.composition(self._model, top, offset, only, tell))


def _shown(
    signals: int, dimensions: bool, all_keys: bool, trace: bool, remove: str | None
) -> str:
    if all_keys and not dimensions:
        raise ValueError("all_keys belongs to dimensions.")
    chosen = [
        name
        for name, is_chosen in (
            ("signals", signals > 0),
            ("keys" if all_keys else "dimensions", dimensions),
            ("trace", trace),
            ("removal", remove is not None),
        )
        if is_chosen
    ]
    if len(chosen) > 1:
        raise ValueError("Choose one of signals, dimensions, trace and remove.")
    return chosen[0] if chosen else "parts"
