"""What core gives the package; the package documents it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

_Tell = Callable[[float, str], object] | None
_Prompt = str | tuple[str, str] | list[int]
_Words = Mapping[str, object]
_Floats = npt.NDArray[np.float32]

__version__: str
missed_blas_kernels: str | None

class Error(RuntimeError):
    """What cannot be done, in one sentence; ``code`` says of which kind it is."""

    code: str

class Prompt:
    text: str
    ids: list[int]
    pieces: list[str]
    has_bos: bool
    bos_reason: str
    segments: list[int]

class Model:
    name: str
    path: str
    sha256: str
    description: str
    family: str
    architecture: str
    causal: bool
    dimensions: dict[str, int]
    heads: list[tuple[int, int]]
    hooks: list[str]
    card: dict[str, Any]
    info: dict[str, Any]

    def prompt(self, given: _Prompt, bos: str) -> Prompt: ...

class Run:
    prompt: Prompt
    seconds: float
    arrays: dict[str, _Floats]
    logits: _Floats | None
    loss: float | None
    audit: list[dict[str, Any]]
    provenance: dict[str, Any]

    def predictions(self, count: int) -> list[tuple[str, int, float, float]]: ...
    def pattern(self, layer: int, head: int) -> _Floats: ...

class Table:
    caption: str
    columns: list[tuple[str, str, str, str]]
    fields: dict[str, Any]
    provenance: dict[str, Any]

    def __len__(self) -> int: ...
    def cells(self, column: int) -> list[Any]: ...
    def csv(self) -> str: ...
    def json(self) -> str: ...
    def write(self, path: str) -> None: ...

class Figure:
    title: str
    note: str

    def svg(self) -> str: ...
    def write(self, path: str) -> None: ...

def figure(
    run: Run,
    head: str,
    colours: str,
    first_key: str,
    rescale: bool,
    scale: str | None,
    types: str,
) -> Figure: ...
def open(
    path: str, flip_square_matrices: bool, transpose_heads: bool, progress: _Tell
) -> Model: ...
def save(model: Model, output: str, dtype: str, progress: _Tell) -> dict[str, Any]: ...
def verify(
    model: Model | None, reference: str | None, date: str, progress: _Tell
) -> dict[str, Any]: ...
def run(
    model: Model,
    prompt: _Prompt,
    bos: str,
    hooks: Sequence[str],
    ablate: str,
    ablation: str,
    edits: Sequence[tuple[str, Callable[..., object]]],
) -> Run: ...
def ask(model: Model, key: str, words: _Words, progress: _Tell) -> Table: ...
def scores(model: Model, words: _Words, progress: _Tell) -> Table: ...
def trust(model: Model, words: _Words, progress: _Tell) -> Table: ...
def examples(model: Model, words: _Words, progress: _Tell) -> Table: ...
def prompts(model: Model, words: _Words, progress: _Tell) -> Table: ...
def sweep(model: Model, words: _Words, progress: _Tell) -> Table: ...
def prune(model: Model, words: _Words, progress: _Tell) -> Table: ...
def group_queries(model: Model, words: _Words, progress: _Tell) -> Table: ...
def save_pruned(
    model: Model, output: str, words: _Words, progress: _Tell
) -> dict[str, Any]: ...
