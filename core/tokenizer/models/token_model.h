#pragma once

#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/tokenizer/normalizers/aligned_text.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headscope {

/// The largest id a tokenizer may use; four times the largest vocabulary in use.
inline constexpr std::size_t kLargestTokenId = (std::size_t{1} << 22) - 1;

/// Lets a map with std::string keys be asked with a std::string_view.
struct StringHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
        return std::hash<std::string_view>()(text);
    }
};

template <class Value>
using StringMap = std::unordered_map<std::string, Value, StringHash, std::equal_to<>>;

/// Tokens and their ids, one to one. Ids may have gaps.
class Vocabulary {
public:
    Vocabulary() = default;
    Vocabulary(Vocabulary&&) = default;

    void reserve(std::size_t n_tokens) { ids_.reserve(n_tokens); }
    /// `id` is at most kLargestTokenId. The message of an error continues a sentence: "gives the id
    /// 3 to both …".
    Result<void> add(std::string_view token, std::size_t id);

    std::optional<TokenId> id(std::string_view token) const;
    /// Null for an id that has no token.
    const std::string* token(TokenId id) const;
    /// Largest id + 1.
    std::size_t size() const { return tokens_.size(); }

private:
    StringMap<TokenId> ids_;
    std::vector<const std::string*> tokens_; ///< by id, the keys of ids_
};

/// The token of a byte that the vocabulary falls back to: "<0xE2>".
std::string byteToken(std::uint8_t byte);
/// The byte that "<0xE2>" means; nothing for another token.
std::optional<std::uint8_t> byteOfToken(std::string_view token);

/// A token, and which bytes of the word it covers.
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

    /// The token for bytes that the vocabulary cannot express.
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

/// Every word is one token.
class WordLevelModel : public TokenModel {
public:
    WordLevelModel(Vocabulary vocabulary, std::string_view unknown_token);

    std::optional<ByteRange> tokenize(std::string_view word,
                                      std::vector<WordToken>& tokens) const override;
    std::optional<TokenId> unknownToken() const override { return unknown_id_; }
    std::string_view kind() const override { return "WordLevel"; }

private:
    std::optional<TokenId> unknown_id_;
};

/// A word is cut from left to right, each time into the longest token there is (Devlin et al.
/// 2019); a word for which that fails is one unknown token.
class WordPieceModel : public TokenModel {
public:
    struct Options {
        std::string unknown_token;
        std::string continuing_prefix;     ///< before every token but the first of a word
        std::size_t most_characters = 100; ///< longer words are unknown
    };

    WordPieceModel(Vocabulary vocabulary, Options options);

    std::optional<ByteRange> tokenize(std::string_view word,
                                      std::vector<WordToken>& tokens) const override;
    std::optional<TokenId> unknownToken() const override { return unknown_id_; }
    std::string_view kind() const override { return "WordPiece"; }

private:
    /// The longest token at `begin`.
    std::optional<WordToken> longest(std::string_view word, std::size_t begin) const;

    Options options_;
    std::optional<TokenId> unknown_id_;
};

} // namespace headscope
