"""Every fuzz target for its share of the time, one after the other in each job: no finding. Built by
tests/fuzz/run; those that are not built are counted as such."""

import os
import re
import subprocess
import time


def targets(campaign):
    """(program, folder of its corpus)"""
    folder = campaign.root / "build/sanitize-core/fuzz"
    listed = folder / "targets"
    for line in listed.read_text().splitlines() if listed.exists() else []:
        name, corpus = line.split()
        yield folder / name, campaign.root / "tests" / corpus


def run(campaign):
    known = list(targets(campaign))
    built = [(program, corpus) for program, corpus in known if program.exists()]
    campaign.count("targets built", len(built))
    rounds = -(-len(built) // campaign.jobs) if built else 1
    seconds = max(1, int((campaign.end - time.monotonic()) / rounds))

    def fuzz(target):
        program, corpus = target
        found = campaign.scratch / program.name
        found.mkdir()
        ended = subprocess.run(
            [program, f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=3072",
             "-max_len=65536", "-print_final_stats=1", f"-seed={campaign.seed + 1}",
             f"-artifact_prefix={found}/finding-", found, corpus],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
            env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "OPENBLAS_NUM_THREADS": "1"})
        inputs = re.search(r"number_of_executed_units: *(\d+)", ended.stderr)
        campaign.count(f"{program.name}: inputs in {seconds} s", int(inputs[1]) if inputs else 0)
        if ended.returncode != 0:
            campaign.finding(f"{program.name}: {ended.stderr.strip()[-400:]}",
                             list(found.glob("finding-*")))

    campaign.in_parallel(fuzz, built)
