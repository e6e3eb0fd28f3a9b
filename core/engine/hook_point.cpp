#include "core/engine/hook_point.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace headscope {

namespace {

enum class Place { Embedding, Block, Model };

/// What the value at a hook point looks like, apart from the number of positions.
enum class Form {
    Residual,
    Scale,
    Query,
    KeyValue,
    QueryNorm,
    QueryNormScale,
    KeyNorm,
    KeyNormScale,
    HeadResidual,
    KeyValueResidual,
    Square,
    Mlp
};

struct HookInfo {
    HookKind kind;
    Place place;
    std::string_view name; ///< after "blocks.N." or the embedding prefix
    Form form;
    bool on_request = false;
};

/// In the order of HookKind, which is the order in which they fire in a pre-norm network.
constexpr std::array kHookTable{
    HookInfo{HookKind::Embed, Place::Embedding, "hook_embed", Form::Residual},
    HookInfo{HookKind::PosEmbed, Place::Embedding, "hook_pos_embed", Form::Residual},
    HookInfo{HookKind::TokenTypeEmbed, Place::Embedding, "hook_token_type_embed", Form::Residual},
    HookInfo{HookKind::EmbedNormScale, Place::Model, "embed.ln.hook_scale", Form::Scale},
    HookInfo{HookKind::EmbedNormalized, Place::Model, "embed.ln.hook_normalized", Form::Residual},
    HookInfo{HookKind::FullEmbed, Place::Model, "hook_full_embed", Form::Residual},
    HookInfo{HookKind::ResidPre, Place::Block, "hook_resid_pre", Form::Residual},
    HookInfo{HookKind::AttnIn, Place::Block, "hook_attn_in", Form::HeadResidual, true},
    HookInfo{HookKind::QInput, Place::Block, "hook_q_input", Form::HeadResidual, true},
    HookInfo{HookKind::KInput, Place::Block, "hook_k_input", Form::KeyValueResidual, true},
    HookInfo{HookKind::VInput, Place::Block, "hook_v_input", Form::KeyValueResidual, true},
    HookInfo{HookKind::Ln1Scale, Place::Block, "ln1.hook_scale", Form::Scale},
    HookInfo{HookKind::Ln1Normalized, Place::Block, "ln1.hook_normalized", Form::Residual},
    HookInfo{HookKind::Q, Place::Block, "attn.hook_q", Form::Query},
    HookInfo{HookKind::K, Place::Block, "attn.hook_k", Form::KeyValue},
    HookInfo{HookKind::V, Place::Block, "attn.hook_v", Form::KeyValue},
    HookInfo{HookKind::QNormScale, Place::Block, "attn.q_norm.hook_scale", Form::QueryNormScale},
    HookInfo{HookKind::QNormNormalized, Place::Block, "attn.q_norm.hook_normalized",
             Form::QueryNorm},
    HookInfo{HookKind::KNormScale, Place::Block, "attn.k_norm.hook_scale", Form::KeyNormScale},
    HookInfo{HookKind::KNormNormalized, Place::Block, "attn.k_norm.hook_normalized", Form::KeyNorm},
    HookInfo{HookKind::RotQ, Place::Block, "attn.hook_rot_q", Form::Query},
    HookInfo{HookKind::RotK, Place::Block, "attn.hook_rot_k", Form::KeyValue},
    HookInfo{HookKind::AttnScores, Place::Block, "attn.hook_attn_scores", Form::Square},
    HookInfo{HookKind::Pattern, Place::Block, "attn.hook_pattern", Form::Square},
    HookInfo{HookKind::Z, Place::Block, "attn.hook_z", Form::Query},
    HookInfo{HookKind::Result, Place::Block, "attn.hook_result", Form::HeadResidual, true},
    HookInfo{HookKind::Ln1PostScale, Place::Block, "ln1_post.hook_scale", Form::Scale},
    HookInfo{HookKind::Ln1PostNormalized, Place::Block, "ln1_post.hook_normalized", Form::Residual},
    HookInfo{HookKind::AttnOut, Place::Block, "hook_attn_out", Form::Residual},
    HookInfo{HookKind::ResidMid, Place::Block, "hook_resid_mid", Form::Residual},
    HookInfo{HookKind::MlpIn, Place::Block, "hook_mlp_in", Form::Residual},
    HookInfo{HookKind::Ln2Scale, Place::Block, "ln2.hook_scale", Form::Scale},
    HookInfo{HookKind::Ln2Normalized, Place::Block, "ln2.hook_normalized", Form::Residual},
    HookInfo{HookKind::MlpPre, Place::Block, "mlp.hook_pre", Form::Mlp},
    HookInfo{HookKind::MlpPreLinear, Place::Block, "mlp.hook_pre_linear", Form::Mlp},
    HookInfo{HookKind::MlpPost, Place::Block, "mlp.hook_post", Form::Mlp},
    HookInfo{HookKind::Ln2PostScale, Place::Block, "ln2_post.hook_scale", Form::Scale},
    HookInfo{HookKind::Ln2PostNormalized, Place::Block, "ln2_post.hook_normalized", Form::Residual},
    HookInfo{HookKind::MlpOut, Place::Block, "hook_mlp_out", Form::Residual},
    HookInfo{HookKind::ResidPost, Place::Block, "hook_resid_post", Form::Residual},
    HookInfo{HookKind::NormalizedResidPost, Place::Block, "hook_normalized_resid_post",
             Form::Residual},
    HookInfo{HookKind::LnFinalScale, Place::Model, "ln_final.hook_scale", Form::Scale},
    HookInfo{HookKind::LnFinalNormalized, Place::Model, "ln_final.hook_normalized", Form::Residual},
    HookInfo{HookKind::MlmNormScale, Place::Model, "mlm_head.ln.hook_scale", Form::Scale},
    HookInfo{HookKind::MlmNormalized, Place::Model, "mlm_head.ln.hook_normalized", Form::Residual},
};

const HookInfo& infoOf(HookKind kind) {
    return kHookTable[static_cast<std::size_t>(kind)];
}

bool exists(const ModelSpec& spec, HookKind kind) {
    const bool encoder = !spec.embedding_hook_prefix.empty();
    const bool block_norms = spec.norm_placement != NormPlacement::None;
    const bool mlp = spec.mlp != MlpKind::None;
    switch (kind) {
    case HookKind::PosEmbed:
        return spec.positions == PositionKind::Learned;
    case HookKind::TokenTypeEmbed:
        return spec.n_token_types > 0;
    case HookKind::EmbedNormScale:
    case HookKind::EmbedNormalized:
        return spec.norm_after_embedding;
    case HookKind::FullEmbed:
        return encoder;
    case HookKind::AttnIn:
        return !encoder;
    case HookKind::Ln1Scale:
    case HookKind::Ln1Normalized:
        return block_norms;
    case HookKind::RotQ:
    case HookKind::RotK:
        return spec.positions == PositionKind::Rotary;
    case HookKind::QNormScale:
    case HookKind::QNormNormalized:
    case HookKind::KNormScale:
    case HookKind::KNormNormalized:
        return spec.qk_norm != QkNorm::None;
    case HookKind::Ln1PostScale:
    case HookKind::Ln1PostNormalized:
        return spec.norm_placement == NormPlacement::Sandwich;
    case HookKind::Ln2PostScale:
    case HookKind::Ln2PostNormalized:
        return mlp && spec.norm_placement == NormPlacement::Sandwich;
    case HookKind::ResidMid:
        return mlp && !spec.parallel_residual;
    case HookKind::MlpIn:
    case HookKind::MlpPre:
    case HookKind::MlpPost:
    case HookKind::MlpOut:
        return mlp;
    case HookKind::Ln2Scale:
    case HookKind::Ln2Normalized:
        return mlp && block_norms;
    case HookKind::MlpPreLinear:
        return spec.mlp == MlpKind::Gated;
    case HookKind::NormalizedResidPost:
        return spec.norm_placement == NormPlacement::Post;
    case HookKind::LnFinalScale:
    case HookKind::LnFinalNormalized:
        return spec.final_norm;
    case HookKind::MlmNormScale:
    case HookKind::MlmNormalized:
        return spec.output == OutputHead::MaskedLm;
    default:
        return true;
    }
}

/// Moves `count` kinds that begin with `first` behind `anchor`, which comes later.
void moveBehind(std::vector<HookKind>& kinds, HookKind first, std::ptrdiff_t count,
                HookKind anchor) {
    const auto begin = std::ranges::find(kinds, first);
    const auto end = std::ranges::find(kinds, anchor);
    if (begin != kinds.end() && end != kinds.end())
        std::rotate(begin, begin + count, end + 1);
}

/// The hook points of one block in the order in which they fire.
std::vector<HookKind> blockKinds(const ModelSpec& spec) {
    std::vector<HookKind> kinds;
    for (const HookInfo& info : kHookTable)
        if (info.place == Place::Block && exists(spec, info.kind))
            kinds.push_back(info.kind);
    if (spec.norm_placement == NormPlacement::Post) {
        moveBehind(kinds, HookKind::Ln1Scale, 2, HookKind::ResidMid);
        moveBehind(kinds, HookKind::Ln2Scale, 2, HookKind::ResidPost);
    }
    if (spec.norm_placement == NormPlacement::Output) {
        moveBehind(kinds, HookKind::Ln1Scale, 2, HookKind::Result);
        moveBehind(kinds, HookKind::Ln2Scale, 2, HookKind::MlpPost);
    }
    return kinds;
}

/// Of a value at the norm of queries or keys: heads are one axis or one vector.
Shape headNormShape(const ModelSpec& spec, std::size_t positions, std::size_t heads,
                    std::size_t width) {
    if (spec.qk_norm == QkNorm::PerHead)
        return {positions, heads, width};
    return {positions, width == 1 ? 1 : heads * width};
}

/// "hook_q" of "attn.hook_q"
std::string_view lastPart(std::string_view name) {
    return name.substr(name.rfind('.') + 1);
}

} // namespace

std::string hookName(const ModelSpec& spec, HookPoint point) {
    const HookInfo& info = infoOf(point.kind);
    std::string name(info.name);
    switch (info.place) {
    case Place::Embedding:
        return spec.embedding_hook_prefix + name;
    case Place::Block:
        return "blocks." + std::to_string(point.layer) + "." + name;
    case Place::Model:
        return name;
    }
    return name;
}

std::vector<HookPoint> hookPoints(const ModelSpec& spec) {
    std::vector<HookPoint> points;
    const auto addOutside = [&](bool after_blocks) {
        for (const HookInfo& info : kHookTable)
            if (info.place != Place::Block && exists(spec, info.kind) &&
                (info.kind > HookKind::ResidPre) == after_blocks)
                points.push_back({info.kind, 0});
    };
    addOutside(false);
    const std::vector<HookKind> in_block = blockKinds(spec);
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        for (const HookKind kind : in_block)
            points.push_back({kind, layer});
    addOutside(true);
    return points;
}

bool hookMatches(const ModelSpec& spec, std::string_view glob, HookPoint point) {
    const HookInfo& info = infoOf(point.kind);
    if (info.on_request && glob.find(lastPart(info.name)) == std::string_view::npos)
        return false;
    return globMatches(glob, hookName(spec, point));
}

bool isAfterBlocks(HookKind kind) {
    return kind >= HookKind::LnFinalScale;
}

std::optional<std::size_t> headAxis(const ModelSpec& spec, HookKind kind) {
    switch (infoOf(kind).form) {
    case Form::Square:
        return 0;
    case Form::Query:
    case Form::KeyValue:
    case Form::HeadResidual:
    case Form::KeyValueResidual:
        return 1;
    case Form::QueryNorm:
    case Form::QueryNormScale:
    case Form::KeyNorm:
    case Form::KeyNormScale:
        return spec.qk_norm == QkNorm::PerHead ? std::optional<std::size_t>(1) : std::nullopt;
    case Form::Residual:
    case Form::Scale:
    case Form::Mlp:
        return std::nullopt;
    }
    return std::nullopt;
}

Shape hookShape(const ModelSpec& spec, HookPoint point, std::size_t positions) {
    switch (infoOf(point.kind).form) {
    case Form::Residual:
        return {positions, spec.d_model};
    case Form::Scale:
        return {positions, 1};
    case Form::Query:
        return {positions, spec.n_heads, spec.d_head};
    case Form::KeyValue:
        return {positions, spec.n_kv_heads, spec.d_head};
    case Form::QueryNorm:
        return headNormShape(spec, positions, spec.n_heads, spec.d_head);
    case Form::QueryNormScale:
        return headNormShape(spec, positions, spec.n_heads, 1);
    case Form::KeyNorm:
        return headNormShape(spec, positions, spec.n_kv_heads, spec.d_head);
    case Form::KeyNormScale:
        return headNormShape(spec, positions, spec.n_kv_heads, 1);
    case Form::HeadResidual:
        return {positions, spec.n_heads, spec.d_model};
    case Form::KeyValueResidual:
        return {positions, spec.n_kv_heads, spec.d_model};
    case Form::Square:
        return {spec.n_heads, positions, positions};
    case Form::Mlp:
        return {positions, spec.d_mlp};
    }
    return {};
}

} // namespace headscope
