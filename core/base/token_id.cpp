#include "core/base/token_id.h"

#include <array>
#include <charconv>

namespace headscope {

std::string IdHash::text() const {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), state_, 16).ptr;
    const std::string text(digits.data(), end);
    return std::string(digits.size() - text.size(), '0') + text;
}

} // namespace headscope
