"""Projects with changed parts and bytes are opened in the window, one after another: none gives a command,
none changes a setting or a note of the user, and none ends or hangs the window."""

import os
import re
import subprocess
import time

IN_SMOKE = False  # CI runs its test with fewer projects

TEST = ("test_strange_projects", "mutatedProjectsDoNothing")
PROJECTS_OF_A_RUN = 100


def run(campaign):
    program = campaign.test_program("tests_ui_views")
    if program is None:
        campaign.count("not built: tests_ui_views")
        return
    output = campaign.scratch / "output"
    number = 0
    while number == 0 or not campaign.time_is_up():
        # In CI, where there are two minutes for all rows, a few show that the row works.
        projects = 10 if campaign.patience > 1 else PROJECTS_OF_A_RUN
        seed = campaign.seed * 1_000_000 + number
        number += 1
        with output.open("wb") as to:
            ended = subprocess.run([program, *TEST], stdout=to, stderr=to, check=False, env={
                **os.environ, "LC_ALL": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen",
                "OPENBLAS_NUM_THREADS": "1", "HEADSCOPE_PROJECT_MUTANTS": str(projects),
                "HEADSCOPE_PROJECT_SEED": str(seed), "QTEST_FUNCTION_TIMEOUT": "3600000"})
        said = re.search(r"(\d+) mutated projects, (\d+) of them opened",
                         output.read_text(errors="replace"))
        if ended.returncode != 0 or said is None:
            campaign.finding(f"projects of the seed {seed}: the window ended with "
                             f"{ended.returncode}", [output])
            time.sleep(1)
            continue
        campaign.count("projects", int(said[1]))
        campaign.count("projects that opened", int(said[2]))
