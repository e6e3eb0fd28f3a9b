#include "core/base/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace headscope {

namespace {

/// Whether `second` may follow `lead`, after which any continuation byte is fine (table 3-7 of
/// Unicode 15).
bool mayFollow(unsigned char lead, unsigned char second) {
    switch (lead) {
    case 0xE0:
        return second >= 0xA0 && second <= 0xBF;
    case 0xED:
        return second >= 0x80 && second <= 0x9F;
    case 0xF0:
        return second >= 0x90 && second <= 0xBF;
    case 0xF4:
        return second >= 0x80 && second <= 0x8F;
    default:
        return second >= 0x80 && second <= 0xBF;
    }
}

/// Length of the maximal subpart at the start of `bytes`, which do not start with valid UTF-8.
std::size_t maximalSubpart(std::string_view bytes) {
    const auto lead = static_cast<unsigned char>(bytes[0]);
    if (lead < 0xC2 || lead > 0xF4)
        return 1;
    if (bytes.size() < 2 || !mayFollow(lead, static_cast<unsigned char>(bytes[1])))
        return 1;
    std::size_t length = 2;
    while (length < std::min(utf8Length(bytes[0]), bytes.size()) &&
           isUtf8Continuation(bytes[length]))
        ++length;
    return length;
}

/// Copies valid UTF-8 and hands every maximal subpart of what is not to `repair`.
template <class Repair>
std::string repaired(std::string_view bytes, Repair repair) {
    std::string text;
    for (;;) {
        const std::size_t broken = firstInvalidUtf8(bytes);
        text += bytes.substr(0, broken);
        if (broken == std::string_view::npos)
            return text;
        bytes.remove_prefix(broken);
        const std::size_t length = maximalSubpart(bytes);
        repair(text, bytes.substr(0, length));
        bytes.remove_prefix(length);
    }
}

} // namespace

DecodedCharacter decodeCharacter(std::string_view bytes) {
    utf8proc_int32_t code_point = 0;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(bytes.data()),
                                         static_cast<utf8proc_ssize_t>(bytes.size()), &code_point);
    if (length <= 0)
        return {};
    return {static_cast<char32_t>(code_point), static_cast<std::size_t>(length)};
}

std::size_t firstInvalidUtf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto [code_point, bytes] = decodeCharacter(text.substr(i));
        if (!code_point)
            return i;
        i += bytes;
    }
    return std::string_view::npos;
}

std::size_t characterCount(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char byte) { return !isUtf8Continuation(byte); }));
}

char32_t codePointAt(std::string_view text, std::size_t position) {
    return decodeCharacter(text.substr(position)).code_point.value_or(U'\0');
}

void appendCodePoint(std::string& text, char32_t code_point) {
    std::array<utf8proc_uint8_t, 4> bytes;
    const auto length =
        utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes.data());
    text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length));
}

bool isWhiteSpace(char32_t code_point) {
    static constexpr std::array others{U'\u0020', U'\u0085', U'\u00A0', U'\u1680', U'\u2028',
                                       U'\u2029', U'\u202F', U'\u205F', U'\u3000'};
    return (code_point >= 0x09 && code_point <= 0x0D) ||
           (code_point >= 0x2000 && code_point <= 0x200A) ||
           std::ranges::find(others, code_point) != others.end();
}

std::string_view lastCharacter(std::string_view text) {
    std::size_t begin = text.size() - 1;
    while (isUtf8Continuation(text[begin]))
        --begin;
    return text.substr(begin);
}

std::string_view firstCharacter(std::string_view text) {
    return text.substr(0, utf8Length(text.front()));
}

std::size_t trailingSpace(std::string_view text) {
    std::string_view rest = text;
    while (!rest.empty() && isWhiteSpace(codePointAt(lastCharacter(rest), 0)))
        rest.remove_suffix(lastCharacter(rest).size());
    return text.size() - rest.size();
}

std::size_t leadingSpace(std::string_view text) {
    std::string_view rest = text;
    while (!rest.empty() && isWhiteSpace(codePointAt(rest, 0)))
        rest.remove_prefix(firstCharacter(rest).size());
    return text.size() - rest.size();
}

bool isAscii(std::string_view text) {
    return std::ranges::all_of(text, [](char byte) { return (byte & 0x80) == 0; });
}

std::string replaceInvalidUtf8(std::string_view bytes) {
    return repaired(bytes, [](std::string& text, std::string_view) { text += "\uFFFD"; });
}

std::string escapeInvalidUtf8(std::string_view bytes) {
    return repaired(bytes, [](std::string& text, std::string_view broken) {
        constexpr std::string_view digits = "0123456789ABCDEF";
        for (const char byte : broken) {
            text += "\\x";
            text += digits[static_cast<unsigned char>(byte) >> 4];
            text += digits[static_cast<unsigned char>(byte) & 0xF];
        }
    });
}

std::string escapedCodePoint(char32_t code_point) {
    std::array<char, 8> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                   static_cast<std::uint32_t>(code_point), 16)
                         .ptr;
    return "\\u{" + std::string(digits.data(), end) + "}";
}

namespace {

bool controlsATerminal(char32_t code) {
    const bool is_control = code < 0x20 || (code >= 0x7F && code < 0xA0);
    const bool turns_direction =
        (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return is_control || turns_direction;
}

} // namespace

std::string escapeControls(std::string_view bytes) {
    std::string text = escapeInvalidUtf8(bytes);
    std::string escaped;
    for (std::string_view rest = text; !rest.empty();) {
        const auto [code, length] = decodeCharacter(rest);
        if (code && controlsATerminal(*code))
            escaped += escapedCodePoint(*code);
        else
            escaped += rest.substr(0, length);
        rest.remove_prefix(length);
    }
    return escaped;
}

std::string_view firstCharacters(std::string_view text, std::size_t most) {
    std::size_t end = 0;
    for (std::size_t count = 0; count < most && end < text.size(); ++count)
        end += utf8Length(text[end]);
    return text.substr(0, end);
}

std::string inQuotes(std::string_view text) {
    const std::string_view start = firstCharacters(text, 40);
    return '"' + std::string(start) + (start.size() < text.size() ? "…" : "") + '"';
}

} // namespace headscope
