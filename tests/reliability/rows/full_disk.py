"""A disk that fills up, every writer at 20 places: one sentence that says so, the old file stays,
nothing hidden is left. A small tmpfs where this may mount one, a limit on file sizes otherwise."""

import os
import resource
import subprocess

from writers import all_writers, digest, leftovers

PLACES = 20
OLD = b"old\n"


class SmallDisk:
    """Room for a file of so many bytes."""

    def __init__(self, campaign, room):
        self.folder = campaign.scratch / "disk"
        self.folder.mkdir(exist_ok=True)
        self.mounted = os.geteuid() == 0 and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={max(4096, room)}", "headscope", self.folder],
            stderr=subprocess.DEVNULL).returncode == 0
        self.limits = [] if self.mounted else [(resource.RLIMIT_FSIZE, room)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.mounted:
            subprocess.run(["umount", self.folder], check=True)


def size_of(path):
    files = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]
    return sum(each.stat().st_size for each in files)


def fill(campaign, writer, whole, room):
    with SmallDisk(campaign, room) as disk:
        path = writer.path(disk.folder)
        if not writer.is_folder:
            path.write_bytes(OLD)
        old = digest(path)
        ended = campaign.run(writer.call(disk.folder), disk.limits, seconds=60,
                             program=writer.program)
        found = digest(path)
        left = leftovers(disk.folder)
        writer.remove(disk.folder)
    kind = "tmpfs" if disk.mounted else "file size limit"
    what = f"{writer.name}, {kind} of {room} bytes"
    campaign.count(f"{kind}: {'written' if ended.code == 0 else 'refused'}")
    lines = ended.error.splitlines()
    if ended.hung or ended.code not in (0, 1) or (ended.code == 1 and len(lines) != 1):
        campaign.finding(f"{what}: exit code {ended.code}, {ended.error.strip()[-200:]}")
    if found != (whole if ended.code == 0 else old):
        campaign.finding(f"{what}: exit code {ended.code} and another output than that")
    if ended.code == 1 and "memory" in ended.error:
        campaign.finding(f"{what}: blames memory: {ended.error.strip()}")
    if left:
        campaign.finding(f"{what}: {left} left")


def run(campaign):
    folder = campaign.scratch / "whole"
    folder.mkdir()
    jobs = []
    for writer in all_writers(campaign):
        ended = campaign.run(writer.call(folder), seconds=120, program=writer.program)
        if ended.code != 0:
            campaign.finding(f"{writer.name}: {ended.error.strip()}")
            continue
        size = size_of(writer.path(folder))
        jobs += [(writer, digest(writer.path(folder)), size * place // PLACES)
                 for place in range(PLACES)]
        writer.remove(folder)
    campaign.random.shuffle(jobs)
    for job in jobs:
        if campaign.time_is_up():
            break
        fill(campaign, *job)
