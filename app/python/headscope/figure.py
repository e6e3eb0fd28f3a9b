"""Pictures."""

from __future__ import annotations

import base64
import html
import os

from headscope import _headscope
from headscope.asking import Path
from headscope.checking import checked_methods


@checked_methods
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

    def _repr_html_(self) -> str:
        # nbconvert takes everything out of an SVG document but its text, and leaves images alone.
        data = base64.b64encode(self.svg.encode()).decode()
        said = html.escape(f"{self._figure.title}: {self._figure.note}")
        return f'<img src="data:image/svg+xml;base64,{data}" alt="{said}">'
