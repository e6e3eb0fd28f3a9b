#include "core/engine/forward.h"
#include "core/tensor/activation.h"
#include "core/tensor/gemm.h"

namespace headscope {

/// Plain: act(x W_in + b_in) W_out + b_out. Gated: (act(x W_gate + b_gate) ⊙ (x W_in + b_in)) W_out
/// + b_out (Shazeer 2020). x is normed_.
void Forward::mlp(std::size_t layer) {
    const MlpWeights& weights = weights_.layers[layer].mlp;
    hooks_.fire({HookKind::MlpIn, layer}, normed_.view());
    if (spec_.normsInput())
        normalise2(layer, normed_.matrix());

    const bool gated = spec_.mlp == MlpKind::Gated;
    const auto project = [&](const Tensor& W, const Tensor& b, Tensor& to, HookKind kind) {
        multiply(normed_.matrix(), W.matrix(), to.matrix());
        addBias(to.matrix(), b.values());
        hooks_.fire({kind, layer}, to.view());
    };
    project(gated ? weights.W_gate : weights.W_in, gated ? weights.b_gate : weights.b_in, mlp_pre_,
            HookKind::MlpPre);
    activate(mlp_pre_.values());
    if (gated) {
        project(weights.W_in, weights.b_in, mlp_post_, HookKind::MlpPreLinear);
        for (std::size_t i = 0; i < mlp_pre_.size(); ++i)
            mlp_pre_.data()[i] *= mlp_post_.data()[i];
    }
    hooks_.fire({HookKind::MlpPost, layer}, mlp_pre_.view());
    multiply(mlp_pre_.matrix(), weights.W_out.matrix(), out_.matrix());
    addBias(out_.matrix(), weights.b_out.values());
    if (spec_.norm_placement == NormPlacement::Output)
        normalise2(layer, out_.matrix());
    if (spec_.norm_placement == NormPlacement::Sandwich)
        normalise(weights_.layers[layer].ln2_post,
                  {{HookKind::Ln2PostScale, layer}, {HookKind::Ln2PostNormalized, layer}},
                  {positions_}, out_.matrix());
}

void Forward::activate(std::span<float> x) const {
    switch (spec_.activation) {
    case Activation::Relu:
        return relu(x);
    case Activation::GeluErf:
        return geluErf(x);
    case Activation::GeluTanh:
        return geluTanh(x);
    case Activation::QuickGelu:
        return quickGelu(x);
    case Activation::Silu:
        return silu(x);
    }
}

} // namespace headscope
