// Mixtures of experts in the lineage of Llama: Mixtral, Qwen 2 and 3 MoE, Mellum, OLMoE, FlexOlmo,
// Granite MoE, Hunyuan, GPT-OSS.

#include "core/base/text.h"
#include "core/loading/architectures/mixture_like.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

namespace headscope {

// Mixtral (Jiang et al. 2024): Mistral with experts.
Architecture describeMixtral(ConfigReader& config, const TensorSource& file) {
    ModelSpec spec = readMixtureSpec(config, {.n_kv_heads = 8, .n_ctx = 131'072, .eps = 1e-5},
                                     {.base = 1'000'000.0});
    readExperts(config, spec, spec.d_mlp, {.n_experts = 8, .n_chosen = 2});
    haveOneWindow(config, spec, config.sizeOr({"sliding_window"}, 0));
    return mixtureOf(std::move(spec), mixtralExpertTensors(file));
}

namespace {

/// What multiplies sine and cosine of scaled rotary positions: one number for short prompts and one
/// for long ones, which have to be the same.
void readMagnitude(ConfigReader& config, RotarySpec& rotary) {
    auto scaling =
        config.object(config.has("rope_parameters") ? "rope_parameters" : "rope_scaling");
    if (!scaling || rotary.scaling == RotaryScalingKind::None)
        return;
    const double shorter = scaling->positiveOr({"short_mscale"}, rotary.amplitude);
    const double longer = scaling->positiveOr({"long_mscale"}, shorter);
    if (shorter != longer)
        config.fail(ErrorCode::Unsupported,
                    "has 'short_mscale' = " + numberText(shorter) + " and 'long_mscale' = " +
                        numberText(longer) + ", expected one number; open a model without them.");
    rotary.amplitude = shorter;
}

/// Twice the noise that the router was trained with.
double readMixerMargin(ConfigReader& config) {
    const double noise = config.number("router_jitter_noise").value_or(0.01);
    if (!(noise >= 0.0))
        config.fail(ErrorCode::Unsupported, "has 'router_jitter_noise' = " + numberText(noise) +
                                                ", expected 0 or more; correct the config.");
    return 2.0 * noise;
}

} // namespace

// Phi-3.5-MoE (Abdin et al. 2024): Mixtral with LayerNorms and SparseMixer, which chooses two
// experts whatever the config says.
Architecture describePhimoe(ConfigReader& config, const TensorSource& file) {
    ModelSpec spec = readMixtureSpec(config, {.n_kv_heads = 8, .n_ctx = 131'072, .eps = 1e-5},
                                     {.base = 1'000'000.0});
    // By the length of the prompt, as Phi-3 has it; transformers 5.24 always takes the short
    // factors.
    readMagnitude(config, spec.rotary);
    spec.norm.kind = NormKind::LayerNorm;
    readExperts(config, spec, spec.d_mlp, {.n_experts = 16, .n_chosen = 2});
    spec.experts->n_chosen = 2;
    requireEnoughExperts(config, *spec.experts);
    spec.experts->scores = RouterScores::SparseMixer;
    spec.experts->mixer_margin = readMixerMargin(config);
    config.passOver({"input_jitter_noise"});
    haveOneWindow(config, spec, config.sizeOr({"sliding_window"}, 0));
    ExpertNames names;
    names.router = "mlp.router.weight";
    const bool as_now = hasTensorEnding(file, ".mlp.router.weight");
    Architecture phimoe =
        mixtureOf(std::move(spec), as_now ? expertTensors(names, holdsExpertsInOne(file))
                                          : mixtralExpertTensors(file));
    append(phimoe.tensors, llamaNormBiases());
    addAttentionBiases(config, phimoe);
    if (config.flagOr({"lm_head_bias"}, false))
        append(phimoe.tensors, {{WeightRole::b_U, "lm_head.bias"}});
    return phimoe;
}

namespace {

/// Three matrices hold all experts, one after another.
std::vector<TensorRule> dbrxTensors() {
    using enum WeightRole;
    using enum Layout;
    const std::string block = "transformer.blocks.{}.";
    const std::string experts = block + "ffn.experts.mlp.";
    return {{W_E, "transformer.wte.weight"},
            {LnFinalWeight, "transformer.norm_f.weight"},
            {W_U, "lm_head.weight"},
            {Ln1Weight, block + "norm_attn_norm.norm_1.weight"},
            {Ln2Weight, block + "norm_attn_norm.norm_2.weight"},
            {W_QKV, block + "norm_attn_norm.attn.Wqkv.weight", Transposed},
            {W_O, block + "norm_attn_norm.attn.out_proj.weight", Transposed},
            {W_router, block + "ffn.router.layer.weight", Transposed},
            {W_expert_gate, experts + "w1", ExpertsStackedTransposed},
            {W_expert_in, experts + "v1", ExpertsStackedTransposed},
            {W_expert_out, experts + "w2", ExpertsStacked}};
}

/// What it says of experts, in an object of its own.
void readDbrxExperts(ConfigReader& config, ModelSpec& spec) {
    ExpertsSpec& experts = spec.experts.emplace();
    experts.n_experts = config.sizeOr({"moe_num_experts"}, 4);
    experts.n_chosen = config.sizeOr({"moe_top_k"}, 1);
    experts.d_mlp = config.sizeOr({"ffn_hidden_size"}, 3584);
    requireEnoughExperts(config, experts);
    const double power = config.isNull("moe_normalize_expert_weights")
                             ? 0.0
                             : config.positiveOr({"moe_normalize_expert_weights"}, 1.0);
    experts.weights_sum_to_one = power != 0.0;
    if (power != 0.0 && power != 1.0)
        config.fail(ErrorCode::Unsupported, "has 'moe_normalize_expert_weights' = " +
                                                numberText(power) + ", expected 1 or null.");
    if (auto activation = config.object("ffn_act_fn"))
        spec.activation = readActivation(*activation, {"name"}, "silu");
    config.passOver(
        {"moe_jitter_eps", "moe_loss_weight", "hidden_size", "model_type", "is_encoder_decoder"});
}

/// Sizes and attention, whose limits and positions old configs have in an object of its own.
ModelSpec readDbrxSpec(ConfigReader& config) {
    ModelSpec spec;
    spec.n_layers = config.sizeOr({"n_layers", "num_hidden_layers"}, 24);
    spec.d_model = config.sizeOr({"d_model", "hidden_size"}, 2048);
    spec.n_heads = config.sizeOr({"n_heads", "num_attention_heads"}, 16);
    spec.n_ctx = config.sizeOr({"max_seq_len", "max_position_embeddings"}, 2048);
    spec.d_vocab = config.sizeOr({"vocab_size"}, 32'000);
    spec.d_head = headSize(config, spec);
    spec.n_kv_heads = 1;
    spec.positions = PositionKind::Rotary;
    spec.mlp = MlpKind::Gated;
    spec.activation = Activation::Silu;
    RotaryDefaults rotary;
    if (auto attention = config.object("attn_config")) {
        spec.n_kv_heads = attention->sizeOr({"kv_n_heads"}, 1);
        spec.qkv_clip = readClip(*attention);
        // transformers 5.24 takes 10,000 whatever it says here, where the models have 500,000.
        rotary.base = attention->positiveOr({"rope_theta"}, rotary.base);
        attention->passOver({"attn_pdrop", "model_type", "is_encoder_decoder"});
    }
    spec.rotary = readRotary(config, spec, rotary);
    spec.attention_scale = usualAttentionScale(spec);
    readSpecialTokens(config, spec);
    return spec;
}

} // namespace

// DBRX (Databricks 2024): LayerNorms without biases, queries, keys and values in one clipped
// matrix.
Architecture describeDbrx(ConfigReader& config, const TensorSource&) {
    config.refuse("tie_word_embeddings", "this family has an unembedding of its own");
    Architecture dbrx;
    dbrx.spec = readDbrxSpec(config);
    if (auto experts = config.object("ffn_config"))
        readDbrxExperts(*experts, dbrx.spec);
    else
        config.size({"ffn_config"}); // fails
    config.passOver({"resid_pdrop", "emb_pdrop", "output_router_logits", "num_key_value_heads"});
    dbrx.base_prefix = "transformer.";
    dbrx.tensors = dbrxTensors();
    dbrx.extras = llamaBuffers();
    return dbrx;
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
    haveOneWindow(config, spec, windowed ? window : 0);
    Architecture qwen3_moe = mixtureOf(std::move(spec), expertTensors(file));
    append(qwen3_moe.tensors, llamaQkNorms());
    addAttentionBiases(config, qwen3_moe);
    return qwen3_moe;
}

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
