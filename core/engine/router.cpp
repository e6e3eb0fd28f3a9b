#include "core/engine/experts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

namespace headscope {

namespace {

bool isAmong(std::span<const float> chosen, std::size_t expert) {
    return std::ranges::any_of(
        chosen, [expert](float choice) { return static_cast<std::size_t>(choice) == expert; });
}

std::span<const float> oneRow(MatrixView x, std::size_t row) {
    return {x.row(row), x.cols};
}

std::span<float> oneRow(MutableMatrixView x, std::size_t row) {
    return {x.row(row), x.cols};
}

std::size_t chosenAt(std::span<const float> chosen, std::size_t choice) {
    return static_cast<std::size_t>(chosen[choice]);
}

/// softmax(logits) in place
void softmaxInPlace(std::span<float> logits) {
    const float largest = *std::ranges::max_element(logits);
    double sum = 0.0;
    for (const float logit : logits)
        sum += std::exp(double{logit} - largest);
    for (float& logit : logits)
        logit = static_cast<float>(std::exp(double{logit} - largest) / sum);
}

/// What one position's experts are chosen by, from its logits, in place.
void scoreForChoice(const ExpertsSpec& experts, std::span<const float> bias,
                    std::span<float> scores) {
    const bool by_scores = experts.choice_bias == ChoiceBias::Scores || experts.choosesGroups();
    if (by_scores && experts.scores == RouterScores::Sigmoid)
        std::ranges::transform(scores, scores.begin(), sigmoid);
    else if (by_scores)
        softmaxInPlace(scores);
    if (experts.choice_bias != ChoiceBias::None)
        std::ranges::transform(scores, bias, scores.begin(), std::plus());
}

/// The best one, or the sum of the two best.
float groupScore(std::span<const float> scores, bool by_best) {
    float best = -std::numeric_limits<float>::infinity();
    float second = best;
    for (const float score : scores) {
        second = std::max(second, std::min(best, score));
        best = std::max(best, score);
    }
    return by_best ? best : best + second;
}

/// Puts all scores to −∞ but those of the best groups, whose scores go to `of_groups`.
void keepBestGroups(const ExpertsSpec& experts, std::span<float> scores,
                    std::span<float> of_groups) {
    const std::size_t size = scores.size() / experts.n_groups;
    for (std::size_t group = 0; group < experts.n_groups; ++group)
        of_groups[group] = groupScore(scores.subspan(group * size, size), experts.groups_by_best);
    for (std::size_t group = 0; group < experts.n_groups; ++group) {
        std::size_t better = 0;
        for (std::size_t other = 0; other < experts.n_groups; ++other)
            if (of_groups[other] > of_groups[group] ||
                (of_groups[other] == of_groups[group] && other < group))
                ++better;
        if (better >= experts.n_groups_chosen)
            std::ranges::fill(scores.subspan(group * size, size),
                              -std::numeric_limits<float>::infinity());
    }
}

void chooseLargest(std::span<const float> scores, std::span<float> chosen) {
    for (std::size_t c = 0; c < chosen.size(); ++c) {
        const std::span<const float> earlier = chosen.first(c);
        std::size_t best = scores.size();
        for (std::size_t expert = 0; expert < scores.size(); ++expert)
            if (!isAmong(earlier, expert) &&
                (best == scores.size() || scores[expert] > scores[best]))
                best = expert;
        chosen[c] = static_cast<float>(best);
    }
}

/// ln Σ exp(logit) of one position over the experts that `counts`.
template <class Counts>
double logSum(std::span<const float> logits, const Counts& counts) {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t expert = 0; expert < logits.size(); ++expert)
        if (counts(expert))
            largest = std::max(largest, double{logits[expert]});
    double sum = 0.0;
    for (std::size_t expert = 0; expert < logits.size(); ++expert)
        if (counts(expert))
            sum += std::exp(double{logits[expert]} - largest);
    return largest + std::log(sum);
}

/// The router of one position that chose some experts.
struct Routed {
    const ExpertsSpec& experts;
    std::span<const float> logits; ///< [expert]
    std::span<const float> chosen; ///< [choice]

    /// Whether an expert is one of those over which the softmax of a choice is.
    bool counts(std::size_t expert, std::size_t choice) const {
        if (experts.scores == RouterScores::SparseMixer)
            return !isAmong(chosen.first(choice), expert) && isNear(expert, choice);
        return !experts.weights_sum_to_one || isAmong(chosen, expert);
    }
    bool isNear(std::size_t expert, std::size_t choice) const {
        const float largest = logits[chosenAt(chosen, choice)];
        const float scale = std::max(std::abs(logits[expert]), largest);
        return !((largest - logits[expert]) / scale > static_cast<float>(experts.mixer_margin));
    }
    double logSumOf(std::size_t choice) const {
        return logSum(logits, [&](std::size_t expert) { return counts(expert, choice); });
    }
    /// Σ σ(logit) over the chosen experts, or 1 where they are not divided by it. It begins at what
    /// transformers adds, so that logits that are all very low give no 0 / 0.
    double sigmoidSum() const {
        double sum = 1e-20;
        for (std::size_t c = 0; c < chosen.size(); ++c)
            sum += double{sigmoid(logits[chosenAt(chosen, c)])};
        return experts.weights_sum_to_one ? sum : 1.0;
    }
};

/// weight = scale · σ(logit), divided by its sum
void weighBySigmoids(const Routed& routed, std::span<float> weights) {
    const double factor = routed.experts.weight_scale / routed.sigmoidSum();
    for (std::size_t c = 0; c < weights.size(); ++c)
        weights[c] =
            static_cast<float>(factor * double{sigmoid(routed.logits[chosenAt(routed.chosen, c)])});
}

/// Whether all choices have the same softmax.
bool isOneSoftmax(const Routed& routed) {
    return routed.experts.scores == RouterScores::Softmax;
}

/// weight = scale · softmax(logits)
void weighBySoftmax(const Routed& routed, std::span<float> weights) {
    double log_sum = 0.0;
    for (std::size_t c = 0; c < weights.size(); ++c) {
        if (c == 0 || !isOneSoftmax(routed))
            log_sum = routed.logSumOf(c);
        const double logit = routed.logits[chosenAt(routed.chosen, c)];
        weights[c] = static_cast<float>(routed.experts.weight_scale * std::exp(logit - log_sum));
    }
}

/// With s = σ(l) and w_c = scale s_c / S: d w_c / d s_j = scale (δ_jc − s_c / S) / S, and
/// d s / d l = s (1 − s). Without division by S = Σ s the second term is none.
void sigmoidsBackward(const Routed& routed, std::span<const float> weights,
                      std::span<const float> d_weights, std::span<float> d_logits) {
    const double factor = routed.experts.weight_scale / routed.sigmoidSum();
    double through_sum = 0.0; // Σ w_c d_w_c / scale
    for (std::size_t c = 0; c < weights.size() && routed.experts.weights_sum_to_one; ++c)
        through_sum += double{weights[c]} * double{d_weights[c]} / routed.experts.weight_scale;
    for (std::size_t c = 0; c < weights.size(); ++c) {
        const std::size_t expert = chosenAt(routed.chosen, c);
        const double score = double{sigmoid(routed.logits[expert])};
        d_logits[expert] += static_cast<float>(factor * (double{d_weights[c]} - through_sum) *
                                               score * (1.0 - score));
    }
}

/// d w_c / d l_j = w_c (δ_jc − s_j), where s is the softmax that w_c was taken from, of the choices
/// from `first` to `end`, which have it in common.
void softmaxBackward(const Routed& routed, std::span<const float> weights,
                     std::span<const float> d_weights, std::size_t first, std::size_t end,
                     std::span<float> d_logits) {
    const double log_sum = routed.logSumOf(first);
    double through_all = 0.0;
    for (std::size_t c = first; c < end; ++c)
        through_all += double{weights[c]} * double{d_weights[c]};
    for (std::size_t expert = 0; expert < d_logits.size(); ++expert)
        if (routed.counts(expert, first))
            d_logits[expert] -=
                static_cast<float>(std::exp(double{routed.logits[expert]} - log_sum) * through_all);
    for (std::size_t c = first; c < end; ++c)
        d_logits[chosenAt(routed.chosen, c)] += weights[c] * d_weights[c];
}

} // namespace

std::size_t choiceWorkspace(const ExpertsSpec& experts) {
    return experts.n_experts + experts.n_groups;
}

void chooseExperts(const ExpertsSpec& experts, MatrixView logits,
                   std::span<const float> choice_bias, std::span<float> workspace,
                   MutableMatrixView chosen) {
    const std::span<float> scores = workspace.first(experts.n_experts);
    for (std::size_t t = 0; t < logits.rows; ++t) {
        std::ranges::copy(oneRow(logits, t), scores.begin());
        scoreForChoice(experts, choice_bias, scores);
        if (experts.choosesGroups())
            keepBestGroups(experts, scores, workspace.subspan(experts.n_experts));
        chooseLargest(scores, oneRow(chosen, t));
    }
}

void weighExperts(const ExpertsSpec& experts, MatrixView logits, MatrixView chosen,
                  MutableMatrixView weights) {
    for (std::size_t t = 0; t < logits.rows; ++t) {
        const Routed routed{experts, oneRow(logits, t), oneRow(chosen, t)};
        if (experts.scores == RouterScores::Sigmoid)
            weighBySigmoids(routed, oneRow(weights, t));
        else
            weighBySoftmax(routed, oneRow(weights, t));
    }
}

void weighExpertsBackward(const ExpertsSpec& experts, MatrixView logits, MatrixView chosen,
                          MatrixView weights, MatrixView d_weights, MutableMatrixView d_logits) {
    for (std::size_t t = 0; t < logits.rows; ++t) {
        const Routed routed{experts, oneRow(logits, t), oneRow(chosen, t)};
        const std::span<const float> w = oneRow(weights, t);
        const std::span<const float> d_w = oneRow(d_weights, t);
        const std::span<float> d_l = oneRow(d_logits, t);
        std::ranges::fill(d_l, 0.0f);
        if (experts.scores == RouterScores::Sigmoid)
            sigmoidsBackward(routed, w, d_w, d_l);
        else if (isOneSoftmax(routed))
            softmaxBackward(routed, w, d_w, 0, w.size(), d_l);
        else
            for (std::size_t c = 0; c < w.size(); ++c)
                softmaxBackward(routed, w, d_w, c, c + 1, d_l);
    }
}

} // namespace headscope
