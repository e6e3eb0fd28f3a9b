#include "core/engine/forward.h"
#include "core/tensor/activation.h"
#include "core/tensor/gemm.h"

#include <algorithm>
#include <numeric>

namespace headscope {

namespace {

/// Adds row ids[t] of `table` to row t of `x`.
void addRows(const Tensor& table, std::span<const TokenId> ids, MutableMatrixView x) {
    for (std::size_t t = 0; t < x.rows; ++t) {
        const float* row = table.matrix().row(static_cast<std::size_t>(ids[t]));
        for (std::size_t c = 0; c < x.cols; ++c)
            x(t, c) += row[c];
    }
}

} // namespace

/// residual = W_E[id] + W_pos[position] + W_token_type[0], normalised where the network does so.
void Forward::embed() {
    const auto add = [&](HookKind kind, Tensor part) {
        hooks_.fire({kind, 0}, part.view());
        addInto(residual_.matrix(), part.matrix());
    };
    const auto addTable = [&](HookKind kind, const Tensor& table, const TokenIds& rows) {
        Tensor part({positions_, spec_.d_model});
        addRows(table, rows, part.matrix());
        add(kind, std::move(part));
    };
    add(HookKind::Embed, tokenEmbedding());
    TokenIds rows(positions_);
    if (spec_.positions == PositionKind::Learned) {
        std::iota(rows.begin(), rows.end(), static_cast<TokenId>(spec_.position_offset));
        addTable(HookKind::PosEmbed, weights_.W_pos, rows);
    }
    if (spec_.n_token_types > 0) {
        std::fill(rows.begin(), rows.end(), 0);
        addTable(HookKind::TokenTypeEmbed, weights_.W_token_type, rows);
    }
    if (spec_.norm_after_embedding)
        normalise(weights_.ln_embed,
                  {{HookKind::EmbedNormScale, 0}, {HookKind::EmbedNormalized, 0}}, {positions_},
                  residual_.matrix());
    hooks_.fire({HookKind::FullEmbed, 0}, residual_.view());
}

/// [T, d_model]: W_E[id], scaled, and projected where the embedding is narrower than the network.
Tensor Forward::tokenEmbedding() const {
    Tensor embedded({positions_, spec_.embeddingWidth()});
    addRows(weights_.W_E, run_.ids, embedded.matrix());
    if (spec_.embedding_scale != 1.0)
        for (float& value : embedded.values())
            value *= static_cast<float>(spec_.embedding_scale);
    if (spec_.d_embed == 0)
        return embedded;
    Tensor projected({positions_, spec_.d_model});
    multiply(embedded.matrix(), weights_.W_project_in.matrix(), projected.matrix());
    return projected;
}

/// logits [T, d_vocab] = norm(x) · W_Uᵀ + b_U
void Forward::unembed() {
    if (spec_.final_norm)
        normalise(weights_.ln_final,
                  {{HookKind::LnFinalScale, 0}, {HookKind::LnFinalNormalized, 0}}, {positions_},
                  residual_.matrix());
    if (spec_.output == OutputHead::None)
        return;
    if (spec_.output == OutputHead::MaskedLm) {
        multiply(residual_.matrix(), weights_.W_mlm.matrix(), normed_.matrix());
        addBias(normed_.matrix(), weights_.b_mlm.values());
        activate(normed_.values());
        normalise(weights_.ln_mlm, {{HookKind::MlmNormScale, 0}, {HookKind::MlmNormalized, 0}},
                  {positions_}, normed_.matrix());
        std::swap(residual_, normed_);
    }
    if (spec_.d_embed != 0) {
        Tensor projected({positions_, spec_.d_embed});
        multiply(residual_.matrix(), weights_.W_project_out.matrix(), projected.matrix());
        residual_ = std::move(projected);
    }
    run_.logits = Tensor({positions_, spec_.d_vocab});
    multiplyTransposed(1.0f, residual_.matrix(), weights_.unembedding().matrix(),
                       run_.logits.matrix());
    addBias(run_.logits.matrix(), weights_.b_U.values());
    if (spec_.logit_softcap != 0.0)
        softCap(static_cast<float>(spec_.logit_softcap), run_.logits.values());
}

} // namespace headscope
