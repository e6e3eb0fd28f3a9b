#include "core/model/weight_role.h"
#include "core/pruning/smaller_model.h"

namespace headscope {

namespace {

std::size_t parametersOf(const Model& model) {
    std::size_t sum = 0;
    for (const RoleInfo& role : weightRoles()) {
        if (role.isPart())
            continue; // of a fused tensor, which counts by itself
        const std::size_t copies = role.isPerLayer() ? model.spec.n_layers : 1;
        for (std::size_t layer = 0; layer < copies; ++layer)
            sum += sizeOf(role.tensor.read(model.weights, layer));
    }
    return sum;
}

/// Of a role in one layer that a token is multiplied with: those of the experts it goes through.
std::size_t numbersUsed(const Model& model, const RoleInfo& role, std::size_t layer) {
    const std::size_t all = sizeOf(role.tensor.read(model.weights, layer));
    if (!role.isPerExpert() || !model.spec.hasExperts(layer))
        return all;
    return all / model.spec.experts->n_experts * model.spec.experts->n_chosen;
}

/// Numbers of the matrices that a token is multiplied with: no tables that are looked up.
std::size_t multipliedNumbers(const Model& model) {
    std::size_t sum =
        model.spec.output == OutputHead::None ? 0 : model.weights.unembedding().size();
    for (const RoleInfo& role : weightRoles()) {
        const bool table = role.rows == Dim::Vocab || role.rows == Dim::Outputs ||
                           role.rows == Dim::Context || role.rows == Dim::TokenTypes;
        if (role.isPart() || role.isVector() || table)
            continue;
        const std::size_t copies = role.isPerLayer() ? model.spec.n_layers : 1;
        for (std::size_t layer = 0; layer < copies; ++layer)
            sum += numbersUsed(model, role, layer);
    }
    return sum;
}

} // namespace

ModelCost costOf(const Model& model) {
    const ModelSpec& spec = model.spec;
    ModelCost cost;
    cost.parameters = parametersOf(model);
    cost.flops_per_token = 2.0 * static_cast<double>(multipliedNumbers(model));
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        cost.kv_per_token += spec.keyWidth(layer) + spec.valueWidth(layer);
        cost.flops_per_token +=
            2.0 * static_cast<double>(spec.n_ctx) * static_cast<double>(spec.queryWidth(layer));
    }
    return cost;
}

ModelCost costAfter(const Model& model, const Cut& cut) {
    const ModelSpec& spec = model.spec;
    ModelSpec left = spec;
    left.kept_heads.assign(spec.n_layers, {});
    bool biased = false;
    for (const auto& [layer, repair] : cut.repairs)
        biased = biased || !repair->b_O.empty();
    ModelCost cost = costOf(model);
    cost.kv_per_token = 0;
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        for (const std::size_t place : placesLeft(spec, cut.removed, layer))
            left.kept_heads[layer].push_back(spec.headAt(layer, place).head);
        const AttentionWeights& attn = model.weights.layers[layer].attn;
        const std::size_t fused = spec.qkvWidth(layer) - left.qkvWidth(layer);
        const std::size_t queries = spec.queryWidth(layer) - left.queryWidth(layer);
        const std::size_t z = spec.zWidth(layer) - left.zWidth(layer);
        const std::size_t numbers = spec.d_model * (fused + z);
        cost.parameters -= numbers + (attn.b_QKV.empty() ? 0 : fused);
        cost.parameters += biased && attn.b_O.empty() ? spec.d_model : 0;
        cost.flops_per_token -=
            2.0 * (static_cast<double>(numbers) +
                   static_cast<double>(spec.n_ctx) * static_cast<double>(queries));
        cost.kv_per_token += left.keyWidth(layer) + left.valueWidth(layer);
    }
    return cost;
}

} // namespace headscope
