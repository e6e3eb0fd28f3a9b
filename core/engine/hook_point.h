#pragma once

#include "core/base/result.h"
#include "core/model/model_spec.h"
#include "core/tensor/tensor.h"

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Every place of the forward pass that can be read or edited, named as in TransformerLens.
enum class HookKind {
    Embed,         ///< [position, d_model]
    PosEmbed,      ///< [position, d_model]
    TokenTypeEmbed,///< [position, d_model]
    EmbedNormScale,///< [position, 1]
    EmbedNormalized,///< [position, d_model]
    FullEmbed,     ///< [position, d_model], encoders: after the embedding norm
    ResidPre,      ///< [position, d_model]
    AttnIn,        ///< [position, head, d_model], before the norm
    QInput,        ///< [position, head, d_model], before the norm
    KInput,        ///< [position, kv_head, d_model], before the norm
    VInput,        ///< [position, kv_head, d_model], before the norm
    Ln1Scale,      ///< [position, 1]
    Ln1Normalized, ///< [position, d_model]
    Q,             ///< [position, head, d_head]
    K,             ///< [position, kv_head, d_head]
    V,             ///< [position, kv_head, d_head]
    RotQ,          ///< [position, head, d_head], rotary models
    RotK,          ///< [position, kv_head, d_head], rotary models
    AttnScores,    ///< [head, query, key], scaled and masked
    Pattern,       ///< [head, query, key], rows sum to 1
    Z,             ///< [position, head, d_head]
    Result,        ///< [position, head, d_model], before b_O
    AttnOut,       ///< [position, d_model]
    ResidMid,      ///< [position, d_model]
    MlpIn,         ///< [position, d_model], before the norm
    Ln2Scale,      ///< [position, 1]
    Ln2Normalized, ///< [position, d_model]
    MlpPre,        ///< [position, d_mlp]; of a gated MLP the gate
    MlpPreLinear,  ///< [position, d_mlp], gated MLPs
    MlpPost,       ///< [position, d_mlp]
    MlpOut,        ///< [position, d_model]
    ResidPost,     ///< [position, d_model]
    NormalizedResidPost, ///< [position, d_model], post-norm blocks
    LnFinalScale,  ///< [position, 1]
    LnFinalNormalized, ///< [position, d_model]
};

/// One hook point of one layer; `layer` is 0 for the points outside the blocks.
struct HookPoint {
    HookKind kind = HookKind::Embed;
    std::size_t layer = 0;

    auto operator<=>(const HookPoint&) const = default;
};

/// "blocks.3.attn.hook_pattern"
std::string hookName(const ModelSpec& spec, HookPoint point);

/// All hook points this network has, in the order in which they fire.
std::vector<HookPoint> hookPoints(const ModelSpec& spec);

/// The shape of the value at a hook point for a prompt of `positions` tokens.
Shape hookShape(const ModelSpec& spec, HookPoint point, std::size_t positions);

} // namespace headscope
