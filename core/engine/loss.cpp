#include "core/engine/loss.h"

#include "core/tensor/nonlinear.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

namespace headscope {

namespace {

std::span<const float> row(const Tensor& logits, std::size_t position) {
    return logits.values().subspan(position * logits.dim(1), logits.dim(1));
}

} // namespace

double tokenLoss(std::span<const float> logits, TokenId token) {
    return logSumExp(logits) - static_cast<double>(logits[static_cast<std::size_t>(token)]);
}

std::vector<double> nextTokenLosses(const Tensor& logits, std::span<const TokenId> ids) {
    assert(logits.rank() == 2 && logits.dim(0) == ids.size());
    std::vector<double> losses;
    for (std::size_t position = 0; position + 1 < ids.size(); ++position)
        losses.push_back(tokenLoss(row(logits, position), ids[position + 1]));
    return losses;
}

std::optional<double> meanLoss(std::span<const double> losses) {
    if (losses.empty())
        return std::nullopt;
    return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
}

std::optional<double> meanNextTokenLoss(const Tensor& logits, std::span<const TokenId> ids) {
    return meanLoss(nextTokenLosses(logits, ids));
}

std::vector<Prediction> topPredictions(std::span<const float> scores, std::size_t count) {
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
    std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
        return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
    });

    const double normaliser = logSumExp(scores);
    std::vector<Prediction> predictions;
    for (auto id = order.begin(); id != end; ++id) {
        const double probability = std::exp(static_cast<double>(scores[*id]) - normaliser);
        predictions.push_back({static_cast<TokenId>(*id), probability, scores[*id]});
    }
    return predictions;
}

std::vector<Prediction> topPredictions(const Tensor& logits, std::size_t position,
                                       std::size_t count) {
    return topPredictions(row(logits, position), count);
}

std::optional<std::size_t> predictedPosition(const ModelSpec& spec, std::span<const TokenId> ids) {
    if (spec.causal)
        return ids.size() - 1;
    if (spec.predictsClasses())
        return 0;
    if (!spec.mask_token)
        return std::nullopt;
    const auto found = std::ranges::find(ids, *spec.mask_token);
    if (found == ids.end())
        return std::nullopt;
    return static_cast<std::size_t>(found - ids.begin());
}

LogitReader::LogitReader(const ModelSpec& spec, TokenIds ids, std::size_t predictions)
    : ids_(std::move(ids)), n_predictions_(predictions),
      predicted_at_(predictedPosition(spec, ids_)),
      losses_(spec.predictsNextToken() ? ids_.size() - 1 : 0) {}

void LogitReader::know(std::span<const double> losses) {
    std::ranges::copy(losses, losses_.begin());
}

void LogitReader::read(std::size_t position, std::span<const float> logits) {
    if (position < losses_.size())
        losses_[position] = tokenLoss(logits, ids_[position + 1]);
    if (position == predicted_at_) {
        predictions_ = topPredictions(logits, n_predictions_);
        predicting_.assign(logits.begin(), logits.end());
    }
}

} // namespace headscope
