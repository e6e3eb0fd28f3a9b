#include "core/engine/backward/backward_pass.h"
#include "core/engine/forward/steps.h"
#include "core/tensor/gemm.h"
#include "core/tensor/nonlinear.h"

#include <algorithm>
#include <array>

namespace headscope {

namespace {

constexpr std::array kEmbeddingParts{HookKind::Embed, HookKind::PosEmbed, HookKind::TokenTypeEmbed};

/// d cap·tanh(x / cap) = (1 − (logit / cap)²) dx, where the logit is what came out.
void uncap(float cap, std::span<const float> logits, std::span<float> d) {
    for (std::size_t i = 0; i < d.size(); ++i) {
        const float ratio = logits[i] / cap;
        d[i] *= 1.0f - ratio * ratio;
    }
}

} // namespace

/// logits = norm(x) · W_Uᵀ + b_U
void Backward::unembed(Tensor d_logits) {
    if (spec_.logit_softcap != 0.0)
        uncap(static_cast<float>(spec_.logit_softcap), run_.logits.values(), d_logits.values());
    Tensor d_x({positions_, spec_.embeddingWidth()});
    inSteps(spec_.outputs(), d_x.dim(1), [&](RowRange range) {
        multiply(d_logits.matrix().rowRange(range.begin, range.count),
                 weights_.unembedding().matrix(), d_x.matrix().rowRange(range.begin, range.count));
    });
    if (spec_.output == OutputHead::MaskedLm)
        maskedLmHead(std::move(d_x));
    else if (spec_.projectsParts())
        project(d_x.matrix(), weights_.W_project_out, d_residual_.matrix());
    else
        d_residual_ = std::move(d_x);
    if (spec_.final_norm)
        normalise(spec_.finalNorm(), weights_.ln_final,
                  NormPoints{{HookKind::LnFinalScale, 0},
                             {HookKind::LnFinalNormalized, 0},
                             {HookKind::LnFinalOut, 0}},
                  lastResidual().matrix(), d_residual_.matrix());
}

/// norm(act(x · W + b))
void Backward::maskedLmHead(Tensor d_x) {
    Tensor pre(d_x.shape());
    multiply(unembedInput().matrix(), weights_.W_mlm.matrix(), pre.matrix());
    addBias(pre.matrix(), weights_.b_mlm.values());
    Tensor post = pre;
    activate(spec_.headActivation(), post.values());

    normalise(spec_.norm, weights_.ln_mlm,
              NormPoints{{HookKind::MlmNormScale, 0},
                         {HookKind::MlmNormalized, 0},
                         {HookKind::MlmNormOut, 0}},
              post.matrix(), d_x.matrix());
    activateBackward(spec_.headActivation(), pre.values(), d_x.values());
    project(d_x.matrix(), weights_.W_mlm, d_residual_.matrix());
}

/// [T, d_model], normalised where the network does so.
Tensor Backward::unembedInput() const {
    return spec_.final_norm ? value(HookKind::LnFinalOut, 0) : lastResidual();
}

/// [T, d_model or d_embed], before the norm.
Tensor Backward::embeddingSum() const {
    Tensor sum({positions_, spec_.embeddingSumWidth()});
    for (const HookPoint point : reads(spec_))
        if (std::ranges::find(kEmbeddingParts, point.kind) != kEmbeddingParts.end())
            addInto(sum.matrix(), value(point.kind, 0).matrix());
    return sum;
}

/// residual = W_E[id] + W_pos[position] + W_token_type[segment], normalised where the network does
/// so, and projected where all of it is narrower.
void Backward::embed() {
    fire({HookKind::FullEmbed, 0}, d_residual_.matrix());
    if (spec_.narrow_embedding) {
        Tensor d_sum({positions_, spec_.d_embed});
        project(d_residual_.matrix(), weights_.W_project_in, d_sum.matrix());
        d_residual_ = std::move(d_sum);
    }
    if (spec_.norm_after_embedding)
        normalise(spec_.norm, weights_.ln_embed,
                  NormPoints{{HookKind::EmbedNormScale, 0},
                             {HookKind::EmbedNormalized, 0},
                             {HookKind::EmbedNormOut, 0}},
                  embeddingSum().matrix(), d_residual_.matrix());
    for (const HookKind part : kEmbeddingParts) {
        const bool apart = part == HookKind::PosEmbed && !d_positions_.empty();
        fire({part, 0}, (apart ? d_positions_ : d_residual_).matrix());
    }
}

} // namespace headscope
