#pragma once

#include "core/base/token_id.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace headscope {

/// −ln p(next token) at positions 0..T−2, in nats. logits [position, d_vocab], ids [position].
std::vector<double> nextTokenLosses(const Tensor& logits, std::span<const TokenId> ids);

/// Mean of the above; nothing for a prompt of one token.
std::optional<double> meanNextTokenLoss(const Tensor& logits, std::span<const TokenId> ids);

struct Prediction {
    TokenId id = 0;
    double probability = 0.0;
    float logit = 0.0f;
};

/// The `count` most probable tokens at one position, best first; ties by lower id.
std::vector<Prediction> topPredictions(const Tensor& logits, std::size_t position,
                                       std::size_t count);

} // namespace headscope
