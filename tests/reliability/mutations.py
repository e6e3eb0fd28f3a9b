"""How the bytes of a file are changed."""

import struct

NUMBERS = (0, 1, 2, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
           0x7FFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 1 << 32, 1 << 40)


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
