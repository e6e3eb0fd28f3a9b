#include "core/engine/backward/backward_pass.h"
#include "core/engine/experts.h"
#include "core/engine/forward/steps.h"
#include "core/tensor/gemm.h"

#include <algorithm>

namespace headscope {

namespace {

/// Positions of x that use an expert, one under another.
Tensor gathered(MatrixView x, std::span<const ExpertUse> uses) {
    Tensor rows = Tensor::uninitialised({uses.size(), x.cols});
    for (std::size_t i = 0; i < uses.size(); ++i)
        std::copy_n(x.row(uses[i].position), x.cols, rows.matrix().row(i));
    return rows;
}

/// y = mlp(x), and what is needed of it for its gradient.
class MlpPass {
public:
    MlpPass(const GatedMlp& weights, const ModelSpec& spec, MatrixView x)
        : weights_(weights), activation_(spec.activation), limit_(spec.experts->limit),
          pre_(Tensor::uninitialised({x.rows, weights.W_in.cols})),
          linear_(Tensor::uninitialised(pre_.shape())) {
        multiply(x, weights.W_gate, pre_.matrix());
        addBias(pre_.matrix(), weights.b_gate);
        multiply(x, weights.W_in, linear_.matrix());
        addBias(linear_.matrix(), weights.b_in);
        if (limit_ != 0.0) {
            gate_ = pre_;
            in_ = linear_;
            limitGate(limit_, pre_.matrix(), linear_.matrix());
        }
        activated_ = pre_;
        for (std::size_t i = 0; i < x.rows; ++i)
            activate(activation_, {activated_.matrix().row(i), activated_.dim(1)});
    }

    /// mlp(x) [row, d_model]
    Tensor output() const {
        Tensor hidden = activated_;
        multiplyInto(hidden.matrix(), linear_.matrix());
        Tensor out = Tensor::uninitialised({hidden.dim(0), weights_.W_out.cols});
        multiply(hidden.matrix(), weights_.W_out, out.matrix());
        addBias(out.matrix(), weights_.b_out);
        return out;
    }

    /// d_x of d_mlp [row, d_model], the gradient of mlp(x)
    Tensor backward(MatrixView d_mlp) const {
        Tensor d_pre = Tensor::uninitialised(pre_.shape());
        multiplyTransposed(1.0f, d_mlp, weights_.W_out, d_pre.matrix());
        Tensor d_linear = d_pre;
        multiplyInto(d_linear.matrix(), activated_.matrix());
        multiplyInto(d_pre.matrix(), linear_.matrix());
        for (std::size_t i = 0; i < d_pre.dim(0); ++i)
            activateBackward(activation_, {pre_.matrix().row(i), pre_.dim(1)},
                             {d_pre.matrix().row(i), d_pre.dim(1)});
        if (limit_ != 0.0)
            limitGateBackward(limit_, gate_.matrix(), in_.matrix(), d_pre.matrix(),
                              d_linear.matrix());
        Tensor d_x = Tensor::uninitialised({d_mlp.rows, d_mlp.cols});
        multiplyTransposed(1.0f, d_pre.matrix(), weights_.W_gate, d_x.matrix());
        multiplyTransposedAdd(d_linear.matrix(), weights_.W_in, d_x.matrix());
        return d_x;
    }

private:
    GatedMlp weights_;
    Activation activation_;
    double limit_;     ///< ExpertsSpec::limit
    Tensor pre_;       ///< [row, d_mlp], x W_gate + b_gate, within the limit
    Tensor linear_;    ///< [row, d_mlp], x W_in + b_in, likewise
    Tensor gate_;      ///< pre_ before the limit; empty where there is none
    Tensor in_;        ///< linear_ likewise
    Tensor activated_; ///< [row, d_mlp], act(pre_)
};

std::span<float> rowOfMatrix(MutableMatrixView x, std::size_t row) {
    return {x.row(row), x.cols};
}

void scaleRow(float factor, std::span<float> row) {
    for (float& value : row)
        value *= factor;
}

void addScaled(float factor, std::span<const float> row, float* to) {
    for (std::size_t c = 0; c < row.size(); ++c)
        to[c] += factor * row[c];
}

} // namespace

HookKind Backward::expertsRead(const BlockPlan& plan) {
    const BlockStep* const norm = plan.norm(Branch::Mlp, BlockValue::Input);
    return norm ? norm->hooks[2] : HookKind::MlpIn;
}

/// d_out_ → d_mlp_in_, of Σ weight · expert(x) over the experts that each position chose. Which
/// they are does not change.
void Backward::experts(std::size_t layer) {
    const ExpertsWeights& weights = weights_.layers[layer].experts;
    const Tensor& chosen = value(HookKind::ExpertIndices, layer);
    const Tensor& shares = value(HookKind::ExpertWeights, layer);
    std::ranges::fill(d_mlp_in_.values(), 0.0f);
    Tensor d_shares(shares.shape());
    std::vector<ExpertUse> uses;
    for (std::size_t e = 0; e < spec_.experts->n_experts && !stop_.stop_requested(); ++e) {
        findUses(chosen.matrix(), e, uses);
        if (!uses.empty())
            expert(expertOf(weights, e), layer, uses, d_shares);
    }
    fire({HookKind::ExpertWeights, layer}, d_shares.matrix());
    const Tensor& logits = value(HookKind::RouterLogits, layer);
    Tensor d_logits(logits.shape());
    weighExpertsBackward(*spec_.experts, logits.matrix(), chosen.matrix(), shares.matrix(),
                         d_shares.matrix(), d_logits.matrix());
    fire({HookKind::RouterLogits, layer}, d_logits.matrix());
    projectAdd(d_logits.matrix(), weights.W_router, d_mlp_in_.matrix());
    if (spec_.experts->d_shared != 0)
        sharedExpert(layer);
}

/// Through one expert into d_mlp_in_, and into the gradient of its weights [T, choice].
void Backward::expert(const GatedMlp& weights, std::size_t layer, std::span<const ExpertUse> uses,
                      Tensor& d_shares) {
    const Tensor& shares = value(HookKind::ExpertWeights, layer);
    const Tensor x = gathered(expertInput(layer), uses);
    Tensor d_y = gathered(d_out_.matrix(), uses);
    const MlpPass mlp(weights, spec_, x.matrix());
    const Tensor y = mlp.output();
    for (std::size_t i = 0; i < uses.size(); ++i) {
        const std::span<float> d_row = rowOfMatrix(d_y.matrix(), i);
        d_shares(uses[i].position, uses[i].choice) = dot({y.matrix().row(i), spec_.d_model}, d_row);
        scaleRow(shares(uses[i].position, uses[i].choice), d_row);
    }
    const Tensor d_x = mlp.backward(d_y.matrix());
    for (std::size_t i = 0; i < uses.size(); ++i)
        addScaled(1.0f, {d_x.matrix().row(i), spec_.d_model},
                  d_mlp_in_.matrix().row(uses[i].position));
}

/// Through σ(x W_router) · expert(x), or expert(x), into d_mlp_in_.
void Backward::sharedExpert(std::size_t layer) {
    const ExpertsWeights& weights = weights_.layers[layer].experts;
    const MlpPass mlp(sharedExpertOf(weights), spec_, expertInput(layer));
    Tensor d_y = d_out_;
    if (spec_.experts->gatesShared())
        sharedGate(layer, mlp.output(), d_y);
    const Tensor d_x = mlp.backward(d_y.matrix());
    addInto(d_mlp_in_.matrix(), d_x.matrix());
}

/// Through the gate of the shared expert, which gave `y`, into d_mlp_in_ and `d_y`.
void Backward::sharedGate(std::size_t layer, const Tensor& y, Tensor& d_y) {
    const WeightTensor& W_router = weights_.layers[layer].experts.W_shared_router;
    Tensor gate = sharedGates(layer);
    for (std::size_t t = 0; t < positions_; ++t) {
        const std::span<float> d_row = rowOfMatrix(d_y.matrix(), t);
        const float open = gate(t, 0u);
        gate(t, 0u) = dot({y.matrix().row(t), spec_.d_model}, d_row) * open * (1.0f - open);
        scaleRow(open, d_row);
    }
    projectAdd(gate.matrix(), W_router, d_mlp_in_.matrix());
}

/// How far the gate of the shared expert is open [T, 1]; 1 without one.
Tensor Backward::sharedGates(std::size_t layer) const {
    Tensor gates({positions_, 1});
    const bool gated = spec_.experts->gatesShared();
    if (gated)
        multiply(expertInput(layer), weights_.layers[layer].experts.W_shared_router.matrix(),
                 gates.matrix());
    for (float& gate : gates.values())
        gate = gated ? sigmoid(gate) : 1.0f;
    return gates;
}

/// What router and experts read [T, d_model].
MatrixView Backward::expertInput(std::size_t layer) const {
    return value(expertsRead(plans_[layer]), layer).matrix();
}

/// [T, d_model], before the norm of what the branch adds.
Tensor Backward::expertsOutput(std::size_t layer) const {
    const ExpertsWeights& weights = weights_.layers[layer].experts;
    const Tensor& shares = value(HookKind::ExpertWeights, layer);
    Tensor out({positions_, spec_.d_model});
    std::vector<ExpertUse> uses;
    for (std::size_t e = 0; e < spec_.experts->n_experts; ++e) {
        findUses(value(HookKind::ExpertIndices, layer).matrix(), e, uses);
        if (uses.empty())
            continue;
        const Tensor x = gathered(expertInput(layer), uses);
        const Tensor y = MlpPass(expertOf(weights, e), spec_, x.matrix()).output();
        for (std::size_t i = 0; i < uses.size(); ++i)
            addScaled(shares(uses[i].position, uses[i].choice), {y.matrix().row(i), spec_.d_model},
                      out.matrix().row(uses[i].position));
    }
    if (spec_.experts->d_shared == 0)
        return out;
    const Tensor y = MlpPass(sharedExpertOf(weights), spec_, expertInput(layer)).output();
    const Tensor gates = sharedGates(layer);
    for (std::size_t t = 0; t < positions_; ++t)
        addScaled(gates(t, 0u), {y.matrix().row(t), spec_.d_model}, out.matrix().row(t));
    return out;
}

} // namespace headscope
