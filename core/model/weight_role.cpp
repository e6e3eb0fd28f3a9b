#include "core/model/weight_role.h"

#include <array>
#include <cassert>

namespace headscope {

namespace {

/// object.*first.*second…
template <auto... Path>
auto& follow(auto& object) {
    return (object.*....*Path);
}

template <auto... Path>
constexpr TensorAccess kGlobal{
    [](Weights& weights, std::size_t) -> EditedParameter { return &follow<Path...>(weights); },
    [](const Weights& weights, std::size_t) -> Parameter { return &follow<Path...>(weights); }};

template <auto... Path>
constexpr TensorAccess kInLayer{[](Weights& weights, std::size_t layer) -> EditedParameter {
                                    return &follow<Path...>(weights.layers[layer]);
                                },
                                [](const Weights& weights, std::size_t layer) -> Parameter {
                                    return &follow<Path...>(weights.layers[layer]);
                                }};

constexpr auto kNormWeight = &NormWeights::weight;
constexpr auto kNormBias = &NormWeights::bias;
constexpr auto kAttn = &LayerWeights::attn;
constexpr auto kQNorm = &AttentionWeights::q_norm;
constexpr auto kKNorm = &AttentionWeights::k_norm;
constexpr auto kLatent = &AttentionWeights::latent;
constexpr auto kMlp = &LayerWeights::mlp;
constexpr auto kExperts = &LayerWeights::experts;
constexpr auto kShared = &ExpertsWeights::shared;
constexpr TensorAccess kFusedWeight = kInLayer<kAttn, &AttentionWeights::W_QKV>;
constexpr TensorAccess kFusedBias = kInLayer<kAttn, &AttentionWeights::b_QKV>;

using enum WeightRole;

constexpr std::array kRoles{
    RoleInfo{W_E, "embed.W_E", kGlobal<&Weights::W_E>, Dim::Vocab, Dim::Embed},
    RoleInfo{W_project_in, "embed.W_project_in", kGlobal<&Weights::W_project_in>, Dim::Embed,
             Dim::Model},
    RoleInfo{b_project_in, "embed.b_project_in", kGlobal<&Weights::b_project_in>, Dim::One,
             Dim::Model},
    RoleInfo{W_pos, "pos_embed.W_pos", kGlobal<&Weights::W_pos>, Dim::Context, Dim::EmbeddingSum},
    RoleInfo{W_token_type, "embed.W_token_type", kGlobal<&Weights::W_token_type>, Dim::TokenTypes,
             Dim::EmbeddingSum},
    RoleInfo{W_task_type, "embed.W_task_type", kGlobal<&Weights::W_task_type>, Dim::TaskTypes,
             Dim::EmbeddingSum},
    RoleInfo{W_rel_pos, "rel_pos_bias.W", kGlobal<&Weights::W_rel_pos>, Dim::Buckets, Dim::Heads},
    RoleInfo{LnEmbedWeight, "embed.ln.w", kGlobal<&Weights::ln_embed, kNormWeight>, Dim::One,
             Dim::EmbeddingSum},
    RoleInfo{LnEmbedBias, "embed.ln.b", kGlobal<&Weights::ln_embed, kNormBias>, Dim::One,
             Dim::EmbeddingSum},
    RoleInfo{Ln1Weight, "blocks.{}.ln1.w", kInLayer<&LayerWeights::ln1, kNormWeight>, Dim::One,
             Dim::Ln1},
    RoleInfo{Ln1Bias, "blocks.{}.ln1.b", kInLayer<&LayerWeights::ln1, kNormBias>, Dim::One,
             Dim::Ln1},
    RoleInfo{W_QKV, "blocks.{}.attn.W_QKV", kFusedWeight, Dim::Model, Dim::Qkv},
    RoleInfo{b_QKV, "blocks.{}.attn.b_QKV", kFusedBias, Dim::One, Dim::Qkv},
    RoleInfo{W_Q, "blocks.{}.attn.W_Q", kFusedWeight, Dim::Model, Dim::Query, Dim::Zero, Dim::Qkv},
    RoleInfo{b_Q, "blocks.{}.attn.b_Q", kFusedBias, Dim::One, Dim::Query, Dim::Zero, Dim::Qkv},
    RoleInfo{W_K, "blocks.{}.attn.W_K", kFusedWeight, Dim::Model, Dim::Key, Dim::Query, Dim::Qkv},
    RoleInfo{b_K, "blocks.{}.attn.b_K", kFusedBias, Dim::One, Dim::Key, Dim::Query, Dim::Qkv},
    RoleInfo{W_V, "blocks.{}.attn.W_V", kFusedWeight, Dim::Model, Dim::Value, Dim::QueryKey,
             Dim::Qkv},
    RoleInfo{b_V, "blocks.{}.attn.b_V", kFusedBias, Dim::One, Dim::Value, Dim::QueryKey, Dim::Qkv},
    RoleInfo{W_DQ, "blocks.{}.attn.W_DQ", kInLayer<kAttn, kLatent, &LatentWeights::W_DQ>,
             Dim::Model, Dim::QueryLatent},
    RoleInfo{b_DQ, "blocks.{}.attn.b_DQ", kInLayer<kAttn, kLatent, &LatentWeights::b_DQ>, Dim::One,
             Dim::QueryLatent},
    RoleInfo{QLatentNormWeight, "blocks.{}.attn.q_latent_norm.w",
             kInLayer<kAttn, kLatent, &LatentWeights::q_norm, kNormWeight>, Dim::One,
             Dim::QueryLatent},
    RoleInfo{W_UQ, "blocks.{}.attn.W_UQ", kInLayer<kAttn, kLatent, &LatentWeights::W_UQ>,
             Dim::QueryInput, Dim::Query},
    RoleInfo{W_DKV, "blocks.{}.attn.W_DKV", kInLayer<kAttn, kLatent, &LatentWeights::W_DKV>,
             Dim::Model, Dim::KvLatent},
    RoleInfo{b_DKV, "blocks.{}.attn.b_DKV", kInLayer<kAttn, kLatent, &LatentWeights::b_DKV>,
             Dim::One, Dim::KvLatent},
    RoleInfo{KvLatentNormWeight, "blocks.{}.attn.kv_latent_norm.w",
             kInLayer<kAttn, kLatent, &LatentWeights::kv_norm, kNormWeight>, Dim::One,
             Dim::KvLatent},
    RoleInfo{W_KR, "blocks.{}.attn.W_KR", kInLayer<kAttn, kLatent, &LatentWeights::W_KR>,
             Dim::Model, Dim::SharedKey},
    RoleInfo{b_KR, "blocks.{}.attn.b_KR", kInLayer<kAttn, kLatent, &LatentWeights::b_KR>, Dim::One,
             Dim::SharedKey},
    RoleInfo{W_UK, "blocks.{}.attn.W_UK", kInLayer<kAttn, kLatent, &LatentWeights::W_UK>,
             Dim::KvLatent, Dim::OwnKey},
    RoleInfo{W_UV, "blocks.{}.attn.W_UV", kInLayer<kAttn, kLatent, &LatentWeights::W_UV>,
             Dim::KvLatent, Dim::Value},
    RoleInfo{QNormWeight, "blocks.{}.attn.q_norm.w", kInLayer<kAttn, kQNorm, kNormWeight>, Dim::One,
             Dim::QueryNorm},
    RoleInfo{QNormBias, "blocks.{}.attn.q_norm.b", kInLayer<kAttn, kQNorm, kNormBias>, Dim::One,
             Dim::QueryNorm},
    RoleInfo{KNormWeight, "blocks.{}.attn.k_norm.w", kInLayer<kAttn, kKNorm, kNormWeight>, Dim::One,
             Dim::KeyNorm},
    RoleInfo{KNormBias, "blocks.{}.attn.k_norm.b", kInLayer<kAttn, kKNorm, kNormBias>, Dim::One,
             Dim::KeyNorm},
    RoleInfo{W_O, "blocks.{}.attn.W_O", kInLayer<kAttn, &AttentionWeights::W_O>, Dim::Z,
             Dim::Model},
    RoleInfo{b_O, "blocks.{}.attn.b_O", kInLayer<kAttn, &AttentionWeights::b_O>, Dim::One,
             Dim::Model},
    RoleInfo{Sinks, "blocks.{}.attn.sinks", kInLayer<kAttn, &AttentionWeights::sinks>, Dim::One,
             Dim::LayerHeads},
    RoleInfo{Ln1PostWeight, "blocks.{}.ln1_post.w", kInLayer<&LayerWeights::ln1_post, kNormWeight>,
             Dim::One, Dim::Model},
    RoleInfo{Ln2Weight, "blocks.{}.ln2.w", kInLayer<&LayerWeights::ln2, kNormWeight>, Dim::One,
             Dim::Model},
    RoleInfo{Ln2Bias, "blocks.{}.ln2.b", kInLayer<&LayerWeights::ln2, kNormBias>, Dim::One,
             Dim::Model},
    RoleInfo{W_gate, "blocks.{}.mlp.W_gate", kInLayer<kMlp, &MlpWeights::W_gate>, Dim::Model,
             Dim::Mlp},
    RoleInfo{b_gate, "blocks.{}.mlp.b_gate", kInLayer<kMlp, &MlpWeights::b_gate>, Dim::One,
             Dim::Mlp},
    RoleInfo{W_in, "blocks.{}.mlp.W_in", kInLayer<kMlp, &MlpWeights::W_in>, Dim::Model, Dim::Mlp},
    RoleInfo{b_in, "blocks.{}.mlp.b_in", kInLayer<kMlp, &MlpWeights::b_in>, Dim::One, Dim::Mlp},
    RoleInfo{MlpNormWeight, "blocks.{}.mlp.ln.w", kInLayer<kMlp, &MlpWeights::ln, kNormWeight>,
             Dim::One, Dim::Mlp},
    RoleInfo{MlpNormBias, "blocks.{}.mlp.ln.b", kInLayer<kMlp, &MlpWeights::ln, kNormBias>,
             Dim::One, Dim::Mlp},
    RoleInfo{W_out, "blocks.{}.mlp.W_out", kInLayer<kMlp, &MlpWeights::W_out>, Dim::Mlp,
             Dim::Model},
    RoleInfo{b_out, "blocks.{}.mlp.b_out", kInLayer<kMlp, &MlpWeights::b_out>, Dim::One,
             Dim::Model},
    RoleInfo{W_router, "blocks.{}.mlp.W_router", kInLayer<kExperts, &ExpertsWeights::W_router>,
             Dim::Model, Dim::Experts},
    RoleInfo{b_router, "blocks.{}.mlp.b_router", kInLayer<kExperts, &ExpertsWeights::b_router>,
             Dim::One, Dim::Experts},
    RoleInfo{b_choice, "blocks.{}.mlp.b_choice", kInLayer<kExperts, &ExpertsWeights::b_choice>,
             Dim::One, Dim::Experts},
    RoleInfo{W_expert_gate, "blocks.{}.mlp.experts.{}.W_gate",
             kInLayer<kExperts, &ExpertsWeights::W_gate>, Dim::Model, Dim::ExpertMlp},
    RoleInfo{b_expert_gate, "blocks.{}.mlp.experts.{}.b_gate",
             kInLayer<kExperts, &ExpertsWeights::b_gate>, Dim::One, Dim::ExpertMlp},
    RoleInfo{W_expert_in, "blocks.{}.mlp.experts.{}.W_in",
             kInLayer<kExperts, &ExpertsWeights::W_in>, Dim::Model, Dim::ExpertMlp},
    RoleInfo{b_expert_in, "blocks.{}.mlp.experts.{}.b_in",
             kInLayer<kExperts, &ExpertsWeights::b_in>, Dim::One, Dim::ExpertMlp},
    RoleInfo{W_expert_out, "blocks.{}.mlp.experts.{}.W_out",
             kInLayer<kExperts, &ExpertsWeights::W_out>, Dim::ExpertMlp, Dim::Model},
    RoleInfo{b_expert_out, "blocks.{}.mlp.experts.{}.b_out",
             kInLayer<kExperts, &ExpertsWeights::b_out>, Dim::One, Dim::Model},
    RoleInfo{W_shared_router, "blocks.{}.mlp.shared_expert.W_router",
             kInLayer<kExperts, &ExpertsWeights::W_shared_router>, Dim::Model, Dim::SharedGate},
    RoleInfo{W_shared_gate, "blocks.{}.mlp.shared_expert.W_gate",
             kInLayer<kExperts, kShared, &MlpWeights::W_gate>, Dim::Model, Dim::SharedMlp},
    RoleInfo{W_shared_in, "blocks.{}.mlp.shared_expert.W_in",
             kInLayer<kExperts, kShared, &MlpWeights::W_in>, Dim::Model, Dim::SharedMlp},
    RoleInfo{W_shared_out, "blocks.{}.mlp.shared_expert.W_out",
             kInLayer<kExperts, kShared, &MlpWeights::W_out>, Dim::SharedMlp, Dim::Model},
    RoleInfo{Ln2PostWeight, "blocks.{}.ln2_post.w", kInLayer<&LayerWeights::ln2_post, kNormWeight>,
             Dim::One, Dim::Model},
    RoleInfo{LnFinalWeight, "ln_final.w", kGlobal<&Weights::ln_final, kNormWeight>, Dim::One,
             Dim::Model},
    RoleInfo{LnFinalBias, "ln_final.b", kGlobal<&Weights::ln_final, kNormBias>, Dim::One,
             Dim::Model},
    RoleInfo{W_mlm, "mlm_head.W", kGlobal<&Weights::W_mlm>, Dim::Model, Dim::Embed},
    RoleInfo{b_mlm, "mlm_head.b", kGlobal<&Weights::b_mlm>, Dim::One, Dim::Embed},
    RoleInfo{LnMlmWeight, "mlm_head.ln.w", kGlobal<&Weights::ln_mlm, kNormWeight>, Dim::One,
             Dim::Embed},
    RoleInfo{LnMlmBias, "mlm_head.ln.b", kGlobal<&Weights::ln_mlm, kNormBias>, Dim::One,
             Dim::Embed},
    RoleInfo{W_project_out, "unembed.W_project_out", kGlobal<&Weights::W_project_out>, Dim::Model,
             Dim::Embed},
    RoleInfo{W_U, "unembed.W_U", kGlobal<&Weights::W_U>, Dim::Outputs, Dim::Embed},
    RoleInfo{b_U, "unembed.b_U", kGlobal<&Weights::b_U>, Dim::One, Dim::Outputs},
};

constexpr bool tableFollowsEnum() {
    for (std::size_t i = 0; i < kRoles.size(); ++i)
        if (kRoles[i].role != static_cast<WeightRole>(i))
            return false;
    return kRoles.size() == static_cast<std::size_t>(b_U) + 1;
}
static_assert(tableFollowsEnum());

/// The width of a latent in a layer, which has none where it has no heads.
std::size_t latentWidth(const ModelSpec& spec, std::size_t layer, std::size_t LatentSpec::*width) {
    return spec.latent && spec.headsIn(layer) != 0 ? (*spec.latent).*width : 0;
}

} // namespace

std::size_t dimSize(Dim dim, const ModelSpec& spec, std::size_t layer) {
    switch (dim) {
    case Dim::Zero:
        return 0;
    case Dim::One:
        return 1;
    case Dim::Vocab:
        return spec.d_vocab;
    case Dim::Outputs:
        return spec.outputs();
    case Dim::Embed:
        return spec.embeddingWidth();
    case Dim::EmbeddingSum:
        return spec.embeddingSumWidth();
    case Dim::Context:
        return spec.n_ctx + spec.position_offset;
    case Dim::TokenTypes:
        return spec.n_token_types;
    case Dim::TaskTypes:
        return spec.n_task_types;
    case Dim::Buckets:
        return spec.relative_buckets;
    case Dim::Heads:
        return spec.n_heads;
    case Dim::LayerHeads:
        return spec.headsIn(layer);
    case Dim::Model:
        return spec.d_model;
    case Dim::Ln1:
        return spec.hasLn1(layer) ? spec.d_model : 0;
    case Dim::Query:
        return spec.queryWidth(layer);
    case Dim::Key:
        return spec.keyWidth(layer);
    case Dim::Value:
        return spec.valueWidth(layer);
    case Dim::Z:
        return spec.zWidth(layer);
    case Dim::QueryKey:
        return spec.queryWidth(layer) + spec.keyWidth(layer);
    case Dim::Qkv:
        return spec.qkvWidth(layer);
    case Dim::QueryLatent:
        return latentWidth(spec, layer, &LatentSpec::d_queries);
    case Dim::KvLatent:
        return latentWidth(spec, layer, &LatentSpec::d_kv);
    case Dim::SharedKey:
        return latentWidth(spec, layer, &LatentSpec::d_shared);
    case Dim::QueryInput:
        return spec.latent && spec.latent->d_queries != 0 ? spec.latent->d_queries : spec.d_model;
    case Dim::OwnKey:
        return spec.kvHeadsIn(layer) * spec.ownKeyDim();
    case Dim::QueryNorm:
        return spec.hasQkGainsByHead() ? spec.queryWidth(layer) : spec.d_head;
    case Dim::KeyNorm:
        return spec.hasQkGainsByHead() ? spec.keyWidth(layer) : spec.d_head;
    case Dim::Mlp:
        return spec.mlpWidth(layer);
    case Dim::Experts:
        return spec.hasExperts(layer) ? spec.experts->n_experts : 0;
    case Dim::ExpertMlp:
        return spec.hasExperts(layer) ? spec.experts->d_mlp : 0;
    case Dim::SharedMlp:
        return spec.hasExperts(layer) ? spec.experts->d_shared : 0;
    case Dim::SharedGate:
        return spec.hasExperts(layer) && spec.experts->gatesShared() ? 1 : 0;
    }
    assert(false);
    return 0;
}

std::string_view dimName(Dim dim, const ModelSpec& spec) {
    switch (dim) {
    case Dim::Zero:
        return "0";
    case Dim::One:
    case Dim::SharedGate:
        return "1";
    case Dim::Vocab:
        return "d_vocab";
    case Dim::Outputs:
        return spec.predictsClasses() ? "d_vocab_out" : "d_vocab";
    case Dim::Embed:
        return spec.d_embed != 0 ? "d_embed" : "d_model";
    case Dim::EmbeddingSum:
        return spec.narrow_embedding ? "d_embed" : "d_model";
    case Dim::Context:
        return spec.position_offset != 0 ? "n_ctx + position_offset" : "n_ctx";
    case Dim::TokenTypes:
        return "n_token_types";
    case Dim::TaskTypes:
        return "n_task_types";
    case Dim::Buckets:
        return "buckets";
    case Dim::Heads:
    case Dim::LayerHeads:
        return "n_heads";
    case Dim::Model:
    case Dim::Ln1:
        return "d_model";
    case Dim::Query:
        return "n_heads·d_head";
    case Dim::Key:
        return "n_kv_heads·d_head";
    case Dim::Value:
        return spec.d_head_v != 0 ? "n_kv_heads·d_head_v" : "n_kv_heads·d_head";
    case Dim::Z:
        return spec.d_head_v != 0 ? "n_heads·d_head_v" : "n_heads·d_head";
    case Dim::QueryKey:
        return "(n_heads + n_kv_heads)·d_head";
    case Dim::Qkv:
        return "(n_heads + 2·n_kv_heads)·d_head";
    case Dim::QueryLatent:
        return "d_queries";
    case Dim::KvLatent:
        return "d_kv";
    case Dim::SharedKey:
        return "d_shared";
    case Dim::QueryInput:
        return spec.latent && spec.latent->d_queries != 0 ? "d_queries" : "d_model";
    case Dim::OwnKey:
        return "n_heads·(d_head − d_shared)";
    case Dim::QueryNorm:
        return spec.hasQkGainsByHead() ? "n_heads·d_head" : "d_head";
    case Dim::KeyNorm:
        return spec.hasQkGainsByHead() ? "n_kv_heads·d_head" : "d_head";
    case Dim::Mlp:
    case Dim::ExpertMlp:
        return "d_mlp";
    case Dim::Experts:
        return "n_experts";
    case Dim::SharedMlp:
        return "d_shared";
    }
    assert(false);
    return "";
}

Shape RoleInfo::shape(const ModelSpec& spec, std::size_t layer) const {
    if (isVector())
        return {dimSize(cols, spec, layer)};
    return {dimSize(rows, spec, layer), dimSize(cols, spec, layer)};
}

Shape RoleInfo::tensorShape(const ModelSpec& spec, std::size_t layer) const {
    Shape whole = shape(spec, layer);
    if (isPart())
        whole.back() = dimSize(tensor_cols, spec, layer);
    if (isPerExpert())
        whole.insert(whole.begin(), copies(spec, layer));
    return whole;
}

std::span<const RoleInfo> weightRoles() {
    return kRoles;
}

const RoleInfo& roleInfo(WeightRole role) {
    return kRoles[static_cast<std::size_t>(role)];
}

const Shape& shapeOf(Parameter parameter) {
    return *std::visit([](const auto* tensor) { return &tensor->shape(); }, parameter);
}

std::size_t sizeOf(Parameter parameter) {
    return std::visit([](const auto* tensor) { return tensor->size(); }, parameter);
}

WeightMatrix matrixOf(Parameter parameter) {
    return std::visit([](const auto* tensor) { return WeightMatrix(tensor->matrix()); }, parameter);
}

Weights borrowedWeights(const Weights& weights, const std::shared_ptr<const void>& owner) {
    Weights borrowed;
    borrowed.layers.resize(weights.layers.size());
    for (const RoleInfo& role : weightRoles()) {
        if (role.isPart())
            continue;
        const std::size_t layers = role.isPerLayer() ? weights.layers.size() : 1;
        for (std::size_t layer = 0; layer < layers; ++layer)
            std::visit(
                [&]<class T>(T* target) {
                    *target =
                        T::borrowed(*std::get<const T*>(role.tensor.read(weights, layer)), owner);
                },
                role.tensor.edit(borrowed, layer));
    }
    return borrowed;
}

namespace {

std::string withFirstMark(std::string_view name, const std::string& text) {
    const std::size_t mark = name.find("{}");
    if (mark == std::string_view::npos)
        return std::string(name);
    return std::string(name.substr(0, mark)) + text + std::string(name.substr(mark + 2));
}

} // namespace

std::string atLayer(std::string_view name, std::size_t layer) {
    return withFirstMark(name, std::to_string(layer));
}

std::string atExpert(std::string_view name, std::optional<std::size_t> expert) {
    return withFirstMark(name, expert ? std::to_string(*expert) : "*");
}

} // namespace headscope
