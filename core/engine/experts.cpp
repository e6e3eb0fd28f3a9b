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

std::size_t expertAt(MatrixView chosen, std::size_t position, std::size_t choice) {
    return static_cast<std::size_t>(chosen(position, choice));
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

bool areExperts(MatrixView chosen, std::size_t n_experts) {
    const auto end = static_cast<float>(n_experts);
    for (std::size_t t = 0; t < chosen.rows; ++t)
        for (const float choice : std::span(chosen.row(t), chosen.cols))
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
