"""Makes the checksums of HDF5's metadata right again after bytes have changed, so that a mutant is
read as if nobody checked them. Format: HDF5 File Format Specification 3.0, chapters II to IV."""

import struct

MASK = 0xFFFFFFFF
SIGNATURE = b"\x89HDF\r\n\x1a\n"
SUPERBLOCK_BYTES = 48  # of versions 2 and 3 with addresses of 8 bytes
OBJECT_HEADER = b"OHDR"
# What ends in a checksum and does not say itself how long it is.
UNSIZED = (b"OCHK", b"FRHP", b"BTHD", b"BTIN", b"BTLF", b"FAHD", b"FADB", b"EAHD", b"EAIB", b"EADB")
LONGEST_UNSIZED = 700


def rotated(value, bits):
    return (value << bits | value >> (32 - bits)) & MASK


def lookup3(data):
    """Bob Jenkins's hashlittle() of 2006 with 0 as its start."""
    a = b = c = (0xDEADBEEF + len(data)) & MASK
    last = max(0, (len(data) - 1) // 12 * 12)
    for x, y, z in struct.iter_unpack("<III", data[:last]):
        a, b, c = a + x & MASK, b + y & MASK, c + z & MASK
        a, c = a - c & MASK ^ rotated(c, 4), c + b & MASK
        b, a = b - a & MASK ^ rotated(a, 6), a + c & MASK
        c, b = c - b & MASK ^ rotated(b, 8), b + a & MASK
        a, c = a - c & MASK ^ rotated(c, 16), c + b & MASK
        b, a = b - a & MASK ^ rotated(a, 19), a + c & MASK
        c, b = c - b & MASK ^ rotated(b, 4), b + a & MASK
    x, y, z = struct.unpack("<III", data[last:].ljust(12, b"\0"))
    a, b, c = a + x & MASK, b + y & MASK, c + z & MASK
    c = (c ^ b) - rotated(b, 14) & MASK
    a = (a ^ c) - rotated(c, 11) & MASK
    b = (b ^ a) - rotated(a, 25) & MASK
    c = (c ^ b) - rotated(b, 16) & MASK
    a = (a ^ c) - rotated(c, 4) & MASK
    b = (b ^ a) - rotated(a, 14) & MASK
    return (c ^ b) - rotated(b, 24) & MASK


def is_summed(content, begin, end):
    return end + 4 <= len(content) and struct.pack("<I", lookup3(content[begin:end])) == \
        content[end:end + 4]


def end_of_object_header(content, begin):
    """Of its first part, by its own words (IV.A.1.b); None where it is no header."""
    if begin + 6 > len(content):
        return None
    flags = content[begin + 5]
    at = begin + 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
    width = 1 << (flags & 3)
    return at + width + int.from_bytes(content[at:at + width], "little")


def all_places(content, mark):
    at = content.find(mark)
    while at >= 0:
        yield at
        at = content.find(mark, at + 1)


def summed_parts(content):
    """(begin, end) of all parts of a sound file behind which their checksum stands."""
    ends = [(0, SUPERBLOCK_BYTES - 4)] if content.startswith(SIGNATURE) else []
    ends += [(at, end_of_object_header(content, at)) for at in all_places(content, OBJECT_HEADER)]
    parts = [(begin, end) for begin, end in ends if end and is_summed(content, begin, end)]
    for mark in UNSIZED:
        for at in all_places(content, mark):
            end = next((end for end in range(at + 8, at + LONGEST_UNSIZED)
                        if is_summed(content, at, end)), None)
            if end:
                parts.append((at, end))
    return parts


def repaired(mutant, original, parts):
    """The mutant with the checksums of those parts that changed and still lie where they were."""
    bytes_ = bytearray(mutant)
    for begin, end in parts:
        if end + 4 <= len(bytes_) and bytes_[begin:end + 4] != original[begin:end + 4]:
            bytes_[end:end + 4] = struct.pack("<I", lookup3(bytes(bytes_[begin:end])))
    return bytes(bytes_)
