#include "core/export/calls/python_text.h"

#include "core/base/text.h"
#include "core/base/utf8.h"

#include <array>
#include <cstdio>
#include <optional>
#include <vector>

namespace headscope {

namespace {

/// "\x1b" for a start of "\x" and two digits.
std::string hexadecimal(const char* start, int digits, char32_t code) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%s%0*x", start, digits, static_cast<unsigned>(code));
    return text.data();
}

/// How one character is written between quotation marks; without a code it is a broken byte.
std::string escaped(std::string_view character, std::optional<char32_t> code) {
    if (!code)
        return hexadecimal("\\udc", 2, static_cast<unsigned char>(character.front()));
    switch (*code) {
    case U'"':
    case U'\\':
        return '\\' + std::string(character);
    case U'\n':
        return "\\n";
    case U'\r':
        return "\\r";
    case U'\t':
        return "\\t";
    default:
        break;
    }
    if (escapeControls(character) == character)
        return std::string(character);
    return *code < 0x100 ? hexadecimal("\\x", 2, *code) : hexadecimal("\\u", 4, *code);
}

} // namespace

std::string pythonText(std::string_view text) {
    std::string quoted = "\"";
    while (!text.empty()) {
        const auto [code, bytes] = decodeCharacter(text);
        quoted += escaped(text.substr(0, bytes), code);
        text.remove_prefix(bytes);
    }
    return quoted + '"';
}

std::string pythonIds(std::span<const TokenId> ids) {
    std::vector<std::string> numbers;
    for (const TokenId id : ids)
        numbers.push_back(std::to_string(id));
    return '[' + join(numbers, ", ") + ']';
}

std::string pythonHead(LayerHead head) {
    return '(' + std::to_string(head.layer) + ", " + std::to_string(head.head) + ')';
}

std::string pythonHeads(std::span<const LayerHead> heads) {
    std::vector<std::string> pairs;
    for (const LayerHead head : heads)
        pairs.push_back(pythonHead(head));
    return '[' + join(pairs, ", ") + ']';
}

} // namespace headscope
