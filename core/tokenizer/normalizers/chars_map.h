#pragma once

#include "core/base/result.h"
#include "core/tokenizer/normalizers/aligned_text.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

/// The `precompiled_charsmap` of sentencepiece: texts and what each is replaced by. The texts are
/// a double-array trie (Aoe 1989, as the library Darts-clone stores it) whose values are places in
/// a list of NUL-terminated replacements.
class CharsMap {
public:
    /// Takes the bytes as a model stores them: u32 size of the trie, trie, replacements. Whatever
    /// a lookup can reach is checked here. The message of an error continues a sentence: "is cut
    /// off …".
    static Result<CharsMap> parse(std::string_view bytes);

    /// The replacement of the shortest prefix of `text` that has one.
    std::optional<std::string_view> find(std::string_view text) const;

private:
    /// One cell of the double array.
    struct Unit {
        std::uint32_t bits = 0;

        std::uint32_t label() const { return bits & 0x800000FFu; }
        std::size_t offset() const { return (bits >> 10) << ((bits & 0x200u) >> 6); }
        bool hasLeaf() const { return (bits & 0x100u) != 0; }
        std::size_t value() const { return bits & 0x7FFFFFFFu; }
    };
    class Check;

    std::string_view replacement(std::size_t place) const;

    std::vector<Unit> units_;
    std::string replacements_;
};

/// The normalization that a sentencepiece model carries along, as Hugging Face applies it: by
/// grapheme where one of at most five bytes has a replacement, else by character.
class PrecompiledNormalizer : public Normalizer {
public:
    explicit PrecompiledNormalizer(CharsMap map) : map_(std::move(map)) {}

    Result<AlignedText> normalize(AlignedText text) const override;

private:
    CharsMap map_;
};

} // namespace headscope
