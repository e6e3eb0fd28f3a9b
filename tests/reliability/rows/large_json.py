"""JSON of up to 60 MB in every JSON file that is opened: a process that opens one takes at most eight times
the file and 64 MB of memory (256 MB for tokenizers), whether it uses the file or refuses it in one
sentence."""

import math
import shutil

from kinds import all_kinds
from opener import Opener

SMALLEST = 10_000  # bytes
LARGEST = 60_000_000
LARGEST_IN_CI = 4_000_000
ALLOWED_BEYOND = 64 << 20  # bytes of memory, and eight times those of the file
# Half a million merges that are written as pairs take more than eight times their text.
ALLOWED_BEYOND_OF = {kind: 256 << 20 for kind in
                     ("tokenizer.json", "lists of words", "settings of tokenizers")}


def numbers(size):
    return b"[" + b"0," * (size // 2) + b"0]"


def empty_lists(size):
    return b"[" + b"[]," * (size // 3) + b"[]]"


def texts(size):
    return b"[" + b'"a",' * (size // 4) + b'"a"]'


def members(size):
    return b"{" + b",".join(b'"%x":0' % i for i in range(size // 10)) + b"}"


def nested(size):
    return b"[" * (size // 2) + b"]" * (size // 2)


def one_text(size):
    return b'"' + b"a" * size + b'"'


def escaped_text(size):
    return b'"' + b"\\u00e4" * (size // 6) + b'"'


VALUES = (numbers, empty_lists, texts, members, nested, one_text, escaped_text)


def is_json(seed):
    return seed.content.startswith(b"{") and seed.name.endswith((".json", ".jsonl", ".headscope"))


def with_member(content, value):
    """The first object with one member more."""
    return b'{"strange":' + value + b"," + content[1:]


def random_size(campaign, largest):
    """As many from 10 to 100 kB as from 1 to 10 MB."""
    return int(math.exp(campaign.random.uniform(math.log(SMALLEST), math.log(largest))))


def try_one(campaign, kind, seed, folder):
    value = campaign.random.choice(VALUES)
    size = random_size(campaign, LARGEST_IN_CI if campaign.patience > 1 else LARGEST)
    seed.settle(folder)
    file = folder / seed.name
    file.write_bytes(with_member(seed.content, value(size)))
    bytes_ = file.stat().st_size
    with Opener(campaign) as opener:  # one for each, since a process says the most that it ever took
        used, complaint = opener.open(kind.how, folder / seed.opened)
        taken = 1024 * opener.peak
    what = f"{kind.name}, {seed.name}, {bytes_ / 1e6:.1f} MB, of it one value of {value.__name__}"
    if complaint:
        campaign.finding(f"{what}: {complaint}", [file])
    elif taken > 8 * bytes_ + ALLOWED_BEYOND_OF.get(kind.name, ALLOWED_BEYOND):
        campaign.finding(f"{what}: {taken / 1e6:.0f} MB of memory", [file])
    campaign.count(f"{kind.name}: {'used' if used else 'refused'}")
    return taken


def run(campaign):
    kinds = [(kind, [seed for seed in kind.seeds if is_json(seed)]) for kind in all_kinds(campaign)]
    kinds = [(kind, seeds) for kind, seeds in kinds if seeds]
    peak = 0
    while not campaign.time_is_up():
        kind, seeds = campaign.random.choice(kinds)
        seed = campaign.random.choice(seeds)
        folder = campaign.scratch / "opened"
        peak = max(peak, try_one(campaign, kind, seed, folder))
        shutil.rmtree(folder)
    campaign.count("MB of memory at the peak", peak // 1_000_000)
