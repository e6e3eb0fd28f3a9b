"""Seeded random clicks and keys in the window for as long as there is time: it stays, answers at the
end as ever, and in four hours or more its memory is flat from the second quarter on."""

import os
import re
import statistics
import subprocess
import time

WALK = ("test_random_walk", "nothingBreaks:two prompts")
# What comes before and after the walk.
SPARE_SECONDS = 30
MOST_GROWTH = 1.1
SECONDS_UNTIL_FLAT = 3600


def resident_megabytes(process):
    try:
        with open(f"/proc/{process}/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s*(\d+) kB", status.read())[1]) / 1000
    except (OSError, TypeError):
        return None


def run(campaign):
    program = campaign.test_program("tests_ui_views")
    if program is None:
        campaign.count("not built: tests_ui_views")
        return
    seconds = max(1, int(campaign.end - time.monotonic()) - SPARE_SECONDS)
    output = campaign.scratch / "output"
    with output.open("wb") as to:
        process = subprocess.Popen([program, *WALK], stdout=to, stderr=to, env={
            **os.environ, "LC_ALL": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen",
            "OPENBLAS_NUM_THREADS": "1", "HEADSCOPE_WALK_SEED": str(campaign.seed + 1),
            "HEADSCOPE_WALK_SECONDS": str(seconds),
            "QTEST_FUNCTION_TIMEOUT": str(1000 * (seconds + 600))})
        seen = []
        while process.poll() is None:
            seen.append(resident_megabytes(process.pid))
            time.sleep(max(0.5, seconds / 400))
    seen = [megabytes for megabytes in seen if megabytes]
    quarter = len(seen) // 4
    campaign.count("seconds of clicks and keys", seconds)
    if process.returncode != 0:
        campaign.finding(f"the walk ended with {process.returncode}", [output])
    if quarter == 0:
        return
    early = statistics.median(seen[quarter:2 * quarter])
    late = statistics.median(seen[-quarter:])
    campaign.count("MB in the second quarter", round(early))
    campaign.count("MB in the last quarter", round(late))
    if seconds / 4 >= SECONDS_UNTIL_FLAT and late > MOST_GROWTH * early:
        campaign.finding(f"memory grows from {early:.0f} to {late:.0f} MB")
