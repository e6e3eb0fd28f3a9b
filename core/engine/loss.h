#pragma once

#include "core/base/token_id.h"
#include "core/model/model_spec.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace headscope {

/// −ln p(token) in nats, from the logits [d_vocab] that predict it; of classes likewise.
double tokenLoss(std::span<const float> logits, TokenId token);

/// −ln p(next token) at positions 0..T−2, in nats. logits [position, d_vocab], ids [position].
std::vector<double> nextTokenLosses(const Tensor& logits, std::span<const TokenId> ids);

/// Mean of such losses, nats; nothing of none.
std::optional<double> meanLoss(std::span<const double> losses);

/// meanLoss() of nextTokenLosses(); nothing for a prompt of one token.
std::optional<double> meanNextTokenLoss(const Tensor& logits, std::span<const TokenId> ids);

struct Prediction {
    TokenId id = 0;
    double probability = 0.0;
    float logit = 0.0f;
};

/// The `count` most probable tokens by logits [d_vocab], best first; ties by lower id.
std::vector<Prediction> topPredictions(std::span<const float> logits, std::size_t count);
/// The same at one position of logits [position, d_vocab].
std::vector<Prediction> topPredictions(const Tensor& logits, std::size_t position,
                                       std::size_t count);

/// Reads a run's logits as they come (RunItem::read_logits), so that they need not be kept: the
/// loss of each token where the next one is predicted, and what is predicted.
class LogitReader {
public:
    LogitReader(const ModelSpec& spec, TokenIds ids, std::size_t predictions);

    /// Takes known losses of the first tokens, whose predictions are then not read.
    void know(std::span<const double> losses);
    /// Several threads at a time, each position once.
    void read(std::size_t position, std::span<const float> logits);

    /// −ln p of each token but the first, nats; none where no next token is predicted.
    const std::vector<double>& losses() const { return losses_; }
    /// predictedPosition() of the prompt.
    std::optional<std::size_t> predictedAt() const { return predicted_at_; }
    /// Best first.
    const std::vector<Prediction>& predictions() const { return predictions_; }
    /// The logits at predictedAt(), [d_vocab]; empty before they came.
    const std::vector<float>& predicting() const { return predicting_; }

private:
    TokenIds ids_;
    std::size_t n_predictions_;
    std::optional<std::size_t> predicted_at_;
    std::vector<double> losses_;
    std::vector<Prediction> predictions_;
    std::vector<float> predicting_;
};

/// Where a prediction is read: at the last position of a causal network, which says what comes
/// next; at the first mask token of a bidirectional one; classes at the last position of a causal
/// network and at the first of a bidirectional one.
std::optional<std::size_t> predictedPosition(const ModelSpec& spec, std::span<const TokenId> ids);

} // namespace headscope
