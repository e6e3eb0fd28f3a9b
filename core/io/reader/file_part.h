#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace headscope {

/// A part of an open file, such as a member of an archive.
struct FilePart {
    int descriptor = -1;
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
};

/// Fills `target` from byte `offset` of the part on; returns how many bytes there were, fewer at
/// its end and where the system cannot read.
std::size_t readPart(const FilePart& part, std::uint64_t offset, std::span<std::byte> target);

} // namespace headscope
