#pragma once

#include "core/base/result.h"
#include "core/model/model_spec.h"
#include "core/tensor/tensor.h"

#include <compare>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headscope {

/// Every place of the forward pass that can be read or edited, named as in TransformerLens. As
/// there since version 3, "normalized" is before gain and bias of a norm, and "out" after them.
enum class HookKind {
    Embed,              ///< [position, d_model]
    PosEmbed,           ///< [position, d_model]
    TokenTypeEmbed,     ///< [position, d_model]
    EmbedNormScale,     ///< [position, 1]
    EmbedNormalized,    ///< [position, d_model]
    EmbedNormOut,       ///< [position, d_model]
    FullEmbed,          ///< [position, d_model], encoders
    ResidPre,           ///< [position, d_model]
    AttnIn,             ///< [position, head, d_model], before the norm
    QInput,             ///< [position, head, d_model], before the norm
    KInput,             ///< [position, kv_head, d_model], before the norm
    VInput,             ///< [position, kv_head, d_model], before the norm
    Ln1Scale,           ///< [position, 1]
    Ln1Normalized,      ///< [position, d_model]
    Ln1Out,             ///< [position, d_model]
    QLatent,            ///< [position, d_queries], networks that make queries of a latent vector
    QLatentScale,       ///< [position, 1], of its norm
    QLatentNormalized,  ///< [position, d_queries]
    QLatentOut,         ///< [position, d_queries]
    KvLatent,           ///< [position, d_kv], networks that make keys and values of one
    KvLatentScale,      ///< [position, 1], of its norm
    KvLatentNormalized, ///< [position, d_kv]
    KvLatentOut,        ///< [position, d_kv]
    Q,                  ///< [position, head, d_head]
    K,                  ///< [position, kv_head, d_head]
    V,                  ///< [position, kv_head, d_head_v]
    QNormScale,         ///< [position, head, 1], networks that normalise queries per head
    QNormNormalized,    ///< [position, head, d_head]; all heads as one: [position, n_heads·d_head]
    QNormOut,           ///< as QNormNormalized
    KNormScale,         ///< [position, kv_head, 1]
    KNormNormalized,    ///< [position, kv_head, d_head]
    KNormOut,           ///< as KNormNormalized
    RotQ,               ///< [position, head, d_head], layers with rotary positions
    RotK,               ///< [position, kv_head, d_head], likewise
    AttnScores,         ///< [head, query, key], scaled; masked entries are −∞
    Pattern,            ///< [head, query, key], rows sum to 1 less what a learned sink takes
    Z,                  ///< [position, head, d_head_v]
    Result,             ///< [position, head, d_model], before b_O
    Ln1PostScale,       ///< [position, 1], branches normalised at both ends
    Ln1PostNormalized,  ///< [position, d_model]
    Ln1PostOut,         ///< [position, d_model]
    AttnOut,            ///< [position, d_model], what is added to the residual stream
    ResidMid,           ///< [position, d_model], models with MLPs after attention
    MlpIn,              ///< [position, d_model], before the norm
    Ln2Scale,           ///< [position, 1]
    Ln2Normalized,      ///< [position, d_model]
    Ln2Out,             ///< [position, d_model]
    MlpPre,             ///< [position, d_mlp]; of a gated MLP the gate
    MlpPreLinear,       ///< [position, d_mlp], gated MLPs
    MlpMid,             ///< [position, d_mlp], MLPs with a norm after the activation: before it
    MlpNormScale,       ///< [position, 1], likewise
    MlpNormalized,      ///< [position, d_mlp], likewise
    MlpNormOut,         ///< [position, d_mlp], likewise
    MlpPost,            ///< [position, d_mlp]
    RouterLogits,       ///< [position, expert], layers with experts
    ExpertIndices,      ///< [position, choice], whole numbers: the chosen experts, best first
    ExpertWeights,      ///< [position, choice], by which their outputs are added up
    Ln2PostScale,       ///< [position, 1], branches normalised at both ends
    Ln2PostNormalized,  ///< [position, d_model]
    Ln2PostOut,         ///< [position, d_model]
    MlpOut,             ///< [position, d_model], what is added to the residual stream
    ResidPost,          ///< [position, d_model]
    NormalizedResidPost, ///< [position, d_model], post-norm blocks
    LnFinalScale,        ///< [position, 1]
    LnFinalNormalized,   ///< [position, d_model]
    LnFinalOut,          ///< [position, d_model]
    MlmNormScale,        ///< [position, 1], masked-LM head
    MlmNormalized,       ///< [position, d_model], masked-LM head
    MlmNormOut,          ///< [position, d_model], masked-LM head
};

/// One hook point of one layer; `layer` is 0 for the points outside the blocks.
struct HookPoint {
    HookKind kind = HookKind::Embed;
    std::size_t layer = 0;

    auto operator<=>(const HookPoint&) const = default;
};

/// "blocks.3.attn.hook_pattern"
std::string hookName(const ModelSpec& spec, HookPoint point);

/// "blocks.*.attn.hook_pattern": the points of one kind in all layers.
std::string hookGlob(const ModelSpec& spec, HookKind kind);

/// The hook point of this name; nothing for a name that this network does not have.
std::optional<HookPoint> hookNamed(const ModelSpec& spec, std::string_view name);

/// The kind of point that a user names, in any layer and in short where only one is meant:
/// "attn.hook_z", "hook_z" or "z". Fails for what this network does not have, and for a name of
/// several.
Result<HookKind> parseHookKind(std::string_view name, const ModelSpec& spec);

/// All hook points this network has, in the order in which they fire.
std::vector<HookPoint> hookPoints(const ModelSpec& spec);

/// Whether `glob` means this hook point. The per-head points that TransformerLens computes only on
/// request (hook_attn_in, hook_q_input, hook_k_input, hook_v_input, hook_result) and what norms
/// give out (hook_out) must be spelled out in the glob: "blocks.*.attn.hook_result" means them,
/// "blocks.*" does not.
bool hookMatches(const ModelSpec& spec, std::string_view glob, HookPoint point);

/// Whether a point comes after the last block, on the way to the logits.
bool isAfterBlocks(HookKind kind);

/// Which axis of the value counts heads, where one does.
std::optional<std::size_t> headAxis(const ModelSpec& spec, HookKind kind);

/// The numbers of the heads, or KV heads, in the order of that axis; removed ones are left out.
std::vector<std::size_t> headsAt(const ModelSpec& spec, HookPoint point);

/// The shape of the value at a hook point for a prompt of `positions` tokens.
Shape hookShape(const ModelSpec& spec, HookPoint point, std::size_t positions);

/// What one hook did during a run.
struct HookAudit {
    std::string glob; ///< name or glob of the hook points it was for
    bool editor = false;
    std::size_t fired = 0;            ///< calls
    std::size_t changed_elements = 0; ///< editors: elements that are different afterwards
    double max_change = 0.0;          ///< editors: largest |after − before|
};

/// Which hook points are meant: one, those of a kind in every layer, or those whose names match a
/// glob, as a user writes them. Names are TransformerLens's, with '*' and '?' as wild cards.
class HookSelector {
public:
    HookSelector(HookPoint point) : selected_(point) {}
    HookSelector(HookKind kind) : selected_(kind) {}
    HookSelector(std::string glob) : selected_(std::move(glob)) {}
    HookSelector(const char* glob) : selected_(std::string(glob)) {}

    /// Globs match as hookMatches() does; points and kinds need not be spelled out.
    bool matches(const ModelSpec& spec, HookPoint point) const;
    /// Whether a glob that matches the point contains the last part of the point's name.
    bool spellsOut(const ModelSpec& spec, HookPoint point) const;
    /// The name or the glob.
    std::string text(const ModelSpec& spec) const;

private:
    std::variant<HookPoint, HookKind, std::string> selected_;
};

/// Functions to call at hook points during one run, in the order of registration. A hook can be for
/// one head, where the value has heads: it then gets a view of that head alone, with the head axis
/// kept (size 1), and scores and patterns are held in memory for that head only.
class HookSet {
public:
    using Observer = std::function<void(HookPoint, TensorView)>;
    using Editor = std::function<void(HookPoint, MutableTensorView)>;
    using Head = std::optional<std::size_t>; ///< its place on the head axis

    void observe(HookSelector where, Observer observer, Head head = {});
    void edit(HookSelector where, Editor editor, Head head = {});
    /// Keeps a copy of the value in Run::captured, of one head in Run::captured_heads.
    void capture(HookSelector where, Head head = {});

    /// Behind those that are there.
    void add(const HookSet& others);

    bool empty() const { return hooks_.empty(); }

    struct Hook {
        HookSelector where;
        Observer observer; ///< exactly one of the two is set, none for a capture
        Editor editor;
        Head head;
    };
    const std::vector<Hook>& hooks() const { return hooks_; }

private:
    std::vector<Hook> hooks_;
};

} // namespace headscope
