#include "core/analysis/loss.h"

#include "core/tensor/softmax.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace headscope {

namespace {

std::span<const float> row(const Tensor& logits, std::size_t position) {
    return logits.values().subspan(position * logits.dim(1), logits.dim(1));
}

} // namespace

std::vector<double> nextTokenLosses(const Tensor& logits, std::span<const TokenId> ids) {
    assert(logits.rank() == 2 && logits.dim(0) == ids.size());
    std::vector<double> losses;
    for (std::size_t position = 0; position + 1 < ids.size(); ++position) {
        const auto scores = row(logits, position);
        const auto next = static_cast<std::size_t>(ids[position + 1]);
        losses.push_back(logSumExp(scores) - static_cast<double>(scores[next]));
    }
    return losses;
}

std::optional<double> meanNextTokenLoss(const Tensor& logits, std::span<const TokenId> ids) {
    const auto losses = nextTokenLosses(logits, ids);
    if (losses.empty())
        return std::nullopt;
    return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
}

std::vector<Prediction> topPredictions(const Tensor& logits, std::size_t position,
                                       std::size_t count) {
    const auto scores = row(logits, position);
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

} // namespace headscope
