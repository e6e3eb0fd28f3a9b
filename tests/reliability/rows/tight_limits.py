"""Little address space (from 100 MB up), few processes, 3 to 20 descriptors: success or one
sentence, no hang over 10 s, no end by a signal. What ends before main() is counted apart: the
loader without descriptors, and OpenBLAS without threads, which raises SIGINT."""

import os
import resource

NOBODY = 65534
MEGABYTE = 1_000_000
BEFORE_MAIN = ("error while loading shared libraries", "OpenBLAS blas_thread_init")


def commands(root):
    model = root / "sample_models/attn-only-2l.h5"
    large = root / "sample_models/gpt2-mini-6l.h5"
    return [["info", model], ["run", model, "--ids", "1,2,3"], ["heads", root /
            "tests/data/fixtures/gpt2.h5"], ["info", large], ["run", large, "--ids", "1,2,3"],
            ["info", root / "tests/data/weight_files/gpt2-sharded"],
            ["info", root / "tests/data/weight_files/llama-bf16"]]


def limits_of():
    """(name, limits, user) from tight to wide."""
    for megabytes in [*range(100, 800, 25), *range(800, 2000, 100)]:
        yield f"{megabytes} MB", [(resource.RLIMIT_AS, megabytes * MEGABYTE)], None
    for descriptors in range(3, 21):
        yield f"{descriptors} descriptors", [(resource.RLIMIT_NOFILE, descriptors)], None
    user = NOBODY if os.geteuid() == 0 else None  # root has no limit on processes
    for processes in range(1, 9):
        yield f"{processes} processes", [(resource.RLIMIT_NPROC, processes)], user


def run(campaign):
    questions = [(limit, command) for limit in limits_of()
                 for command in commands(campaign.root)]
    campaign.random.shuffle(questions)

    def ask(question):
        (name, limits, user), command = question
        ended = campaign.run(command, limits, user)
        kind = name.split()[1]
        if any(part in ended.error for part in BEFORE_MAIN):
            campaign.count(f"{kind}: ended before main()")
            return
        campaign.count(f"{kind}: {'done' if ended.code == 0 else 'refused'}")
        complaint = ended.complaint()
        if complaint:
            campaign.finding(f"{name}, {' '.join(map(str, command))}: {complaint}")

    campaign.in_parallel(ask, questions)
