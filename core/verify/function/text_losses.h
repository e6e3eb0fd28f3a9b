#pragma once

#include "core/base/result.h"
#include "core/model/model.h"
#include "core/pruning/passages.h"

#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace headscope {

/// −ln p of the targets of passages, [passage][target], in nats; NaN of those that cannot be
/// predicted (kNotPredicted).
using TextLosses = std::vector<std::vector<double>>;

/// What a network makes of passages; `compared` are tokens whose probabilities are read, too.
struct TextReading {
    TextLosses losses;
    /// [passage][target, compared], ln p.
    std::vector<std::vector<float>> log_probabilities;
};

/// Fails as runBatch() does.
Result<TextReading> readText(const std::shared_ptr<const Model>& model,
                             std::span<const Passage> passages,
                             std::span<const TokenId> compared = {},
                             const std::stop_token& stop = {});

/// The mean of each passage over the targets that `also` has, too, nats.
std::vector<double> passageMeans(const TextLosses& losses, const TextLosses& also);

} // namespace headscope
