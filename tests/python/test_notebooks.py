"""The example notebooks run from the first cell to the last, and show what they say they show."""

import ast
import contextlib
import io
import json
import unittest
from pathlib import Path

import headscope

FOLDER = Path(__file__).parents[2] / "resources/notebooks"


def run_cell(source: str, names: dict[str, object]) -> object:
    """As a notebook does: the value of a last expression is what is shown."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def run_notebook(path: Path) -> list[object]:
    """What its code cells show."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        return [
            run_cell("".join(cell["source"]), names)
            for cell in notebook["cells"]
            if cell["cell_type"] == "code"
        ]


class TestNotebooks(unittest.TestCase):
    def test_look_at_heads(self):
        shown = run_notebook(FOLDER / "look_at_heads.ipynb")
        self.assert_shown(shown)
        self.assertTrue(any(isinstance(value, headscope.Figure) for value in shown))
        whole, halved, ablated = shown[-1]
        self.assertLess(ablated, whole)
        self.assertLess(halved, whole)
        self.assertLess(ablated, halved)

    def test_explain_a_prediction(self):
        shown = run_notebook(FOLDER / "explain_a_prediction.ipynb")
        self.assert_shown(shown)
        whole, parts = next(value for value in shown if isinstance(value, tuple))
        self.assertAlmostEqual(whole, parts, delta=0.001)
        removal = shown[-1]
        self.assertEqual(removal.cells("reading")[0], "whole")
        self.assertLess(removal["weight"][2], removal["weight"][0])

    def test_prune(self):
        shown = run_notebook(FOLDER / "prune.ipynb")
        self.assert_shown(shown)
        heads, difference, share = next(value for value in shown if isinstance(value, tuple))
        self.assertEqual(heads, 12)
        self.assertLess(difference, 1e-5)
        self.assertLess(share, 0.97)

    def test_all_notebooks_are_tested_and_hold_no_output(self):
        notebooks = sorted(FOLDER.glob("*.ipynb"))
        tested = [name.removeprefix("test_") for name in dir(self) if name.startswith("test_")]
        self.assertEqual(len(notebooks), 3)
        for path in notebooks:
            self.assertIn(path.stem, tested)
            notebook = json.loads(path.read_text(encoding="utf-8"))
            self.assertEqual((notebook["nbformat"], notebook["nbformat_minor"]), (4, 5))
            for cell in notebook["cells"]:
                self.assertFalse(cell.get("outputs"))
                self.assertIsNone(cell.get("execution_count"))

    def assert_shown(self, shown: list[object]) -> None:
        for value in shown:
            for representation in ("_repr_html_", "_repr_svg_"):
                if hasattr(value, representation):
                    self.assertGreater(len(getattr(value, representation)()), 100)


if __name__ == "__main__":
    unittest.main()
