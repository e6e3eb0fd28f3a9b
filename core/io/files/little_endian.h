#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace headscope {

/// The whole number in up to 8 bytes, lowest first.
inline std::uint64_t littleEndian(std::span<const std::byte> bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;)
        value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
    return value;
}

} // namespace headscope
