#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace headscope {

/// What the values of an enumeration are called in files and on the command line; all of them, each
/// once.
template <class Enum, std::size_t Count>
using Names = std::array<std::pair<Enum, std::string_view>, Count>;

template <class Enum, std::size_t Count>
std::string_view nameOf(const Names<Enum, Count>& names, Enum value) {
    return std::ranges::find(names, value, &std::pair<Enum, std::string_view>::first)->second;
}

/// Nothing for what no value is called.
template <class Enum, std::size_t Count>
std::optional<Enum> valueNamed(const Names<Enum, Count>& names, std::string_view name) {
    const auto found = std::ranges::find(names, name, &std::pair<Enum, std::string_view>::second);
    return found == names.end() ? std::nullopt : std::optional(found->first);
}

} // namespace headscope
