#pragma once

#include "core/tokenizer/models/token_model.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

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
