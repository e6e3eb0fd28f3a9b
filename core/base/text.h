#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// "[12, 768]"
std::string shapeText(std::span<const std::size_t> shape);

/// "1.5 MB", powers of 1000, three significant digits.
std::string byteText(std::size_t bytes);

/// The shortest text that reads back as the same number, whatever the locale.
std::string numberText(double value);
std::string numberText(float value);

/// Fixed number of decimals, whatever the locale.
std::string fixedText(double value, int decimals);

/// The whole number that `text` is, in decimal and without a space or '+'; nothing when it is not
/// one or does not fit.
template <std::integral Number>
std::optional<Number> parseNumber(std::string_view text) {
    Number value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    return failure == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

/// "10 sequences", "1 sequence"
std::string counted(std::size_t count, std::string_view noun);

std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);

/// With `by` in place of every `what`, which is not empty.
std::string replaceAll(std::string_view text, std::string_view what, std::string_view by);

/// As one word of a POSIX shell: in quotes unless it is plain.
std::string shellWord(std::string_view text);

/// Shell-style match of the whole text: '*' any run of characters, '?' any one character.
bool globMatches(std::string_view glob, std::string_view text);

} // namespace headscope
