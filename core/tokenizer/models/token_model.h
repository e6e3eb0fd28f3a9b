#pragma once

#include "core/tokenizer/models/vocabulary.h"
#include "core/tokenizer/normalizers/aligned_text.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

/// A token and the bytes of the word that it stands for.
struct WordToken {
    TokenId id = 0;
    ByteRange bytes;
    /// An unknown token that is shown as what the word says there.
    bool shows_word = false;
};

/// Turns one word, as a pre-tokenizer leaves it, into tokens of a vocabulary.
class TokenModel {
public:
    virtual ~TokenModel() = default;

    /// Appends the tokens of `word`, which is not empty. Returns the bytes that the vocabulary
    /// cannot express, if there are any.
    virtual std::optional<ByteRange> tokenize(std::string_view word,
                                              std::vector<WordToken>& tokens) const = 0;

    /// What stands for bytes that the vocabulary cannot express.
    virtual std::optional<TokenId> unknownToken() const = 0;

    virtual std::string_view kind() const = 0;
    /// What the file asks for and is left aside, as a sentence.
    virtual std::optional<std::string> note() const { return std::nullopt; }
    const Vocabulary& vocabulary() const { return vocabulary_; }

protected:
    explicit TokenModel(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}

private:
    Vocabulary vocabulary_;
};

} // namespace headscope
