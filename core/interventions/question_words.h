#pragma once

#include "core/attribution/score_trace.h"
#include "core/base/result.h"
#include "core/interventions/metric_words.h"
#include "core/interventions/token_dependence.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// A logit, or how far it is above another, as a user asks for it.
struct LogitWords {
    std::string token;
    std::optional<std::string> against;
    std::optional<long> position; ///< counted from the end where negative; none: the last
};

/// Texts of tokens are looked up with the tokenizer; with `as_ids` they are token ids. Fails for
/// what is not there.
Result<LogitTarget> readLogitTarget(const StreamRun& run, const LogitWords& words, bool as_ids);

/// What depends on the tokens of a prompt, and how that is found out, as a user asks for it.
struct TokenWords {
    MetricWords metric;                 ///< where neither a weight nor a score is read
    std::optional<std::string> weight;  ///< "4.1:14:2": head, query and key
    std::optional<std::string> score;   ///< likewise, before the softmax
    std::optional<std::string> replace; ///< the token that replaces each
    bool replace_mean = false;          ///< the mean embedding does
    std::vector<std::string> methods;   ///< tokenMethodName() of each; none: all
    std::size_t steps = TokenQuestion{}.steps;
};

/// Texts of tokens are looked up with the tokenizer; with `as_ids` they are token ids. Fails as
/// readMetric() does, for what names no weight and no method, and for two things to read or two
/// replacements.
Result<TokenQuestion> readTokenQuestion(const Model& model, const TokenWords& words,
                                        const TokenIds& prompt, bool as_ids);

} // namespace headscope
