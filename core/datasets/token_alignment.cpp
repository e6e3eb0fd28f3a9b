#include "core/datasets/token_alignment.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace headscope {

namespace {

/// The code point after each word, in ascending order.
std::vector<std::size_t> wordEnds(const Sentence& sentence) {
    const std::string_view text = sentence.text;
    std::vector<std::size_t> ends;
    ends.reserve(sentence.words.size());
    std::size_t byte = 0;
    std::size_t characters = 0;
    for (const Word& word : sentence.words) {
        characters += characterCount(text.substr(byte, word.end - byte));
        byte = word.end;
        ends.push_back(characters);
    }
    return ends;
}

std::string asciiLower(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return text;
}

} // namespace

Result<ProbeText> probeText(const Model& model, const Sentence& sentence, BosMode bos) {
    auto prompt = promptFromText(model, sentence.text, bos);
    if (!prompt)
        return prompt.error();
    const std::vector<std::size_t> ends = wordEnds(sentence);
    std::vector<TokenSpan> words(ends.size());
    for (std::size_t i = 0; i < prompt->ids.size(); ++i) {
        const TextRange range = prompt->offsets[i];
        const auto end = std::ranges::upper_bound(ends, range.begin);
        if (range.begin == range.end || end == ends.end())
            continue; // an added token, or the space after the last word
        TokenSpan& span = words[static_cast<std::size_t>(end - ends.begin())];
        if (span.empty())
            span.first = i;
        span.end = i + 1;
    }
    for (std::size_t w = 1; w < words.size(); ++w)
        if (words[w].empty())
            words[w] = {words[w - 1].end, words[w - 1].end};
    return ProbeText{std::move(prompt->ids), prompt->has_bos, std::move(words)};
}

std::optional<TokenId> tokenOfWord(const Tokenizer& tokenizer, std::string_view word) {
    constexpr std::string_view before = "and";
    std::string text(before);
    text += ' ';
    text += word;
    const auto encoding = tokenizer.encode(text, false);
    if (!encoding || encoding->ids.empty())
        return std::nullopt;
    const auto is_after = [&](TextRange range) { return range.end > before.size(); };
    const TokenId id = encoding->ids.back();
    if (std::ranges::count_if(encoding->offsets, is_after) != 1 ||
        encoding->offsets.back().begin < before.size())
        return std::nullopt;
    std::string piece = tokenizer.piece(id);
    piece.erase(0, piece.find_first_not_of(' '));
    // An unknown token spells something else.
    return asciiLower(piece) == asciiLower(std::string(word)) ? std::optional(id) : std::nullopt;
}

} // namespace headscope
