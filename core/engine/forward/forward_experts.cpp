#include "core/engine/forward/forward.h"
#include "core/engine/forward/steps.h"
#include "core/tensor/gemm.h"
#include "core/tensor/parallel.h"

#include <algorithm>

namespace headscope {

void Forward::makeExperts() {
    if (!spec_.experts)
        return;
    const auto workspace = [](Shape shape) { return Tensor::uninitialised(std::move(shape)); };
    router_logits_ = workspace({rows_, spec_.experts->n_experts});
    chosen_ = workspace({rows_, spec_.experts->n_chosen});
    expert_weights_ = workspace({rows_, spec_.experts->n_chosen});
    choice_scores_ = workspace({choiceWorkspace(*spec_.experts)});
    shared_gate_ = workspace({rows_, 1});
    expert_in_ = workspace({panel_rows_, spec_.d_model});
    expert_out_ = workspace({panel_rows_, spec_.d_model});
    uses_.reserve(rows_);
}

/// out = Σ weight · expert(x) over the experts that each position chose, x is input_. Those that no
/// position chose are not multiplied.
void Forward::experts(std::size_t layer) {
    if (!route(layer))
        return;
    const ExpertsWeights& weights = weights_.layers[layer].experts;
    std::ranges::fill(out_.values(), 0.0f);
    for (std::size_t e = 0; e < spec_.experts->n_experts && !stop_.stop_requested(); ++e) {
        findUses(rows(chosen_), e, uses_);
        for (std::size_t begin = 0; begin < uses_.size(); begin += panel_rows_)
            addExpert(expertOf(weights, e),
                      std::span(uses_).subspan(begin, std::min(panel_rows_, uses_.size() - begin)));
    }
    if (spec_.experts->d_shared != 0)
        addSharedExpert(weights);
}

/// Fills chosen_ and expert_weights_. False when an editor named an expert that there is not.
bool Forward::route(std::size_t layer) {
    const MutableMatrixView logits = rows(router_logits_);
    const MutableMatrixView chosen = rows(chosen_);
    const MutableMatrixView weights = rows(expert_weights_);
    const ExpertsWeights& experts = weights_.layers[layer].experts;
    project(rows(input_), experts.W_router.matrix(), experts.b_router.values(), logits);
    fire({HookKind::RouterLogits, layer}, logits);
    chooseExperts(*spec_.experts, logits, experts.b_choice.values(), choice_scores_.values(),
                  chosen);
    const HookPoint choice{HookKind::ExpertIndices, layer};
    fire(choice, chosen);
    if (!areExperts(chosen, spec_.experts->n_experts)) {
        refusal_ = Error{ErrorCode::InvalidArgument,
                         "A hook wrote something else to '" + hookName(spec_, choice) +
                             "' than whole numbers below " +
                             std::to_string(spec_.experts->n_experts) + ", the number of experts."};
        return false;
    }
    weighExperts(*spec_.experts, logits, chosen, weights);
    fire({HookKind::ExpertWeights, layer}, weights);
    return true;
}

/// Adds weight · expert(x) of some of the positions that chose it to theirs in out_.
void Forward::addExpert(const GatedMlp& expert, std::span<const ExpertUse> uses) {
    const MutableMatrixView x = expert_in_.matrix().rowRange(0, uses.size());
    const MutableMatrixView y = expert_out_.matrix().rowRange(0, uses.size());
    parallelRows(uses.size(), spec_.d_model, [&](RowRange range) {
        for (std::size_t i = range.begin; i < range.begin + range.count; ++i)
            std::copy_n(input_.matrix().row(uses[i].position), spec_.d_model, x.row(i));
    });
    gatedMlp(expert, x, y);
    // One thread: an editor may have made a position choose an expert twice.
    for (std::size_t i = 0; i < uses.size(); ++i) {
        const float weight = expert_weights_(uses[i].position, uses[i].choice);
        float* const out = out_.matrix().row(uses[i].position);
        for (std::size_t c = 0; c < spec_.d_model; ++c)
            out[c] += weight * y(i, c);
    }
}

/// Adds σ(x W_router) · expert(x) of the expert that every position goes through, or without the
/// gate.
void Forward::addSharedExpert(const ExpertsWeights& weights) {
    const bool gated = spec_.experts->gatesShared();
    if (gated)
        project(rows(input_), weights.W_shared_router.matrix(), {}, rows(shared_gate_));
    for (std::size_t begin = 0; begin < rows_ && !stop_.stop_requested(); begin += panel_rows_) {
        const std::size_t count = std::min(panel_rows_, rows_ - begin);
        const MutableMatrixView y = expert_out_.matrix().rowRange(0, count);
        gatedMlp(sharedExpertOf(weights), input_.matrix().rowRange(begin, count), y);
        parallelRows(count, spec_.d_model, [&](RowRange range) {
            for (std::size_t i = range.begin; i < range.begin + range.count; ++i) {
                const float gate = gated ? sigmoid(shared_gate_(begin + i, 0u)) : 1.0f;
                float* const out = out_.matrix().row(begin + i);
                for (std::size_t c = 0; c < spec_.d_model; ++c)
                    out[c] += gate * y(i, c);
            }
        });
    }
}

/// out = (act(x W_gate + b_gate) ⊙ (x W_in + b_in)) W_out + b_out, with ExpertsSpec::limit
void Forward::gatedMlp(const GatedMlp& weights, MatrixView x, MutableMatrixView out) {
    const std::size_t d_mlp = weights.W_in.cols;
    const MutableMatrixView gate = panelOf(mlp_pre_, x.rows, d_mlp);
    const MutableMatrixView linear = panelOf(mlp_post_, x.rows, d_mlp);
    project(x, weights.W_gate, weights.b_gate, gate);
    project(x, weights.W_in, weights.b_in, linear);
    if (const double limit = spec_.experts->limit; limit != 0.0)
        parallelRows(gate.rows, gate.cols, [&](RowRange range) {
            limitGate(limit, gate.rowRange(range.begin, range.count),
                      linear.rowRange(range.begin, range.count));
        });
    activate(spec_.activation, gate);
    parallelRows(gate.rows, gate.cols, [&](RowRange range) {
        multiplyInto(gate.rowRange(range.begin, range.count),
                     linear.rowRange(range.begin, range.count));
    });
    project(gate, weights.W_out, weights.b_out, out);
}

} // namespace headscope
