"""What *Copy as Command* copies of prompts and paths of random bytes, typed into dash, bash, zsh and fish
as a terminal without bracketed paste would: each runs headscope-cli once, with the words that were copied,
and nothing else."""

import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import time

from campaign import HANG_SECONDS, limited

IN_SMOKE = False  # the shells have to start first, which takes most of what there is

MODEL = "sample_models/gpt2-mini-6l.h5"
SHELLS = {
    "dash": ["dash", "-i"],
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
# Writes how many words it was given, and each word, with a zero byte after each of them.
RECORDER = """#!/bin/sh
printf '%s\\0' "$#" "$@" >>'{log}'
"""
COMPLAINTS = (b"not found", b"nknown command", b"yntax error", b"o such file", b"parse error")
# What acts in one shell or another while it is typed, or once it is read.
ACTS = [b"\x03\x15: >%s\n", b"\x15: >%s\r", b"\n: >%s\n", b"\x04: >%s\n", b"';: >%s;'", b"\";: >%s;\"",
        b"$(: >%s)", b"`: >%s`", b"\\';: >%s;#", b"\x1b[201~\x03: >%s\r", b"\x16\x03\x1a: >%s\n",
        b"%%s: >%s", b"!!", b"!x", b"^a^b", b"\x12: >\x0f", b"\t\t", b"\xc2\x8d: >%s\xc2\x8a", "\ue027;: >%s;\ue027".encode(),
        "\uf627\n: >%s\n\uf627".encode(), b"\\", b"'"]


class Copier:
    """The lines that are copied, and the words that a shell shall make of each."""

    def __init__(self, campaign):
        program = pathlib.Path(campaign.cli).with_name("reliability_copier")
        self.process = subprocess.Popen([*limited(), program, campaign.root / MODEL],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                                        env={**os.environ, "LC_ALL": "C.UTF-8",
                                             "OPENBLAS_NUM_THREADS": "1"})

    def copied(self, path, prompt):
        self.process.stdin.write(f"x{path.hex()} x{prompt.hex()}\n")
        words = self.process.stdout.readline().split(" ")
        if words[0].strip() == "refused":
            return None
        line, *words = [bytes.fromhex(word) for word in words if word != "\n"]
        return line, words

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Shell:
    """An interactive shell in a terminal that pastes as if its text were typed."""

    def __init__(self, name, folder):
        self.folder = folder
        self.log = folder / "words"
        self.seen = 0
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder / "here")
            os.execve(shutil.which(SHELLS[name][0]), SHELLS[name],
                      {"PATH": str(folder / "bin"), "HOME": str(folder / "home"), "TERM": "xterm",
                       "LC_ALL": "C.UTF-8", "PS1": "$ "})
        self.screen = b""
        self.wait_until_quiet()

    def look(self, seconds):
        """Reads what is on the screen, as long as something comes."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return False
        try:
            self.screen += os.read(self.terminal, 65536)
        except OSError:
            return False
        # fish asks what kind of terminal this is, and waits for the answer.
        if self.screen.endswith((b"\x1b[c", b"\x1b[0c")):
            os.write(self.terminal, b"\x1b[?62;c")
        return True

    def wait_until_quiet(self):
        while self.look(0.5):
            pass

    def paste(self, text):
        for start in range(0, len(text), 256):
            os.write(self.terminal, text[start:start + 256])
            while self.look(0):
                pass

    def calls(self, number):
        """The next calls of headscope-cli, as many of them as come."""
        end = time.monotonic() + HANG_SECONDS
        calls = []
        while len(calls) < number and time.monotonic() < end:
            self.look(0.005)
            data = self.log.read_bytes()[self.seen:] if self.log.exists() else b""
            calls = parsed(data)
        self.seen += sum(len(b"%d" % len(call)) + 1 + sum(len(word) + 1 for word in call)
                         for call in calls)
        return calls

    def close(self):
        os.close(self.terminal)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def parsed(data):
    """The calls that are written as a whole."""
    words = data.split(b"\0")[:-1]
    calls = []
    while words and len(words) > int(words[0]):
        calls.append(words[1:int(words[0]) + 1])
        words = words[int(words[0]) + 1:]
    return calls


def random_bytes(random, canary, most):
    kind = random.randrange(4)
    if kind == 0:
        return random.randbytes(random.randrange(most))
    if kind == 1:  # valid text for a tokenizer
        return "".join(chr(random.choice([random.randrange(1, 128), random.randrange(0x20, 0x300)]))
                       for _ in range(random.randrange(most // 2))).encode()
    parts = []
    for _ in range(random.randrange(1, 5)):
        act = random.choice(ACTS)
        parts.append(act.replace(b"%s", canary) if random.random() < 0.9 else bytes([random.randrange(128)]))
        parts.append(bytes(random.randrange(32, 127) for _ in range(random.randrange(6))))
    return b"".join(parts)


def prepare(campaign, name):
    folder = campaign.scratch / name
    for part in ("bin", "home", "here"):
        (folder / part).mkdir(parents=True)
    recorder = folder / "bin" / "headscope-cli"
    recorder.write_text(RECORDER.format(log=str(folder / "words")))
    recorder.chmod(0o755)
    return folder


def try_once(campaign, name, shell, line, words, number):
    shell.screen = b""
    shell.paste(line + b"\r")
    shell.paste(b"headscope-cli end %d\r" % number)
    calls = shell.calls(2)
    end = [b"end", b"%d" % number]
    fault = None
    if calls != [words, end]:
        fault = f"it ran {calls!r}"
    elif list((shell.folder / "here").iterdir()):
        fault = "it made a file"
    elif any(complaint in shell.screen for complaint in COMPLAINTS):
        fault = f"the screen shows {shell.screen!r}"
    campaign.count(f"{name}: {'runs only itself' if not fault else 'does not'}")
    if fault:
        campaign.finding(f"{name}: {line!r} is to run {words!r}; {fault}")
    return not fault


def run(campaign):
    names = [name for name in SHELLS if shutil.which(name)]
    for name in sorted(set(SHELLS) - set(names)):
        campaign.count(f"{name} is not installed")
    folders = {name: prepare(campaign, name) for name in names}
    shells = {name: Shell(name, folders[name]) for name in names}
    copier = Copier(campaign)
    number = 0
    while not campaign.time_is_up():
        canary = b"canary"
        prompt = random_bytes(campaign.random, canary, 120)
        # A path begins with a slash and has no zero byte.
        path = b"/" + random_bytes(campaign.random, canary, 40).replace(b"\0", b"")
        copied = copier.copied(path, prompt)
        if not copied:
            campaign.count("prompts that the model refuses")
            copied = copier.copied(path, b"it's")
        number += 1
        campaign.count("commands")
        for name in names:
            if not try_once(campaign, name, shells[name], *copied, number):
                shells[name].close()
                shutil.rmtree(folders[name])
                folders[name] = prepare(campaign, name)
                shells[name] = Shell(name, folders[name])
    copier.close()
    for shell in shells.values():
        shell.close()
