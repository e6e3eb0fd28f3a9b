"""Removing heads: what it costs, and the smaller model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from headscope import _headscope
from headscope.asking import Head, Path, Progress, one_of, texts_of
from headscope.checking import checked_methods
from headscope.table import Table
from headscope.waiting import telling

if TYPE_CHECKING:
    from headscope.model import Model

Unit = Literal["head", "group", "layer"]
Replacement = Literal["zero", "mean", "resample"]
Compensation = Literal["none", "bias", "ridge", "rotation"]


class Pruned(NamedTuple):
    """A smaller model that was written."""

    model: Model  #: opened from where it was written
    path: str
    recipe: str  #: the file beside it that says how it was made
    removed: list[Head]  #: with the numbers that they had before
    difference: float  #: largest one of a logit from the masked model, over the largest logit
    bytes: int
    needs_loader: bool  #: transformers opens the folder by the load_model.py inside only
    note: str  #: why the tokenizer is not inside; empty when it is


@checked_methods
class Pruning:
    """The part of `headscope.Model` that prunes.

    Heads are chosen by one text and judged by another: ``calibrate`` and ``test`` are text files, or
    the two parts of the texts named in ``domains``: own (what the model writes itself), stories,
    manual, encyclopedia, novel, verse. Without any of these, `prune` measures on each text that the
    model can read, and the others read bundled ones. Texts are cut into passages of ``length``
    tokens, at most ``calibrate_tokens`` and ``test_tokens`` of them in all.
    """

    _model: _headscope.Model

    def prune(
        self,
        orders: str | Sequence[str] = "random:10,gradient,taylor,ahon,flap",
        *,
        unit: Unit = "head",
        points: int = 10,
        tolerance: float = 1.0,
        ablation: Replacement = "zero",
        compensate: Compensation = "none",
        tasks: Sequence[str] = ("indirect_object", "verb_agreement"),
        least: int = 0,
        protect: Sequence[Head] = (),
        domains: Sequence[str] = (),
        calibrate: Path | None = None,
        test: Path | None = None,
        length: int = 128,
        calibrate_tokens: int = 4096,
        test_tokens: int = 4096,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Table:
        """What it costs to remove heads, in several orders: a row for each cut of each curve.

        ``orders``: random, ablation, gradient, gradient-layer, taylor, weight, ahon, flap, wanda,
        reconstruction, redundancy, type, greedy, greedy-gradient; ``random:10`` are ten random ones,
        ``list:FILE`` takes heads from a file. ``points``: cuts of a curve, before further ones
        narrow down where it rises above the tolerance. ``fields["verdict"]`` says how many heads can
        go at no more than ``tolerance`` percent more loss: on the text with the lowest
        loss, with the range over all texts, and whether that text is outside of the
        model's domain. Losses and ``kl`` are in nats per token; ``low`` and ``high`` are the 95 %
        interval of the loss's increase on that text.

        ``least``: units that stay in every layer; ``protect``: heads that stay. ``compensate``: what
        makes up for removed heads; ``ablation``: what replaces their output where nothing does.

        >>> m = headscope.open(headscope.sample("attn-only-2l"))
        >>> few = {"length": 32, "calibrate_tokens": 256, "test_tokens": 256, "tasks": []}
        >>> few["domains"] = ["stories"]
        >>> m.prune("weight", points=2, tolerance=1000, **few).cells("order")
        ['whole', 'weight', 'weight']
        """
        words = self._words(
            domains, calibrate, test, length, calibrate_tokens, test_tokens, seed, unit, ablation, compensate
        ) | {
            "orders": orders if isinstance(orders, str) else ",".join(orders),
            "points": points,
            "tolerance": float(tolerance),
            "tasks": list(tasks),
            "least": least,
            "protect": texts_of(protect),
        }
        with telling(progress) as tell:
            return Table(_headscope.prune(self._model, words, tell))

    def group_queries(
        self,
        *,
        domains: Sequence[str] = (),
        calibrate: Path | None = None,
        test: Path | None = None,
        length: int = 128,
        calibrate_tokens: int = 4096,
        test_tokens: int = 4096,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Table:
        """What it costs, before any training, to let more queries share keys and values.

        A row for each number of KV heads and way of pooling; losses are in nats per token.
        """
        words = self._words(
            domains, calibrate, test, length, calibrate_tokens, test_tokens, seed, "head", "zero", "none"
        )
        with telling(progress) as tell:
            return Table(_headscope.group_queries(self._model, words, tell))

    def save_pruned(
        self,
        output: Path,
        *,
        order: str | None = None,
        remove: int | float | str | None = None,
        recipe: Path | None = None,
        unit: Unit = "head",
        ablation: Replacement = "zero",
        compensate: Compensation = "none",
        least: int = 0,
        protect: Sequence[Head] = (),
        domains: Sequence[str] = (),
        calibrate: Path | None = None,
        test: Path | None = None,
        length: int = 128,
        calibrate_tokens: int = 4096,
        test_tokens: int = 4096,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Pruned:
        """Writes the model without some heads: narrower matrices, not zeros, and a recipe beside it.

        ``output``: FILE.h5, FILE.gguf for llama.cpp, or a folder for transformers. Heads are the
        first of an ``order`` (see `prune`), as many as ``remove`` says: 14, or the share 0.3
        or "30%". Or those of a ``recipe``, which makes the same file again. The file is compared with the masked model
        before it is kept.
        """
        if (recipe is None) == (order is None) or (order is None) != (remove is None):
            raise ValueError("Give order and remove, or a recipe.")
        words = self._words(
            domains, calibrate, test, length, calibrate_tokens, test_tokens, seed, unit, ablation, compensate
        ) | {
            "order": order,
            "remove": f"{100 * remove}%" if isinstance(remove, float) else str(remove),
            "recipe": None if recipe is None else os.fspath(recipe),
            "least": least,
            "protect": texts_of(protect),
        }
        path = os.fspath(output)
        with telling(progress) as tell:
            saved: dict[str, Any] = _headscope.save_pruned(self._model, path, words, tell)
        from headscope.model import open

        return Pruned(path=path, model=open(path), **saved)

    def _words(
        self,
        domains: Sequence[str],
        calibrate: Path | None,
        test: Path | None,
        length: int,
        calibrate_tokens: int,
        test_tokens: int,
        seed: int,
        unit: str,
        ablation: str,
        compensate: str,
    ) -> dict[str, object]:
        return {
            "domains": [domains] if isinstance(domains, str) else list(domains),
            "calibrate": "" if calibrate is None else os.fspath(calibrate),
            "test": "" if test is None else os.fspath(test),
            "length": length,
            "calibrate_tokens": calibrate_tokens,
            "test_tokens": test_tokens,
            "seed": seed,
            "unit": one_of(unit, "unit", ("head", "group", "layer")),
            "ablation": one_of(ablation, "ablation", ("zero", "mean", "resample")),
            "compensate": one_of(compensate, "compensate", ("none", "bias", "ridge", "rotation")),
            "points": 10,
            "tolerance": 1.0,
            "tasks": [],
            "least": 0,
            "protect": "",
        }
