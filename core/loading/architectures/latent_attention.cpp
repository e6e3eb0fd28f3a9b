// Families with latent attention: DeepSeek-V2 and V3, MiniCPM 3, GLM-4.7 Flash, Youtu, Sarvam 105B,
// Mistral 4. All name what makes queries, keys and values as DeepSeek-V2 does.

#include "core/base/text.h"
#include "core/loading/architectures/mixture_like.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace headscope {

namespace {

/// What a config means that does not say it.
struct LatentDefaults {
    LlamaDefaults llama = {};
    std::size_t d_kv = 512;
    std::size_t d_queries = 0; ///< 0: queries are made of x itself
    std::size_t d_own = 128;   ///< of each head's keys, "qk_nope_head_dim"
    std::size_t d_rotated = 64;
    std::size_t d_values = 128; ///< 0: d_model / n_heads
    /// Whether rotated dimensions are a fraction of the whole head, and not a head of their own.
    bool rotates_fraction = false;
};

/// Where the scores of a head are scaled once more for longer prompts, by the square of YaRN's
/// magnitude (DeepSeek-V2, 2024).
double stretchedScale(ConfigReader& config, double scale) {
    auto scaling = config.object("rope_parameters");
    if (!scaling)
        scaling = config.object("rope_scaling");
    if (!scaling || scaling->textOr({"rope_type", "type"}, "default") == "default" ||
        !scaling->has("mscale_all_dim"))
        return scale;
    const double magnitude = yarnMagnitude(scaling->positiveOr({"factor"}, 1.0),
                                           scaling->positiveOr({"mscale_all_dim"}, 1.0));
    return scale * magnitude * magnitude;
}

void readLatentRotary(ConfigReader& config, ModelSpec& spec, const LatentDefaults& defaults) {
    const std::size_t rotated = spec.latent->d_shared;
    const double whole = static_cast<double>(spec.d_head);
    spec.rotary = readRotary(
        config, spec,
        {.fraction = defaults.rotates_fraction ? static_cast<double>(rotated) / whole : 1.0,
         .d_part = defaults.rotates_fraction ? spec.d_head : rotated,
         .reads_fraction = true});
    if (spec.rotary.d_rotary != rotated)
        config.fail(ErrorCode::Mismatch, "rotates " + std::to_string(spec.rotary.d_rotary) +
                                             " dimensions of each head, expected the " +
                                             std::to_string(rotated) +
                                             " of qk_rope_head_dim; correct the config.");
    spec.attention_scale.assign(spec.n_layers, stretchedScale(config, 1.0 / std::sqrt(whole)));
}

/// Llama's sizes with latent attention and rotary positions in adjacent pairs.
ModelSpec readLatentSpec(ConfigReader& config, LatentDefaults defaults) {
    defaults.llama.d_head = 1; // which follows from others
    ModelSpec spec = readLlamaSpec(config, defaults.llama);
    if (spec.n_kv_heads != spec.n_heads)
        config.fail(ErrorCode::Mismatch, "has " + std::to_string(spec.n_heads) + " heads and " +
                                             std::to_string(spec.n_kv_heads) +
                                             " key-value heads, expected as many, since latent "
                                             "attention makes keys for each head; correct the "
                                             "config.");
    LatentSpec latent;
    latent.d_kv = config.sizeOr({"kv_lora_rank"}, defaults.d_kv);
    latent.d_queries =
        config.isNull("q_lora_rank") ? 0 : config.sizeOr({"q_lora_rank"}, defaults.d_queries);
    latent.d_shared = config.sizeOr({"qk_rope_head_dim"}, defaults.d_rotated);
    spec.d_head = config.sizeOr({"qk_nope_head_dim"}, defaults.d_own) + latent.d_shared;
    std::size_t d_values = config.sizeOr({"v_head_dim"}, defaults.d_values);
    if (d_values == 0)
        d_values = headSize(config, spec);
    spec.d_head_v = d_values == spec.d_head ? 0 : d_values;
    spec.latent = latent;
    config.passOver({"qk_head_dim"});
    readLatentRotary(config, spec, defaults);
    spec.rotary.pairs = RotaryPairs::Adjacent;
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    return spec;
}

/// rope_interleave: pairs are neighbours.
void readInterleaving(ConfigReader& config, ModelSpec& spec) {
    if (!config.flagOr({"rope_interleave"}, true))
        spec.rotary.pairs = RotaryPairs::Halves;
}

std::vector<TensorRule> latentProjections(const LatentSpec& latent) {
    using enum WeightRole;
    using enum Layout;
    const std::string attention = "model.layers.{}.self_attn.";
    std::vector<TensorRule> rules{
        {W_DKV, attention + "kv_a_proj_with_mqa.weight", LatentPart},
        {KvLatentNormWeight, attention + "kv_a_layernorm.weight"},
        {W_KR, attention + "kv_a_proj_with_mqa.weight", SharedKeyPart},
        {W_UK, attention + "kv_b_proj.weight", OwnKeyParts},
        {W_UV, attention + "kv_b_proj.weight", ValueParts},
        {W_O, attention + "o_proj.weight", Transposed},
    };
    if (latent.d_queries == 0)
        append(rules, {{W_UQ, attention + "q_proj.weight", RotatedLast}});
    else
        append(rules, {{W_DQ, attention + "q_a_proj.weight", Transposed},
                       {QLatentNormWeight, attention + "q_a_layernorm.weight"},
                       {W_UQ, attention + "q_b_proj.weight", RotatedLast}});
    return rules;
}

/// Biases of what makes the latents, and of W_O, where `attention_bias` is true.
void addLatentBiases(ConfigReader& config, Architecture& architecture) {
    using enum WeightRole;
    using enum Layout;
    if (!config.flagOr({"attention_bias"}, false))
        return;
    const std::string attention = "model.layers.{}.self_attn.";
    append(architecture.tensors, {{b_DKV, attention + "kv_a_proj_with_mqa.bias", LatentPart},
                                  {b_KR, attention + "kv_a_proj_with_mqa.bias", SharedKeyPart},
                                  {b_O, attention + "o_proj.bias"}});
    if (architecture.spec.latent->d_queries != 0)
        append(architecture.tensors, {{b_DQ, attention + "q_a_proj.bias"}});
}

/// Llama's network with latent attention. Without experts, `experts` is empty.
Architecture latentNetworkOf(ConfigReader& config, ModelSpec spec,
                             const std::vector<TensorRule>& experts = {}) {
    using enum WeightRole;
    Architecture network = mixtureOf(std::move(spec), experts);
    std::erase_if(network.tensors, [](const TensorRule& rule) {
        return rule.role == W_Q || rule.role == W_K || rule.role == W_V || rule.role == W_O;
    });
    append(network.tensors, latentProjections(*network.spec.latent));
    addLatentBiases(config, network);
    return network;
}

/// What a config means that does not say it.
struct DeepseekDefaults {
    std::size_t d_mlp = 2048; ///< of one expert
    std::size_t n_shared = 1;
    ExpertDefaults experts = {.n_experts = 256, .n_chosen = 8};
    RouterDefaults router = {.scale = 2.5};
};

/// Experts in all layers, with shared ones. Gives the width of the MLPs that may stand in their
/// place.
std::size_t readLatentMixture(ConfigReader& config, ModelSpec& spec,
                              const DeepseekDefaults& defaults) {
    const std::size_t d_dense = spec.d_mlp;
    const std::size_t d_mlp = config.sizeOr({"moe_intermediate_size"}, defaults.d_mlp);
    readExperts(config, spec, d_mlp, defaults.experts);
    spec.experts->d_shared =
        d_mlp * config.sizeOr({"n_shared_experts", "num_shared_experts"}, defaults.n_shared, 0);
    spec.experts->shared_gate = false;
    config.passOver({"aux_loss_alpha", "seq_aux", "ep_size"});
    return d_dense;
}

void requireText(ConfigReader& config, std::string_view key, std::string_view expected) {
    if (const std::string text = config.textOr({key}, expected); text != expected)
        config.fail(ErrorCode::Unsupported, "has " + std::string(key) + " '" + text +
                                                "', expected " + std::string(expected) + ".");
}

/// Layers with experts are all but the first ones.
void readDenseFirst(ConfigReader& config, ModelSpec& spec, std::size_t d_dense, std::size_t usual) {
    haveMlpsFirst(spec, d_dense, config.sizeOr({"first_k_dense_replace"}, usual, 0));
    if (config.sizeOr({"moe_layer_freq"}, 1) != 1)
        config.fail(ErrorCode::Unsupported,
                    "has experts in some of the later layers only, by moe_layer_freq, expected 1.");
}

std::vector<TensorRule> choiceBias() {
    return {{WeightRole::b_choice, "model.layers.{}.mlp.gate.e_score_correction_bias"}};
}

/// DeepSeek-V3 (2024) and what is as it is, with other sizes.
Architecture describeDeepseekLike(ConfigReader& config, const TensorSource& file,
                                  const LatentDefaults& sizes, const DeepseekDefaults& defaults,
                                  std::size_t n_dense) {
    ModelSpec spec = readLatentSpec(config, sizes);
    readInterleaving(config, spec);
    requireText(config, "scoring_func", "sigmoid");
    requireText(config, "topk_method", "noaux_tc");
    const std::size_t d_dense = readLatentMixture(config, spec, defaults);
    readSigmoidRouter(config, spec, defaults.router);
    readDenseFirst(config, spec, d_dense, n_dense);
    Architecture deepseek = latentNetworkOf(config, std::move(spec), expertTensors(file));
    append(deepseek.tensors, choiceBias());
    if (deepseek.spec.experts->d_shared != 0)
        append(deepseek.tensors, sharedExpertTensors("mlp.shared_experts"));
    passOverGuesses(config, file, deepseek);
    return deepseek;
}

} // namespace

Architecture describeDeepseekV3(ConfigReader& config, const TensorSource& file) {
    return describeDeepseekLike(
        config, file,
        {.llama = {.d_mlp = 18'432, .n_heads = 128, .n_ctx = 4096}, .d_queries = 1536},
        {.router = {.scale = 2.5, .n_groups = 8, .n_groups_chosen = 4}}, 3);
}

// Sarvam 105B (2026): DeepSeek-V3 with queries that are made of the residual stream.
Architecture describeSarvamMla(ConfigReader& config, const TensorSource& file) {
    return describeDeepseekLike(config, file,
                                {.llama = {.d_mlp = 16'384, .n_heads = 64, .n_ctx = 4096}},
                                {.experts = {.n_experts = 128, .n_chosen = 8}}, 1);
}

// DeepSeek-V2 (2024): a softmax in the router, whose groups are those of the best experts.
Architecture describeDeepseekV2(ConfigReader& config, const TensorSource& file) {
    ModelSpec spec = readLatentSpec(
        config, {.llama = {.d_mlp = 11'008, .n_heads = 32, .n_ctx = 2048}, .d_queries = 1536});
    requireText(config, "scoring_func", "softmax");
    config.refuse("norm_topk_prob", "weights of experts that are divided by their sum are not "
                                    "supported in this family, since transformers leaves them");
    config.refuse("mlp_bias", "biases of experts that all positions share are not supported");
    const std::size_t d_dense = readLatentMixture(
        config, spec,
        {.d_mlp = 1407,
         .n_shared = 2,
         .experts = {.n_experts = 64, .n_chosen = config.size({"num_experts_per_tok"})}});
    ExpertsSpec& experts = *spec.experts;
    experts.weights_sum_to_one = false;
    experts.weight_scale = config.positiveOr({"routed_scaling_factor"}, 1.0);
    const std::string method = config.textOr({"topk_method"}, "greedy");
    experts.groups_by_best = true;
    if (method == "group_limited_greedy")
        readExpertGroups(config, experts);
    else if (method == "greedy")
        config.passOver({"n_group", "topk_group"});
    else
        config.fail(ErrorCode::Unsupported,
                    "has topk_method '" + method + "', expected greedy or group_limited_greedy.");
    readDenseFirst(config, spec, d_dense, 0);
    Architecture deepseek = latentNetworkOf(config, std::move(spec), expertTensors(file));
    append(deepseek.tensors, sharedExpertTensors("mlp.shared_experts"));
    return deepseek;
}

// GLM-4.7 Flash (Zhipu AI 2026): DeepSeek-V3 with a list of which layers have experts.
Architecture describeGlm4MoeLite(ConfigReader& config, const TensorSource& file) {
    ModelSpec spec = readLatentSpec(
        config, {.llama = {.d_mlp = 10'240, .n_heads = 20, .n_ctx = 202'752, .eps = 1e-5},
                 .d_queries = 768,
                 .d_own = 192,
                 .d_values = 256});
    readInterleaving(config, spec);
    const std::size_t d_dense = readLatentMixture(
        config, spec, {.d_mlp = 1536, .experts = {.n_experts = 64, .n_chosen = 4}});
    readSigmoidRouter(config, spec, {.scale = 1.8});
    readMlpTypes(config, spec, d_dense, 1);
    config.passOver({"first_k_dense_replace", "topk_method"});
    Architecture glm = latentNetworkOf(config, std::move(spec), expertTensors(file));
    append(glm.tensors, choiceBias());
    append(glm.tensors, sharedExpertTensors("mlp.shared_experts"));
    passOverGuesses(config, file, glm);
    return glm;
}

// Mistral 4 (2026): a softmax in the router, and queries that grow as Ministral 3's do.
Architecture describeMistral4(ConfigReader& config, const TensorSource& file) {
    if (!config.has("rope_scaling"))
        config.assume(R"({"rope_parameters": {"rope_type": "yarn", "rope_theta": 10000.0,
        "factor": 128.0, "original_max_position_embeddings": 8192, "beta_fast": 32.0,
        "beta_slow": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0, "llama_4_scaling_beta": 0.1}})");
    ModelSpec spec =
        readLatentSpec(config, {.llama = {.d_mlp = 12'288, .n_heads = 32, .n_ctx = 1'048'576},
                                .d_kv = 256,
                                .d_queries = 1024,
                                .d_own = 64,
                                .rotates_fraction = true});
    readInterleaving(config, spec);
    if (auto growing = config.object("rope_parameters")) {
        spec.query_growth = growing->positiveOr({"llama_4_scaling_beta"}, 0.0);
        spec.growth_context = growing->sizeOr({"original_max_position_embeddings"}, spec.n_ctx);
    }
    const std::size_t d_dense =
        readLatentMixture(config, spec, {.experts = {.n_experts = 128, .n_chosen = 4}});
    ExpertsSpec& experts = *spec.experts;
    experts.weights_sum_to_one = config.flagOr({"norm_topk_prob"}, true);
    experts.weight_scale = config.positiveOr({"routed_scaling_factor"}, 1.0);
    readExpertGroups(config, experts);
    readDenseFirst(config, spec, d_dense, 0);
    Architecture mistral = latentNetworkOf(config, std::move(spec), expertTensors(file));
    append(mistral.tensors, sharedExpertTensors("mlp.shared_experts"));
    return mistral;
}

// Youtu-LLM (Tencent 2025): DeepSeek-V3 without experts.
Architecture describeYoutu(ConfigReader& config, const TensorSource&) {
    ModelSpec spec = readLatentSpec(
        config, {.llama = {.d_mlp = 6144, .n_heads = 16, .n_ctx = 131'072, .tied = true},
                 .d_queries = 1536});
    readInterleaving(config, spec);
    config.passOver({"embedding_initializer_range"});
    return latentNetworkOf(config, std::move(spec));
}

// MiniCPM 3 (OpenBMB 2024): its embedding, branches and logits are scaled; pairs are halves.
Architecture describeMinicpm3(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    ModelSpec spec = readLatentSpec(
        config,
        {.llama = {.d_mlp = 6400, .n_heads = 40, .n_ctx = 32'768, .eps = 1e-5, .tied = true},
         .d_kv = 256,
         .d_queries = 768,
         .d_own = 64,
         .d_rotated = 32,
         .d_values = 0});
    spec.rotary.pairs = RotaryPairs::Halves;
    spec.embedding_scale = config.positiveOr({"scale_emb"}, 12.0);
    const double layers = std::sqrt(static_cast<double>(spec.n_layers));
    const double depth =
        config.isNull("scale_depth") ? layers : config.positiveOr({"scale_depth"}, 1.4);
    const auto width = static_cast<double>(spec.d_model);
    const double base =
        config.isNull("dim_model_base") ? width : config.positiveOr({"dim_model_base"}, 256.0);
    Architecture minicpm = latentNetworkOf(config, std::move(spec));
    addMlpBiases(config, minicpm);
    for (const WeightRole role : {W_O, b_O, W_out, b_out})
        scaleRole(minicpm.tensors, role, depth / layers);
    scaleRole(minicpm.tensors, LnFinalWeight, base / width);
    return minicpm;
}

} // namespace headscope
