// Nomic BERT: an encoder with rotary positions.

#include "core/loading/architectures/bert_like.h"

namespace headscope {

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
