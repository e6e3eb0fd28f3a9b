"""One forward pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Iterator, NamedTuple

import numpy as np
import numpy.typing as npt

from headscope import _headscope
from headscope.checking import checked_methods


Floats = npt.NDArray[np.float32]


class Prediction(NamedTuple):
    """What a model says comes next."""

    piece: str  #: its text
    id: int
    probability: float
    logit: float


@checked_methods
class Run(Mapping[str, Floats]):
    """What a model made of a prompt; ``r["blocks.4.attn.hook_pattern"]`` is what a hook kept.

    Arrays are float32, show the run's own numbers without a copy, and cannot be written; ``.copy()``
    makes one that can.
    """

    def __init__(self, run: _headscope.Run) -> None:
        self._run = run
        self._arrays: dict[str, Floats] = run.arrays
        if run.logits is not None:
            self._arrays["logits"] = run.logits

    def __getitem__(self, name: str) -> Floats:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    @property
    def ids(self) -> list[int]:
        """The tokens, BOS included where there is one."""
        return self._run.prompt.ids

    @property
    def tokens(self) -> list[str]:
        """Their texts."""
        return self._run.prompt.pieces

    @property
    def segments(self) -> list[int]:
        """The segment of each token, 0 or 1; empty where the network knows none.

        Tokens after the first separator, BERT's [SEP], are segment 1.
        """
        return self._run.prompt.segments

    @property
    def has_bos(self) -> bool:
        return self._run.prompt.has_bos

    @property
    def bos_reason(self) -> str:
        """Why there is, or is no, BOS: one sentence."""
        return self._run.prompt.bos_reason

    @property
    def logits(self) -> Floats | None:
        """[position, d_vocab]; None for a model without an unembedding."""
        return self._arrays.get("logits")

    @property
    def loss(self) -> float | None:
        """Mean loss of the next token, in nats; None where no next token is predicted."""
        return self._run.loss

    @property
    def audit(self) -> list[dict[str, Any]]:
        """What each hook did: how often it fired and how many numbers it changed by how much."""
        return self._run.audit

    @property
    def provenance(self) -> dict[str, Any]:
        """Where the numbers come from: model, prompt, ablation, version."""
        return self._run.provenance

    @property
    def seconds(self) -> float:
        """Wall time of the forward pass."""
        return self._run.seconds

    def predictions(self, count: int = 5) -> list[Prediction]:
        """What comes next (of an encoder: at its first mask token), the most probable first."""
        return [Prediction(*prediction) for prediction in self._run.predictions(count)]

    def pattern(self, layer: int, head: int) -> Floats:
        """Attention of one head, [query, key], whether or not a hook kept it.

        It is computed again from queries and keys, within 1e-6 of the pass's own.
        """
        return self._run.pattern(layer, head)

    def __repr__(self) -> str:
        return f"<headscope.Run of {len(self.ids)} tokens: {', '.join(self)}>"

    def _repr_html_(self) -> str:
        import html

        tokens = "".join(f"<code>{html.escape(token)}</code> " for token in self.tokens)
        best = ", ".join(
            f"<code>{html.escape(p.piece)}</code> {p.probability:.1%}" for p in self.predictions()
        )
        loss = "" if self.loss is None else f"<br>loss {self.loss:.4f} nats per token"
        return f"<p>{tokens}<br>next: {best}{loss}</p>"
