#pragma once

#include "core/base/result.h"
#include "core/interventions/metric.h"
#include "core/model/model.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// A metric as a user asks for it.
struct MetricWords {
    std::string kind = "loss";       ///< metricName() of one
    std::vector<std::string> tokens; ///< LogitDifference: two, whose logits are compared
    /// Probability: its token. Loss: what shall be predicted at `position`, or else where a
    /// prediction is read.
    std::optional<std::string> target;
    std::optional<std::size_t> position;
};

/// Whether this asks for anything other than the default metric.
bool namesMetric(const MetricWords& words);

/// One token by its text, with the tokenizer, or with `as_ids` by its id. Fails on a text that is
/// not exactly one token.
Result<TokenId> readToken(const Model& model, const std::string& text, bool as_ids);

/// Texts of tokens are looked up with the tokenizer; with `as_ids` they are token ids. Fails for a
/// kind that there is not, for tokens that the metric does not read or misses, and on a text that
/// is not exactly one token.
Result<Metric> readMetric(const Model& model, const MetricWords& words, const TokenIds& prompt,
                          bool as_ids);

} // namespace headscope
