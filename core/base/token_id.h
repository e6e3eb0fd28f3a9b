#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headscope {

using TokenId = std::int32_t;
using TokenIds = std::vector<TokenId>;

/// FNV-1a (Fowler, Noll and Vo) over token ids, to tell texts apart.
class IdHash {
public:
    void add(TokenId id) {
        auto bits = static_cast<std::uint64_t>(id);
        for (int byte = 0; byte < 4; ++byte, bits >>= 8)
            state_ = (state_ ^ (bits & 0xFF)) * 0x100000001b3ULL;
    }
    void add(std::span<const TokenId> ids) {
        for (const TokenId id : ids)
            add(id);
    }
    std::uint64_t value() const { return state_; }
    /// The same as 16 hexadecimal digits.
    std::string text() const;

private:
    std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

} // namespace headscope
