// Mixtures of experts whose routers choose by a bias that their weights leave out, nearly all of
// them with sigmoids as DeepSeek-V3 has: GLM-4.5, Sarvam, Solar Open, dots.llm1, ERNIE 4.5,
// MiniMax-M2, EXAONE MoE, Hunyuan 3, Flint, Kolibri.

#include "core/base/text.h"
#include "core/loading/architectures/mixture_like.h"

#include <string>
#include <utility>

namespace headscope {

namespace {

/// What a config means that does not say it.
struct SharedDefaults {
    std::size_t d_mlp = 0; ///< of one expert
    std::size_t n_shared =
        1; ///< how many of them stand in one MLP that every position goes through
    ExpertDefaults experts = {};
    RouterDefaults router = {};
};

/// Experts with a router like DeepSeek-V3's, and shared ones without a gate, in all layers. Gives
/// the width of the MLPs that may stand in their place.
std::size_t readSharedMixture(ConfigReader& config, ModelSpec& spec,
                              const SharedDefaults& defaults) {
    const std::size_t d_dense = spec.d_mlp;
    const std::size_t d_mlp = config.sizeOr({"moe_intermediate_size"}, defaults.d_mlp);
    readExperts(config, spec, d_mlp, defaults.experts);
    readSigmoidRouter(config, spec, defaults.router);
    const std::size_t n_shared = config.sizeOr(
        {"n_shared_experts", "num_shared_experts", "moe_num_shared_experts"}, defaults.n_shared, 0);
    spec.experts->d_shared = n_shared * d_mlp;
    spec.experts->shared_gate = false;
    return d_dense;
}

/// Names of a router's bias for the choice, after "model.layers.{}.": now and in published files.
std::vector<TensorRule> choiceBiases(const std::vector<std::string>& names) {
    std::vector<TensorRule> rules;
    rules.reserve(names.size());
    for (const std::string& name : names)
        rules.push_back({WeightRole::b_choice, "model.layers.{}." + name});
    return rules;
}

/// Tensors as transformers 5 writes those of GLM-4.5 and its kin.
Architecture sharedMixtureOf(ConfigReader& config, const TensorSource& file, ModelSpec spec) {
    Architecture mixture = mixtureOf(std::move(spec), expertTensors(file));
    append(mixture.tensors, choiceBiases({"mlp.gate.e_score_correction_bias"}));
    append(mixture.tensors, sharedExpertTensors("mlp.shared_experts"));
    passOverGuesses(config, file, mixture);
    return mixture;
}

void readQkNorms(ConfigReader& config, Architecture& mixture, bool usual) {
    if (!config.flagOr({"use_qk_norm"}, usual))
        return;
    mixture.spec.qk_norm = QkNorm::PerHead;
    append(mixture.tensors, llamaQkNorms());
}

} // namespace

// GLM-4.5 (Zhipu AI 2025): half of each head rotated, norms over the queries and keys of each head
// where the config asks for them.
Architecture describeGlm4Moe(ConfigReader& config, const TensorSource& file) {
    ModelSpec spec = readMixtureSpec(config, {.n_kv_heads = 8, .n_ctx = 131'072, .eps = 1e-5},
                                     {.fraction = 0.5, .reads_fraction = true});
    const std::size_t d_dense = readSharedMixture(
        config, spec, {.d_mlp = 1408, .experts = {.n_experts = 128, .n_chosen = 8}});
    haveMlpsFirst(spec, d_dense, config.sizeOr({"first_k_dense_replace"}, 1, 0));
    Architecture glm = sharedMixtureOf(config, file, std::move(spec));
    addQkvBiases(config, glm, false);
    readQkNorms(config, glm, false);
    return glm;
}

namespace {

/// What Sarvam's published files call otherwise than GLM-4.5's.
void nameAsPublished(std::vector<TensorRule>& rules, bool has_biases) {
    using enum WeightRole;
    using enum Layout;
    std::erase_if(rules, [](const TensorRule& rule) {
        return rule.role == W_Q || rule.role == W_K || rule.role == W_V || rule.role == b_Q ||
               rule.role == b_K || rule.role == b_V;
    });
    const std::string layer = "model.layers.{}.";
    append(rules, {{W_QKV, layer + "attention.query_key_value.weight", Transposed}});
    if (has_biases)
        append(rules, {{b_QKV, layer + "attention.query_key_value.bias"}});
    for (TensorRule& rule : rules)
        for (const auto& [role, name] :
             {std::pair(W_E, std::string("model.word_embeddings.weight")),
              {W_O, layer + "attention.dense.weight"},
              {QNormWeight, layer + "attention.query_layernorm.weight"},
              {KNormWeight, layer + "attention.key_layernorm.weight"},
              {b_choice, layer + "mlp.gate.expert_bias"}})
            if (rule.role == role)
                rule.name = name;
}

} // namespace

// Sarvam 30B (2026): GLM-4.5 that rotates whole heads, under names of its own.
Architecture describeSarvamMoe(ConfigReader& config, const TensorSource& file) {
    ModelSpec spec =
        readMixtureSpec(config, {.n_kv_heads = 4, .d_head = 64, .n_ctx = 131'072, .eps = 1e-6},
                        {.base = 8'000'000.0, .reads_fraction = true});
    const std::size_t d_dense = readSharedMixture(
        config, spec,
        {.d_mlp = 1024, .experts = {.n_experts = 128, .n_chosen = 6}, .router = {.scale = 2.5}});
    haveMlpsFirst(spec, d_dense, config.sizeOr({"first_k_dense_replace"}, 1, 0));
    Architecture sarvam = sharedMixtureOf(config, file, std::move(spec));
    const bool has_biases = config.flagOr({"attention_bias", "use_qkv_bias"}, false);
    if (has_biases)
        append(sarvam.tensors, llamaQkvBiases());
    readQkNorms(config, sarvam, true);
    if (hasTensorEnding(file, ".attention.query_key_value.weight"))
        nameAsPublished(sarvam.tensors, has_biases);
    return sarvam;
}

// Solar Open (Upstage 2025): GLM-4.5 with experts in all layers.
Architecture describeSolarOpen(ConfigReader& config, const TensorSource& file) {
    ModelSpec spec = readMixtureSpec(config,
                                     {.mlp_key = "moe_intermediate_size",
                                      .d_mlp = 1280,
                                      .n_kv_heads = 8,
                                      .d_head = 128,
                                      .n_ctx = 131'072,
                                      .eps = 1e-5},
                                     {.base = 1'000'000.0});
    readSharedMixture(config, spec, {.d_mlp = 1280, .experts = {.n_experts = 128, .n_chosen = 8}});
    // What transformers does not read.
    config.passOver({"intermediate_size", "first_k_dense_replace", "use_qk_norm"});
    Architecture solar = sharedMixtureOf(config, file, std::move(spec));
    addQkvBiases(config, solar, false);
    return solar;
}

// dots.llm1 (rednote-hilab 2025): Qwen 3 with windows in its last layers where the config has them.
Architecture describeDots1(ConfigReader& config, const TensorSource& file) {
    ModelSpec spec = readMixtureSpec(config, {.n_kv_heads = 32});
    spec.qk_norm = QkNorm::PerHead;
    const std::size_t d_dense = readSharedMixture(
        config, spec,
        {.d_mlp = 1408,
         .n_shared = config.size({"n_shared_experts"}),
         .experts = {.n_experts = config.size({"n_routed_experts", "num_local_experts"}),
                     .n_chosen = config.size({"num_experts_per_tok"})},
         .router = {.sum_to_one = false}});
    haveMlpsFirst(spec, d_dense, config.sizeOr({"first_k_dense_replace"}, 0, 0));
    const std::size_t window =
        config.isNull("sliding_window") ? 0 : config.sizeOr({"sliding_window"}, 4096);
    const std::size_t full_layers = config.sizeOr({"max_window_layers"}, 62, 0);
    readWindows(config, spec, window,
                [full_layers](std::size_t layer) { return layer >= full_layers; });
    Architecture dots = sharedMixtureOf(config, file, std::move(spec));
    append(dots.tensors, llamaQkNorms());
    addAttentionBiases(config, dots);
    return dots;
}

namespace {

/// Layers with experts are every moe_layer_interval-th of those from moe_layer_start_index to
/// moe_layer_end_index.
void readErnieLayers(ConfigReader& config, ModelSpec& spec, std::size_t d_dense) {
    const std::size_t interval = config.sizeOr({"moe_layer_interval"}, 1);
    const std::size_t start = config.sizeOr({"moe_layer_start_index"}, 1, 0);
    const double end = config.number("moe_layer_end_index").value_or(-1.0);
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        const bool behind = end != -1.0 && static_cast<double>(layer) > end;
        if ((layer + 1) % interval != 0 || layer < start || behind)
            spec.experts->dense_layers.push_back(layer);
    }
    if (!spec.experts->dense_layers.empty())
        spec.d_mlp = d_dense;
}

} // namespace

// ERNIE 4.5 (Baidu 2025), the mixtures: a softmax over the chosen experts, rotary positions in
// adjacent pairs.
Architecture describeErnie45Moe(ConfigReader& config, const TensorSource& file) {
    using enum WeightRole;
    config.refuse("use_bias", "biases of experts that all positions share are not supported");
    ModelSpec spec =
        readMixtureSpec(config, {.n_kv_heads = 4, .n_ctx = 131'072, .eps = 1e-5, .tied = true},
                        {.base = 500'000.0});
    spec.rotary.pairs = RotaryPairs::Adjacent;
    const std::size_t d_dense = readSharedMixture(config, spec,
                                                  {.d_mlp = 1536,
                                                   .n_shared = 2,
                                                   .experts = {.n_experts = 64, .n_chosen = 6},
                                                   .router = {.has_groups = false}});
    spec.experts->scores = RouterScores::Softmax;
    spec.experts->weights_sum_to_one = true;
    if (spec.experts->weight_scale != 1.0)
        config.note("routed_scaling_factor has no effect, as in transformers: this family does not "
                    "scale the weights of experts.");
    spec.experts->weight_scale = 1.0;
    readErnieLayers(config, spec, d_dense);
    constexpr double kSmallSum = 1e-6;
    if (config.positiveOr({"moe_norm_min"}, 1e-12) > kSmallSum)
        config.fail(ErrorCode::Unsupported,
                    "divides the weights of experts by 'moe_norm_min' at least, expected next to "
                    "nothing; open a model without it.");
    Architecture ernie = sharedMixtureOf(config, file, std::move(spec));
    std::erase_if(ernie.tensors, [](const TensorRule& rule) { return rule.role == b_choice; });
    for (const char* const place : {"mlp.gate.", "mlp."})
        append(ernie.tensors,
               {{b_choice,
                 "model.layers.{}." + std::string(place) + "moe_statics.e_score_correction_bias",
                 Layout::OneRow}});
    return ernie;
}

namespace {

/// Of each head that MiniMax-M2 rotates: rotary_dim of old configs, else partial_rotary_factor.
double readMiniMaxFraction(ConfigReader& config) {
    const std::size_t turned = config.sizeOr({"rotary_dim"}, 0);
    const std::size_t d_head = config.sizeOr({"head_dim"}, 128);
    return turned == 0 ? 1.0 : static_cast<double>(turned) / static_cast<double>(d_head);
}

} // namespace

// MiniMax-M2 (2025): norms over all queries and all keys, a part of each head rotated.
Architecture describeMiniMaxM2(ConfigReader& config, const TensorSource& file) {
    ModelSpec spec = readMixtureSpec(
        config, {.d_mlp = 1536, .n_kv_heads = 8, .d_head = 128, .n_ctx = 196'608},
        {.base = 5'000'000.0, .fraction = readMiniMaxFraction(config), .reads_fraction = true});
    spec.qk_norm = QkNorm::AllHeads;
    readExperts(config, spec, spec.d_mlp, {.n_experts = 256, .n_chosen = 8});
    spec.experts->scores = RouterScores::Sigmoid;
    spec.experts->choice_bias = ChoiceBias::Scores;
    Architecture minimax = mixtureOf(std::move(spec), mixtralExpertTensors(file));
    append(minimax.tensors, llamaQkNorms());
    append(minimax.tensors, choiceBiases({"mlp.e_score_correction_bias",
                                          "block_sparse_moe.e_score_correction_bias"}));
    passOverGuesses(config, file, minimax);
    return minimax;
}

// K-EXAONE (LG AI Research 2025): EXAONE 4 that normalises what branches read.
Architecture describeExaoneMoe(ConfigReader& config, const TensorSource& file) {
    ModelSpec spec = readMixtureSpec(config, {.n_heads = 32, .n_kv_heads = 32, .eps = 1e-5});
    spec.qk_norm = QkNorm::PerHead;
    const std::size_t d_dense = readSharedMixture(
        config, spec,
        {.d_mlp = 1024, .experts = {.n_experts = 64, .n_chosen = 8}, .router = {.scale = 2.5}});
    readMlpTypes(config, spec, d_dense, config.sizeOr({"first_k_dense_replace"}, 1, 0));
    const std::size_t window =
        config.isNull("sliding_window") ? 0 : config.sizeOr({"sliding_window"}, 4096);
    if (config.has("layer_types"))
        config.passOver({"sliding_window_pattern"}); // which may be "LLLG" then
    const std::size_t pattern =
        config.has("layer_types") ? 0 : config.sizeOr({"sliding_window_pattern"}, 4, 0);
    readWindows(config, spec, window,
                [&](std::size_t layer) { return pattern == 0 || (layer + 1) % pattern != 0; });
    if (window != 0)
        turnWindowsOnly(spec);
    Architecture exaone = sharedMixtureOf(config, file, std::move(spec));
    append(exaone.tensors, llamaQkNorms());
    append(exaone.tensors, choiceBiases({"mlp.e_score_correction_bias"}));
    return exaone;
}

// Hunyuan 3 (Tencent 2026).
Architecture describeHyV3(ConfigReader& config, const TensorSource& file) {
    config.refuse("mlp_bias", "biases of experts that all positions share are not supported");
    ModelSpec spec =
        readMixtureSpec(config, {.n_kv_heads = 8, .d_head = 128, .n_ctx = 131'072, .eps = 1e-5},
                        {.base = 11'158'840.0});
    spec.qk_norm = QkNorm::PerHead;
    const std::size_t d_dense = readSharedMixture(config, spec,
                                                  {.d_mlp = 1536,
                                                   .experts = {.n_experts = 192, .n_chosen = 8},
                                                   .router = {.has_groups = false}});
    spec.experts->weights_sum_to_one = true;
    spec.experts->weight_scale = config.positiveOr({"router_scaling_factor"}, 2.826);
    readMlpTypes(config, spec, d_dense, 1);
    const bool as_now = hasTensorEnding(file, ".mlp.gate.weight");
    ExpertNames names;
    names.router = as_now ? "mlp.gate.weight" : "mlp.router.gate.weight";
    Architecture hunyuan =
        mixtureOf(std::move(spec), expertTensors(names, holdsExpertsInOne(file)));
    append(hunyuan.tensors, choiceBiases({"mlp.e_score_correction_bias", "mlp.expert_bias"}));
    append(hunyuan.tensors, sharedExpertTensors(as_now ? "mlp.shared_experts" : "mlp.shared_mlp"));
    append(hunyuan.tensors, llamaQkNorms());
    addAttentionBiases(config, hunyuan);
    config.passOver({"enable_moe_fp32_combine"}); // which float32 does anyway
    passOverGuesses(config, file, hunyuan);
    return hunyuan;
}

namespace {

/// What a config means that does not say it.
struct SigmoidDefaults {
    std::size_t d_mlp = 0; ///< of one expert
    std::size_t d_shared = 0;
    ExpertDefaults experts = {};
    bool sum_to_one = true;
};

/// Experts weighted by sigmoids beside an MLP, under the keys of Qwen's mixtures.
void readSigmoidMixture(ConfigReader& config, ModelSpec& spec, const SigmoidDefaults& defaults) {
    readExperts(config, spec, config.sizeOr({"moe_intermediate_size"}, defaults.d_mlp),
                defaults.experts);
    spec.experts->scores = RouterScores::Sigmoid;
    spec.experts->weights_sum_to_one = config.flagOr({"norm_topk_prob"}, defaults.sum_to_one);
    spec.experts->d_shared =
        config.sizeOr({"shared_expert_intermediate_size"}, defaults.d_shared, 0);
    spec.experts->shared_gate = false;
}

} // namespace

// Flint (2026): Qwen 3 MoE with sigmoids, sinks, and a shared expert without a gate; layers that
// see all turn nothing.
Architecture describeFlint(ConfigReader& config, const TensorSource& file) {
    ModelSpec spec =
        readMixtureSpec(config, {.d_mlp = 6144, .n_kv_heads = 4, .d_head = 128, .n_ctx = 262'144});
    spec.qk_norm = QkNorm::PerHead;
    spec.learned_sinks = true;
    const std::size_t d_dense = spec.d_mlp;
    readSigmoidMixture(
        config, spec,
        {.d_mlp = 512, .d_shared = 1024, .experts = {.n_experts = 256, .n_chosen = 6}});
    readDenseLayers(config, spec, d_dense, 2);
    readWindows(config, spec, config.sizeOr({"sliding_window"}, 513), [&](std::size_t layer) {
        return layer >= 2 && layer % 4 != 1 && layer + 1 != spec.n_layers;
    });
    turnWindowsOnly(spec);
    Architecture flint = mixtureOf(std::move(spec), expertTensors(file));
    append(flint.tensors, sharedExpertTensors("mlp.shared_expert"));
    append(flint.tensors, llamaQkNorms());
    append(flint.tensors, {{WeightRole::Sinks, hasTensorEnding(file, ".self_attn.softmax_offset")
                                                   ? "model.layers.{}.self_attn.softmax_offset"
                                                   : "model.layers.{}.self_attn.sinks"}});
    addAttentionBiases(config, flint);
    return flint;
}

namespace {

/// After each branch, as published and as transformers names them.
std::vector<TensorRule> kolibriNorms() {
    using enum WeightRole;
    const std::string layer = "model.layers.{}.";
    return {{Ln1PostWeight, layer + "post_self_attn_layernorm.weight"},
            {Ln1PostWeight, layer + "post_attn_norm.weight"},
            {Ln2PostWeight, layer + "post_mlp_layernorm.weight"},
            {Ln2PostWeight, layer + "post_ffn_norm.weight"}};
}

} // namespace

// Kolibri 1 (Aleph Alpha 2026): norms before and after each branch, a bias that is added to the
// router's logits; layers that see all turn nothing.
Architecture describeKolibri1(ConfigReader& config, const TensorSource& file) {
    ModelSpec spec = readMixtureSpec(config, {.mlp_key = "moe_intermediate_size",
                                              .d_mlp = 512,
                                              .n_kv_heads = 4,
                                              .d_head = 128,
                                              .n_ctx = 262'144});
    spec.norm_placement = NormPlacement::Sandwich;
    spec.qk_norm = QkNorm::PerHead;
    readSigmoidMixture(config, spec,
                       {.d_mlp = 512,
                        .d_shared = 512,
                        .experts = {.n_experts = 384, .n_chosen = 6},
                        .sum_to_one = false});
    spec.experts->choice_bias = ChoiceBias::Logits;
    readWindows(config, spec, config.sizeOr({"sliding_window"}, 513),
                [](std::size_t layer) { return (layer + 1) % 5 != 0; });
    turnWindowsOnly(spec);
    Architecture kolibri = mixtureOf(std::move(spec), expertTensors(file));
    append(kolibri.tensors,
           choiceBiases({"mlp.gate.e_score_correction_bias", "moe.router.expert_bias"}));
    append(kolibri.tensors, sharedExpertTensors("mlp.shared_experts"));
    append(kolibri.tensors, llamaQkNorms());
    append(kolibri.tensors, kolibriNorms());
    return kolibri;
}

} // namespace headscope
