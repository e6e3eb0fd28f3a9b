#pragma once

#include "core/model/model_spec.h"
#include "core/model/weights.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <span>
#include <vector>

namespace headscope {

/// One gated MLP: (act(x W_gate + b_gate) ⊙ (x W_in + b_in)) W_out + b_out (Shazeer 2020). Biases
/// are empty where there are none.
struct GatedMlp {
    WeightMatrix W_gate; ///< [d_model, d_mlp]
    WeightMatrix W_in;   ///< [d_model, d_mlp]
    WeightMatrix W_out;  ///< [d_mlp, d_model]
    std::span<const float> b_gate = {};
    std::span<const float> b_in = {};
    std::span<const float> b_out = {};
};
GatedMlp expertOf(const ExpertsWeights& weights, std::size_t expert);
GatedMlp sharedExpertOf(const ExpertsWeights& weights);

/// The experts with the largest scores of each position, with `choice_bias` [expert] where there is
/// one and in the best groups only; the largest first and of equal ones the one that comes first.
/// logits [position, expert], chosen [position, choice].
void chooseExperts(const ExpertsSpec& experts, MatrixView logits,
                   std::span<const float> choice_bias, std::span<float> workspace,
                   MutableMatrixView chosen);

/// How many numbers it works on: the scores of one position's experts and of its groups.
std::size_t choiceWorkspace(const ExpertsSpec& experts);

/// What multiplies the outputs of the chosen experts: the scores that the router makes of its
/// logits, as the spec has it. chosen and weights [position, choice].
void weighExperts(const ExpertsSpec& experts, MatrixView logits, MatrixView chosen,
                  MutableMatrixView weights);

/// Its gradient: from that of the weights, d_weights, to that of the logits, d_logits. Which
/// experts are chosen, and which count in their scores, does not change.
void weighExpertsBackward(const ExpertsSpec& experts, MatrixView logits, MatrixView chosen,
                          MatrixView weights, MatrixView d_weights, MutableMatrixView d_logits);

/// Whether every number is that of an expert.
bool areExperts(MatrixView chosen, std::size_t n_experts);

/// One position that chose an expert.
struct ExpertUse {
    std::size_t position = 0;
    std::size_t choice = 0;
};
/// All that chose this one, into `uses`.
void findUses(MatrixView chosen, std::size_t expert, std::vector<ExpertUse>& uses);

/// What ExpertsSpec::limit makes of x W_gate and x W_in: min(gate, limit) and clamp(in, ±limit) +
/// 1, in place.
void limitGate(double limit, MutableMatrixView gate, MutableMatrixView in);

/// Its gradients, in place: 0 where the limit held `gate` or `in`, which are as they were before.
void limitGateBackward(double limit, MatrixView gate, MatrixView in, MutableMatrixView d_gate,
                       MutableMatrixView d_in);

/// σ(x)
float sigmoid(float x);

} // namespace headscope
