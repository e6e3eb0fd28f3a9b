"""kill -9, SIGTERM and SIGINT at random moments over an existing output, every writer: the file is
the old one or the new one, and after the next run nothing hidden is left."""

import os
import signal
import time

from writers import all_writers, digest, leftovers

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
OLD = b"what lay there before\n"


def reference(campaign, writer, folder):
    """The whole new output, and how long it takes to come; None when it cannot be made."""
    writer.remove(folder)
    ended = campaign.run(writer.call(folder), seconds=120, program=writer.program)
    if ended.code != 0:
        campaign.finding(f"{writer.name}: {ended.error.strip()}")
        return None
    return digest(writer.path(folder)), ended.seconds


def interrupt(campaign, writer, folder, whole, seconds):
    writer.remove(folder)
    if not writer.is_folder:
        writer.path(folder).write_bytes(OLD)
    old = digest(writer.path(folder))
    number = campaign.random.choice(SIGNALS)
    # The last third, where files are written, is worth half of the tries.
    share = campaign.random.uniform(*campaign.random.choice([(0.0, 1.1), (0.65, 1.1)]))
    process = campaign.start(writer.call(folder), program=writer.program)
    time.sleep(share * seconds)
    os.kill(process.pid, number)  # of a process that nobody has waited for
    ended = campaign.wait(process)
    found = digest(writer.path(folder))
    what = f"{writer.name}, {number.name} after {share * seconds:.3f} s"
    state = "new" if found == whole else "old" if found == old else "neither"
    campaign.count(f"{number.name}: {state} file")
    if state == "neither" or ended.hung:
        campaign.finding(f"{what}: the output is {state}, hung: {ended.hung}", [folder])
    # What others left who were killed stays until a run that comes so far as to write.
    left = [name for name in leftovers(folder) if f".{process.pid}-" in name]
    if number != signal.SIGKILL and left:
        campaign.finding(f"{what}: {left} left", [folder])


def run(campaign):
    writers = []
    for writer in all_writers(campaign):
        folder = campaign.scratch / writer.name.replace(" ", "-")
        folder.mkdir()
        made = reference(campaign, writer, folder)
        if made:
            writers.append((writer, folder, *made))
    while writers and not campaign.time_is_up():
        for writer, folder, whole, seconds in writers:
            if campaign.time_is_up():
                break
            interrupt(campaign, writer, folder, whole, seconds)
    for writer, folder, whole, _ in writers:
        writer.remove(folder)
        campaign.run(writer.call(folder), seconds=120, program=writer.program)
        campaign.count("writers whole after the next run")
        if digest(writer.path(folder)) != whole or leftovers(folder):
            campaign.finding(f"{writer.name}: after the next run {leftovers(folder)} is left, or "
                             "the output is not whole", [folder])
