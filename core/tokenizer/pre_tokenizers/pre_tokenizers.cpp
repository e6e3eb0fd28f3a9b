#include "core/tokenizer/pre_tokenizers/pre_tokenizers.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <array>
#include <utility>

namespace headscope {

namespace {

/// A stretch of text that is a delimiter or is between two.
struct Stretch {
    ByteRange bytes;
    bool is_delimiter = false;
};

/// The matches and the text between them, which together are the whole text.
std::vector<Stretch> stretches(const std::vector<ByteRange>& matches, std::size_t size,
                               bool invert) {
    std::vector<Stretch> result;
    result.reserve(2 * matches.size() + 1);
    std::size_t begin = 0;
    for (const ByteRange match : matches) {
        if (begin != match.begin)
            result.push_back({{begin, match.begin}, invert});
        result.push_back({match, !invert});
        begin = match.end;
    }
    if (begin != size)
        result.push_back({{begin, size}, invert});
    return result;
}

std::vector<ByteRange> contiguous(const std::vector<Stretch>& stretches) {
    std::vector<ByteRange> words;
    bool previous = false;
    for (const Stretch& stretch : stretches) {
        if (stretch.is_delimiter == previous && !words.empty())
            words.back().end = stretch.bytes.end;
        else
            words.push_back(stretch.bytes);
        previous = stretch.is_delimiter;
    }
    return words;
}

/// Each delimiter joins the word before it, unless that is a delimiter.
std::vector<ByteRange> mergedWithPrevious(const std::vector<Stretch>& stretches) {
    std::vector<ByteRange> words;
    bool previous = false;
    for (const Stretch& stretch : stretches) {
        if (stretch.is_delimiter && !previous && !words.empty())
            words.back().end = stretch.bytes.end;
        else
            words.push_back(stretch.bytes);
        previous = stretch.is_delimiter;
    }
    return words;
}

/// The same from right to left.
std::vector<ByteRange> mergedWithNext(const std::vector<Stretch>& stretches) {
    std::vector<ByteRange> words;
    bool previous = false;
    for (std::size_t i = stretches.size(); i-- > 0;) {
        const Stretch& stretch = stretches[i];
        if (stretch.is_delimiter && !previous && !words.empty())
            words.back().begin = stretch.bytes.begin;
        else
            words.push_back(stretch.bytes);
        previous = stretch.is_delimiter;
    }
    std::ranges::reverse(words);
    return words;
}

std::vector<ByteRange> words(const std::vector<Stretch>& stretches, SplitBehavior behavior) {
    switch (behavior) {
    case SplitBehavior::Contiguous:
        return contiguous(stretches);
    case SplitBehavior::MergedWithPrevious:
        return mergedWithPrevious(stretches);
    case SplitBehavior::MergedWithNext:
        return mergedWithNext(stretches);
    case SplitBehavior::Removed:
    case SplitBehavior::Isolated:
        break;
    }
    std::vector<ByteRange> result;
    result.reserve(stretches.size());
    for (const Stretch& stretch : stretches) {
        if (behavior == SplitBehavior::Isolated || !stretch.is_delimiter)
            result.push_back(stretch.bytes);
    }
    return result;
}

} // namespace

Result<SplitText> PatternSplit::apply(SplitText text) const {
    std::vector<Split> splits;
    for (const Split& split : text.splits) {
        if (split.added_token) {
            splits.push_back(split);
            continue;
        }
        const auto matches = pattern_.findAll(text.text.text(split.bytes));
        if (!matches)
            return matches.error();
        const std::size_t start = split.bytes.begin;
        for (const ByteRange word :
             words(stretches(*matches, split.bytes.size(), invert_), behavior_)) {
            if (!word.empty())
                splits.push_back({{start + word.begin, start + word.end}, std::nullopt});
        }
    }
    text.splits = std::move(splits);
    return text;
}

Result<SplitText> PreTokenizerSequence::apply(SplitText text) const {
    for (const auto& step : steps_) {
        auto next = step->apply(std::move(text));
        if (!next)
            return next;
        text = *std::move(next);
    }
    return text;
}

bool PreTokenizerSequence::isByteLevel() const {
    return std::ranges::any_of(steps_, [](const auto& step) { return step->isByteLevel(); });
}

MetaspacePreTokenizer::MetaspacePreTokenizer(Metaspace metaspace)
    : metaspace_(std::move(metaspace)) {
    if (metaspace_.split)
        words_.emplace(*Regex::literal(metaspace_.replacement), SplitBehavior::MergedWithNext);
}

bool MetaspacePreTokenizer::prepends(const SplitText& text, ByteRange word) const {
    const std::string_view content = text.text.text(word);
    if (content.starts_with(' ') || content.starts_with(metaspace_.replacement))
        return false;
    return metaspace_.prepend == Metaspace::Prepend::Always ||
           (metaspace_.prepend == Metaspace::Prepend::First && word.begin == 0);
}

Result<SplitText> MetaspacePreTokenizer::apply(SplitText text) const {
    SplitText spaced = rewriteWords(text, [&](AlignedText& result, ByteRange word) {
        if (prepends(text, word))
            result.appendPrefix(metaspace_.replacement, text.text, word.begin);
        for (std::size_t byte = word.begin; byte < word.end; ++byte) {
            if (text.text.text()[byte] == ' ')
                result.append(metaspace_.replacement, text.text.origin(byte));
            else
                result.append(text.text, {byte, byte + 1});
        }
    });
    return words_ ? words_->apply(std::move(spaced)) : std::move(spaced);
}

namespace {

/// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ of GPT-2.
constexpr std::string_view kGpt2Words =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+)"
    R"(|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+)";

constexpr bool isPrintable(unsigned byte) {
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

/// Bytes that print become the code point of the same number; the others follow from U+0100 on.
struct Alphabet {
    static constexpr char32_t kSize = 0x144;
    std::array<std::string, 256> symbols;
    std::array<std::optional<std::uint8_t>, kSize> bytes;

    Alphabet() {
        char32_t next = 0x100;
        for (unsigned byte = 0; byte < symbols.size(); ++byte) {
            const char32_t symbol = isPrintable(byte) ? char32_t{byte} : next++;
            appendCodePoint(symbols[byte], symbol);
            bytes[symbol] = static_cast<std::uint8_t>(byte);
        }
    }
};

const Alphabet& alphabet() {
    static const Alphabet instance;
    return instance;
}

SplitText withPrefixSpaces(const SplitText& text) {
    return rewriteWords(text, [&](AlignedText& result, ByteRange word) {
        if (text.text.text()[word.begin] != ' ')
            result.appendPrefix(" ", text.text, word.begin);
        result.append(text.text, word);
    });
}

} // namespace

std::string_view byteLevelSymbol(std::uint8_t byte) {
    return alphabet().symbols[byte];
}

std::optional<std::uint8_t> byteLevelByte(char32_t symbol) {
    return symbol < Alphabet::kSize ? alphabet().bytes[symbol] : std::nullopt;
}

std::string byteLevelBytes(std::string_view token) {
    std::string bytes;
    for (std::size_t i = 0; i < token.size(); i += utf8Length(token[i])) {
        const auto byte = byteLevelByte(codePointAt(token, i));
        if (!byte)
            return std::string(token);
        bytes += static_cast<char>(*byte);
    }
    return bytes;
}

ByteLevelPreTokenizer::ByteLevelPreTokenizer(bool add_prefix_space, bool use_regex)
    : add_prefix_space_(add_prefix_space) {
    if (use_regex)
        words_ =
            std::make_unique<PatternSplit>(Regex::builtIn(kGpt2Words), SplitBehavior::Isolated);
}

Result<SplitText> ByteLevelPreTokenizer::apply(SplitText text) const {
    if (add_prefix_space_)
        text = withPrefixSpaces(text);
    if (words_) {
        auto words = words_->apply(std::move(text));
        if (!words)
            return words;
        text = *std::move(words);
    }
    return rewriteWords(text, [&](AlignedText& result, ByteRange word) {
        for (std::size_t i = word.begin; i < word.end; ++i)
            result.append(byteLevelSymbol(static_cast<std::uint8_t>(text.text.text()[i])),
                          text.text.origin(i));
    });
}

} // namespace headscope
