// Mixtures of experts in the lineage of Llama: Mixtral, Qwen 2 and 3 MoE, Mellum, OLMoE, FlexOlmo,
// Granite MoE, Hunyuan, GPT-OSS.

#include "core/base/text.h"
#include "core/loading/architectures/llama_like.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

namespace headscope {

namespace {

/// How a file names what an MLP is replaced with, after "model.layers.{}.".
struct ExpertNames {
    std::string router;
    std::string gate = {}; ///< of one expert, "{}" is its number
    std::string in = {};
    std::string out = {};
    std::string gate_and_in = {}; ///< of all experts in one tensor
    std::string all_out = {};
};

/// Expert by expert, as published files have them, or all in one tensor.
std::vector<TensorRule> expertTensors(const ExpertNames& names, bool all_in_one) {
    using enum WeightRole;
    using enum Layout;
    const std::string layer = "model.layers.{}.";
    std::vector<TensorRule> rules{{W_router, layer + names.router, Transposed}};
    if (all_in_one)
        append(rules, {{W_expert_gate, layer + names.gate_and_in, ExpertsFirstHalf},
                       {W_expert_in, layer + names.gate_and_in, ExpertsSecondHalf},
                       {W_expert_out, layer + names.all_out, ExpertsTransposed}});
    else
        append(rules, {{W_expert_gate, layer + names.gate, Transposed},
                       {W_expert_in, layer + names.in, Transposed},
                       {W_expert_out, layer + names.out, Transposed}});
    return rules;
}

/// As transformers 5 holds experts, and older ones held those of all families but Mixtral.
std::vector<TensorRule> expertTensors(const TensorSource& file) {
    return expertTensors({"mlp.gate.weight", "mlp.experts.{}.gate_proj.weight",
                          "mlp.experts.{}.up_proj.weight", "mlp.experts.{}.down_proj.weight",
                          "mlp.experts.gate_up_proj", "mlp.experts.down_proj"},
                         hasTensorEnding(file, ".mlp.experts.gate_up_proj"));
}

/// What a config means that does not say it.
struct ExpertDefaults {
    std::size_t n_experts = 0;
    std::size_t n_chosen = 0;
};

/// Experts in all layers. `spec` has the rest of the network, and d_mlp is of the MLPs that stand
/// between them.
void readExperts(ConfigReader& config, ModelSpec& spec, std::size_t d_mlp,
                 const ExpertDefaults& defaults) {
    ExpertsSpec experts;
    experts.n_experts = config.sizeOr({"num_experts", "num_local_experts"}, defaults.n_experts);
    experts.n_chosen = config.sizeOr({"num_experts_per_tok"}, defaults.n_chosen);
    experts.d_mlp = d_mlp;
    if (experts.n_chosen > experts.n_experts)
        config.fail(ErrorCode::Mismatch, "chooses " + std::to_string(experts.n_chosen) + " of " +
                                             std::to_string(experts.n_experts) +
                                             " experts, expected no more than there are; correct "
                                             "the config.");
    config.passOver({"router_aux_loss_coef", "router_jitter_noise", "output_router_logits"});
    spec.experts = experts;
    spec.d_mlp = 0;
}

/// Layers that have an MLP: those named by mlp_only_layers, and of each decoder_sparse_step layers
/// all but the last. The MLPs are `d_mlp` wide.
void readDenseLayers(ConfigReader& config, ModelSpec& spec, std::size_t d_mlp) {
    const std::size_t step = config.sizeOr({"decoder_sparse_step"}, 1);
    std::vector<double> named = config.numbers("mlp_only_layers");
    std::ranges::sort(named);
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        if (std::ranges::binary_search(named, static_cast<double>(layer)) ||
            (layer + 1) % step != 0)
            spec.experts->dense_layers.push_back(layer);
    if (!spec.experts->dense_layers.empty())
        spec.d_mlp = d_mlp;
}

ModelSpec readMixtureSpec(ConfigReader& config, const LlamaDefaults& defaults = {},
                          const RotaryDefaults& rotary = {}) {
    ModelSpec spec = readLlamaSpec(config, defaults);
    spec.rotary = readRotary(config, spec, rotary);
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    return spec;
}

/// Llama's network with experts for the MLP; in some layers the MLP stays.
Architecture mixtureOf(ModelSpec spec, const std::vector<TensorRule>& experts) {
    Architecture mixture;
    mixture.base_prefix = "model.";
    mixture.tensors = llamaEmbeddings(spec);
    append(mixture.tensors, llamaInputNorms());
    append(mixture.tensors, llamaProjections());
    append(mixture.tensors, experts);
    if (spec.d_mlp != 0)
        append(mixture.tensors, llamaGatedMlp());
    mixture.extras = llamaBuffers();
    mixture.spec = std::move(spec);
    return mixture;
}

} // namespace

// Mixtral (Jiang et al. 2024): Mistral with experts.
Architecture describeMixtral(ConfigReader& config, const TensorSource& file) {
    ModelSpec spec = readMixtureSpec(config, {.n_kv_heads = 8, .n_ctx = 131'072, .eps = 1e-5},
                                     {.base = 1'000'000.0});
    readExperts(config, spec, spec.d_mlp, {.n_experts = 8, .n_chosen = 2});
    readWindows(config, spec, config.sizeOr({"sliding_window"}, 0),
                [](std::size_t) { return true; });
    const bool as_now = hasTensorEnding(file, ".mlp.experts.gate_up_proj");
    return mixtureOf(std::move(spec),
                     as_now ? expertTensors(file)
                            : expertTensors({.router = "block_sparse_moe.gate.weight",
                                             .gate = "block_sparse_moe.experts.{}.w1.weight",
                                             .in = "block_sparse_moe.experts.{}.w3.weight",
                                             .out = "block_sparse_moe.experts.{}.w2.weight"},
                                            false));
}

// Qwen 1.5 and 2 MoE (Yang et al. 2024): Qwen 2 with experts, one of which every position goes
// through, and windows in every other layer where they are switched on.
Architecture describeQwen2Moe(ConfigReader& config, const TensorSource& file) {
    using enum WeightRole;
    using enum Layout;
    ModelSpec spec = readMixtureSpec(config, {.n_ctx = 32'768});
    const std::size_t d_mlp = spec.d_mlp;
    readExperts(config, spec, config.sizeOr({"moe_intermediate_size"}, 1408),
                {.n_experts = 60, .n_chosen = 4});
    spec.experts->weights_sum_to_one = config.flagOr({"norm_topk_prob"}, false);
    spec.experts->d_shared = config.sizeOr({"shared_expert_intermediate_size"}, 5632);
    readDenseLayers(config, spec, d_mlp);
    const bool windowed = config.flagOr({"use_sliding_window"}, false);
    const std::size_t window = config.sizeOr({"sliding_window"}, 4096, 0);
    const std::size_t windows = config.sizeOr({"max_window_layers"}, 28, 0);
    readWindows(config, spec, windowed ? window : 0,
                [windows](std::size_t layer) { return layer % 2 == 0 && layer < windows; });
    Architecture qwen2_moe = mixtureOf(std::move(spec), expertTensors(file));
    const std::string shared = "model.layers.{}.mlp.shared_expert";
    append(qwen2_moe.tensors, {{W_shared_router, shared + "_gate.weight", Transposed},
                               {W_shared_gate, shared + ".gate_proj.weight", Transposed},
                               {W_shared_in, shared + ".up_proj.weight", Transposed},
                               {W_shared_out, shared + ".down_proj.weight", Transposed}});
    if (config.flagOr({"qkv_bias"}, true))
        append(qwen2_moe.tensors, llamaQkvBiases());
    return qwen2_moe;
}

// Qwen 3 MoE (Yang et al. 2025): Qwen 3 with experts, and a window in all layers where it is
// switched on.
Architecture describeQwen3Moe(ConfigReader& config, const TensorSource& file) {
    ModelSpec spec = readMixtureSpec(config, {.n_kv_heads = 4, .n_ctx = 32'768});
    spec.qk_norm = QkNorm::PerHead;
    const std::size_t d_mlp = spec.d_mlp;
    readExperts(config, spec, config.sizeOr({"moe_intermediate_size"}, 768),
                {.n_experts = 128, .n_chosen = 8});
    spec.experts->weights_sum_to_one = config.flagOr({"norm_topk_prob"}, false);
    readDenseLayers(config, spec, d_mlp);
    const bool windowed = config.flagOr({"use_sliding_window"}, false);
    const std::size_t window = config.sizeOr({"sliding_window"}, 4096, 0);
    readWindows(config, spec, windowed ? window : 0, [](std::size_t) { return true; });
    Architecture qwen3_moe = mixtureOf(std::move(spec), expertTensors(file));
    append(qwen3_moe.tensors, llamaQkNorms());
    addAttentionBiases(config, qwen3_moe);
    return qwen3_moe;
}

namespace {

/// Layers that have an MLP by mlp_layer_types, which are `d_mlp` wide.
void readMlpTypes(ConfigReader& config, ModelSpec& spec, std::size_t d_mlp) {
    const std::vector<std::string> types = config.texts("mlp_layer_types");
    for (std::size_t layer = 0; layer < types.size(); ++layer)
        if (types[layer] == "dense")
            spec.experts->dense_layers.push_back(layer);
        else if (types[layer] != "sparse")
            config.fail(ErrorCode::Unsupported,
                        "has an MLP of the type '" + types[layer] + "', expected dense or sparse.");
    if (!types.empty() && types.size() != spec.n_layers)
        config.fail(ErrorCode::Mismatch, "has " + std::to_string(types.size()) +
                                             " mlp_layer_types, expected one for each of the " +
                                             std::to_string(spec.n_layers) +
                                             " layers; correct the config.");
    if (!spec.experts->dense_layers.empty())
        spec.d_mlp = d_mlp;
}

} // namespace

// Mellum 2 (JetBrains 2026): Qwen 3 MoE with rotary positions of their own in layers with windows.
Architecture describeMellum(ConfigReader& config, const TensorSource& file) {
    ModelSpec spec = readMixtureSpec(config, {.n_kv_heads = 4, .d_head = 128, .n_ctx = 131'072},
                                     {.base = 500'000.0, .layer_type = "full_attention"});
    spec.window_rotary = readWindowRotary(config, spec, 10'000.0);
    spec.qk_norm = QkNorm::PerHead;
    const std::size_t d_mlp = spec.d_mlp;
    readExperts(config, spec, config.sizeOr({"moe_intermediate_size"}, 896),
                {.n_experts = 64, .n_chosen = 8});
    spec.experts->weights_sum_to_one = config.flagOr({"norm_topk_prob"}, true);
    readMlpTypes(config, spec, d_mlp);
    readWindows(config, spec, config.sizeOr({"sliding_window"}, 1024),
                [](std::size_t) { return false; });
    Architecture mellum = mixtureOf(std::move(spec), expertTensors(file));
    append(mellum.tensors, llamaQkNorms());
    addAttentionBiases(config, mellum);
    // The layer that guesses further tokens, which is not run.
    config.passOver({"num_nextn_predict_layers", "num_mtp_layers", "mtp_*"});
    return mellum;
}

// OLMoE (Muennighoff et al. 2024): Llama with experts and norms over all queries and all keys.
Architecture describeOlmoe(ConfigReader& config, const TensorSource& file) {
    ModelSpec spec = readMixtureSpec(config, {.n_ctx = 4096, .eps = 1e-5});
    spec.qkv_clip = readClip(config);
    spec.qk_norm = QkNorm::AllHeads;
    readExperts(config, spec, spec.d_mlp, {.n_experts = 64, .n_chosen = 8});
    spec.experts->weights_sum_to_one = config.flagOr({"norm_topk_prob"}, false);
    Architecture olmoe = mixtureOf(std::move(spec), expertTensors(file));
    append(olmoe.tensors, llamaQkNorms());
    addAttentionBiases(config, olmoe);
    return olmoe;
}

// FlexOlmo (Shi et al. 2025): OLMoE that normalises what a branch adds, not what it reads.
Architecture describeFlexOlmo(ConfigReader& config, const TensorSource& file) {
    using enum WeightRole;
    ModelSpec spec = readMixtureSpec(config, {.n_ctx = 4096}, {.base = 500'000.0});
    spec.qk_norm = QkNorm::AllHeads;
    spec.norm_placement = NormPlacement::Output;
    readExperts(config, spec, spec.d_mlp, {.n_experts = 7, .n_chosen = 5});
    spec.experts->weights_sum_to_one = config.flagOr({"norm_topk_prob"}, false);
    Architecture flex_olmo = mixtureOf(std::move(spec), expertTensors(file));
    std::erase_if(flex_olmo.tensors, [](const TensorRule& rule) {
        return rule.role == Ln1Weight || rule.role == Ln2Weight;
    });
    append(flex_olmo.tensors, llamaOutputNorms());
    append(flex_olmo.tensors, llamaQkNorms());
    addAttentionBiases(config, flex_olmo);
    return flex_olmo;
}

// Granite MoE (Granite Team 2024): Granite with experts, whose files hold all of them in one
// tensor.
Architecture describeGraniteMoe(ConfigReader& config, const TensorSource& file) {
    using enum WeightRole;
    ModelSpec spec = readMixtureSpec(config);
    spec.embedding_scale = config.positiveOr({"embedding_multiplier"}, 1.0);
    spec.attention_scale.assign(spec.n_layers, config.positiveOr({"attention_multiplier"}, 1.0));
    readExperts(config, spec, spec.d_mlp, {.n_experts = 8, .n_chosen = 2});
    const bool as_held = hasTensorEnding(file, ".block_sparse_moe.experts.gate_up_proj");
    const std::string experts = as_held ? "block_sparse_moe.experts." : "block_sparse_moe.";
    Architecture granite = mixtureOf(
        std::move(spec),
        expertTensors({.router = as_held ? "block_sparse_moe.router.weight"
                                         : "block_sparse_moe.router.layer.weight",
                       .gate_and_in = experts + (as_held ? "gate_up_proj" : "input_linear.weight"),
                       .all_out = experts + (as_held ? "down_proj" : "output_linear.weight")},
                      true));
    addAttentionBiases(config, granite);
    const double residual = config.positiveOr({"residual_multiplier"}, 1.0);
    for (const WeightRole role : {W_O, b_O, W_expert_out})
        scaleRole(granite.tensors, role, residual);
    scaleRole(granite.tensors, LnFinalWeight, 1.0 / config.positiveOr({"logits_scaling"}, 1.0));
    return granite;
}

// Granite MoE with an MLP beside the experts.
Architecture describeGraniteMoeShared(ConfigReader& config, const TensorSource& file) {
    using enum WeightRole;
    using enum Layout;
    Architecture granite = describeGraniteMoe(config, file);
    ExpertsSpec& experts = *granite.spec.experts;
    experts.d_shared = config.sizeOr({"shared_intermediate_size"}, 0, 0);
    experts.shared_gate = false;
    if (experts.d_shared == 0)
        return granite;
    const std::string mlp = "model.layers.{}.shared_mlp.";
    append(granite.tensors, {{W_shared_gate, mlp + "input_linear.weight", FirstHalf},
                             {W_shared_in, mlp + "input_linear.weight", SecondHalf},
                             {W_shared_out, mlp + "output_linear.weight", Transposed}});
    scaleRole(granite.tensors, W_shared_out, config.positiveOr({"residual_multiplier"}, 1.0));
    return granite;
}

namespace {

/// moe_topk, which may be one number for each layer.
std::size_t readHunyuanChoices(ConfigReader& config) {
    const std::vector<double> choices = config.numbersOrOne("moe_topk");
    if (choices.empty())
        return 1;
    if (std::ranges::adjacent_find(choices, std::not_equal_to()) != choices.end())
        config.fail(ErrorCode::Unsupported, "chooses several numbers of experts in 'moe_topk', "
                                            "expected one for all layers; open a model without "
                                            "it.");
    return static_cast<std::size_t>(std::clamp(choices[0], 1.0, 1e6));
}

} // namespace

// Hunyuan (Tencent 2025), the mixtures: the dense models with experts beside an MLP.
Architecture describeHunyuanMoe(ConfigReader& config, const TensorSource& file) {
    using enum WeightRole;
    using enum Layout;
    ModelSpec spec = readMixtureSpec(config, {.eps = 1e-5}, {.reads_alpha = true});
    spec.qk_norm = QkNorm::PerHead;
    spec.qk_norm_after_rotary = true;
    const std::size_t d_mlp = spec.d_mlp;
    readExperts(config, spec, d_mlp, {.n_experts = 1, .n_chosen = readHunyuanChoices(config)});
    spec.experts->d_shared = d_mlp;
    spec.experts->shared_gate = false;
    Architecture hunyuan =
        mixtureOf(std::move(spec),
                  expertTensors({"mlp.gate.wg.weight", "mlp.experts.{}.gate_proj.weight",
                                 "mlp.experts.{}.up_proj.weight", "mlp.experts.{}.down_proj.weight",
                                 "mlp.experts.gate_up_proj", "mlp.experts.down_proj"},
                                hasTensorEnding(file, ".mlp.experts.gate_up_proj")));
    const std::string shared = "model.layers.{}.mlp.shared_mlp.";
    append(hunyuan.tensors, {{W_shared_gate, shared + "gate_proj.weight", Transposed},
                             {W_shared_in, shared + "up_proj.weight", Transposed},
                             {W_shared_out, shared + "down_proj.weight", Transposed}});
    append(hunyuan.tensors, hunyuanQkNorms());
    addAttentionBiases(config, hunyuan);
    config.passOver({"eod_token_id"}); // ends a document
    return hunyuan;
}

namespace {

/// Gate and input lie in alternate columns of one tensor for all experts.
std::vector<TensorRule> gptOssExperts() {
    using enum WeightRole;
    using enum Layout;
    const std::string mlp = "model.layers.{}.mlp.";
    return {{W_router, mlp + "router.weight", Transposed},
            {b_router, mlp + "router.bias"},
            {W_expert_gate, mlp + "experts.gate_up_proj", ExpertsEven},
            {W_expert_in, mlp + "experts.gate_up_proj", ExpertsOdd},
            {W_expert_out, mlp + "experts.down_proj", ExpertsAsStored},
            {b_expert_gate, mlp + "experts.gate_up_proj_bias", ExpertsEven},
            {b_expert_in, mlp + "experts.gate_up_proj_bias", ExpertsOdd},
            {b_expert_out, mlp + "experts.down_proj_bias", ExpertsAsStored}};
}

/// SwiGLU within limits, whose activation is quick GELU for the usual alpha.
void readLimitedGate(ConfigReader& config, ModelSpec& spec) {
    constexpr double kQuickGelu = 1.702;
    if (const double alpha = config.positiveOr({"swiglu_alpha"}, kQuickGelu); alpha != kQuickGelu)
        config.fail(ErrorCode::Unsupported, "has 'swiglu_alpha' = " + numberText(alpha) +
                                                ", expected 1.702; open a model without it.");
    spec.activation = Activation::QuickGelu;
    config.passOver({"hidden_act"}); // which transformers does not read
    spec.experts->limit = config.positiveOr({"swiglu_limit"}, 7.0);
    spec.experts->biases = true;
}

} // namespace

// GPT-OSS (OpenAI 2025): Mixtral with biases, a limited gate, windows in every other layer, and a
// learned score in each head's softmax that stands for no key.
Architecture describeGptOss(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    ModelSpec spec =
        readLlamaSpec(config, {.n_kv_heads = 8, .d_head = 64, .n_ctx = 131'072, .eps = 1e-5});
    spec.rotary = readRotary(config, spec, {.base = 150'000.0});
    spec.learned_sinks = true;
    readExperts(config, spec, spec.d_mlp, {.n_experts = 128, .n_chosen = 4});
    readLimitedGate(config, spec);
    readWindows(config, spec, config.sizeOr({"sliding_window"}, 128),
                [](std::size_t layer) { return layer % 2 == 0; });
    Architecture gpt_oss = mixtureOf(std::move(spec), gptOssExperts());
    append(gpt_oss.tensors, {{Sinks, "model.layers.{}.self_attn.sinks"}});
    addAttentionBiases(config, gpt_oss, true);
    return gpt_oss;
}

} // namespace headscope
