#include "tests/support/reference_router.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace headscope::test {

namespace {

/// The experts of the largest scores, ties in their order.
std::vector<std::size_t> largestOf(const std::vector<double>& scores, std::size_t count) {
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t e) { return scores[e]; });
    order.resize(count);
    return order;
}

/// DeepseekV3TopkRouter of transformers: −∞ for the experts outside of the groups whose two best
/// experts sum to most; DeepseekV2TopkRouter: of those whose best expert is best.
std::vector<double> withinGroups(const ExpertsSpec& experts, std::vector<double> scores) {
    const std::size_t size = scores.size() / experts.n_groups;
    std::vector<double> of_groups;
    for (std::size_t group = 0; group < experts.n_groups && size > 1; ++group) {
        std::vector<double> own(scores.begin() + static_cast<std::ptrdiff_t>(group * size),
                                scores.begin() + static_cast<std::ptrdiff_t>((group + 1) * size));
        std::ranges::sort(own, std::greater());
        of_groups.push_back(experts.groups_by_best ? own[0] : own[0] + own[1]);
    }
    if (of_groups.empty())
        return scores;
    const std::vector<std::size_t> kept = largestOf(of_groups, experts.n_groups_chosen);
    for (std::size_t e = 0; e < scores.size(); ++e)
        if (std::ranges::count(kept, e / size) == 0)
            scores[e] = -std::numeric_limits<double>::infinity();
    return scores;
}

/// sparsemixer of transformers, for inference: of the best two, each with its share in the softmax
/// of those that are left and within the margin.
void mixSparsely(double margin, std::vector<double> logits, std::vector<std::size_t>& chosen,
                 std::vector<double>& weights) {
    for (int choice = 0; choice < 2; ++choice) {
        const auto best = std::ranges::max_element(logits);
        double sum = 0.0;
        for (const double logit : logits)
            if ((*best - logit) / std::max(std::abs(logit), *best) <= margin)
                sum += std::exp(logit - *best);
        chosen.push_back(static_cast<std::size_t>(best - logits.begin()));
        weights.push_back(1.0 / sum);
        *best = -std::numeric_limits<double>::infinity();
    }
}

} // namespace

Routing referenceRouting(std::size_t layer, const ExpertsSpec& experts, Matrix of_router,
                         const Tensor& bias) {
    Routing routing{layer, std::move(of_router), {}, {}};
    const Matrix softmaxes = softmax(routing.logits);
    for (std::size_t t = 0; t < softmaxes.rows; ++t) {
        std::vector<double> logits;
        std::vector<double> scores;
        std::vector<double> to_choose;
        for (std::size_t e = 0; e < experts.n_experts; ++e) {
            logits.push_back(routing.logits(t, e));
            scores.push_back(experts.scores == RouterScores::Sigmoid
                                 ? 1.0 / (1.0 + std::exp(-logits[e]))
                                 : softmaxes(t, e));
            to_choose.push_back(experts.choice_bias == ChoiceBias::Logits   ? logits[e] + bias(e)
                                : experts.choice_bias == ChoiceBias::Scores ? scores[e] + bias(e)
                                                                            : scores[e]);
        }
        std::vector<std::size_t>& chosen = routing.chosen.emplace_back();
        std::vector<double>& weights = routing.weights.emplace_back();
        if (experts.scores == RouterScores::SparseMixer) {
            mixSparsely(experts.mixer_margin, logits, chosen, weights);
            continue;
        }
        chosen = largestOf(withinGroups(experts, to_choose), experts.n_chosen);
        double sum = 0.0;
        for (const std::size_t e : chosen)
            sum += scores[e];
        for (const std::size_t e : chosen)
            weights.push_back(experts.weight_scale * scores[e] /
                              (experts.weights_sum_to_one ? sum : 1.0));
    }
    return routing;
}

} // namespace headscope::test
