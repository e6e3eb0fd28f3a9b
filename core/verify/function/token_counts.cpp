#include "core/verify/function/token_counts.h"

#include <cmath>

namespace headscope {

void TokenCounts::count(Followers& followers, TokenId token, int times) {
    if (times > 0) {
        ++followers.total;
        ++followers.counts[token];
        return;
    }
    --followers.total;
    if (--followers.counts[token] == 0)
        followers.counts.erase(token);
}

void TokenCounts::add(std::span<const TokenId> text, int times) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        count(all_, text[i], times);
        if (i > 0)
            count(after_[text[i - 1]], text[i], times);
    }
}

namespace {
double found(const std::map<TokenId, std::size_t>& counts, TokenId token) {
    const auto at = counts.find(token);
    return at == counts.end() ? 0.0 : static_cast<double>(at->second);
}
} // namespace

double TokenCounts::probability(TokenId token) const {
    const auto different = static_cast<double>(all_.counts.size());
    if (all_.total == 0)
        return 1.0 / static_cast<double>(vocabulary_);
    return (found(all_.counts, token) + different / static_cast<double>(vocabulary_)) /
           (static_cast<double>(all_.total) + different);
}

double TokenCounts::probabilityAfter(TokenId before, TokenId token) const {
    const auto at = after_.find(before);
    if (at == after_.end() || at->second.total == 0)
        return probability(token);
    const auto different = static_cast<double>(at->second.counts.size());
    return (found(at->second.counts, token) + different * probability(token)) /
           (static_cast<double>(at->second.total) + different);
}

CountedLosses countedLosses(const PassageSet& text, std::span<const TokenIds> others,
                            std::size_t vocabulary, bool causal, bool has_bos) {
    TokenCounts counts(vocabulary);
    for (const TokenIds& other : others)
        counts.add(other);
    for (const TokenIds& content : text.content)
        counts.add(content);
    CountedLosses losses;
    for (std::size_t p = 0; p < text.passages.size(); ++p) {
        const auto ofDocument = [&](int times) {
            for (std::size_t other = 0; other < text.passages.size(); ++other)
                if (text.passages[other].document == text.passages[p].document)
                    counts.add(text.content[other], times);
        };
        ofDocument(-1);
        auto& single = losses.single.emplace_back();
        auto& pairs = losses.pairs.emplace_back();
        for (const Target& target : text.passages[p].targets) {
            // A causal network predicts the token after the position.
            const std::size_t place = target.position + (causal ? 1 : 0) - (has_bos ? 1 : 0);
            single.push_back(-std::log(counts.probability(target.token)));
            pairs.push_back(place == 0 ? single.back()
                                       : -std::log(counts.probabilityAfter(
                                             text.content[p][place - 1], target.token)));
        }
        ofDocument(1);
    }
    return losses;
}

} // namespace headscope
