"""Pictures."""

from __future__ import annotations

import os

from headscope import _headscope
from headscope.asking import Path


class Figure:
    """A picture that a notebook shows; made by `headscope.Model.show`."""

    def __init__(self, figure: _headscope.Figure) -> None:
        self._figure = figure

    @property
    def svg(self) -> str:
        """The whole SVG document. Text stays text; cells say what they are to who points at them."""
        return self._figure.svg()

    def write(self, path: Path) -> None:
        """Writes a .svg file, whole or not at all."""
        self._figure.write(os.fspath(path))

    def _repr_svg_(self) -> str:
        return self.svg
