"""A model, and what can be asked of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np

from headscope import _headscope
from headscope.run import Run
from headscope.table import Table

Head = tuple[int, int]  #: layer and head, both from 0
Prompt = str | Sequence[int]  #: a text, or the ids of its tokens
Token = str | int  #: the text of exactly one token, or its id
Bos = Literal["auto", "yes", "no"]  #: auto: as the model uses it
Progress = Callable[[float, str], object]  #: the fraction done, and what is being done
Edit = Callable[[np.ndarray, str], "np.ndarray | None"]


def open(
    path: str | os.PathLike[str],
    *,
    flip_square_matrices: bool = False,
    transpose_heads: bool = False,
    progress: Progress | None = None,
) -> Model:
    """Opens a weight file (.h5, .safetensors, .gguf, .keras), an index of shards or a folder.

    ``flip_square_matrices`` and ``transpose_heads`` read them the other way than names and shapes
    suggest, as ``headscope-cli --flip-square`` and ``--transpose-heads`` do.
    """
    return Model(
        _headscope.open(os.fspath(path), flip_square_matrices, transpose_heads, progress)
    )


class Model:
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
        return self._model.prompt(prompt, bos).pieces

    def ids(self, prompt: Prompt, *, bos: Bos = "auto") -> list[int]:
        """The ids of the tokens of a prompt."""
        return self._model.prompt(prompt, bos).ids

    def run(
        self,
        prompt: Prompt,
        *,
        hooks: Sequence[str] = (),
        ablate: Sequence[Head] = (),
        ablation: Literal["zero", "mean"] = "zero",
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
                _prompt(prompt),
                bos,
                list(hooks),
                _heads(ablate),
                _one_of(ablation, "ablation", ("zero", "mean")),
                list((edits or {}).items()),
            )
        )

    def heads(
        self,
        prompts: Sequence[Prompt] = (),
        *,
        types: Sequence[str] = (),
        sequences: int = 10,
        period: int = 50,
        seed: int = 0,
        bos: Bos = "auto",
        progress: Progress | None = None,
    ) -> Table:
        """Scores every head against the known types: a row for each head and type.

        Without prompts each type is measured on what it is defined by: random sequences of
        ``period`` tokens, repeated, or the bundled sentences. ``types`` leaves all others out.

        >>> m = headscope.open(headscope.sample("induction-circuit"))
        >>> t = m.heads(types=["induction"])
        >>> [(t.cells("head")[i], t["score"][i]) for i in range(len(t)) if t["score"][i] == 1]
        [(0, 1.0), (3, 1.0)]
        """
        return Table(
            _headscope.scores(
                self._model,
                [_prompt(prompt) for prompt in prompts],
                _described(prompts),
                bos,
                sequences,
                period,
                seed,
                list(types),
                progress,
            )
        )

    def lens(
        self,
        prompt: Prompt,
        *,
        token: Token | None = None,
        top: int = 5,
        bos: Bos = "auto",
        progress: Progress | None = None,
    ) -> Table:
        """The logit lens: what the residual stream predicts at each depth and position."""
        return Table(_headscope.lens(self._model, _prompt(prompt), bos, token, top, progress))

    def attribute(
        self,
        prompt: Prompt,
        token: Token,
        *,
        against: Token | None = None,
        position: int | None = None,
        bos: Bos = "auto",
    ) -> Table:
        """What each head, MLP, embedding and bias adds to a logit, or to the difference of two."""
        return Table(
            _headscope.attribute(self._model, _prompt(prompt), bos, token, against, position)
        )

    def sweep(
        self,
        prompt: Prompt,
        *,
        heads: Sequence[Head] | Literal["all", "kv-groups"] = "all",
        kind: Literal["zero", "mean", "resample", "pattern-preserving"] = "zero",
        others: Sequence[Prompt] = (),
        metric: Literal["loss", "logit-diff", "probability", "kl"] = "loss",
        tokens: Sequence[Token] = (),
        target: Token | None = None,
        position: int | None = None,
        method: Literal["exact", "gradient"] = "exact",
        bos: Bos = "auto",
        progress: Progress | None = None,
    ) -> Table:
        """Ablates each head by itself and measures what that changes.

        ``others``: the prompt whose values stand in for resample, or those that mean averages.
        ``tokens``: the two whose logits logit-diff compares. ``target``: the token of probability.
        """
        words = {
            "heads": heads if isinstance(heads, str) else _heads(heads),
            "kind": _one_of(kind, "kind", ("zero", "mean", "resample", "pattern-preserving")),
            "others": [_prompt(other) for other in others],
            "metric": metric,
            "tokens": list(tokens),
            "target": target,
            "position": position,
            "method": _one_of(method, "method", ("exact", "gradient")),
        }
        return Table(_headscope.sweep(self._model, _prompt(prompt), bos, words, progress))

    def similarity(
        self,
        prompts: Sequence[Prompt] = (),
        *,
        below: float = 0.05,
        bos: Bos = "auto",
        progress: Progress | None = None,
    ) -> Table:
        """Compares patterns and outputs of all pairs of heads; without prompts on random tokens.

        ``below``: pairs whose patterns are closer than this, in nats, are redundant.
        """
        return Table(
            _headscope.similarity(
                self._model,
                [_prompt(prompt) for prompt in prompts],
                _described(prompts),
                bos,
                below,
                progress,
            )
        )

    def __repr__(self) -> str:
        return f"<headscope.Model {self.name}: {self.architecture}>"


def _prompt(prompt: Prompt) -> str | list[int]:
    return prompt if isinstance(prompt, str) else [int(token) for token in prompt]


def _heads(heads: Sequence[Head]) -> str:
    return ",".join(f"{layer}.{head}" for layer, head in heads)


def _one_of(value: str, name: str, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise ValueError(f"{name} is one of {', '.join(choices)}, not {value!r}.")
    return value


def _described(prompts: Sequence[Prompt]) -> str:
    """Of prompts, as headscope-cli says what was measured on."""
    if prompts and not isinstance(prompts[0], str):
        return "the ids " + " and ".join(",".join(map(str, prompt)) for prompt in prompts)
    return 'the text "' + '" and "'.join(map(str, prompts)) + '"'
