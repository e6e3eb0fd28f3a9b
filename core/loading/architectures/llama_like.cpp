#include "core/loading/architectures/llama_like.h"

namespace headscope {

namespace {

std::size_t sizeOrRequired(ConfigReader& config, std::string_view key, std::size_t fallback) {
    return fallback == 0 ? config.size({key}) : config.sizeOr({key}, fallback);
}

} // namespace

ModelSpec readLlamaSpec(ConfigReader& config, const LlamaDefaults& defaults) {
    ModelSpec spec;
    spec.n_layers = config.size({"num_hidden_layers", "num_layers"});
    spec.d_model = config.size({"hidden_size"});
    spec.n_heads = sizeOrRequired(config, "num_attention_heads", defaults.n_heads);
    spec.n_kv_heads = config.sizeOr({"num_key_value_heads"},
                                    defaults.n_kv_heads != 0 ? defaults.n_kv_heads : spec.n_heads);
    spec.d_head = config.sizeOr({"head_dim"}, 0);
    if (spec.d_head == 0)
        spec.d_head = defaults.d_head != 0 ? defaults.d_head : headSize(config, spec);
    spec.d_mlp = sizeOrRequired(config, defaults.mlp_key, defaults.d_mlp);
    spec.d_vocab = sizeOrRequired(config, "vocab_size", defaults.d_vocab);
    spec.n_ctx = config.sizeOr({"max_position_embeddings"}, defaults.n_ctx);
    spec.norm = {NormKind::RmsNorm,
                 config.positiveOr({"rms_norm_eps", "layer_norm_epsilon"}, defaults.eps)};
    spec.positions = PositionKind::Rotary;
    spec.attention_scale = usualAttentionScale(spec);
    spec.mlp = MlpKind::Gated;
    spec.tied_unembedding = config.flagOr({"tie_word_embeddings"}, defaults.tied);
    readSpecialTokens(config, spec);
    return spec;
}

std::vector<TensorRule> llamaEmbeddings(const ModelSpec& spec) {
    using enum WeightRole;
    return {
        {W_E, "model.embed_tokens.weight"},
        {LnFinalWeight, "model.norm.weight"},
        {spec.tied_unembedding ? W_E : W_U, "lm_head.weight"},
    };
}

std::vector<TensorRule> llamaInputNorms() {
    using enum WeightRole;
    return {{Ln1Weight, "model.layers.{}.input_layernorm.weight"},
            {Ln2Weight, "model.layers.{}.post_attention_layernorm.weight"}};
}

std::vector<TensorRule> llamaOutputNorms() {
    using enum WeightRole;
    return {{Ln1Weight, "model.layers.{}.post_attention_layernorm.weight"},
            {Ln2Weight, "model.layers.{}.post_feedforward_layernorm.weight"}};
}

std::vector<TensorRule> llamaProjections() {
    using enum WeightRole;
    using enum Layout;
    return {{W_Q, "model.layers.{}.self_attn.q_proj.weight", Transposed},
            {W_K, "model.layers.{}.self_attn.k_proj.weight", Transposed},
            {W_V, "model.layers.{}.self_attn.v_proj.weight", Transposed},
            {W_O, "model.layers.{}.self_attn.o_proj.weight", Transposed}};
}

std::vector<TensorRule> llamaGatedMlp() {
    using enum WeightRole;
    using enum Layout;
    return {{W_gate, "model.layers.{}.mlp.gate_proj.weight", Transposed},
            {W_in, "model.layers.{}.mlp.up_proj.weight", Transposed},
            {W_out, "model.layers.{}.mlp.down_proj.weight", Transposed}};
}

std::vector<TensorRule> llamaTensors(const ModelSpec& spec) {
    std::vector<TensorRule> rules = llamaEmbeddings(spec);
    append(rules, llamaInputNorms());
    append(rules, llamaProjections());
    append(rules, llamaGatedMlp());
    return rules;
}

std::vector<TensorRule> llamaNormBiases() {
    using enum WeightRole;
    return {{Ln1Bias, "model.layers.{}.input_layernorm.bias"},
            {Ln2Bias, "model.layers.{}.post_attention_layernorm.bias"},
            {LnFinalBias, "model.norm.bias"}};
}

std::vector<TensorRule> llamaQkvBiases() {
    using enum WeightRole;
    return {{b_Q, "model.layers.{}.self_attn.q_proj.bias"},
            {b_K, "model.layers.{}.self_attn.k_proj.bias"},
            {b_V, "model.layers.{}.self_attn.v_proj.bias"}};
}

std::vector<TensorRule> llamaQkNorms() {
    using enum WeightRole;
    return {{QNormWeight, "model.layers.{}.self_attn.q_norm.weight"},
            {KNormWeight, "model.layers.{}.self_attn.k_norm.weight"}};
}

std::vector<TensorRule> hunyuanQkNorms() {
    using enum WeightRole;
    return {{QNormWeight, "model.layers.{}.self_attn.query_layernorm.weight"},
            {KNormWeight, "model.layers.{}.self_attn.key_layernorm.weight"}};
}

void addQkvBiases(ConfigReader& config, Architecture& architecture, bool usual) {
    if (config.flagOr({"attention_bias"}, usual))
        append(architecture.tensors, llamaQkvBiases());
}

void addAttentionBiases(ConfigReader& config, Architecture& architecture, bool usual) {
    if (config.flagOr({"attention_bias"}, usual)) {
        append(architecture.tensors, llamaQkvBiases());
        append(architecture.tensors, {{WeightRole::b_O, "model.layers.{}.self_attn.o_proj.bias"}});
    } else {
        architecture.extras.push_back(
            {"*.self_attn.?_proj.bias", "attention_bias is not true in the config", true});
    }
}

std::vector<TensorRule> llamaMlpBiases() {
    using enum WeightRole;
    return {{b_gate, "model.layers.{}.mlp.gate_proj.bias"},
            {b_in, "model.layers.{}.mlp.up_proj.bias"},
            {b_out, "model.layers.{}.mlp.down_proj.bias"}};
}

void addMlpBiases(ConfigReader& config, Architecture& architecture) {
    if (config.flagOr({"mlp_bias"}, false))
        append(architecture.tensors, llamaMlpBiases());
    else
        architecture.extras.push_back(
            {"*.mlp.*_proj.bias", "mlp_bias is not true in the config", true});
}

void dropGate(std::vector<TensorRule>& rules) {
    std::erase_if(rules, [](const TensorRule& rule) {
        return rule.role == WeightRole::W_gate || rule.role == WeightRole::b_gate;
    });
}

void scaleRole(std::vector<TensorRule>& rules, WeightRole role, double factor) {
    for (TensorRule& rule : rules)
        if (rule.role == role)
            rule.factor *= factor;
}

void readWindows(ConfigReader& config, ModelSpec& spec, std::size_t window,
                 const std::function<bool(std::size_t)>& is_sliding) {
    const std::vector<std::string> types = config.texts("layer_types");
    if (!types.empty() && types.size() != spec.n_layers) {
        config.fail(ErrorCode::Mismatch, "has " + std::to_string(types.size()) +
                                             " layer_types, expected one for each of the " +
                                             std::to_string(spec.n_layers) +
                                             " layers; correct the config.");
        return;
    }
    spec.windows.assign(spec.n_layers, 0);
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        bool sliding = is_sliding(layer);
        if (!types.empty()) {
            sliding = types[layer] == "sliding_attention";
            if (!sliding && types[layer] != "full_attention")
                config.fail(ErrorCode::Unsupported, "has a layer of the type '" + types[layer] +
                                                        "', expected full_attention or "
                                                        "sliding_attention.");
        }
        if (sliding)
            spec.windows[layer] = window;
    }
}

void haveOneWindow(ConfigReader& config, ModelSpec& spec, std::size_t window) {
    spec.windows.assign(spec.n_layers, window);
    if (config.has("layer_types"))
        config.note("layer_types has no effect, as in transformers: in this family all layers have "
                    "the same window, or none.");
    config.passOver({"layer_types"});
}

void turnWindowsOnly(ModelSpec& spec) {
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        if (spec.window(layer) == 0)
            spec.unrotated_layers.push_back(layer);
}

RotarySpec readWindowRotary(ConfigReader& config, ModelSpec& spec, double base) {
    if (config.has("rope_parameters"))
        return readRotary(config, spec, {.base = base, .layer_type = "sliding_attention"});
    RotarySpec rotary;
    rotary.d_rotary = spec.d_head;
    rotary.base = base;
    return rotary;
}

void storeGainsMinusOne(std::vector<TensorRule>& rules) {
    using enum WeightRole;
    for (TensorRule& rule : rules)
        if (rule.role == Ln1Weight || rule.role == Ln1PostWeight || rule.role == Ln2Weight ||
            rule.role == Ln2PostWeight || rule.role == LnFinalWeight || rule.role == QNormWeight ||
            rule.role == KNormWeight)
            rule.layout = Layout::GainMinusOne;
}

std::vector<ExtraRule> llamaBuffers() {
    return {{"*rotary_emb.inv_freq", "rotary frequencies, which follow from the config"}};
}

} // namespace headscope
