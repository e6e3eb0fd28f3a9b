#include "core/model/model_card.h"

#include "core/base/text.h"
#include "core/model/weight_role.h"

namespace headscope {

namespace {

std::string attentionKind(const ModelSpec& spec) {
    if (spec.n_kv_heads == spec.n_heads)
        return "MHA";
    if (spec.n_kv_heads == 1)
        return "MQA";
    return "GQA (" + std::to_string(spec.headsPerGroup()) + " queries per KV head)";
}

std::string_view positionsText(PositionKind positions) {
    switch (positions) {
    case PositionKind::Learned:
        return "learned positions";
    case PositionKind::Rotary:
        return "rotary positions";
    case PositionKind::Alibi:
        return "ALiBi";
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

std::string mlpText(const ModelSpec& spec) {
    if (spec.mlp == MlpKind::None)
        return "attention only";
    return (spec.mlp == MlpKind::Gated ? "gated MLP " : "MLP ") + std::to_string(spec.d_mlp);
}

std::string architectureText(const ModelSpec& spec) {
    const std::vector<std::string> parts{
        spec.family,
        std::to_string(spec.n_layers) + (spec.n_layers == 1 ? " layer × " : " layers × ") +
            std::to_string(spec.n_heads) + (spec.n_heads == 1 ? " head" : " heads"),
        attentionKind(spec),
        "d_model " + std::to_string(spec.d_model),
        "d_head " + std::to_string(spec.d_head),
        mlpText(spec),
        std::string(positionsText(spec.positions)),
        normText(spec),
        spec.causal ? "causal" : "bidirectional",
    };
    return join(parts, " · ");
}

/// The matrices as a reader thinks of them: Q, K and V apart, one entry for all layers.
std::vector<ModelCard::Matrix> matrices(const Model& model) {
    std::vector<ModelCard::Matrix> list;
    for (const RoleInfo& role : weightRoles()) {
        const bool fused = role.role == WeightRole::W_QKV || role.role == WeightRole::b_QKV;
        const bool per_layer = role.isPerLayer();
        if (fused || (per_layer && model.weights.layers.empty()) ||
            role.tensor.read(model.weights, 0).empty())
            continue;
        std::string name(role.name);
        if (per_layer)
            name.replace(name.find("{}"), 2, "*");
        const Shape shape = role.shape(model.spec);
        list.push_back({name, shape, elementCount(shape), per_layer ? model.spec.n_layers : 1});
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
    for (const ModelCard::Matrix& matrix : card.matrices) {
        card.total_parameters += matrix.parameters * matrix.count;
        if (matrix.name.starts_with("blocks."))
            card.layer_parameters += matrix.parameters;
        if (matrix.name.starts_with("blocks.*.attn."))
            card.attention_parameters += matrix.parameters;
    }
    // Keys and values: 2 · n_layers · n_kv_heads · d_head numbers per token.
    card.kv_bytes_per_token = 2 * spec.n_layers * spec.kvWidth() * sizeof(float);
    card.kv_bytes_full_context = card.kv_bytes_per_token * spec.n_ctx;
    card.mha_kv_bytes_per_token = 2 * spec.n_layers * spec.queryWidth() * sizeof(float);
    return card;
}

} // namespace headscope
