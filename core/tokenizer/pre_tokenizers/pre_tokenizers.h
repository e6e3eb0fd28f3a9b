#pragma once

#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/tokenizer/normalizers/aligned_text.h"
#include "core/tokenizer/pre_tokenizers/regex.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

/// A part of a text: a word for the model, or an added token that was found as a whole.
struct Split {
    ByteRange bytes;
    std::optional<TokenId> added_token;
};

/// Text and the words it is split into, from left to right and never empty. Bytes that belong to
/// no split are dropped.
struct SplitText {
    AlignedText text;
    std::vector<Split> splits;
};

/// Copies every split, with `write(result, bytes)` for those that are words.
template <class Write>
SplitText rewriteWords(const SplitText& text, Write write) {
    SplitText result;
    result.text.reserve(text.text.size() + text.text.size() / 4);
    result.splits.reserve(text.splits.size());
    for (const Split& split : text.splits) {
        const std::size_t begin = result.text.size();
        if (split.added_token)
            result.text.append(text.text, split.bytes);
        else
            write(result.text, split.bytes);
        result.splits.push_back({{begin, result.text.size()}, split.added_token});
    }
    return result;
}

/// Splits text into the words that the model sees one by one.
class PreTokenizer {
public:
    virtual ~PreTokenizer() = default;

    /// Leaves splits that are added tokens alone.
    virtual Result<SplitText> apply(SplitText text) const = 0;

    /// Whether the words are written in the byte-level alphabet.
    virtual bool isByteLevel() const { return false; }
};

/// What becomes of the matches of a pattern that splits "the-final--countdown" at '-'.
enum class SplitBehavior {
    Removed,            ///< the, final, countdown
    Isolated,           ///< the, -, final, -, -, countdown
    MergedWithPrevious, ///< the-, final-, -, countdown
    MergedWithNext,     ///< the, -final, -, -countdown
    Contiguous,         ///< the, -, final, --, countdown
};

/// Splits every word at the matches of a pattern or, inverted, at the text between them.
class PatternSplit : public PreTokenizer {
public:
    PatternSplit(Regex pattern, SplitBehavior behavior, bool invert = false)
        : pattern_(std::move(pattern)), behavior_(behavior), invert_(invert) {}

    Result<SplitText> apply(SplitText text) const override;

private:
    Regex pattern_;
    SplitBehavior behavior_;
    bool invert_;
};

/// One pre-tokenizer after the other.
class PreTokenizerSequence : public PreTokenizer {
public:
    explicit PreTokenizerSequence(std::vector<std::unique_ptr<const PreTokenizer>> steps)
        : steps_(std::move(steps)) {}

    Result<SplitText> apply(SplitText text) const override;
    bool isByteLevel() const override;

private:
    std::vector<std::unique_ptr<const PreTokenizer>> steps_;
};

/// sentencepiece's way with spaces: every space is written as a visible character, mostly '▁',
/// and a text begins with one.
struct Metaspace {
    enum class Prepend { Always, First, Never };

    std::string replacement; ///< one character
    Prepend prepend = Prepend::Always;
    bool split = true; ///< words begin at the replacement
};

/// Writes spaces as the replacement and splits before each.
class MetaspacePreTokenizer : public PreTokenizer {
public:
    explicit MetaspacePreTokenizer(Metaspace metaspace);

    Result<SplitText> apply(SplitText text) const override;

private:
    bool prepends(const SplitText& text, ByteRange word) const;

    Metaspace metaspace_;
    std::optional<PatternSplit> words_;
};

/// The byte-level alphabet of GPT-2: every byte is one printable character, ' ' is 'Ġ'.
std::string_view byteLevelSymbol(std::uint8_t byte);
/// The byte that a character means, if it is of the alphabet.
std::optional<std::uint8_t> byteLevelByte(char32_t symbol);
/// The bytes that a token means; a token with a character that is not of the alphabet means itself.
std::string byteLevelBytes(std::string_view token);

/// Splits text with the pattern of GPT-2 and writes every word in the byte-level alphabet.
class ByteLevelPreTokenizer : public PreTokenizer {
public:
    ByteLevelPreTokenizer(bool add_prefix_space, bool use_regex);

    Result<SplitText> apply(SplitText text) const override;
    bool isByteLevel() const override { return true; }

private:
    bool add_prefix_space_;
    std::unique_ptr<const PreTokenizer> words_; ///< null without use_regex
};

} // namespace headscope
