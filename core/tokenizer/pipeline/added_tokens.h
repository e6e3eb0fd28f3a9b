#pragma once

#include "core/base/result.h"
#include "core/tokenizer/models/token_model.h"
#include "core/tokenizer/normalizers/aligned_text.h"
#include "core/tokenizer/pre_tokenizers/pre_tokenizers.h"
#include "core/tokenizer/pre_tokenizers/regex.h"
#include "core/tokenizer/tokenizer.h"

#include <array>
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headscope {

/// Finds added tokens in a text: the leftmost first, of those that start there the longest.
class AddedTokenFinder {
public:
    AddedTokenFinder();
    /// A token whose form is empty is never found.
    void add(const AddedToken& token);

    /// Splits every word of `text` at the tokens found in it.
    SplitText apply(SplitText text) const;

private:
    const AddedToken* longestAt(std::string_view text) const;
    bool touchesWord(std::string_view text, ByteRange match) const;
    /// `text` starts at byte `start` of the whole text.
    void splitWord(std::string_view text, std::size_t start, std::vector<Split>& splits) const;

    std::array<std::vector<AddedToken>, 256> by_first_byte_; ///< the longest first
    Regex word_character_;
};

/// The added tokens of a tokenizer, found in raw or in normalized text.
class AddedTokens {
public:
    /// A token that the model's vocabulary has too must have the same id there. The message of an
    /// error continues a sentence: "repeats the token …".
    Result<void> add(const AddedToken& token, const Vocabulary& vocabulary);

    /// The words and added tokens of a text, the words normalized.
    Result<SplitText> split(std::string_view text, const Normalizer& normalizer) const;

    /// Null when the id, or the content, is of no added token.
    const AddedToken* find(TokenId id) const;
    const AddedToken* find(std::string_view content) const;
    /// Largest id + 1.
    std::size_t size() const { return size_; }

private:
    std::unordered_map<TokenId, AddedToken> tokens_;
    StringMap<TokenId> ids_;
    std::size_t size_ = 0;
    AddedTokenFinder raw_finder_;
    AddedTokenFinder normalized_finder_;
};

} // namespace headscope
