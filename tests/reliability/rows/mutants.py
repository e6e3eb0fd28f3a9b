"""Mutants of every file kind, opened, read to the end and run: refused in one sentence or used, no
hang, no crash, no gigabytes. One process for many of them; HDF5 and zip go through sealed readers."""

import collections
import itertools
import multiprocessing
import random
import time

from hdf5_checksums import repaired, summed_parts
from kinds import all_kinds
from mutations import mutant_of
from opener import Opener

SLOW_SECONDS = 10.0


class Mutants:
    """Mutant `number` of this campaign is the same whoever makes it."""

    def __init__(self, campaign):
        self.campaign = campaign
        self.kinds = list(all_kinds(campaign))
        self.shares = list(itertools.accumulate(kind.share for kind in self.kinds))
        self.parts = {id(seed): summed_parts(seed.content)
                      for kind in self.kinds if kind.sums_repaired for seed in kind.seeds}

    def make(self, number):
        random_ = random.Random(f"mutants/{self.campaign.seed}/{number}")
        kind, = random_.choices(self.kinds, cum_weights=self.shares)
        seed = random_.choice(kind.seeds)
        content = mutant_of(seed.content, random_)
        if kind.sums_repaired:
            content = repaired(content, seed.content, self.parts[id(seed)])
        return kind, seed, content


class Worker:
    """Opens each mutant whose number leaves the rest `job`, and tells what it sees."""

    def __init__(self, mutants, job, told):
        self.mutants = mutants
        self.campaign = mutants.campaign
        self.job = job
        self.told = told
        self.folder = self.campaign.scratch / f"job-{job}"
        self.places = {}
        self.counts = collections.Counter()

    def place_of(self, seed):
        if id(seed) not in self.places:
            folder = self.folder / str(len(self.places))
            seed.settle(folder)
            self.places[id(seed)] = folder
        return self.places[id(seed)]

    def work(self):
        with Opener(self.campaign) as opener:
            for number in itertools.count(self.job, self.campaign.jobs):
                if self.campaign.time_is_up():
                    break
                self.open(opener, number)
            self.told.put(("counts", self.counts, opener.peak // 1000))

    def open(self, opener, number):
        kind, seed, content = self.mutants.make(number)
        folder = self.place_of(seed)
        (folder / seed.name).write_bytes(content)
        start = time.monotonic()
        used, complaint = opener.open(kind.how, folder / seed.opened)
        if time.monotonic() - start > SLOW_SECONDS:
            self.counts["slow: over 10 s, most of it the reader's"] += 1
        self.counts[f"{kind.name}: {'used' if used else 'refused'}"] += 1
        if complaint:
            kept = self.folder / f"mutant-{number}"
            (kept / seed.name).parent.mkdir(parents=True)
            (kept / seed.name).write_bytes(content)
            self.told.put(("finding", f"mutant {number} ({kind.name}, {seed.name}, opened as "
                                      f"{kind.how}): {complaint}", kept))


def check_seeds(campaign, kinds):
    """A seed that is refused makes mutants that test nothing."""
    with Opener(campaign) as opener:
        for kind in kinds:
            for number, seed in enumerate(kind.seeds):
                folder = campaign.scratch / f"{kind.name}-{number}"
                seed.settle(folder)
                (folder / seed.name).write_bytes(seed.content)
                used, complaint = opener.open(kind.how, folder / seed.opened)
                if complaint or used == kind.is_refused:
                    campaign.finding(f"{kind.name}, {seed.name}, is "
                                     f"{complaint or ('used' if used else 'refused')}", [folder])


def run(campaign):
    mutants = Mutants(campaign)
    check_seeds(campaign, mutants.kinds)
    context = multiprocessing.get_context("fork")
    told = context.SimpleQueue()
    workers = [context.Process(target=Worker(mutants, job, told).work)
               for job in range(campaign.jobs)]
    for worker in workers:
        worker.start()
    peak = 0
    waiting = len(workers)
    while waiting:
        what, value, more = told.get()
        if what == "finding":
            campaign.finding(value, [more])
            continue
        for name, number in value.items():
            campaign.count(name, number)
        campaign.count("mutants in all", sum(value.values()))
        peak = max(peak, more)
        waiting -= 1
    for worker in workers:
        worker.join()
    campaign.count("MB of memory at the peak", peak)
