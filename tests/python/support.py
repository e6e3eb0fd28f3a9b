"""What the tests of the module share."""

import os
import subprocess
from pathlib import Path

import headscope

PROMPT = "When Mary and John went to the store, John gave a drink to"


def sample_path(name: str) -> Path:
    return Path(os.environ["HEADSCOPE_SAMPLE_MODELS"]) / f"{name}.h5"


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
