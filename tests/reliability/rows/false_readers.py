"""A sealed reader that a file has taken over: one that is killed or stopped, falls silent, answers
with a changed, cut or foreign description. One sentence each, and the next file opens as ever."""

import fcntl
import itertools
import os
import random
import shlex
import socket
import subprocess

from campaign import HANG_SECONDS
from mutations import mutant_of

FILE, ANSWER = 3, 4

ENDS = ("kill -KILL $$", "kill -SEGV $$", "kill -ABRT $$", "kill -SYS $$", "kill -XCPU $$",
        "exit 0", "exit 1", "exec 4>&-; exec /bin/sleep 60")
SILENCES = ("kill -STOP $$", "exec /bin/sleep 600", "while :; do :; done",
            "while /bin/printf x >&4; do /bin/sleep 1; done")
# A silence takes all of the 8 seconds.
SILENT_ONCE_IN = 100


def models(root):
    yield root / "sample_models/microgpt.h5"
    yield root / "tests/data/fixtures/gpt2.h5"
    yield root / "tests/data/fixtures/llama-gqa.h5"
    yield from sorted((root / "tests/fuzz/corpus/hdf5").glob("*.h5"))


def true_answer(reader, model):
    """What the reader says of a file, as bytes."""
    ours, theirs = socket.socketpair()

    def prepare():
        above = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10)
                 for fd in (os.open(model, os.O_RDONLY), theirs.fileno())]
        for fd, place in zip(above, (FILE, ANSWER)):
            os.dup2(fd, place)

    process = subprocess.Popen([reader, "hdf5", "0", str(model.stat().st_size), "sealed"],
                               preexec_fn=prepare, close_fds=False)
    theirs.close()
    answer = b"".join(iter(lambda: ours.recv(65536), b""))
    process.wait()
    return answer


def changed(answer, seed):
    """A description with other values, under the length that it then has."""
    body = mutant_of(answer[8:], seed)
    return len(body).to_bytes(8, "little") + body


def behaviour(answers, seed, number):
    """(what it is, the answer before, what the reader does then)"""
    answer = seed.choice(answers)
    if number % SILENT_ONCE_IN == 0:
        return "silent", answer[:seed.randrange(len(answer))], seed.choice(SILENCES)
    kind = seed.choice(("ended", "cut", "changed", "changed", "changed", "foreign"))
    if kind == "ended":
        return kind, answer[:seed.randrange(len(answer))], seed.choice(ENDS)
    if kind == "cut":
        return kind, answer[:seed.randrange(len(answer))], "exit 0"
    if kind == "foreign":
        return kind, answer, "exit 0"
    return kind, changed(answer, seed), "exit 0"


def run(campaign):
    reader = os.path.join(os.path.dirname(campaign.cli), "headscope-reader")
    files = list(models(campaign.root))
    answers = [true_answer(reader, model) for model in files]

    def ask(number):
        seed = random.Random(f"false_readers/{campaign.seed}/{number}")
        kind, answer, then = behaviour(answers, seed, number)
        said = campaign.scratch / f"{number}.answer"
        said.write_bytes(answer)
        script = campaign.scratch / f"{number}.reader"
        script.write_text(f"#!/bin/sh\n/bin/cat {shlex.quote(str(said))} >&{ANSWER}\n{then}\n")
        script.chmod(0o700)
        model = seed.choice(files)
        ended = campaign.run(["run", model, "--ids", "1,2,3"], seconds=HANG_SECONDS,
                             environment={"HEADSCOPE_READER": str(script)})
        complaint = ended.complaint()
        if complaint:
            campaign.finding(f"reader {number} ({kind}), {model.name}: {complaint}",
                             [said, script])
        if number % 20 == 0:
            after = campaign.run(["info", files[0]])
            if after.code != 0:
                campaign.finding(f"after reader {number} a good file does not open: "
                                 f"{after.complaint() or after.error.strip()}")
        campaign.count(f"{kind}: {'used' if ended.code == 0 else 'refused'}")
        said.unlink()
        script.unlink()

    campaign.in_parallel(ask, itertools.count(1))
