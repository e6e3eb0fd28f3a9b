"""Markup of 200 kinds as tokens, prompts, notes, names, paths and errors of the window: no file is opened
for it that is not opened for the same texts without tags, and nothing hangs. Needs strace."""

import os
import re
import shutil
import subprocess
import time

IN_SMOKE = False  # CI runs its test with fewer texts

TEST = "test_hostile_markup"
PLACES = ("whyTypesCannotBeToldIsShownAsItIs", "aMaskTokenIsShownAsItIs", "everyTextIsShownAsItIs",
          "everyAnalysisShowsTokensAsTheyAre", "everyNameIsShownAsItIs", "everyErrorIsShownAsItIs")
ALL_TEXTS = 200
FEW_TEXTS = 8  # in a smoke
SECONDS_FOR_ALL = 600
# How long one place may take with all texts under strace.
HANG_SECONDS = 1800

OPENED = re.compile(rb'open(?:at)?\((?:[^,"]*, )?"([^"]*)", ([A-Z_|]+)')
# What differs from one run to the next by itself: numbers of processes, names of temporary files.
PASSING = re.compile(rb"/proc/\d+|/tmp/[^/]*-[A-Za-z0-9]{6}|[0-9a-f]{16,}|/dev/shm/.*|/memfd:.*")


def look(campaign, program, place, folder, log, harmless, texts):
    """Seconds and exit code of one place, or None where it hung; the log has what was opened."""
    folder.mkdir()
    started = time.monotonic()
    with (folder / "output").open("wb") as to:
        process = subprocess.Popen(
            ["strace", "-f", "-qq", "-e", "trace=open,openat", "-o", log, program, TEST, place],
            stdout=to, stderr=to, start_new_session=True, env={
                **os.environ, "LC_ALL": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen",
                "OPENBLAS_NUM_THREADS": "1", "HEADSCOPE_MARKUP_FOLDER": str(folder),
                "HEADSCOPE_MARKUP_TEXTS": str(texts),
                "QTEST_FUNCTION_TIMEOUT": str(1000 * HANG_SECONDS),
                **({"HEADSCOPE_MARKUP_HARMLESS": "1"} if harmless else {})})
        try:
            return process.wait(HANG_SECONDS * campaign.patience), time.monotonic() - started
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
            return None, time.monotonic() - started


def opened(log, folder):
    """What was opened to be read, with the folder of the bait as {bait}."""
    bait = os.fsencode(folder)
    files = {}
    for line in log.read_bytes().splitlines():
        match = OPENED.search(line)
        # The bait's own end is opened without waiting, which no reader of pictures does.
        if match and b"O_RDONLY" in match[2] and b"O_NONBLOCK" not in match[2]:
            name = PASSING.sub(b"*", match[1].replace(bait, b"{bait}"))
            files[name] = files.get(name, 0) + 1
    return files


def is_hostile(name, known):
    """Whether a text made it be opened: it names bait, or nothing opens it without markup."""
    return name == b"/dev/zero" or name in (b"{bait}/pipe", b"{bait}/picture.png") or (
        name not in known and not name.startswith((b"/usr/", b"/etc/", b"/proc/", b"/sys/", b"*")))


def run(campaign):
    program = campaign.test_program("tests_ui_views")
    if program is None or shutil.which("strace") is None:
        campaign.count("not built: tests_ui_views" if program is None else "no strace here")
        return
    all_of_them = campaign.end - time.monotonic() >= SECONDS_FOR_ALL
    texts = ALL_TEXTS if all_of_them else FEW_TEXTS
    campaign.count("texts", texts)
    for place in PLACES:
        if not all_of_them and campaign.time_is_up():
            break
        logs = []
        for harmless in (True, False):
            name = f"{place}-{'harmless' if harmless else 'markup'}"
            folder = campaign.scratch / ("h" if harmless else "m") / str(PLACES.index(place))
            folder.parent.mkdir(exist_ok=True)
            log = campaign.scratch / name
            code, seconds = look(campaign, program, place, folder, log, harmless, texts)
            campaign.count(f"seconds: {name}", round(seconds))
            if code is None:
                campaign.count("hangs")
                campaign.finding(f"{name} hung", [folder / "output"])
            elif code != 0 and not harmless:
                campaign.finding(f"{name} ended with {code}", [folder / "output"])
            logs.append(opened(log, folder))
        campaign.count("openings watched", sum(logs[1].values()))
        for name in logs[1]:
            if is_hostile(name, logs[0]):
                campaign.count("files opened for markup")
                campaign.finding(f"{place} opened {os.fsdecode(name)}")
        campaign.count("places")
    for what in ("files opened for markup", "hangs"):
        campaign.count(what, 0)
