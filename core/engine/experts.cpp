#include "core/engine/experts.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace headscope {

namespace {

/// One matrix of [expert, rows, cols].
WeightMatrix matrixOf(const WeightTensor& all, std::size_t expert) {
    return all.matrix().rowRange(expert * all.dim(1), all.dim(1));
}

/// One row of [expert, cols]; empty where there is none.
std::span<const float> rowOf(const Tensor& all, std::size_t expert) {
    if (all.empty())
        return {};
    return all.values().subspan(expert * all.dim(1), all.dim(1));
}

bool isAmong(std::span<const float> chosen, std::size_t expert) {
    return std::ranges::any_of(
        chosen, [expert](float choice) { return static_cast<std::size_t>(choice) == expert; });
}

std::span<const float> oneRow(MatrixView x, std::size_t row) {
    return {x.row(row), x.cols};
}

std::size_t expertAt(MatrixView chosen, std::size_t position, std::size_t choice) {
    return static_cast<std::size_t>(chosen(position, choice));
}

/// ln Σ exp(logit) of one position, over the chosen experts or over all.
double logSumOfExperts(bool chosen_only, std::span<const float> logits,
                       std::span<const float> chosen) {
    const double largest = *std::ranges::max_element(logits);
    double sum = 0.0;
    if (chosen_only)
        for (const float choice : chosen)
            sum += std::exp(double{logits[static_cast<std::size_t>(choice)]} - largest);
    else
        for (const float logit : logits)
            sum += std::exp(double{logit} - largest);
    return largest + std::log(sum);
}

} // namespace

GatedMlp expertOf(const ExpertsWeights& weights, std::size_t expert) {
    return {matrixOf(weights.W_gate, expert), matrixOf(weights.W_in, expert),
            matrixOf(weights.W_out, expert),  rowOf(weights.b_gate, expert),
            rowOf(weights.b_in, expert),      rowOf(weights.b_out, expert)};
}

GatedMlp sharedExpertOf(const ExpertsWeights& weights) {
    return {weights.shared.W_gate.matrix(), weights.shared.W_in.matrix(),
            weights.shared.W_out.matrix()};
}

void chooseExperts(MatrixView logits, MutableMatrixView chosen) {
    for (std::size_t t = 0; t < logits.rows; ++t)
        for (std::size_t c = 0; c < chosen.cols; ++c) {
            const std::span<const float> earlier{chosen.row(t), c};
            std::size_t best = logits.cols;
            for (std::size_t expert = 0; expert < logits.cols; ++expert)
                if (!isAmong(earlier, expert) &&
                    (best == logits.cols || logits(t, expert) > logits(t, best)))
                    best = expert;
            chosen(t, c) = static_cast<float>(best);
        }
}

void weighExperts(bool sum_to_one, MatrixView logits, MatrixView chosen,
                  MutableMatrixView weights) {
    for (std::size_t t = 0; t < logits.rows; ++t) {
        const double log_sum = logSumOfExperts(sum_to_one, oneRow(logits, t), oneRow(chosen, t));
        for (std::size_t c = 0; c < chosen.cols; ++c)
            weights(t, c) =
                static_cast<float>(std::exp(double{logits(t, expertAt(chosen, t, c))} - log_sum));
    }
}

/// d w_c / d l_j = w_c (δ_jc − s_j), where s is the softmax that w was taken from.
void weighExpertsBackward(bool sum_to_one, MatrixView logits, MatrixView chosen, MatrixView weights,
                          MatrixView d_weights, MutableMatrixView d_logits) {
    for (std::size_t t = 0; t < logits.rows; ++t) {
        const double log_sum = logSumOfExperts(sum_to_one, oneRow(logits, t), oneRow(chosen, t));
        double through_all = 0.0;
        for (std::size_t c = 0; c < chosen.cols; ++c)
            through_all += double{weights(t, c)} * double{d_weights(t, c)};
        for (std::size_t expert = 0; expert < logits.cols; ++expert) {
            const bool counts = !sum_to_one || isAmong(oneRow(chosen, t), expert);
            const double share = counts ? std::exp(double{logits(t, expert)} - log_sum) : 0.0;
            d_logits(t, expert) = static_cast<float>(-share * through_all);
        }
        for (std::size_t c = 0; c < chosen.cols; ++c)
            d_logits(t, expertAt(chosen, t, c)) += weights(t, c) * d_weights(t, c);
    }
}

bool areExperts(MatrixView chosen, std::size_t n_experts) {
    const auto end = static_cast<float>(n_experts);
    for (std::size_t t = 0; t < chosen.rows; ++t)
        for (const float choice : oneRow(chosen, t))
            if (!(choice >= 0.0f && choice < end && choice == std::floor(choice)))
                return false;
    return true;
}

void findUses(MatrixView chosen, std::size_t expert, std::vector<ExpertUse>& uses) {
    uses.clear();
    for (std::size_t t = 0; t < chosen.rows; ++t)
        for (std::size_t c = 0; c < chosen.cols; ++c)
            if (expertAt(chosen, t, c) == expert)
                uses.push_back({t, c});
}

void limitGate(double limit, MutableMatrixView gate, MutableMatrixView in) {
    const auto most = static_cast<float>(limit);
    for (std::size_t r = 0; r < gate.rows; ++r)
        for (std::size_t c = 0; c < gate.cols; ++c) {
            gate(r, c) = std::min(gate(r, c), most);
            in(r, c) = std::clamp(in(r, c), -most, most) + 1.0f;
        }
}

void limitGateBackward(double limit, MatrixView gate, MatrixView in, MutableMatrixView d_gate,
                       MutableMatrixView d_in) {
    const auto most = static_cast<float>(limit);
    for (std::size_t r = 0; r < gate.rows; ++r)
        for (std::size_t c = 0; c < gate.cols; ++c) {
            if (gate(r, c) > most)
                d_gate(r, c) = 0.0f;
            if (std::abs(in(r, c)) > most)
                d_in(r, c) = 0.0f;
        }
}

float sigmoid(float x) {
    return 1.0f / (1.0f + std::exp(-x));
}

} // namespace headscope
