"""reliability_opener, a process that opens one file after the other as the programs do."""

import os
import pathlib
import select
import signal
import subprocess

from campaign import limited

# The sealed reader may compute for 10 seconds and take 20 in all.
HANG_SECONDS = 25.0
MOST_KILOBYTES = 1_500_000
# Of a reader that was stopped: a mutant does not take it over.
FILTERED = "do what reading a file never needs"


class Opener:
    """Started anew after a file that it did not survive."""

    def __init__(self, campaign):
        self.program = pathlib.Path(campaign.cli).with_name("reliability_opener")
        self.model = campaign.root / "sample_models/microgpt.h5"
        self.process = None
        self.peak = 0
        self.patience = HANG_SECONDS * campaign.patience

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self.process = subprocess.Popen(
            [*limited(), self.program, self.model], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, bufsize=0,
            env={**os.environ, "LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"})

    def stop(self):
        """The exit code, negative for a signal; of a process that still runs that of SIGKILL."""
        self.process.stdin.close()
        try:
            self.process.wait(0.5)
        except subprocess.TimeoutExpired:
            self.process.kill()
        code = self.process.wait()
        self.process.stdout.close()
        self.process = None
        return code

    def open(self, how, path):
        """(whether it was used, what is wrong with how that went, or None)"""
        if self.process is None:
            self.start()
        self.process.stdin.write(f"{how} {path}\n".encode())
        line = self.line()
        if line is None:
            return False, f"hung for {self.patience:.0f} s ({signal.Signals(-self.stop()).name})"
        if not line.endswith(b"\n"):
            code = self.stop()
            return False, (f"ended by {signal.Signals(-code).name}" if code < 0 else
                           f"ended with exit code {code}")
        peak, state, *sentence = line.decode().split(maxsplit=2)
        self.peak = max(self.peak, int(peak))
        complaint = None
        if int(peak) > MOST_KILOBYTES:
            complaint = f"{int(peak) / 1000:.0f} MB of memory"
            self.stop()
        elif state != "used" and not (sentence and sentence[0].rstrip().endswith(".")):
            complaint = f"no sentence: {sentence}"
        elif sentence and FILTERED in sentence[0]:
            complaint = "the reader makes a system call that its filter does not know"
        return state == "used", complaint

    def line(self):
        """None where it takes too long; without a line end where the process has ended."""
        line = b""
        while not line.endswith(b"\n"):
            if not select.select([self.process.stdout], [], [], self.patience)[0]:
                return None
            piece = os.read(self.process.stdout.fileno(), 65536)
            if not piece:
                break
            line += piece
        return line
