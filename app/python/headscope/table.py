"""Results as tables, the very ones that headscope-cli writes."""

from __future__ import annotations

import html
import os
from typing import Any, Iterator, NamedTuple

import numpy as np
import numpy.typing as npt

from headscope import _headscope
from headscope.checking import checked_methods

_SHOWN_ROWS = 20  # in a notebook


class Column(NamedTuple):
    """What one column of a table holds."""

    key: str  #: its name in files
    title: str  #: its heading on screen; empty: not shown there
    unit: str  #: "nats"; empty: none
    meaning: str  #: one sentence; empty where the title says all


@checked_methods
class Table:
    """Rows under named columns, and what holds for all of them.

    ``t["score"]`` is a column as a numpy array: of float64 where its cells are numbers (nothing is
    NaN), of objects otherwise; a head is ``(layer, head)``. ``pandas.DataFrame(t.to_dict())``.
    """

    def __init__(self, table: _headscope.Table) -> None:
        self._table = table
        self.columns = [Column(*column) for column in table.columns]
        self._places: dict[str, int] = {}
        for place, column in enumerate(self.columns):
            # JSON may say under the same name what CSV says in one cell, which comes first.
            self._places.setdefault(column.key, place)

    @property
    def caption(self) -> str:
        """What people read above it."""
        return self._table.caption

    @property
    def fields(self) -> dict[str, Any]:
        """What holds for all rows, such as thresholds and the prompt."""
        return self._table.fields

    @property
    def provenance(self) -> dict[str, Any]:
        """Where the numbers come from: model, prompt, ablation, version."""
        return self._table.provenance

    def __len__(self) -> int:
        return len(self._table)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def keys(self) -> list[str]:
        """The names of the columns."""
        return list(self._places)

    def cells(self, key: str) -> list[Any]:
        """A column as Python values; nothing is None."""
        return self._table.cells(self._places[key])

    def __getitem__(self, key: str) -> npt.NDArray[Any]:
        cells = self.cells(key)
        if all(cell is None or type(cell) in (int, float) for cell in cells):
            return np.array([np.nan if cell is None else cell for cell in cells], dtype=float)
        column = np.empty(len(cells), dtype=object)
        column[:] = cells
        return column

    def to_dict(self) -> dict[str, list[Any]]:
        """All columns by name, for pandas and others."""
        return {key: self.cells(key) for key in self._places}

    def to_csv(self) -> str:
        """As ``headscope-cli … --csv`` prints it, to the byte."""
        return self._table.csv()

    def to_json(self) -> str:
        """As ``headscope-cli … --json`` prints it, to the byte."""
        return self._table.json()

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes a .csv, .json or .h5 file, whole or not at all."""
        self._table.write(os.fspath(path))

    def __repr__(self) -> str:
        return f"<headscope.Table of {len(self)} rows: {', '.join(self._places)}>"

    def _repr_html_(self) -> str:
        # A table that the terminal shows in another form has no headings.
        shown = [column for column in self.columns if column.title] or self.columns
        cells = [self.cells(column.key)[:_SHOWN_ROWS] for column in shown]
        heading = "".join(
            f'<th title="{html.escape(c.meaning)}">{html.escape(c.title or c.key)}</th>' for c in shown
        )
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_text(cell))}</td>" for cell in row) + "</tr>"
            for row in zip(*cells)
        )
        more = f"<p>{len(self) - _SHOWN_ROWS} more rows</p>" if len(self) > _SHOWN_ROWS else ""
        return f"<table><thead><tr>{heading}</tr></thead><tbody>{rows}</tbody></table>{more}"


def _text(cell: Any) -> str:
    if cell is None or cell != cell:
        return "–"
    if isinstance(cell, float):
        return f"{cell:.4g}"
    if isinstance(cell, tuple):
        return f"{cell[0]}.{cell[1]}"
    if isinstance(cell, list):
        return " ".join(_text(element) for element in cell)
    return str(cell)
