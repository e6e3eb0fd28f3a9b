#include "tests/trust/planted_words.h"

#include "core/tokenizer/tokenizer.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace headscope::test {

bool isMark(const Tokenizer* tokenizer, TokenId id) {
    if (tokenizer == nullptr || tokenizer->isSpecial(id))
        return false;
    const std::string text = tokenizer->decode({&id, 1}, false);
    // Marks beyond ASCII are those from U+2000 on, whose first byte is E2.
    const auto isPartOfMark = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte == 0xE2 || (byte >= 0x80 && byte < 0xC0) || std::ispunct(byte) != 0;
    };
    const auto isSpace = [](char c) { return c == ' '; };
    const auto first = std::ranges::find_if_not(text, isSpace);
    return first != text.end() && std::all_of(first, text.end(), isPartOfMark);
}

bool goesOn(const Tokenizer* tokenizer, TokenId id) {
    if (tokenizer == nullptr || tokenizer->isSpecial(id))
        return false;
    const std::string text = tokenizer->decode({&id, 1}, false);
    return !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0;
}

} // namespace headscope::test
