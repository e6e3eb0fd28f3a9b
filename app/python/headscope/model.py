"""A model, and what can be asked of it."""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, Literal

import numpy as np
import numpy.typing

from headscope import _headscope
from headscope.analyses import Analyses
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
    text_of,
    texts_of,
)
from headscope.checking import checked, checked_methods
from headscope.figure import Figure
from headscope.heads import Heads
from headscope.interventions import Interventions
from headscope.pruning import Pruning
from headscope.reading import Reading
from headscope.run import Run
from headscope.table import Table
from headscope.waiting import telling

#: Gets a value, in its hook point's shape, and the point's name; changes it in place or returns
#: what replaces it.
Edit = Callable[["np.typing.NDArray[Any]", str], "np.typing.NDArray[Any] | None"]


@checked
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


@checked
def verify(*, progress: Progress | None = None) -> dict[str, Any]:
    """Checks the program on models whose scores are known; `Model.verify` checks yours, too."""
    return _verified(None, None, progress)


@checked_methods
class Model(Analyses, Heads, Reading, Interventions, Pruning):
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
        self.n_parameters: int = model.card["parameters"]
        self.n_ctx: int = model.dimensions["n_ctx"]  #: longest prompt; 0: no limit

    @property
    def all_heads(self) -> list[Head]:
        """Every head that it has, layer by layer."""
        return self._model.heads

    @property
    def hooks(self) -> list[str]:
        """The names of all hook points, in the order in which they fire."""
        return self._model.hooks

    def info(self) -> dict[str, Any]:
        """What the file holds: spec, parameters, and which tensor was read as what.

        >>> m = headscope.open(headscope.sample("induction-circuit"))
        >>> m.info()["load_report"]["used"][0]["tensor"]
        'transformer.wte.weight'
        """
        return self._model.info

    def tokens(self, prompt: Prompt, *, text_pair: str | None = None, bos: Bos = "auto") -> list[str]:
        """The texts of the tokens of a prompt."""
        return self._model.prompt(prompt_of(prompt, text_pair), bos).pieces

    def ids(self, prompt: Prompt, *, text_pair: str | None = None, bos: Bos = "auto") -> list[int]:
        """The ids of the tokens of a prompt."""
        return self._model.prompt(prompt_of(prompt, text_pair), bos).ids

    def run(
        self,
        prompt: Prompt,
        *,
        hooks: Sequence[str] = (),
        ablate: Sequence[Head] = (),
        ablation: Ablation = "zero",
        edits: Mapping[str, Edit] | None = None,
        text_pair: str | None = None,
        bos: Bos = "auto",
    ) -> Run:
        """Runs a prompt.

        ``text_pair``: a second text, separated from the first as the tokenizer separates two texts.
        ``hooks``: names, with ``*`` and ``?``, of what is kept.
        ``ablate``: heads whose output is replaced, by zeros or by its mean over the prompt.
        ``edits``: a function by hook name; it gets the value, an array of its own, and the name of
        the point, and changes the array in place or returns another of the same shape. The model
        stays as it is: an edit is part of this run only. Each call costs two copies of the value
        and holds the interpreter's lock. Edits follow the ablation, and values are kept after both.

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
                prompt_of(prompt, text_pair),
                bos,
                list(hooks),
                texts_of(ablate),
                ablation_of(ablation),
                list((edits or {}).items()),
            )
        )

    def show(
        self,
        run: Run,
        head: Head,
        *,
        scores: Table | None = None,
        colours: Literal["viridis", "cividis", "greys"] = "viridis",
        first_key: Literal["auto", "hidden", "shown"] = "auto",
        rescale: bool = False,
        scale: Literal["linear", "sqrt", "log"] | None = None,
    ) -> Figure:
        """The pattern of one head of a run, as the window draws it.

        ``scores``, of `heads`, add the head's types to the title.
        ``first_key``: left out where it holds more than half of the attention (auto), and its share
        shown as grey bars; ``rescale`` divides each row by what is left of it. ``scale``: how
        colours go along the weights from 0 to 1; by default the finer, the less is left. Hooks that
        edited the pattern itself do not show.

        >>> m = headscope.open(headscope.sample("induction-circuit"))
        >>> m.show(m.run("A B C A B"), head=(1, 0)).svg[:26]
        '<svg xmlns="http://www.w3.'
        """
        return Figure(
            _headscope.figure(
                run._run,
                text_of(head),
                one_of(colours, "colours", ("viridis", "cividis", "greys")),
                one_of(first_key, "first_key", ("auto", "hidden", "shown")),
                rescale,
                scale if scale is None else one_of(scale, "scale", ("linear", "sqrt", "log")),
                "" if scores is None else _types_of(scores, head),
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

    def verify(
        self, *, reference: Path | None = None, progress: Progress | None = None
    ) -> dict[str, Any]:
        """Checks this model for what must hold of any, and the program on models that are known.

        ``reference``: a file with outputs of the model as another program stored them (.h5,
        .safetensors). Whether all ``passed``, and each of the ``checks`` in ``sections``, whose
        ``outcome`` is "passed", "failed", "not verified" or "not applicable". "not verified": the
        model predicts texts no better than counts of tokens do, or better with something of it
        altered, as if the file had been exported wrongly; then the report is not ``passed``.
        """
        return _verified(self._model, reference, progress)

    def __repr__(self) -> str:
        return f"<headscope.Model {self.name}: {self.architecture}>"

    def _repr_html_(self) -> str:
        card = self._model.card
        facts = {
            "architecture": self.architecture,
            "attention": card["attention"],
            "parameters": f"{self.n_parameters:,}",
            "heads": f"{len(self.all_heads)}, of {self.d_head} dimensions",
            "residual stream": f"{self.d_model} dimensions",
            "vocabulary": f"{self.d_vocab:,} tokens",
            "context": f"{self.n_ctx:,} tokens" if self.n_ctx else "no limit",
            "BOS": card["bos_reason"],
            "file": self.path,
            "SHA-256": self.sha256,
        }
        rows = "".join(
            f'<tr><th style="text-align:left">{name}</th>'
            f'<td style="text-align:left">{html.escape(str(fact))}</td></tr>'
            for name, fact in facts.items()
        )
        return f"<table><caption><b>{html.escape(self.name)}</b></caption>{rows}</table>"


def _verified(
    model: _headscope.Model | None, reference: Path | None, progress: Progress | None
) -> dict[str, Any]:
    date = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    with telling(progress) as tell:
        return _headscope.verify(
            model, None if reference is None else os.fspath(reference), date, tell
        )


def _types_of(scores: Table, head: Head) -> str:
    """ "induction 0.59 (baseline 0.01)", or "no type" """
    heads = zip(scores.cells("layer"), scores.cells("head"), scores.cells("detector"))
    rows = {type_: row for row, (*each, type_) in enumerate(heads) if tuple(each) == tuple(head)}
    labels = scores.cells("labels")[next(iter(rows.values()))] if rows else []
    texts = [
        f"{label} {scores['score'][rows[label]]:.2f} (baseline {scores['chance'][rows[label]]:.2f})"
        for label in labels
        if label in rows
    ]
    return " · ".join(texts) or "no type"
