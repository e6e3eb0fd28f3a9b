#pragma once

#include "core/base/token_id.h"
#include "core/pruning/passages.h"
#include "core/verify/function/text_losses.h"

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace headscope {

/// How often tokens and pairs of tokens occur in texts, and what that predicts, by Witten & Bell
/// (1991): what was never seen has as much weight as there were different tokens.
///
///   p(w)     = (n(w) + T / V) / (N + T)            T different tokens of N, V in the vocabulary
///   p(w | v) = (n(v w) + T(v) p(w)) / (n(v) + T(v))   T(v) different tokens after v
class TokenCounts {
public:
    explicit TokenCounts(std::size_t vocabulary) : vocabulary_(vocabulary) {}

    /// Adds a text, or takes one away that was added: times −1.
    void add(std::span<const TokenId> text, int times = 1);

    double probability(TokenId token) const;
    double probabilityAfter(TokenId before, TokenId token) const;

private:
    struct Followers {
        std::size_t total = 0;
        std::map<TokenId, std::size_t> counts;
    };
    static void count(Followers& followers, TokenId token, int times);

    std::size_t vocabulary_;
    Followers all_;
    std::map<TokenId, Followers> after_;
};

/// What single tokens and pairs predict of each passage, counted in all texts but that passage's
/// own document.
struct CountedLosses {
    TextLosses single;
    TextLosses pairs; ///< by the token before in the text; single() where there is none
};
/// `others`: texts to count in besides.
CountedLosses countedLosses(const PassageSet& text, std::span<const TokenIds> others,
                            std::size_t vocabulary, bool causal, bool has_bos);

} // namespace headscope
