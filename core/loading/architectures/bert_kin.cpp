#include "core/loading/architectures/bert_like.h"
#include "core/loading/architectures/llama_like.h"

#include <string>
#include <vector>

// Encoders with rotary positions: ModernBERT, of Llama's parts, and its decoder, and Nomic BERT.

namespace headscope {

namespace {

void readModernBertSizes(ConfigReader& config, ModelSpec& spec) {
    readEncoderSizes(config, spec);
    spec.n_ctx = config.sizeOr({"max_position_embeddings"}, 8192);
    spec.norm.eps = config.positiveOr({"norm_eps"}, 1e-5);
    spec.activation = readActivation(config, {"hidden_activation"}, "gelu");
}

/// Every third layer sees all keys; the others see only a window of them.
void readModernBertPositions(ConfigReader& config, ModelSpec& spec, std::size_t window) {
    const std::size_t step = config.sizeOr({"global_attn_every_n_layers"}, 3);
    readWindows(config, spec, window, [step](std::size_t layer) { return layer % step != 0; });
    config.refuse("rope_scaling", "scaled positions are supported under 'rope_parameters' only");
    spec.positions = PositionKind::Rotary;
    const double base = config.positiveOr({"global_rope_theta"}, 160'000.0);
    const bool one_base = config.isNull("local_rope_theta");
    const double local = one_base ? base : config.positiveOr({"local_rope_theta"}, 10'000.0);
    spec.rotary = readRotary(config, spec, {.base = base, .layer_type = "full_attention"});
    spec.window_rotary = readWindowRotary(config, spec, local);
}

/// All but the queries, keys and values.
std::vector<TensorRule> modernBertBlocks() {
    using enum WeightRole;
    using enum Layout;
    const std::string layer = "model.layers.{}.";
    std::vector<TensorRule> rules{
        {W_E, "model.embeddings.tok_embeddings.weight"},
        {W_O, layer + "attn.Wo.weight", Transposed},
        {W_gate, layer + "mlp.Wi.weight", FirstHalf},
        {W_in, layer + "mlp.Wi.weight", SecondHalf},
        {W_out, layer + "mlp.Wo.weight", Transposed},
    };
    append(rules, layerNorm(LnEmbedWeight, LnEmbedBias, "model.embeddings.norm"));
    append(rules, layerNorm(Ln1Weight, Ln1Bias, layer + "attn_norm"));
    append(rules, layerNorm(Ln2Weight, Ln2Bias, layer + "mlp_norm"));
    append(rules, layerNorm(LnFinalWeight, LnFinalBias, "model.final_norm"));
    return rules;
}

/// Released models have none.
void dropNormBiases(std::vector<TensorRule>& rules) {
    using enum WeightRole;
    std::erase_if(rules, [](const TensorRule& rule) {
        return rule.role == LnEmbedBias || rule.role == Ln1Bias || rule.role == Ln2Bias ||
               rule.role == LnFinalBias || rule.role == LnMlmBias;
    });
}

/// Biases of projections, which released models do not have.
void addBiases(ConfigReader& config, std::vector<TensorRule>& rules,
               const std::vector<TensorRule>& qkv_biases) {
    using enum WeightRole;
    using enum Layout;
    const std::string layer = "model.layers.{}.";
    if (config.flagOr({"attention_bias"}, false)) {
        append(rules, qkv_biases);
        append(rules, {{b_O, layer + "attn.Wo.bias"}});
    }
    if (config.flagOr({"mlp_bias"}, false))
        append(rules, {{b_gate, layer + "mlp.Wi.bias", FirstHalf},
                       {b_in, layer + "mlp.Wi.bias", SecondHalf},
                       {b_out, layer + "mlp.Wo.bias"}});
}

void addHead(ConfigReader& config, Architecture& modern, const std::string& scope) {
    using enum WeightRole;
    modern.spec.output = OutputHead::MaskedLm;
    modern.spec.head_activation = readActivation(config, {"classifier_activation"}, "gelu");
    append(modern.tensors, {{W_mlm, scope + ".dense.weight", Layout::Transposed},
                            {modern.spec.tied_unembedding ? W_E : W_U, "decoder.weight"}});
    append(modern.tensors, layerNorm(LnMlmWeight, LnMlmBias, scope + ".norm"));
    if (config.flagOr({"classifier_bias"}, false))
        append(modern.tensors, {{b_mlm, scope + ".dense.bias"}});
    if (config.flagOr({"decoder_bias"}, true))
        append(modern.tensors, {{b_U, "decoder.bias"}});
}

/// What its encoder and its decoder do not share.
struct ModernBertParts {
    std::size_t window;
    std::string head; ///< "head"
    std::vector<TensorRule> qkv;
    std::vector<TensorRule> qkv_biases;
};

Architecture modernBert(ConfigReader& config, const TensorSource& file,
                        const ModernBertParts& parts) {
    Architecture modern;
    ModelSpec& spec = modern.spec;
    spec = encoderSpec();
    readModernBertSizes(config, spec);
    readModernBertPositions(config, spec, parts.window);
    spec.norm_placement = NormPlacement::Pre;
    spec.unnormed_layers = {0};
    spec.final_norm = true;
    spec.mlp = MlpKind::Gated;
    modern.base_prefix = "model.";
    modern.tensors = modernBertBlocks();
    append(modern.tensors, parts.qkv);
    addBiases(config, modern.tensors, parts.qkv_biases);
    spec.output = OutputHead::None;
    if (hasTensorLike(file, parts.head + ".dense."))
        addHead(config, modern, parts.head);
    if (!config.flagOr({"norm_bias"}, false))
        dropNormBiases(modern.tensors);
    config.passOver({"classifier_pooling", "cls_token_id", "deterministic_flash_attn",
                     "initializer_cutoff_factor", "layer_norm_eps", "position_embedding_type",
                     "reference_compile", "repad_logits_with_grad", "sparse_pred*"});
    modern.extras.push_back({"*classifier.*", "classifies texts; no token passes it"});
    modern.extras.push_back(
        {"*rotary_emb.*inv_freq", "rotary frequencies, which follow from the config"});
    return modern;
}

} // namespace

// ModernBERT (Warner et al. 2024): norms before the branches but for the first, rotary positions, a
// gated MLP; most layers see a window to both sides, with a base of their own. Its embedding models
// end with the last norm.
Architecture describeModernBert(ConfigReader& config, const TensorSource& file) {
    using enum WeightRole;
    const std::string fused = "model.layers.{}.attn.Wqkv";
    const std::size_t reach = config.sizeOr({"local_attention"}, 128) / 2;
    return modernBert(config, file,
                      {.window = 2 * reach + 1,
                       .head = "head",
                       .qkv = {{W_QKV, fused + ".weight", Layout::Transposed}},
                       .qkv_biases = {{b_QKV, fused + ".bias"}}});
}

// Its decoders (Weller et al. 2025): causal, so that windows reach back only.
Architecture describeModernBertDecoder(ConfigReader& config, const TensorSource& file) {
    using enum WeightRole;
    using enum Layout;
    const std::string attention = "model.layers.{}.attn.";
    if (config.isNull("local_attention"))
        config.fail(ErrorCode::Unsupported, "has 'local_attention' = null, which lets no token see "
                                            "anything in transformers.");
    const std::size_t reach = config.sizeOr({"local_attention"}, 128, 2) / 2;
    Architecture modern = modernBert(config, file,
                                     {.window = config.sizeOr({"sliding_window"}, reach),
                                      .head = "lm_head",
                                      .qkv = {{W_Q, attention + "q_proj.weight", Transposed},
                                              {W_K, attention + "k_proj.weight", Transposed},
                                              {W_V, attention + "v_proj.weight", Transposed}},
                                      .qkv_biases = {{b_Q, attention + "q_proj.bias"},
                                                     {b_K, attention + "k_proj.bias"},
                                                     {b_V, attention + "v_proj.bias"}}});
    modern.spec.causal = true;
    modern.spec.embedding_hook_prefix = "";
    return modern;
}

namespace {

/// "swiglu" of configs for the code that came with the first models is a gate with SiLU.
Activation readGate(ConfigReader& config) {
    if (!config.has("activation_function"))
        return readActivation(config, {"hidden_act"}, "silu");
    const std::string gate = config.textOr({"activation_function"}, "swiglu");
    if (gate != "swiglu")
        config.fail(ErrorCode::Unsupported,
                    "has activation_function '" + gate + "', expected 'swiglu'.");
    return Activation::Silu;
}

/// What that code could do besides.
void refuseNomicVariants(ConfigReader& config) {
    config.refuse("prenorm", "norms before the branches are not supported in this family");
    config.refuse("parallel_block", "parallel branches are not supported in this family");
    config.refuse("causal", "causal attention is not supported in this family");
    config.refuse("use_rms_norm", "RMSNorm is not supported in this family");
    config.refuse("rotary_emb_interleaved", "pairs of neighbours are not supported in this family");
    config.refuse("rotary_scaling_factor", "rotary positions that are stretched by the length of "
                                           "the prompt are not supported in this family");
    for (const char* bias : {"qkv_proj_bias", "mlp_fc1_bias", "mlp_fc2_bias"})
        config.refuse(bias, "biases are not supported in this family");
}

void readNomicSizes(ConfigReader& config, ModelSpec& spec) {
    spec.n_layers = config.size({"num_hidden_layers", "n_layer"});
    spec.d_model = config.size({"hidden_size", "n_embd"});
    spec.n_heads = config.size({"num_attention_heads", "n_head"});
    spec.n_kv_heads = spec.n_heads;
    spec.d_head = config.has("head_dim") ? config.size({"head_dim"}) : headSize(config, spec);
    spec.d_mlp = config.size({"intermediate_size", "n_inner"});
    spec.d_vocab = config.size({"vocab_size"});
    spec.n_ctx = config.size({"max_position_embeddings", "n_positions"});
    spec.n_token_types = config.sizeOr({"type_vocab_size"}, 2);
    spec.norm.eps = config.positiveOr({"layer_norm_eps", "layer_norm_epsilon"}, 1e-12);
    spec.attention_scale = usualAttentionScale(spec);
    spec.activation = readGate(config);
    spec.tied_unembedding = config.flagOr({"tie_word_embeddings"}, true);
    readSpecialTokens(config, spec);
}

/// Names of files, which transformers keeps when it writes.
std::vector<TensorRule> nomicEncoder() {
    using enum WeightRole;
    using enum Layout;
    const std::string layer = "encoder.layers.{}.";
    std::vector<TensorRule> rules{
        {W_E, "embeddings.word_embeddings.weight"},
        {W_token_type, "embeddings.token_type_embeddings.weight"},
        {W_QKV, layer + "attn.Wqkv.weight", Transposed},
        {W_O, layer + "attn.out_proj.weight", Transposed},
        {W_gate, layer + "mlp.fc12.weight", Transposed},
        {W_in, layer + "mlp.fc11.weight", Transposed},
        {W_out, layer + "mlp.fc2.weight", Transposed},
    };
    append(rules, layerNorm(LnEmbedWeight, LnEmbedBias, "emb_ln"));
    append(rules, layerNorm(Ln1Weight, Ln1Bias, layer + "norm1"));
    append(rules, layerNorm(Ln2Weight, Ln2Bias, layer + "norm2"));
    return rules;
}

} // namespace

// Nomic BERT (Nussbaum et al. 2024): BERT with rotary positions, a gated MLP and no biases but
// those of norms. Its embedding models end with the last layer.
Architecture describeNomicBert(ConfigReader& config, const TensorSource& file) {
    refuseNomicVariants(config);
    Architecture nomic;
    ModelSpec& spec = nomic.spec;
    spec = encoderSpec();
    readNomicSizes(config, spec);
    spec.positions = PositionKind::Rotary;
    spec.rotary = readRotary(config, spec, {.base = 1000.0});
    spec.mlp = MlpKind::Gated;
    const std::string scope = hasTensorLike(file, "nomic_bert.") ? "nomic_bert." : "bert.";
    nomic.base_prefix = scope;
    nomic.tensors = nomicEncoder();
    for (TensorRule& rule : nomic.tensors)
        rule.name = scope + rule.name;
    spec.output = OutputHead::None;
    if (hasTensorLike(file, "cls.predictions."))
        addMaskedLmHead(nomic, file,
                        {"cls.predictions", "cls.predictions.transform.dense",
                         "cls.predictions.transform.layer_norm"});
    nomic.extras = bertExtras();
    nomic.extras.push_back(
        {"*rotary_emb.inv_freq", "rotary frequencies, which follow from the config"});
    return nomic;
}

} // namespace headscope
