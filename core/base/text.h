#pragma once

#include <cstddef>
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

std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);

/// Shell-style match of the whole text: '*' any run of characters, '?' any one character.
bool globMatches(std::string_view glob, std::string_view text);

/// Byte offset of the first byte that is not part of valid UTF-8, or npos when all is well.
std::size_t firstInvalidUtf8(std::string_view text);

} // namespace headscope
