"""Every job is asked to stop at a random moment: in 19 of 20 tries it ends within 250 ms."""

import collections
import os
import pathlib
import subprocess

from campaign import limited

MOST_MILLISECONDS = 250.0
# A job that takes longer is asked to stop within this time.
LONGEST_SECONDS = 3.0
MODEL = "sample_models/gpt2-mini-6l.h5"


class Canceller:
    def __init__(self, campaign):
        program = pathlib.Path(campaign.cli).with_name("reliability_canceller")
        self.jobs = subprocess.run([program], capture_output=True, text=True,
                                   check=True).stdout.split()
        self.process = subprocess.Popen(
            [*limited(), program, campaign.root / MODEL, campaign.scratch],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
            env={**os.environ, "LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def ask(self, job, seconds):
        """(milliseconds from the request to the end, how it ended)"""
        self.process.stdin.write(f"{job} {seconds}\n")
        milliseconds, how = self.process.stdout.readline().split(maxsplit=1)
        return float(milliseconds), how.strip()


def at_share(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def run(campaign):
    waits = collections.defaultdict(list)
    lengths = {}
    with Canceller(campaign) as canceller:
        while not campaign.time_is_up():
            for job in canceller.jobs:
                at = campaign.random.uniform(0, lengths.get(job, LONGEST_SECONDS))
                milliseconds, how = canceller.ask(job, at)
                if how == "done":
                    # It ended so long before or after the request.
                    lengths[job] = max(0.001, min(at, lengths.get(job, at)))
                    campaign.count(f"{job}: done before")
                elif how == "stopped":
                    waits[job].append(milliseconds)
                    campaign.count(f"{job}: stopped")
                else:
                    campaign.finding(f"{job}: {how}")
    most = MOST_MILLISECONDS * campaign.patience
    for job, times in waits.items():
        campaign.count(f"{job}: p95 in ms", round(at_share(times, 0.95)))
        campaign.count(f"{job}: longest in ms", round(max(times)))
        if at_share(times, 0.95) > most:
            campaign.finding(f"{job}: ends only {at_share(times, 0.95):.0f} ms after the request "
                             "in the slowest of 20 tries")
    every = [each for times in waits.values() for each in times]
    if every:
        campaign.count("all jobs: p95 in ms", round(at_share(every, 0.95)))
