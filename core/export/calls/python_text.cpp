#include "core/export/calls/python_text.h"

#include "core/base/text.h"

#include <array>
#include <cstdio>
#include <vector>

namespace headscope {

namespace {

constexpr unsigned char kFirstPrintable = 0x20;
constexpr unsigned char kDelete = 0x7f;

/// What stands for one byte between quotation marks.
std::string escaped(char byte) {
    switch (byte) {
    case '"':
    case '\\':
        return {'\\', byte};
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\t':
        return "\\t";
    default:
        break;
    }
    const auto code = static_cast<unsigned char>(byte);
    if (code >= kFirstPrintable && code != kDelete)
        return {byte};
    std::array<char, 5> hexadecimal{};
    std::snprintf(hexadecimal.data(), hexadecimal.size(), "\\x%02x", unsigned{code});
    return hexadecimal.data();
}

} // namespace

std::string pythonText(std::string_view text) {
    std::string quoted = "\"";
    for (const char byte : text)
        quoted += escaped(byte);
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
