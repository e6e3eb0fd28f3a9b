#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headscope {

/// Bytes of the sequence that starts with `lead`, a byte that starts one in valid UTF-8.
constexpr std::size_t utf8Length(char lead) {
    const auto byte = static_cast<unsigned char>(lead);
    return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

/// Whether `byte` continues a sequence that another byte starts.
constexpr bool isUtf8Continuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// Byte offset of the first byte that is not part of valid UTF-8, or npos when all is well.
std::size_t firstInvalidUtf8(std::string_view text);

/// A code point and how many bytes it took.
struct DecodedCharacter {
    std::optional<char32_t> code_point; ///< nothing for one byte that is no part of UTF-8
    std::size_t bytes = 1;
};

/// The first character of `bytes`, which are not empty and may be anything.
DecodedCharacter decodeCharacter(std::string_view bytes);

/// Code points of valid UTF-8.
std::size_t characterCount(std::string_view text);

/// The code point at `position` of valid UTF-8.
char32_t codePointAt(std::string_view text, std::size_t position);

void appendCodePoint(std::string& text, char32_t code_point);

/// The property White_Space.
bool isWhiteSpace(char32_t code_point);

/// Bytes of White_Space at the start, and at the end, of valid UTF-8.
std::size_t leadingSpace(std::string_view text);
std::size_t trailingSpace(std::string_view text);

/// The first and the last character of valid UTF-8 that is not empty.
std::string_view firstCharacter(std::string_view text);
std::string_view lastCharacter(std::string_view text);

/// The first `most` characters of valid UTF-8; all of them when there are no more.
std::string_view firstCharacters(std::string_view text, std::size_t most);

bool isAscii(std::string_view text);

/// Each maximal part of a broken sequence becomes one U+FFFD (Unicode 15, section 3.9, "U+FFFD
/// substitution of maximal subparts").
std::string replaceInvalidUtf8(std::string_view bytes);

/// Each byte that is not part of valid UTF-8 becomes "\xE2".
std::string escapeInvalidUtf8(std::string_view bytes);

/// "\u{200b}"
std::string escapedCodePoint(char32_t code_point);

/// For a terminal, which obeys control characters: those (C0, DEL and C1) and the ones that turn
/// the direction of what follows (U+202A–202E, U+2066–2069) become "\u{1b}", broken bytes "\xE2".
/// Line ends and tabs are escaped, too.
std::string escapeControls(std::string_view bytes);

/// Valid UTF-8 in quotation marks for a message, cut after 40 characters.
std::string inQuotes(std::string_view text);

} // namespace headscope
