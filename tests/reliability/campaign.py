"""What rows of the campaign have in common: running the program, counting, and keeping findings."""

import collections
import concurrent.futures
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time

HANG_SECONDS = 10.0


LIMITS = {resource.RLIMIT_AS: "as", resource.RLIMIT_FSIZE: "fsize",
          resource.RLIMIT_NOFILE: "nofile", resource.RLIMIT_NPROC: "nproc"}


def limited(limits=()):
    """What a command begins with that runs without core files and within (resource, value) pairs."""
    return ["prlimit", "--core=0", *(f"--{LIMITS[kind]}={value}" for kind, value in limits)]


class Ended:
    """How a run of the program ended."""

    def __init__(self, code, error, seconds, peak_bytes, hung):
        self.code = code  # the exit code; negative: the signal that ended it
        self.error = error
        self.seconds = seconds
        self.peak_bytes = peak_bytes  # resident memory at its peak
        self.hung = hung

    def is_one_sentence(self):
        lines = self.error.splitlines()
        return len(lines) == 1 and lines[0].startswith("headscope-cli: ")

    def complaint(self):
        """What is wrong with this end whatever was asked, or None."""
        if self.hung:
            return f"hung for {self.seconds:.0f} s"
        if self.code < 0:
            return f"ended by {signal.Signals(-self.code).name}: {self.error.strip()[-200:]}"
        if self.code not in (0, 1):
            return f"exit code {self.code}: {self.error.strip()[-200:]}"
        if self.code == 1 and not self.is_one_sentence():
            return f"more or less than one sentence: {self.error.strip()[-300:]!r}"
        return None


class Campaign:
    """One row at work: it runs until `self.time_is_up()`."""

    def __init__(self, row, cli, root, chosen, seconds):
        self.row = row
        self.cli = str(cli)
        self.root = root
        self.seed = chosen.seed
        self.jobs = max(1, chosen.jobs)
        # In CI a crowded machine decides nothing.
        self.patience = 6 if chosen.smoke else 1
        self.random = random.Random(f"{row}/{chosen.seed}")
        self.counts = collections.Counter()
        self.findings = []
        self.keep = chosen.keep
        self.end = time.monotonic() + seconds
        self.lock = threading.Lock()

    def __enter__(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix=f"headscope-{self.row}-"))
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def time_is_up(self):
        return time.monotonic() >= self.end

    def count(self, kind, number=1):
        with self.lock:
            self.counts[kind] += number

    def finding(self, text, files=()):
        """Something that must hold did not; `files` show it and are kept."""
        with self.lock:
            name = f"{self.row}-{self.seed}-{len(self.findings)}"
            self.findings.append(text)
        kept = self.keep / name
        if files:
            kept.mkdir(parents=True, exist_ok=True)
        for file in files:
            if file.is_dir():
                shutil.copytree(file, kept / file.name, dirs_exist_ok=True)
            elif file.exists():
                shutil.copy(file, kept / file.name)
        print(f"   FINDING {name}: {text}", flush=True)

    def run(self, arguments, limits=(), user=None, seconds=HANG_SECONDS, program=None,
            environment=None):
        """Runs the program to its end. `limits` are (resource, value) pairs."""
        process = self.start(arguments, limits, user, program, environment)
        return self.wait(process, seconds)

    def start(self, arguments, limits=(), user=None, program=None, environment=None):
        # Not by a function between fork and exec: with threads that hangs once in a while.
        as_user = {"user": user, "group": user, "extra_groups": []} if user is not None else {}
        error = tempfile.TemporaryFile()
        process = subprocess.Popen([*limited(limits), program or self.cli, *map(str, arguments)],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=error, **as_user,
                                   env={**os.environ, "LC_ALL": "C.UTF-8",
                                        "QT_QPA_PLATFORM": "offscreen",
                                        "XDG_RUNTIME_DIR": str(self.scratch),
                                        **(environment or {})})
        process.error = error
        process.started = time.monotonic()
        return process

    def wait(self, process, seconds=HANG_SECONDS):
        seconds *= self.patience
        # Popen.kill() would take the exit code of one that has just ended.
        alarm = threading.Timer(seconds, os.kill, (process.pid, signal.SIGKILL))
        alarm.start()
        _, status, usage = os.wait4(process.pid, 0)
        hung = not alarm.is_alive()
        alarm.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        process.error.seek(0)
        text = process.error.read().decode("utf-8", "replace")
        process.error.close()
        return Ended(process.returncode, text, time.monotonic() - process.started,
                     usage.ru_maxrss * 1024, hung)

    def test_program(self, name):
        """A program of the tests of this build, or None where it is not built."""
        path = pathlib.Path(self.cli).parent.parent / "tests" / name
        return str(path) if path.exists() else None

    def in_parallel(self, work, items):
        """work(item) for all items, until they or the time run out."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            waiting = set()
            for item in items:
                if self.time_is_up():
                    break
                waiting.add(pool.submit(work, item))
                if len(waiting) > 4 * self.jobs:
                    done, waiting = concurrent.futures.wait(
                        waiting, return_when=concurrent.futures.FIRST_COMPLETED)
                    for each in done:
                        each.result()
            for each in waiting:
                each.result()
