#pragma once

#include "core/tokenizer/models/token_model.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace headscope {

/// The segmentation whose tokens have the highest sum of log-probabilities (Kudo 2018,
/// arXiv:1804.10959).
class UnigramModel : public TokenModel {
public:
    struct Options {
        std::vector<double> scores; ///< log-probabilities by id; not empty
        std::optional<TokenId> unknown_id;
        /// The tokens of all bytes, which replace an unknown character; empty without them.
        std::vector<TokenId> byte_ids;
    };

    UnigramModel(Vocabulary vocabulary, Options options);

    std::optional<ByteRange> tokenize(std::string_view word,
                                      std::vector<WordToken>& tokens) const override;
    std::optional<TokenId> unknownToken() const override { return options_.unknown_id; }
    std::string_view kind() const override { return "Unigram"; }

private:
    /// The best way to reach a byte of a word.
    struct Step {
        double score = 0.0;    ///< sum of log-probabilities
        std::size_t begin = 0; ///< of the last token
        TokenId id = 0;
        bool reached = false;
    };
    /// A stretch of by_text_.
    struct Prefix {
        std::size_t begin = 0;
        std::size_t end = 0;
    };

    /// `steps[i]` is the best way to byte i. Returns what no token can express.
    std::optional<ByteRange> findBestSteps(std::string_view word, std::vector<Step>& steps) const;
    /// Offers every token that `word` has at `begin`; whether one of them is a single character.
    bool offerTokens(std::string_view word, std::size_t begin, std::vector<Step>& steps) const;
    void append(const WordToken& token, std::string_view word,
                std::vector<WordToken>& tokens) const;

    Options options_;
    double unknown_score_ = 0.0;
    std::vector<TokenId> by_text_;      ///< all ids, sorted by the bytes of their tokens
    std::array<Prefix, 256> by_byte_{}; ///< tokens by their first byte
};

} // namespace headscope
