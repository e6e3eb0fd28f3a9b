#include "core/engine/hooks/hook_table.h"

#include <algorithm>
#include <array>

namespace headscope {

namespace {

bool always(const ModelSpec&, std::size_t) {
    return true;
}
bool hasPositionTable(const ModelSpec& spec, std::size_t) {
    return spec.hasPositionTable();
}
bool turns(const ModelSpec& spec, std::size_t layer) {
    return spec.rotaryIn(layer) != nullptr;
}
bool hasTokenTypes(const ModelSpec& spec, std::size_t) {
    return spec.n_token_types > 0;
}
bool normsEmbedding(const ModelSpec& spec, std::size_t) {
    return spec.norm_after_embedding;
}
bool isEncoder(const ModelSpec& spec, std::size_t) {
    return !spec.embedding_hook_prefix.empty();
}
bool isDecoder(const ModelSpec& spec, std::size_t layer) {
    return !isEncoder(spec, layer);
}
bool hasLatent(const ModelSpec& spec, std::size_t layer) {
    return spec.latent && spec.headsIn(layer) != 0;
}
bool hasQueryLatent(const ModelSpec& spec, std::size_t layer) {
    return hasLatent(spec, layer) && spec.latent->d_queries != 0;
}
bool hasLn1(const ModelSpec& spec, std::size_t layer) {
    return spec.hasLn1(layer);
}
bool normsQueriesAndKeys(const ModelSpec& spec, std::size_t) {
    return spec.qk_norm != QkNorm::None;
}
bool hasOneMlp(const ModelSpec& spec, std::size_t layer) {
    return !spec.hasExperts(layer);
}
bool hasGatedMlp(const ModelSpec& spec, std::size_t layer) {
    return spec.mlp == MlpKind::Gated && hasOneMlp(spec, layer);
}
bool normsActivations(const ModelSpec& spec, std::size_t layer) {
    return spec.mlp_norm && hasOneMlp(spec, layer);
}
bool hasExperts(const ModelSpec& spec, std::size_t layer) {
    return spec.hasExperts(layer);
}
bool hasFinalNorm(const ModelSpec& spec, std::size_t) {
    return spec.final_norm;
}
bool hasMaskedLmHead(const ModelSpec& spec, std::size_t) {
    return spec.output == OutputHead::MaskedLm;
}

using Kind = HookKind;
using Step = HookStep;
using Form = HookForm;

constexpr std::array kHookTable{
    HookRow{Kind::Embed, Step::Embedding, "hook_embed", Form::EmbeddingSum, always},
    HookRow{Kind::PosEmbed, Step::Embedding, "hook_pos_embed", Form::EmbeddingSum,
            hasPositionTable},
    HookRow{Kind::TokenTypeEmbed, Step::Embedding, "hook_token_type_embed", Form::EmbeddingSum,
            hasTokenTypes},
    HookRow{Kind::EmbedNormScale, Step::EmbeddingDone, "embed.ln.hook_scale", Form::Scale,
            normsEmbedding},
    HookRow{Kind::EmbedNormalized, Step::EmbeddingDone, "embed.ln.hook_normalized",
            Form::EmbeddingSum, normsEmbedding},
    HookRow{Kind::EmbedNormOut, Step::EmbeddingDone, "embed.ln.hook_out", Form::EmbeddingSum,
            normsEmbedding, true},
    HookRow{Kind::FullEmbed, Step::EmbeddingDone, "hook_full_embed", Form::Residual, isEncoder},
    HookRow{Kind::ResidPre, Step::ResidPre, "hook_resid_pre", Form::Residual, always},
    HookRow{Kind::AttnIn, Step::AttentionInput, "hook_attn_in", Form::HeadResidual, isDecoder,
            true},
    HookRow{Kind::QInput, Step::AttentionInput, "hook_q_input", Form::HeadResidual, always, true},
    HookRow{Kind::KInput, Step::AttentionInput, "hook_k_input", Form::KeyValueResidual, always,
            true},
    HookRow{Kind::VInput, Step::AttentionInput, "hook_v_input", Form::KeyValueResidual, always,
            true},
    HookRow{Kind::Ln1Scale, Step::Ln1, "ln1.hook_scale", Form::Scale, hasLn1},
    HookRow{Kind::Ln1Normalized, Step::Ln1, "ln1.hook_normalized", Form::Residual, hasLn1},
    HookRow{Kind::Ln1Out, Step::Ln1, "ln1.hook_out", Form::Residual, hasLn1, true},
    HookRow{Kind::QLatent, Step::Attention, "attn.hook_q_latent", Form::QueryLatent,
            hasQueryLatent},
    HookRow{Kind::QLatentScale, Step::Attention, "attn.q_latent_norm.hook_scale", Form::Scale,
            hasQueryLatent},
    HookRow{Kind::QLatentNormalized, Step::Attention, "attn.q_latent_norm.hook_normalized",
            Form::QueryLatent, hasQueryLatent},
    HookRow{Kind::QLatentOut, Step::Attention, "attn.q_latent_norm.hook_out", Form::QueryLatent,
            hasQueryLatent, true},
    HookRow{Kind::KvLatent, Step::Attention, "attn.hook_kv_latent", Form::KvLatent, hasLatent},
    HookRow{Kind::KvLatentScale, Step::Attention, "attn.kv_latent_norm.hook_scale", Form::Scale,
            hasLatent},
    HookRow{Kind::KvLatentNormalized, Step::Attention, "attn.kv_latent_norm.hook_normalized",
            Form::KvLatent, hasLatent},
    HookRow{Kind::KvLatentOut, Step::Attention, "attn.kv_latent_norm.hook_out", Form::KvLatent,
            hasLatent, true},
    HookRow{Kind::Q, Step::Attention, "attn.hook_q", Form::Query, always},
    HookRow{Kind::K, Step::Attention, "attn.hook_k", Form::Key, always},
    HookRow{Kind::V, Step::Attention, "attn.hook_v", Form::Value, always},
    HookRow{Kind::QNormScale, Step::Attention, "attn.q_norm.hook_scale", Form::QueryNormScale,
            normsQueriesAndKeys},
    HookRow{Kind::QNormNormalized, Step::Attention, "attn.q_norm.hook_normalized", Form::QueryNorm,
            normsQueriesAndKeys},
    HookRow{Kind::QNormOut, Step::Attention, "attn.q_norm.hook_out", Form::QueryNorm,
            normsQueriesAndKeys, true},
    HookRow{Kind::KNormScale, Step::Attention, "attn.k_norm.hook_scale", Form::KeyNormScale,
            normsQueriesAndKeys},
    HookRow{Kind::KNormNormalized, Step::Attention, "attn.k_norm.hook_normalized", Form::KeyNorm,
            normsQueriesAndKeys},
    HookRow{Kind::KNormOut, Step::Attention, "attn.k_norm.hook_out", Form::KeyNorm,
            normsQueriesAndKeys, true},
    HookRow{Kind::RotQ, Step::Attention, "attn.hook_rot_q", Form::Query, turns},
    HookRow{Kind::RotK, Step::Attention, "attn.hook_rot_k", Form::Key, turns},
    HookRow{Kind::AttnScores, Step::Attention, "attn.hook_attn_scores", Form::Square, always},
    HookRow{Kind::Pattern, Step::Attention, "attn.hook_pattern", Form::Square, always},
    HookRow{Kind::Z, Step::Attention, "attn.hook_z", Form::Z, always},
    HookRow{Kind::Result, Step::Attention, "attn.hook_result", Form::HeadResidual, always, true},
    HookRow{Kind::Ln1PostScale, Step::Ln1Post, "ln1_post.hook_scale", Form::Scale, always},
    HookRow{Kind::Ln1PostNormalized, Step::Ln1Post, "ln1_post.hook_normalized", Form::Residual,
            always},
    HookRow{Kind::Ln1PostOut, Step::Ln1Post, "ln1_post.hook_out", Form::Residual, always, true},
    HookRow{Kind::AttnOut, Step::AttentionOutput, "hook_attn_out", Form::Residual, always},
    HookRow{Kind::ResidMid, Step::ResidMid, "hook_resid_mid", Form::Residual, always},
    HookRow{Kind::MlpIn, Step::MlpInput, "hook_mlp_in", Form::Residual, always},
    HookRow{Kind::Ln2Scale, Step::Ln2, "ln2.hook_scale", Form::Scale, always},
    HookRow{Kind::Ln2Normalized, Step::Ln2, "ln2.hook_normalized", Form::Residual, always},
    HookRow{Kind::Ln2Out, Step::Ln2, "ln2.hook_out", Form::Residual, always, true},
    HookRow{Kind::MlpPre, Step::Mlp, "mlp.hook_pre", Form::Mlp, hasOneMlp},
    HookRow{Kind::MlpPreLinear, Step::Mlp, "mlp.hook_pre_linear", Form::Mlp, hasGatedMlp},
    HookRow{Kind::MlpMid, Step::Mlp, "mlp.hook_mid", Form::Mlp, normsActivations},
    HookRow{Kind::MlpNormScale, Step::Mlp, "mlp.ln.hook_scale", Form::Scale, normsActivations},
    HookRow{Kind::MlpNormalized, Step::Mlp, "mlp.ln.hook_normalized", Form::Mlp, normsActivations},
    HookRow{Kind::MlpNormOut, Step::Mlp, "mlp.ln.hook_out", Form::Mlp, normsActivations, true},
    HookRow{Kind::MlpPost, Step::Mlp, "mlp.hook_post", Form::Mlp, hasOneMlp},
    HookRow{Kind::RouterLogits, Step::Mlp, "mlp.hook_router_logits", Form::Router, hasExperts},
    HookRow{Kind::ExpertIndices, Step::Mlp, "mlp.hook_expert_indices", Form::Choices, hasExperts},
    HookRow{Kind::ExpertWeights, Step::Mlp, "mlp.hook_expert_weights", Form::Choices, hasExperts},
    HookRow{Kind::Ln2PostScale, Step::Ln2Post, "ln2_post.hook_scale", Form::Scale, always},
    HookRow{Kind::Ln2PostNormalized, Step::Ln2Post, "ln2_post.hook_normalized", Form::Residual,
            always},
    HookRow{Kind::Ln2PostOut, Step::Ln2Post, "ln2_post.hook_out", Form::Residual, always, true},
    HookRow{Kind::MlpOut, Step::MlpOutput, "hook_mlp_out", Form::Residual, always},
    HookRow{Kind::ResidPost, Step::ResidPost, "hook_resid_post", Form::Residual, always},
    HookRow{Kind::NormalizedResidPost, Step::NormalizedResidPost, "hook_normalized_resid_post",
            Form::Residual, always},
    HookRow{Kind::LnFinalScale, Step::Unembedding, "ln_final.hook_scale", Form::Scale,
            hasFinalNorm},
    HookRow{Kind::LnFinalNormalized, Step::Unembedding, "ln_final.hook_normalized", Form::Residual,
            hasFinalNorm},
    HookRow{Kind::LnFinalOut, Step::Unembedding, "ln_final.hook_out", Form::Residual, hasFinalNorm,
            true},
    HookRow{Kind::MlmNormScale, Step::Unembedding, "mlm_head.ln.hook_scale", Form::Scale,
            hasMaskedLmHead},
    HookRow{Kind::MlmNormalized, Step::Unembedding, "mlm_head.ln.hook_normalized", Form::Unembedded,
            hasMaskedLmHead},
    HookRow{Kind::MlmNormOut, Step::Unembedding, "mlm_head.ln.hook_out", Form::Unembedded,
            hasMaskedLmHead, true},
};

constexpr bool tableFollowsEnum() {
    for (std::size_t i = 0; i < kHookTable.size(); ++i)
        if (kHookTable[i].kind != static_cast<HookKind>(i))
            return false;
    return kHookTable.size() == static_cast<std::size_t>(Kind::MlmNormOut) + 1;
}
static_assert(tableFollowsEnum());

} // namespace

const HookRow& hookRow(HookKind kind) {
    return kHookTable[static_cast<std::size_t>(kind)];
}

bool haveSameHooks(const ModelSpec& spec, std::size_t a, std::size_t b) {
    return std::ranges::all_of(
        kHookTable, [&](const HookRow& row) { return row.exists(spec, a) == row.exists(spec, b); });
}

namespace {

/// Before the norms of queries and keys; in the table it comes after them.
void moveRotationForward(std::vector<HookKind>& kinds) {
    const auto norms = std::ranges::find(kinds, HookKind::QNormScale);
    const auto rotation = std::ranges::find(kinds, HookKind::RotQ);
    if (norms < rotation && rotation != kinds.end())
        std::rotate(norms, rotation, std::ranges::find(kinds, HookKind::AttnScores));
}

} // namespace

std::vector<HookKind> hooksAt(HookStep step, const ModelSpec& spec, std::size_t layer) {
    std::vector<HookKind> kinds;
    for (const HookRow& row : kHookTable)
        if (row.step == step && row.exists(spec, layer))
            kinds.push_back(row.kind);
    if (step == HookStep::Attention && spec.qk_norm_after_rotary)
        moveRotationForward(kinds);
    return kinds;
}

} // namespace headscope
