"""The sample models that come with Headscope."""

from pathlib import Path

from headscope.checking import checked

_PLACES = (
    Path(__file__).parents[4] / "share/headscope/sample_models",  # PREFIX/lib/pythonX/…-packages
    Path(__file__).parents[2] / "share/headscope/sample_models",  # the build tree
)


def _folder() -> Path:
    for place in (*_PLACES, Path("/usr/share/headscope/sample_models")):
        if place.is_dir():
            return place
    raise FileNotFoundError("The sample models are not installed; they are in headscope-data.")


def samples() -> list[str]:
    """The names of the sample models."""
    return sorted(path.stem for path in _folder().glob("*.h5"))


@checked
def sample(name: str) -> Path:
    """The file of a sample model."""
    path = _folder() / f"{name}.h5"
    if not path.exists():
        raise FileNotFoundError(f"There is no sample model {name}; there are {', '.join(samples())}.")
    return path
