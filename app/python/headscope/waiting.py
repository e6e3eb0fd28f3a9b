"""How far a computation is, in a bar."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from headscope.asking import Progress

_UNSEEN_SECONDS = 0.5  # what is done before shows no bar


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and hasattr(shell.get_ipython(), "kernel")


def _bar() -> Any:
    has_widgets = _in_notebook() and importlib.util.find_spec("ipywidgets") is not None
    tqdm = importlib.import_module("tqdm.notebook" if has_widgets else "tqdm")
    return tqdm.tqdm(
        total=1.0,
        delay=_UNSEEN_SECONDS,
        bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}<{remaining}",
    )


@contextmanager
def telling(progress: Progress | None) -> Iterator[Callable[[float, str], object] | None]:
    """What core calls while it computes. A bar is closed at the end, whatever happens."""
    if progress is None:
        progress = _in_notebook() and importlib.util.find_spec("tqdm") is not None
    if not isinstance(progress, bool):
        yield progress
        return
    if not progress:
        yield None
        return
    bar = _bar()

    def tell(fraction: float, stage: str) -> None:
        bar.set_description_str(stage, refresh=False)
        bar.update(max(0.0, fraction - bar.n))

    try:
        yield tell
        bar.update(1.0 - bar.n)
    finally:
        bar.close()
