"""Projects, notes, tested labels, folders of HeadVis and models whose JSON has up to 30 MB are opened in the
window, which is never busy for more than 100 ms, nor 150 in a build with assertions."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess

from kinds import PROJECT, Seed, all_kinds
from rows.large_json import VALUES, is_json, random_size, with_member

IN_SMOKE = False  # it needs processors of its own

MOST_MILLISECONDS = 150
LARGEST = 30_000_000  # bytes
KEPT = {"notes": "notes", "older notes": "notes", "labels": "labels"}  # folders of the user's data
LABELS = 3000  # of a large network
OF_MODELS = ("config.json", "tokenizer.json", "index of shards", "settings of tokenizers")


class Window:
    """Opens files in a window on a sample model."""

    def __init__(self, campaign):
        self.campaign = campaign
        self.program = pathlib.Path(campaign.cli).with_name("reliability_window")
        self.samples = campaign.root / "sample_models"
        self.data = campaign.scratch / "data"

    def is_built(self):
        return self.program.exists()

    def open(self, model, path):
        """(milliseconds, what the window says), or (None, how it ended instead)."""
        try:
            ended = self.end_of(model, path)
        except subprocess.TimeoutExpired:
            return None, "it hung"
        said = re.search(r"^(\d+) ms: (.*)$", ended.stdout, re.MULTILINE)
        if ended.returncode != 0 or said is None:
            return None, f"it ended with {ended.returncode}: {ended.stderr[-300:]!r}"
        return int(said[1]), said[2]

    def end_of(self, model, path):
        return subprocess.run(
            [self.program, self.samples / model, path], capture_output=True, text=True, timeout=200,
            check=False, env={**os.environ, "LC_ALL": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen",
                              "XDG_DATA_HOME": str(self.data), "XDG_CONFIG_HOME": str(self.data),
                              "XDG_CACHE_HOME": str(self.data), "OPENBLAS_NUM_THREADS": "1"})


def microgpt(campaign):
    file = campaign.root / "sample_models/microgpt.h5"
    return file, hashlib.sha256(file.read_bytes()).hexdigest()


def project(campaign):
    file, sha256 = microgpt(campaign)
    model = {**PROJECT["model"], "path": str(file), "name": "microgpt", "sha256": sha256}
    return Seed(None, name="work.headscope",
                content=json.dumps({**PROJECT, "model": model}).encode())


def notes(campaign, end=".json", beside=()):
    """Of microgpt, which is opened where they are."""
    kept = {"headscope_notes": 1, "notes": PROJECT["notes"]}
    return Seed(None, beside, name=microgpt(campaign)[1] + end, content=json.dumps(kept).encode())


def older_notes(campaign):
    """What this version wrote beside notes of a later one, which are still there or not."""
    for version in (1, 2):
        newer = json.dumps({"headscope_notes": version, "notes": []}).encode()
        yield notes(campaign, ".version-1.json", [(newer, f"{microgpt(campaign)[1]}.json")])


def labels(campaign):
    """Few and many of microgpt, of the version that is tested: those of another are not taken up."""
    said = subprocess.run([campaign.cli, "--version"], capture_output=True, text=True, check=True)
    for count in (4, LABELS):
        tested = [{"head": [i // 64, i % 64], "type": "induction", "score": 0.5, "effect": None,
                   "beside": None, "stable_share": 0.5, "resamples": 900,
                   "sets": [{"set": "a set", "sequences": 8, "score": 0.5, "baseline": 0.1,
                             "low": 0.25, "high": 0.75}] * 5} for i in range(count)]
        tests = [{"square_matrices": None, "thresholds": {}, "notes": [], "labels": tested}]
        kept = {"headscope_labels": 1, "app_version": said.stdout.split()[-1], "tests": tests}
        yield Seed(None, name=f"{microgpt(campaign)[1]}.json", content=json.dumps(kept).encode())


def try_one(campaign, window, kind, seed, is_large):
    """Opens the seed, with a large value in it if asked."""
    value = campaign.random.choice(VALUES)
    content = seed.content
    if is_large:
        content = with_member(content, value(random_size(campaign, LARGEST)))
    shutil.rmtree(window.data, ignore_errors=True)
    folder = window.data / "opened"
    if kind in KEPT:
        folder = window.data / "HeadscopeTest/HeadscopeTest" / KEPT[kind]
    seed.settle(folder)
    (folder / seed.name).write_bytes(content)
    path = folder / seed.opened
    if kind in KEPT:
        path = microgpt(campaign)[0]
    elif kind == "HeadVis folder":
        path = folder
    milliseconds, said = window.open("notebook.h5" if kind in KEPT else "microgpt.h5", path)
    what = f"{kind}, {seed.name}, {len(content) / 1e6:.1f} MB"
    if is_large:
        what += f", of it one value of {value.__name__}"
    if milliseconds is None:
        campaign.finding(f"{what}: {said}", [folder])
    elif milliseconds > MOST_MILLISECONDS:
        campaign.finding(f"{what}: busy for {milliseconds} ms; it says: {said}", [folder])
    campaign.count(f"{kind}: {'large' if is_large else 'small'}")
    return milliseconds or 0


def run(campaign):
    window = Window(campaign)
    if not window.is_built():
        campaign.count("not built: reliability_window")
        return
    seeds = [("project", project(campaign)), ("notes", notes(campaign)),
             *(("older notes", seed) for seed in older_notes(campaign)),
             *(("labels", seed) for seed in labels(campaign))]
    for kind in all_kinds(campaign):
        if kind.name in (*OF_MODELS, "HeadVis folder"):
            seeds += [(kind.name, seed) for seed in kind.seeds if is_json(seed)]
    longest = 0
    while not campaign.time_is_up():
        kind, seed = campaign.random.choice(seeds)
        is_large = campaign.random.random() < 0.8
        longest = max(longest, try_one(campaign, window, kind, seed, is_large))
    campaign.count("ms at most", longest)
