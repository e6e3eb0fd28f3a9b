"""Commands that write files, one or more for each way of writing, and how to look at what they wrote."""

import hashlib
import shutil

MODEL = "sample_models/attn-only-2l.h5"
IDS = ",".join(str(id) for id in range(1, 61))


class Writer:
    def __init__(self, name, arguments, target, program=None):
        self.name = name
        self.arguments = arguments  # as a function of the target's path
        self.target = target
        self.program = program
        self.is_folder = target.endswith("/")

    def path(self, folder):
        return folder / self.target.rstrip("/")

    def call(self, folder):
        return self.arguments(self.path(folder))

    def remove(self, folder):
        for path in (self.path(folder), self.sidecar(folder)):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def sidecar(self, folder):
        """Written beside arrays whose format has no place for their origin."""
        path = self.path(folder)
        return path.with_name(path.name + ".json")


def all_writers(campaign):
    root = campaign.root
    model = str(root / MODEL)
    prompt = ["--ids", IDS]

    def cli(name, target, *before):
        return Writer(name, lambda path: [*before, "-o", path], target)

    writers = [cli(f"export {ending}", f"out.{ending}", "export", model, *prompt)
               for ending in ("npz", "h5", "json")]
    writers += [cli(f"export one head {ending}", f"head.{ending}", "export", model, *prompt,
                    "--layer", "0", "--head", "0") for ending in ("npy", "csv")]
    writers += [cli(f"sweep {ending}", f"sweep.{ending}", "sweep", model, *prompt)
                for ending in ("csv", "json")]
    writers.append(cli("lens csv", "lens.csv", "lens", model, *prompt))
    writers.append(cli("circuits json", "circuits.json", "circuits", model, "--composition"))
    writers.append(cli("circuits csv", "circuits.csv", "circuits", model, "--ov", "0.1"))
    writers.append(cli("run npz", "run.npz", "run", model, *prompt))
    writers.append(cli("similarity csv", "similarity.csv", "similarity", model, *prompt))
    writers.append(cli("attribute csv", "attribute.csv", "attribute", model, *prompt,
                       "--token", "5"))
    writers.append(cli("tokens json", "tokens.json", "tokens", model, "--ids", "1,2,3,4,5"))
    writers.append(cli("info json", "info.json", "info", model))
    writers.append(cli("plan", "plan.json", "sweep", "plan", model, *prompt))
    writers += [cli(f"convert {ending}", f"model.{ending}", "convert",
                    str(root / "sample_models/gpt2-mini-6l.h5")) for ending in ("h5", "gguf")]
    writers.append(Writer("heads folder", lambda path: [
        "heads", str(root / "tests/data/fixtures/gpt2.h5"), "--headvis", path], "headvis/"))
    window = root_program(campaign)
    for ending in ("svg", "pdf", "png") if window else ():
        writers.append(Writer(f"figure {ending}", lambda path: [model, "--figure", path],
                              f"figure.{ending}", window))
    return writers


def root_program(campaign):
    """The window beside the command line, where it was built."""
    from pathlib import Path

    window = Path(campaign.cli).with_name("headscope")
    return str(window) if window.exists() else None


def digest(path):
    """Of a file, or of all files of a folder; None where nothing lies."""
    if path.is_dir():
        return tuple((str(each.relative_to(path)), digest(each))
                     for each in sorted(path.rglob("*")) if each.is_file())
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


def leftovers(folder):
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))
