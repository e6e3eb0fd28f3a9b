#pragma once

#include "core/base/result.h"
#include "core/circuits/folded_weights.h"
#include "core/circuits/positional.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace headscope {

/// What the types are read from that need no run: computed once, when a type first asks.
class WeightEvidence {
public:
    /// Keeps a reference.
    explicit WeightEvidence(const FoldedWeights& weights) : weights_(weights) {}

    const FoldedWeights& weights() const { return weights_; }

    /// The attention of all heads by positions, read for the first type that asks. Fails for
    /// networks without learned positions, and with ErrorCode::Cancelled on a stop request.
    const Result<std::vector<PositionalAttention>>& positional(const std::stop_token& stop) {
        if (!positional_)
            positional_ = positionalAttention(weights_, {}, stop);
        return *positional_;
    }

private:
    const FoldedWeights& weights_;
    std::optional<Result<std::vector<PositionalAttention>>> positional_;
};

} // namespace headscope
