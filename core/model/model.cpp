#include "core/model/model.h"

#include "core/base/text.h"
#include "core/model/layer_counts.h"
#include "core/model/weight_role.h"

#include <algorithm>
#include <cstddef>

namespace headscope {

Result<void> checkRunnable(const Model& model) {
    if (model.spec.cannot_run.empty())
        return {};
    return Error{ErrorCode::Unsupported, model.spec.cannot_run};
}

namespace {

std::string attentionKind(const ModelSpec& spec) {
    if (spec.latent)
        return "MLA (a latent of " + std::to_string(spec.latent->d_kv) + " and " +
               std::to_string(spec.latent->d_shared) + " shared)";
    if (spec.n_kv_heads == spec.n_heads)
        return "MHA";
    if (spec.n_kv_heads == 1)
        return "MQA";
    return std::string("GQA (") + (spec.kept_heads.empty() ? "" : "up to ") +
           std::to_string(spec.headsPerGroup()) + " queries per KV head)";
}

std::string_view positionsText(PositionKind positions) {
    switch (positions) {
    case PositionKind::Learned:
        return "learned positions";
    case PositionKind::Rotary:
        return "rotary positions";
    case PositionKind::Alibi:
        return "ALiBi";
    case PositionKind::Shortformer:
        return "learned positions of queries and keys (shortformer)";
    case PositionKind::None:
        break;
    }
    return "no positions";
}

std::string normText(const ModelSpec& spec) {
    const std::string kind = spec.norm.kind == NormKind::LayerNorm ? "LayerNorm" : "RMSNorm";
    switch (spec.norm_placement) {
    case NormPlacement::Pre:
        return kind + " before";
    case NormPlacement::Post:
        return kind + " after";
    case NormPlacement::Sandwich:
        return kind + " before and after";
    case NormPlacement::Output:
        return kind + " of outputs";
    case NormPlacement::None:
        break;
    }
    return "no norms";
}

std::string expertsText(const ExpertsSpec& experts) {
    return std::to_string(experts.n_chosen) + " of " + std::to_string(experts.n_experts) +
           " experts of " + std::to_string(experts.d_mlp) +
           (experts.d_shared == 0 ? ""
                                  : " and a shared one of " + std::to_string(experts.d_shared));
}

std::string mlpText(const ModelSpec& spec) {
    if (spec.mlp == MlpKind::None)
        return "attention only";
    const std::string mlp = (spec.mlp == MlpKind::Gated ? "gated MLP " : "MLP ") +
                            std::to_string(spec.d_mlp) + (spec.mlp_norm ? " with norms" : "");
    if (!spec.experts)
        return mlp;
    const std::size_t n_dense = spec.experts->dense_layers.size();
    return expertsText(*spec.experts) + (n_dense == 0
                                             ? ""
                                             : ", " + mlp + " in " + std::to_string(n_dense) +
                                                   (n_dense == 1 ? " layer" : " layers"));
}

/// "6 layers × 8 heads", or where some were removed "6 layers, 37 heads".
std::string headCountText(const ModelSpec& spec) {
    return counted(spec.n_layers, "layer") + (spec.kept_heads.empty()
                                                  ? " × " + counted(spec.n_heads, "head")
                                                  : ", " + counted(spec.allHeads().size(), "head"));
}

std::string architectureText(const ModelSpec& spec) {
    std::vector<std::string> parts{
        spec.family,
        headCountText(spec),
        attentionKind(spec),
        "d_model " + std::to_string(spec.d_model),
        "d_head " + std::to_string(spec.d_head) +
            (spec.d_head_v != 0 ? " (values " + std::to_string(spec.d_head_v) + ")" : ""),
        mlpText(spec),
        std::string(positionsText(spec.positions)) +
            (spec.relative_buckets == 0 ? "" : ", biases by distance"),
        normText(spec) + (spec.learned_sinks ? " · learned sinks" : ""),
        spec.causal ? "causal" : "bidirectional",
    };
    if (!spec.absent.attention.empty())
        parts.push_back("attention of " + layersText(spec.absent.attention) + " not in the file");
    if (spec.predictsClasses())
        parts.push_back(std::to_string(spec.d_vocab_out) + " classes");
    return join(parts, " · ");
}

/// One entry for all layers in which a matrix has the same shape.
std::vector<ModelCard::Matrix> matrices(const Model& model) {
    std::vector<ModelCard::Matrix> list;
    for (const RoleInfo& role : weightRoles()) {
        const std::string name = replaceAll(std::string(role.name), "{}", "*");
        const std::size_t first = list.size();
        const std::size_t layers = role.isPerLayer() ? model.spec.n_layers : 1;
        for (std::size_t layer = 0; layer < layers; ++layer) {
            if (!isShown(model, role, layer))
                continue;
            const Shape shape = role.shape(model.spec, layer);
            const auto same = std::find_if(
                list.begin() + static_cast<std::ptrdiff_t>(first), list.end(),
                [&](const ModelCard::Matrix& matrix) { return matrix.shape == shape; });
            if (same == list.end())
                list.push_back({name, shape, elementCount(shape), role.copies(model.spec, layer)});
            else
                same->count += role.copies(model.spec, layer);
        }
    }
    return list;
}

} // namespace

ModelCard modelCard(const Model& model) {
    const ModelSpec& spec = model.spec;
    ModelCard card;
    card.architecture = architectureText(spec);
    card.attention_kind = attentionKind(spec);
    card.matrices = matrices(model);
    for (const ModelCard::Matrix& matrix : card.matrices)
        card.total_parameters += matrix.parameters * matrix.count;
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        card.kv_bytes_per_token += spec.cacheWidth(layer) * sizeof(float);
        card.mha_kv_bytes_per_token +=
            (spec.queryWidth(layer) + spec.zWidth(layer)) * sizeof(float);
    }
    card.kv_bytes_full_context = card.kv_bytes_per_token * spec.n_ctx;
    return card;
}

} // namespace headscope
