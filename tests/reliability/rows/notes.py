"""Two windows take notes on one model, are killed at random moments, and find notes of a later version or
damaged ones: every note that a window has kept is in the user's data afterwards."""

import json
import pathlib
import re
import subprocess

from campaign import limited

MODEL = "0123abcd"
MOST_NOTES = 40
LONGEST_SECONDS = 0.4


def notes_in(file):
    """What a file says, as (head, text) pairs."""
    if not file.exists():
        return set()
    return {("{}.{}".format(*note["head"]), text) for note in json.loads(file.read_text())["notes"]
            for text in note["text"].split(" | ")}


class Data:
    """The user's data of one try."""

    def __init__(self, folder):
        self.folder = folder / "HeadscopeTest" / "HeadscopeTest" / "notes"
        self.file = self.folder / f"{MODEL}.json"
        self.aside = self.folder / f"{MODEL}.version-1.json"

    def notes(self):
        """All that the files of this version say, as (head, text) pairs."""
        return notes_in(self.file) | notes_in(self.aside)

    def content(self):
        return self.file.read_bytes() if self.file.exists() else None

    def kept_aside(self):
        return [file.read_bytes() for file in self.folder.glob(f"{MODEL}*.bak*")]


def take_notes(campaign, program, data, number):
    """Two windows at once, each killed at a random moment or never; what they said that they kept."""
    windows = []
    for name in "ab":
        windows.append(subprocess.Popen(
            [*limited(), program, MODEL, f"{number}{name}", str(MOST_NOTES)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={"XDG_DATA_HOME": str(data), "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}))
    said = []
    for window in windows:
        if campaign.random.random() < 0.8:
            try:
                window.wait(campaign.random.uniform(0, LONGEST_SECONDS))
            except subprocess.TimeoutExpired:
                window.kill()
        said.append(window.communicate(timeout=60 * campaign.patience)[0])
        campaign.count("windows killed" if window.returncode < 0 else "windows that ended")
    return {(head, text) for output in said
            for head, text in re.findall(r"^kept (\S+) (\S+)\n", output, re.MULTILINE)}


def later_version(campaign, data):
    """Replaces the notes by those of a later version; what they were."""
    data.folder.mkdir(parents=True, exist_ok=True)
    before = data.content()
    later = json.dumps({"headscope_notes": campaign.random.randrange(2, 9), "notes": {}}).encode()
    data.file.write_bytes(later)
    return before, later


def one_try(campaign, program, number):
    folder = campaign.scratch / str(number)
    folder.mkdir()
    data = Data(folder)
    kept = set()
    for step in range(campaign.random.choice((1, 2, 3))):
        disturbance = campaign.random.choice(("none", "none", "later version", "damage"))
        damaged = None
        if disturbance == "later version":
            before, later = later_version(campaign, data)
        elif disturbance == "damage" and data.file.exists():
            content = bytearray(data.file.read_bytes())
            damaged = bytes(content[:campaign.random.randrange(len(content) - 2)])
            data.file.write_bytes(damaged)
            kept &= notes_in(data.aside)
        said = take_notes(campaign, program, folder, f"{number}x{step}")
        kept |= said
        if disturbance == "later version":
            if data.content() != later:
                campaign.finding("notes of a later version were changed", [data.folder])
            data.file.unlink()
            if before is not None:
                data.file.write_bytes(before)
        elif damaged is not None:
            if damaged not in [*data.kept_aside(), data.content()]:
                campaign.finding("damaged notes were written over", [data.folder])
            if damaged == data.content():  # no window came as far as writing
                data.file.unlink()
        try:
            missing = kept - data.notes()
        except (ValueError, KeyError) as error:
            campaign.finding(f"the notes are damaged: {error}", [data.folder])
            return
        if missing:
            campaign.finding(f"{len(missing)} of {len(kept)} notes are lost, such as "
                             f"{sorted(missing)[0]}, after {disturbance}", [data.folder])
            return
        campaign.count(f"tries: {disturbance}")
        campaign.count("notes kept", len(said))


def run(campaign):
    program = pathlib.Path(campaign.cli).with_name("reliability_notes")
    if not program.exists():
        campaign.count("not built: reliability_notes")
        return
    number = 0
    while not campaign.time_is_up():
        one_try(campaign, program, number)
        number += 1
