"""A sealed reader that a file has taken over: one that is killed or stopped, falls silent, answers
with a changed, cut or foreign description. One sentence each, and the next file opens as ever."""

import fcntl
import itertools
import os
import random
import shlex
import socket
import struct
import subprocess
import tempfile

from campaign import HANG_SECONDS
from mutations import mutant_of

FILE, ANSWER = 3, 4

ENDS = ("kill -KILL $$", "kill -SEGV $$", "kill -ABRT $$", "kill -SYS $$", "kill -XCPU $$",
        "exit 0", "exit 1", "exec 4>&-; exec /bin/sleep 60")
SILENCES = ("kill -STOP $$", "exec /bin/sleep 600", "while :; do :; done",
            "while /bin/printf x >&4; do /bin/sleep 1; done")
# A silence takes all of the 8 seconds.
SILENT_ONCE_IN = 100
PROGRAMS = {"hdf5": "headscope-hdf5", "texts": "headscope-reader", "gguf": "headscope-reader"}


def hdf5_files(root):
    yield root / "sample_models/microgpt.h5"
    yield root / "tests/data/fixtures/gpt2.h5"
    yield root / "tests/data/fixtures/llama-gqa.h5"
    yield from sorted((root / "tests/fuzz/corpus/hdf5").glob("*.h5"))


def json_texts(root):
    """Headers of safetensors, configs, indices of shards and tokenizers."""
    for file in sorted((root / "tests/data").glob("**/*.safetensors")):
        with file.open("rb") as opened:
            yield file, opened.read(struct.unpack("<Q", opened.read(8))[0])
    for file in sorted((root / "tests/data/weight_files").glob("**/*.json")):
        yield min(file.parent.glob("*.safetensors"), default=None), file.read_bytes()


def question_about(text):
    """As core/io/sealed/wire.h has it, without limits."""
    most = 2**64 - 1
    question = struct.pack("<B2Q?3Q", 0, most, most, False, 1 << 26, 1, len(text)) + text
    return struct.pack("<Q", len(question)) + question


def cases(root):
    """(what is asked, the model that is opened, the bytes that the question is about)"""
    for file in hdf5_files(root):
        yield "hdf5", file, file.read_bytes()
    for file in sorted((root / "tests/data/gguf").glob("*.gguf")):
        yield "gguf", file, file.read_bytes()
    for file, text in json_texts(root):
        if file is not None:
            yield "texts", file, question_about(text)


def true_answer(reader, kind, question):
    """What the reader says of a file, as bytes."""
    ours, theirs = socket.socketpair()
    with tempfile.TemporaryFile() as asked:
        asked.write(question)
        asked.flush()

        def prepare():
            above = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10)
                     for fd in (asked.fileno(), theirs.fileno())]
            for fd, place in zip(above, (FILE, ANSWER)):
                os.dup2(fd, place)

        process = subprocess.Popen([reader, kind, "0", str(len(question)), "sealed"],
                                   preexec_fn=prepare, close_fds=False)
        theirs.close()
        if kind == "texts":
            ours.sendall(question)
            ours.shutdown(socket.SHUT_WR)
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
    kind = seed.choice(("ended", "cut", "changed", "changed", "changed", "foreign", "ahead"))
    if kind == "ended":
        return kind, answer[:seed.randrange(len(answer))], seed.choice(ENDS)
    if kind == "cut":
        return kind, answer[:seed.randrange(len(answer))], "exit 0"
    if kind == "ahead":  # of the next question
        return kind, answer + seed.choice(answers), SILENCES[1]
    if kind == "foreign":
        return kind, answer, "exit 0"
    return kind, changed(answer, seed), "exit 0"


def run(campaign):
    programs = os.path.dirname(campaign.cli)
    asked = {}
    for kind, model, question in cases(campaign.root):
        answer = true_answer(os.path.join(programs, PROGRAMS[kind]), kind, question)
        asked.setdefault(kind, []).append((model, answer))
    good = asked["hdf5"][0][0]

    def ask(number):
        seed = random.Random(f"false_readers/{campaign.seed}/{number}")
        parser = seed.choice(sorted(asked))
        kind, answer, then = behaviour([answer for _, answer in asked[parser]], seed, number)
        said = campaign.scratch / f"{number}.answer"
        said.write_bytes(answer)
        script = campaign.scratch / f"{number}.reader"
        # Other questions about the model are answered as ever, and some of the same kind, too.
        others = "".join(f'[ "$1" = {other} ] && exec {shlex.quote(os.path.join(programs, name))} "$@"\n'
                         for other, name in PROGRAMS.items() if other != parser)
        once = seed.choice(("", f'[ $(( $3 % {seed.randrange(2, 5)} )) = 0 ] && exec '
                                f'{shlex.quote(os.path.join(programs, PROGRAMS[parser]))} "$@"\n'))
        script.write_text(f"#!/bin/sh\n{others}{once}/bin/cat {shlex.quote(str(said))} >&{ANSWER}\n"
                          f"{then}\n")
        script.chmod(0o700)
        model = seed.choice(asked[parser])[0]
        ended = campaign.run(["run", model, "--ids", "1,2,3"], seconds=HANG_SECONDS,
                             environment={"HEADSCOPE_READER": str(script)})
        complaint = ended.complaint()
        if complaint:
            campaign.finding(f"reader {number} ({kind} about {parser}), {model.name}: {complaint}",
                             [said, script])
        if number % 20 == 0:
            after = campaign.run(["info", good])
            if after.code != 0:
                campaign.finding(f"after reader {number} a good file does not open: "
                                 f"{after.complaint() or after.error.strip()}")
        campaign.count(f"{parser}, {kind}: {'used' if ended.code == 0 else 'refused'}")
        said.unlink()
        script.unlink()

    campaign.in_parallel(ask, itertools.count(1))
