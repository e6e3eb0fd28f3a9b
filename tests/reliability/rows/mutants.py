"""Mutants of every file kind, opened, read to the end and run: refused in one sentence or used, no
hang over 10 s, no crash, no gigabytes."""

import itertools
import pathlib
import random
import shutil
import struct

MOST_BYTES = 1_500_000_000
NUMBERS = (0, 1, 2, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
           0x7FFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 1 << 32, 1 << 40)


class Kind:
    """A file to mutate, in a copy of the folder that it works in."""

    def __init__(self, name, file, beside=(), model=None, commands=None):
        self.name = name
        self.file = file
        self.beside = beside
        self.model = model  # what the commands open; the file itself where it is None
        self.commands = commands or (["info"], ["run", "--ids", "1,2,3"])


def kinds(root):
    data = root / "tests/data"
    for name in ("gpt2", "llama-gqa", "bert", "notebook"):
        yield Kind("HDF5", data / f"fixtures/{name}.h5")
    for file in sorted((root / "tests/fuzz/corpus/hdf5").glob("*.h5")):
        yield Kind("HDF5", file, commands=(["info"],))
    llama = data / "weight_files/llama-bf16"
    yield Kind("safetensors", llama / "model.safetensors", [llama / "config.json"])
    yield Kind("config.json", llama / "config.json", [llama / "model.safetensors"],
               "model.safetensors")
    sharded = data / "weight_files/gpt2-sharded"
    yield Kind("index of shards", sharded / "model.safetensors.index.json",
               [path for path in sharded.iterdir() if "index" not in path.name])
    for file in sorted((data / "keras").rglob("*.keras")):
        yield Kind(".keras", file)
    tokenizer = root / "tests/fuzz/corpus/tokenizer_json"
    for file in sorted(tokenizer.glob("*.json")):
        yield Kind("tokenizer.json", file,
                   [llama / "model.safetensors", llama / "config.json"], "model.safetensors",
                   (["tokenize", "--text", "Hello, wörld 42"],))


def flip(bytes_, seed):
    for _ in range(seed.choice((1, 1, 2, 4, 8))):
        bytes_[place(bytes_, seed)] ^= 1 << seed.randrange(8)


def overwrite(bytes_, seed):
    for _ in range(seed.choice((1, 1, 4, 16))):
        bytes_[place(bytes_, seed)] = seed.randrange(256)


def truncate(bytes_, seed):
    del bytes_[seed.randrange(len(bytes_)):]


def lengthen(bytes_, seed):
    bytes_ += bytes(seed.choice((1, 7, 512, 65536)))


def change_length(bytes_, seed):
    """A whole number somewhere becomes one that sizes go wrong with."""
    width, form = seed.choice(((1, "<B"), (2, "<H"), (4, "<I"), (8, "<Q")))
    at = min(place(bytes_, seed), max(0, len(bytes_) - width))
    number = seed.choice((*NUMBERS, len(bytes_), len(bytes_) - 1))
    bytes_[at:at + width] = struct.pack(form, number & ((1 << 8 * width) - 1))


def change_digits(bytes_, seed):
    """The same for numbers in text."""
    digits = [i for i, byte in enumerate(bytes_[:65536]) if 48 <= byte < 58]
    if digits:
        at = seed.choice(digits)
        bytes_[at:at + 1] = str(seed.choice((*NUMBERS, -1, "1e308", "null", '"'))).encode()


def copy_piece(bytes_, seed):
    size = seed.choice((4, 16, 64, 512))
    begin = seed.randrange(len(bytes_))
    at = place(bytes_, seed)
    bytes_[at:at + size] = bytes_[begin:begin + size]


def place(bytes_, seed):
    """Every second time in the first part, where structure lies in most formats."""
    return seed.randrange(min(len(bytes_), seed.choice((64, 4096, len(bytes_), len(bytes_)))))


MUTATIONS = (flip, overwrite, truncate, lengthen, change_length, change_digits, copy_piece)


def mutant_of(content, seed):
    bytes_ = bytearray(content)
    for _ in range(seed.choice((1, 1, 1, 2, 3))):
        if bytes_:
            seed.choice(MUTATIONS)(bytes_, seed)
    return bytes(bytes_)


def run(campaign):
    by_name = {}
    for kind in kinds(campaign.root):
        by_name.setdefault(kind.name, []).append(kind)
    originals = {kind.file: kind.file.read_bytes() for each in by_name.values() for kind in each}
    peak = 0

    def ask(number):
        nonlocal peak
        seed = random.Random(f"mutants/{campaign.seed}/{number}")
        kind = seed.choice(by_name[sorted(by_name)[number % len(by_name)]])
        folder = campaign.scratch / str(number)
        folder.mkdir()
        for file in kind.beside:
            shutil.copy(file, folder)  # links are refused where they lead out of the folder
        name = "tokenizer.json" if kind.name == "tokenizer.json" else kind.file.name
        mutant = folder / name
        mutant.write_bytes(mutant_of(originals[kind.file], seed))
        model = folder / pathlib.Path(kind.model or name)
        for command, *options in kind.commands:
            ended = campaign.run([command, model, *options])
            peak = max(peak, ended.peak_bytes)
            complaint = ended.complaint()
            if not complaint and ended.peak_bytes > MOST_BYTES:
                complaint = f"{ended.peak_bytes / 1e6:.0f} MB of memory"
            if complaint:
                campaign.finding(f"mutant {number} ({kind.name}), {command}: {complaint}", [mutant])
            if ended.code != 0:
                break
        campaign.count(f"{kind.name}: {'used' if ended.code == 0 else 'refused'}")
        shutil.rmtree(folder, ignore_errors=True)

    campaign.in_parallel(ask, itertools.count())
    campaign.count("MB of memory at the peak", peak // 1_000_000)
