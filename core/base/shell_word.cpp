#include "core/base/text.h"
#include "core/base/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace headscope {

namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789";

bool consistsOf(std::string_view text, std::string_view more) {
    return std::ranges::all_of(text, [&](char byte) {
        return kLetters.find(byte) != std::string_view::npos || more.find(byte) != more.npos;
    });
}

/// Whether shells take it for itself. zsh and fish keep bytes as characters for private use, so
/// that U+E054 is a T to zsh.
bool isItself(char32_t code) {
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(code))) {
    case UTF8PROC_CATEGORY_CN: // not assigned
    case UTF8PROC_CATEGORY_CC: // control
    case UTF8PROC_CATEGORY_CF: // format
    case UTF8PROC_CATEGORY_CO: // private use
    case UTF8PROC_CATEGORY_ZL: // line
    case UTF8PROC_CATEGORY_ZP: // paragraph
        return false;
    default:
        return true;
    }
}

bool holdsOnlyItself(std::string_view text) {
    while (!text.empty()) {
        const auto [code, bytes] = decodeCharacter(text);
        if (!code || !isItself(*code))
            return false;
        text.remove_prefix(bytes);
    }
    return true;
}

/// Before the line breaks at the end of a text, which are no part of it.
std::string_view withoutLastBreaks(std::string_view text) {
    return text.substr(0, text.find_last_not_of('\n') + 1);
}

/// For a text that is shown as it is. In quotes fish takes a backslash for the start of an escape
/// where another or a quotation mark is next.
std::string quoted(std::string_view text) {
    std::string word = "'";
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char next = i + 1 < text.size() ? text[i + 1] : '\'';
        if (text[i] == '\'' || (text[i] == '\\' && (next == '\\' || next == '\'')))
            word += {'\'', '\\', text[i], '\''};
        else
            word += text[i];
    }
    return word + '\'';
}

std::string octal(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
        std::array<char, 5> digits{};
        std::snprintf(digits.data(), digits.size(), "\\%03o",
                      unsigned{static_cast<unsigned char>(byte)});
        text += digits.data();
    }
    return text;
}

/// "$(printf 'a\003b')"; whatever means something to a shell in these quotes, or to printf, is a
/// number.
std::string printed(std::string_view text) {
    std::string format;
    while (!text.empty()) {
        const auto [code, bytes] = decodeCharacter(text);
        const std::string_view character = text.substr(0, bytes);
        const bool shown =
            isAscii(character) ? consistsOf(character, " _./:,;+?=@") : code && isItself(*code);
        format += shown ? std::string(character) : octal(character);
        text.remove_prefix(bytes);
    }
    return "\"$(printf '" + format + "')\"";
}

} // namespace

// For sh, bash, zsh and fish alike. Pasted into any of them, a word is text and nothing else:
// control characters, which act while they are typed, broken bytes and what turns the direction of
// writing come from printf. Only line breaks at the end stay, in quotes, because a shell removes
// them from what a command prints.
std::string shellWord(std::string_view text) {
    if (!text.empty() && consistsOf(text, "_-./:+,"))
        return std::string(text);
    const std::string_view line = withoutLastBreaks(text);
    const std::string_view breaks = text.substr(line.size());
    if (holdsOnlyItself(line))
        return quoted(text);
    return printed(line) + (breaks.empty() ? "" : quoted(breaks));
}

} // namespace headscope
