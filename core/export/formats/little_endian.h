#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace headscope {

/// The lowest `count` bytes of a number, lowest first.
inline void appendLittleEndian(std::string& bytes, std::uint64_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        bytes += static_cast<char>(value >> (8 * i) & 0xFF);
}

} // namespace headscope
