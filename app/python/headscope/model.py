"""A model, and what can be asked of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing

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
    texts_of,
)
from headscope.circuits import Circuits
from headscope.interventions import Interventions
from headscope.pruning import Pruning
from headscope.reading import Reading
from headscope.run import Run
from headscope.waiting import telling

#: Gets a value, in its hook point's shape, and the point's name; changes it in place or returns
#: what shall stand instead.
Edit = Callable[["np.typing.NDArray[Any]", str], "np.typing.NDArray[Any] | None"]


def open(
    path: Path,
    *,
    flip_square_matrices: bool = False,
    transpose_heads: bool = False,
    progress: Progress | None = None,
) -> Model:
    """Opens a weight file (.h5, .safetensors, .gguf, .keras), an index of shards or a folder.

    ``flip_square_matrices`` and ``transpose_heads`` read them the other way than names and shapes
    suggest, as ``headscope-cli --flip-square`` and ``--transpose-heads`` do.
    """
    with telling(progress) as tell:
        return Model(
            _headscope.open(os.fspath(path), flip_square_matrices, transpose_heads, tell)
        )


class Model(Reading, Interventions, Circuits, Pruning):
    """A transformer that can be run. Made by `headscope.open`; nothing changes it."""

    def __init__(self, model: _headscope.Model) -> None:
        self._model = model
        self.name: str = model.name
        self.path: str = model.path
        self.sha256: str = model.sha256  #: of the weight file
        self.description: str = model.description
        self.family: str = model.family  #: model_type of the config
        self.architecture: str = model.architecture  #: in a few words
        self.causal: bool = model.causal
        self.n_layers: int = model.dimensions["n_layers"]
        self.n_heads: int = model.dimensions["n_heads"]  #: of a layer that has all of its heads
        self.n_kv_heads: int = model.dimensions["n_kv_heads"]
        self.d_model: int = model.dimensions["d_model"]
        self.d_head: int = model.dimensions["d_head"]
        self.d_mlp: int = model.dimensions["d_mlp"]  #: 0 without MLP, or with experts
        self.d_vocab: int = model.dimensions["d_vocab"]
        self.n_ctx: int = model.dimensions["n_ctx"]  #: longest prompt; 0: no limit

    @property
    def all_heads(self) -> list[Head]:
        """Every head that it has, layer by layer."""
        return self._model.heads

    @property
    def hooks(self) -> list[str]:
        """The names of all hook points, in the order in which they fire."""
        return self._model.hooks

    def tokens(self, prompt: Prompt, *, bos: Bos = "auto") -> list[str]:
        """The texts of the tokens of a prompt."""
        return self._model.prompt(prompt_of(prompt), bos).pieces

    def ids(self, prompt: Prompt, *, bos: Bos = "auto") -> list[int]:
        """The ids of the tokens of a prompt."""
        return self._model.prompt(prompt_of(prompt), bos).ids

    def run(
        self,
        prompt: Prompt,
        *,
        hooks: Sequence[str] = (),
        ablate: Sequence[Head] = (),
        ablation: Ablation = "zero",
        edits: Mapping[str, Edit] | None = None,
        bos: Bos = "auto",
    ) -> Run:
        """Runs a prompt.

        ``hooks``: names, with ``*`` and ``?``, of what is kept.
        ``ablate``: heads whose output is replaced, by zeros or by its mean over the prompt.
        ``edits``: a function by hook name; it gets the value, an array of its own, and the name of
        the point, and changes the array in place or returns another of the same shape. The model
        stays as it is: an edit is part of this run only. Each call costs two copies of the value
        and holds the interpreter's lock. Edits come behind the ablation, what is kept behind both.

        >>> m = headscope.open(headscope.sample("induction-circuit"))
        >>> def silence(z, name):   # [position, head, d_head]
        ...     z[:, 0] = 0
        >>> edited = m.run("A B C A B", edits={"blocks.1.attn.hook_z": silence})
        >>> ablated = m.run("A B C A B", ablate=[(1, 0)])
        >>> bool((edited.logits == ablated.logits).all())
        True
        """
        return Run(
            _headscope.run(
                self._model,
                prompt_of(prompt),
                bos,
                list(hooks),
                texts_of(ablate),
                ablation_of(ablation),
                list((edits or {}).items()),
            )
        )

    def save(
        self,
        output: Path,
        *,
        dtype: Literal["f32", "f16", "bf16", "q8_0"] = "f32",
        progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Writes the file that was opened as FILE.h5, FILE.gguf or a folder for transformers.

        With weights, config and tokenizer; f32 gives the same logits to the bit. q8_0 is of GGUF
        alone. What was written is in the dictionary: how many tensors, where config and tokenizer
        came from, and what was left out.
        """
        with telling(progress) as tell:
            return _headscope.save(self._model, os.fspath(output), dtype, tell)

    def __repr__(self) -> str:
        return f"<headscope.Model {self.name}: {self.architecture}>"
