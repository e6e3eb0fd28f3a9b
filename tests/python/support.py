"""What the tests of the module share."""

import os
import subprocess
import unittest
from collections.abc import Callable
from pathlib import Path

import headscope

PROMPT = "When Mary and John went to the store, John gave a drink to"


def sample_path(name: str) -> Path:
    return Path(os.environ["HEADSCOPE_SAMPLE_MODELS"]) / f"{name}.h5"


def fixture_path(name: str) -> Path:
    return Path(__file__).parent.parent / "data" / "fixtures" / f"{name}.h5"


def sample(name: str) -> headscope.Model:
    return headscope.open(sample_path(name))


def cli(command: str, name: str, *arguments: str) -> str:
    """What headscope-cli prints for a sample model."""
    return subprocess.run(
        [os.environ["HEADSCOPE_CLI"], command, sample_path(name), *arguments],
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
    ).stdout


class TableTest(unittest.TestCase):
    """Compares tables with what the command line prints."""

    of = "gpt2-mini-6l"
    sample = staticmethod(sample)

    @classmethod
    def setUpClass(cls):
        cls.model = sample(cls.of)

    def assert_same(
        self, table: headscope.Table, command: str, *arguments: str, of: str | None = None
    ) -> None:
        self.assertEqual(table.to_csv(), cli(command, of or self.of, *arguments, "--csv"))
        self.assertEqual(table.to_json(), cli(command, of or self.of, *arguments, "--json"))
        self.assertGreater(len(table.to_csv()), 200)

    def assert_refused(self, *asks: Callable[[], object]) -> None:
        for ask in asks:
            with self.assertRaises(headscope.Error) as raised:
                ask()
            self.assertRegex(str(raised.exception), r"^[^\n]+\.$")
            self.assertTrue(raised.exception.code)
