#include "core/model/random_model.h"

#include "core/base/random.h"
#include "core/model/weight_role.h"
#include "core/tensor/half.h"
#include "core/tensor/parallel.h"

#include <cmath>
#include <variant>
#include <vector>

namespace headscope {

namespace {

constexpr float kDeviation = 0.02f;

/// Roles that the loader fills for a network of this kind; W_Q, W_K and W_V are one in W_QKV.
std::vector<WeightRole> rolesOf(const ModelSpec& spec) {
    using enum WeightRole;
    std::vector<WeightRole> roles;
    const auto add = [&roles](bool wanted, std::initializer_list<WeightRole> more) {
        if (wanted)
            roles.insert(roles.end(), more);
    };
    const bool layer_norm = spec.norm.kind == NormKind::LayerNorm;
    const auto addNorm = [&](bool wanted, WeightRole weight, WeightRole bias) {
        add(wanted, {weight});
        add(wanted && layer_norm, {bias});
    };
    const bool norms = spec.norm_placement != NormPlacement::None;
    const bool sandwich = spec.norm_placement == NormPlacement::Sandwich;
    const bool mlp = spec.mlp != MlpKind::None;
    const bool masked_lm = spec.output == OutputHead::MaskedLm;

    add(true, {W_E});
    add(spec.d_embed != 0, {W_project_in});
    add(spec.projectsParts(), {W_project_out});
    add(spec.narrow_embedding, {b_project_in});
    add(spec.hasPositionTable(), {W_pos});
    add(spec.n_token_types != 0, {W_token_type});
    add(spec.n_task_types != 0, {W_task_type});
    add(spec.relative_buckets != 0, {W_rel_pos});
    addNorm(spec.norm_after_embedding, LnEmbedWeight, LnEmbedBias);

    addNorm(norms, Ln1Weight, Ln1Bias);
    add(!spec.latent, {W_QKV});
    add(spec.latent.has_value(),
        {W_DQ, QLatentNormWeight, W_UQ, W_DKV, KvLatentNormWeight, W_KR, W_UK, W_UV});
    add(true, {W_O});
    add(layer_norm && norms && !spec.latent, {b_QKV});
    add(layer_norm && norms, {b_O});
    add(spec.learned_sinks, {Sinks});
    addNorm(spec.qk_norm != QkNorm::None, QNormWeight, QNormBias);
    addNorm(spec.qk_norm != QkNorm::None, KNormWeight, KNormBias);
    add(sandwich, {Ln1PostWeight});

    addNorm(norms && mlp && !spec.shared_norm, Ln2Weight, Ln2Bias);
    add(spec.mlp == MlpKind::Gated, {W_gate});
    add(mlp, {W_in, W_out});
    add(mlp && layer_norm && norms, {b_in, b_out});
    addNorm(spec.mlp_norm, MlpNormWeight, MlpNormBias);
    add(spec.experts.has_value(), {W_router, W_expert_gate, W_expert_in, W_expert_out});
    add(spec.experts && spec.experts->biases, {b_router, b_expert_gate, b_expert_in, b_expert_out});
    add(spec.experts && spec.experts->choice_bias != ChoiceBias::None, {b_choice});
    add(spec.experts && spec.experts->gatesShared(), {W_shared_router});
    add(spec.experts && spec.experts->d_shared != 0, {W_shared_gate, W_shared_in, W_shared_out});
    add(mlp && sandwich, {Ln2PostWeight});

    addNorm(spec.final_norm, LnFinalWeight, LnFinalBias);
    add(masked_lm, {W_mlm, b_mlm, b_U});
    addNorm(masked_lm, LnMlmWeight, LnMlmBias);
    add(spec.output != OutputHead::None && !spec.tied_unembedding, {W_U});
    return roles;
}

/// Nearly normal with standard deviation 1: the sum of four uniform numbers (Irwin-Hall), which are
/// 15 bits each of one draw.
float nearlyNormal(Random& random) {
    constexpr std::size_t largest = (std::size_t{1} << 15) - 1;
    constexpr float centre = 2.0f * largest;
    constexpr float deviation = 18918.61f; // sqrt(4 · (2³⁰ − 1) / 12)
    const std::size_t draw = random.below(std::size_t{1} << 60);
    const std::size_t sum =
        (draw & largest) + (draw >> 15 & largest) + (draw >> 30 & largest) + (draw >> 45);
    return (static_cast<float>(sum) - centre) / deviation;
}

Tensor randomTensor(const Shape& shape, std::uint64_t seed) {
    Random random(seed);
    Tensor tensor = Tensor::uninitialised(shape);
    for (float& value : tensor.values())
        value = kDeviation * nearlyNormal(random);
    return tensor;
}

/// The same numbers rounded.
WeightTensor randomWeights(const Shape& shape, std::uint64_t seed, FloatFormat format) {
    if (format == FloatFormat::Float32)
        return randomTensor(shape, seed);
    Random random(seed);
    WeightTensor weights(format, shape);
    for (std::uint16_t& word : weights.words().values())
        word = narrow(format, kDeviation * nearlyNormal(random));
    return weights;
}

/// One that is still to be made.
struct RandomMatrix {
    WeightTensor* place = nullptr;
    Shape shape;
    std::uint64_t seed = 0;
};

/// The factor of a norm, not its bias.
bool isGain(const RoleInfo& role) {
    return role.isVector() && role.name.ends_with(".w");
}

std::vector<double> usualScale(const ModelSpec& spec) {
    return std::vector<double>(spec.n_layers, 1.0 / std::sqrt(static_cast<double>(spec.d_head)));
}

} // namespace

std::shared_ptr<const Model> randomModel(const ModelSpec& spec, std::uint64_t seed,
                                         FloatFormat format) {
    auto model = std::make_shared<Model>();
    model->name = "random " + spec.family;
    model->spec = spec;
    model->weights.layers.resize(spec.n_layers);
    Random seeds(seed);
    std::vector<RandomMatrix> matrices;
    for (const WeightRole id : rolesOf(spec)) {
        const RoleInfo& role = roleInfo(id);
        const std::size_t count = role.isPerLayer() ? spec.n_layers : 1;
        for (std::size_t layer = 0; layer < count; ++layer) {
            const Shape shape = role.tensorShape(spec, layer);
            if (elementCount(shape) == 0)
                continue; // a layer has experts or an MLP
            const EditedParameter place = role.tensor.edit(model->weights, layer);
            const std::uint64_t own_seed = isGain(role) ? 0 : seeds.below(std::size_t{1} << 60);
            if (Tensor* const* const vector = std::get_if<Tensor*>(&place))
                **vector = isGain(role) ? Tensor(shape, 1.0f) : randomTensor(shape, own_seed);
            else
                matrices.push_back({std::get<WeightTensor*>(place), shape, own_seed});
        }
    }
    parallelFor(matrices.size(), [&](std::size_t i, std::size_t) {
        *matrices[i].place = randomWeights(matrices[i].shape, matrices[i].seed, format);
    });
    model->report.weight_bytes = randomModelBytes(spec, format);
    return model;
}

std::size_t randomModelBytes(const ModelSpec& spec, FloatFormat format) {
    std::size_t bytes = 0;
    for (const WeightRole id : rolesOf(spec)) {
        const RoleInfo& role = roleInfo(id);
        const std::size_t layers = role.isPerLayer() ? spec.n_layers : 1;
        const std::size_t each = bytesPerNumber(role.isVector() ? FloatFormat::Float32 : format);
        for (std::size_t layer = 0; layer < layers; ++layer)
            bytes += elementCount(role.tensorShape(spec, layer)) * each;
    }
    return bytes;
}

ModelSpec gpt2SmallShape(std::size_t n_ctx) {
    ModelSpec spec;
    spec.family = "gpt2";
    spec.n_layers = 12;
    spec.d_model = 768;
    spec.n_heads = 12;
    spec.n_kv_heads = 12;
    spec.d_head = 64;
    spec.d_mlp = 3072;
    spec.d_vocab = 50257;
    spec.n_ctx = n_ctx;
    spec.attention_scale = usualScale(spec);
    spec.tied_unembedding = true;
    return spec;
}

ModelSpec llama1bShape(std::size_t n_ctx) {
    ModelSpec spec;
    spec.family = "llama";
    spec.n_layers = 22;
    spec.d_model = 2048;
    spec.n_heads = 32;
    spec.n_kv_heads = 4;
    spec.d_head = 64;
    spec.d_mlp = 5632;
    spec.d_vocab = 32000;
    spec.n_ctx = n_ctx;
    spec.norm = {NormKind::RmsNorm, 1e-5};
    spec.positions = PositionKind::Rotary;
    spec.rotary.d_rotary = spec.d_head;
    spec.attention_scale = usualScale(spec);
    spec.mlp = MlpKind::Gated;
    spec.activation = Activation::Silu;
    return spec;
}

ModelSpec llama7bShape(std::size_t n_ctx) {
    ModelSpec spec = llama1bShape(n_ctx);
    spec.n_layers = 32;
    spec.d_model = 4096;
    spec.n_kv_heads = 32;
    spec.d_head = 128;
    spec.d_mlp = 11008;
    spec.rotary.d_rotary = spec.d_head;
    spec.attention_scale = usualScale(spec);
    return spec;
}

} // namespace headscope
