#pragma once

#include "core/base/result.h"
#include "core/tokenizer/tokenizer.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Half-open range [begin, end) of bytes.
struct ByteRange {
    std::size_t begin = 0;
    std::size_t end = 0;

    std::size_t size() const { return end - begin; }
    bool empty() const { return begin == end; }
    bool operator==(const ByteRange&) const = default;
};

/// One step of a rewrite that walks through a text: what is written, and what it does to the
/// characters not yet read.
struct Rewrite {
    char32_t code_point = 0;
    /// 0: replaces the next character; -n: replaces it and swallows n more; positive: is new.
    int change = 0;
};

/// UTF-8 that knows, for every byte, which code points of the original text it came from, through
/// normalizers that change lengths. The bookkeeping follows Hugging Face's NormalizedString, so
/// that offsets agree: a character that replaces several comes from the first of them, one that is
/// new comes from where the character before it came from. But for a prefix: it comes from an empty
/// range before the first character, so that no letter belongs to it (Hugging Face gives it the
/// first letter, which the token of that letter then shares).
class AlignedText {
public:
    AlignedText() = default;
    /// Valid UTF-8 that comes from itself.
    static AlignedText original(std::string_view text);

    std::string_view text() const { return text_; }
    std::string_view text(ByteRange range) const {
        return std::string_view(text_).substr(range.begin, range.size());
    }
    std::size_t size() const { return text_.size(); }
    /// Where a byte came from.
    TextRange origin(std::size_t byte) const { return origins_[byte]; }
    /// From where its first byte came from to where its last byte came from; `range` not empty.
    TextRange origin(ByteRange range) const {
        return {origins_[range.begin].begin, origins_[range.end - 1].end};
    }
    /// How many code points of the original text it came from.
    std::size_t originalLength() const {
        return origins_.empty() ? 0 : origins_.back().end - origins_.front().begin;
    }
    /// Where something new before byte `position` comes from.
    TextRange originBefore(std::size_t position) const;

    void reserve(std::size_t bytes);
    void append(std::string_view text, TextRange origin);
    void append(char32_t code_point, TextRange origin);
    void append(const AlignedText& other, ByteRange range);

    AlignedText slice(ByteRange range) const;
    /// Whether a byte is of a prefix, which is none of the original text.
    bool isPrefix(std::size_t byte) const { return origins_[byte].begin == origins_[byte].end; }
    /// Appends a prefix of the text that byte `before` of `of` begins.
    void appendPrefix(std::string_view prefix, const AlignedText& of, std::size_t before);
    /// With `prefix` in front.
    AlignedText prepended(std::string_view prefix) const;
    AlignedText rewritten(std::span<const Rewrite> steps) const;

private:
    std::string text_;
    std::vector<TextRange> origins_; ///< one per byte of text_
};

/// Rewrites text before it is split into words.
class Normalizer {
public:
    virtual ~Normalizer() = default;

    virtual Result<AlignedText> normalize(AlignedText text) const = 0;
};

} // namespace headscope
