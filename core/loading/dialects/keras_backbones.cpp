#include "core/loading/dialects/keras_backbones.h"

#include "core/base/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace headscope {

namespace {

/// How far rotary positions are taken to reach where a config does not say; noted for the user.
std::size_t assumedContext(ConfigReader& config) {
    constexpr std::size_t context = 8192;
    config.note("The Keras config does not say how long a prompt may be: " +
                std::to_string(context) + " tokens are allowed.");
    return context;
}

// GPT2Backbone of KerasHub as Hugging Face's gpt2: three kernels become the columns of c_attn.

nlohmann::json kerasGpt2Config(ConfigReader& config, const TensorSource&) {
    return {{"model_type", "gpt2"},
            {"vocab_size", config.size({"vocabulary_size"})},
            {"n_layer", config.size({"num_layers"})},
            {"n_head", config.size({"num_heads"})},
            {"n_embd", config.size({"hidden_dim"})},
            {"n_inner", config.size({"intermediate_dim"})},
            {"n_positions", config.sizeOr({"max_sequence_length"}, 1024)},
            {"layer_norm_epsilon", 1e-5},
            {"activation_function", "gelu_new"}};
}

std::vector<KerasName> kerasGpt2Names(std::string_view) {
    const std::string block = "transformer_decoder{}.";
    const std::string attention = block + "_self_attention_layer.";
    const std::string torch = "transformer.h.{}.";
    return {
        {"reversible_embedding.vars.0", "transformer.wte.weight"},
        {"position_embedding.vars.0", "transformer.wpe.weight"},
        {block + "_self_attention_layer_norm.vars.0", torch + "ln_1.weight"},
        {block + "_self_attention_layer_norm.vars.1", torch + "ln_1.bias"},
        {attention + "query_dense.vars.0", torch + "attn.c_attn.weight"},
        {attention + "key_dense.vars.0", torch + "attn.c_attn.weight"},
        {attention + "value_dense.vars.0", torch + "attn.c_attn.weight"},
        {attention + "query_dense.vars.1", torch + "attn.c_attn.bias"},
        {attention + "key_dense.vars.1", torch + "attn.c_attn.bias"},
        {attention + "value_dense.vars.1", torch + "attn.c_attn.bias"},
        {attention + "output_dense.vars.0", torch + "attn.c_proj.weight"},
        {attention + "output_dense.vars.1", torch + "attn.c_proj.bias"},
        {block + "_feedforward_layer_norm.vars.0", torch + "ln_2.weight"},
        {block + "_feedforward_layer_norm.vars.1", torch + "ln_2.bias"},
        {block + "_feedforward_intermediate_dense.vars.0", torch + "mlp.c_fc.weight"},
        {block + "_feedforward_intermediate_dense.vars.1", torch + "mlp.c_fc.bias"},
        {block + "_feedforward_output_dense.vars.0", torch + "mlp.c_proj.weight"},
        {block + "_feedforward_output_dense.vars.1", torch + "mlp.c_proj.bias"},
        {"layer_normalization.vars.0", "transformer.ln_f.weight"},
        {"layer_normalization.vars.1", "transformer.ln_f.bias"},
    };
}

// LlamaBackbone of KerasHub and its relatives as Hugging Face's llama, mistral and qwen2: one
// layout, with the family's name in the names of the layers.

/// ReversibleEmbedding has a matrix of its own for the way back, [d_model, d_vocab]; no config says
/// so.
bool hasUnembedding(const TensorSource& file) {
    return std::ranges::any_of(file.tensors(), [](const TensorInfo& tensor) {
        return tensor.name.ends_with("reversible_embedding.vars.1");
    });
}

nlohmann::json commonConfig(ConfigReader& config, const TensorSource& file,
                            std::string_view model_type) {
    return {{"model_type", model_type},
            {"vocab_size", config.size({"vocabulary_size"})},
            {"num_hidden_layers", config.size({"num_layers"})},
            {"num_attention_heads", config.size({"num_query_heads"})},
            {"num_key_value_heads", config.size({"num_key_value_heads"})},
            {"hidden_size", config.size({"hidden_dim"})},
            {"intermediate_size", config.size({"intermediate_dim"})},
            {"max_position_embeddings", assumedContext(config)},
            {"rms_norm_eps", config.positiveOr({"layer_norm_epsilon"}, 1e-6)},
            {"hidden_act", "silu"},
            {"rope_theta", config.positiveOr({"rope_max_wavelength"}, 10000.0)},
            {"tie_word_embeddings", !hasUnembedding(file)}};
}

/// Positions divided by a factor, and the adjustment of Llama 3.1, which needs all its keys.
nlohmann::json ropeScaling(ConfigReader& config) {
    const double factor =
        config.positiveOr({"rope_position_scaling_factor", "rope_scaling_factor"}, 1.0);
    if (!config.has("rope_frequency_adjustment_factor"))
        return factor == 1.0 ? nlohmann::json()
                             : nlohmann::json{{"rope_type", "linear"}, {"factor", factor}};
    if (factor != 1.0)
        config.fail(ErrorCode::Unsupported,
                    "scales rotary positions in two ways at once, which is not supported; open a "
                    "model with one of them.");
    return {
        {"rope_type", "llama3"},
        {"factor", config.positiveOr({"rope_frequency_adjustment_factor"}, 8.0)},
        {"low_freq_factor", config.positiveOr({"rope_low_freq_factor"}, 1.0)},
        {"high_freq_factor", config.positiveOr({"rope_high_freq_factor"}, 4.0)},
        {"original_max_position_embeddings", config.size({"rope_pretraining_sequence_length"})}};
}

nlohmann::json scaledConfig(ConfigReader& config, const TensorSource& file,
                            std::string_view model_type) {
    nlohmann::json translated = commonConfig(config, file, model_type);
    if (nlohmann::json scaling = ropeScaling(config); !scaling.is_null())
        translated["rope_scaling"] = std::move(scaling);
    return translated;
}

std::vector<KerasName> llamaNames(const std::string& block_name, const std::string& final_norm) {
    using enum KerasForm;
    const std::string block = block_name + "{}.";
    const std::string attention = block + "_self_attention_layer.";
    const std::string torch = "model.layers.{}.";
    return {
        {"reversible_embedding.vars.0", "model.embed_tokens.weight"},
        {block + "_self_attention_layernorm.vars.0", torch + "input_layernorm.weight"},
        {attention + "_query_dense.vars.0", torch + "self_attn.q_proj.weight", Kernel},
        {attention + "_query_dense.vars.1", torch + "self_attn.q_proj.bias"},
        {attention + "_key_dense.vars.0", torch + "self_attn.k_proj.weight", Kernel},
        {attention + "_key_dense.vars.1", torch + "self_attn.k_proj.bias"},
        {attention + "_value_dense.vars.0", torch + "self_attn.v_proj.weight", Kernel},
        {attention + "_value_dense.vars.1", torch + "self_attn.v_proj.bias"},
        {attention + "_output_dense.vars.0", torch + "self_attn.o_proj.weight", Kernel},
        {block + "_feedforward_layernorm.vars.0", torch + "post_attention_layernorm.weight"},
        {block + "_feedforward_gate_dense.vars.0", torch + "mlp.gate_proj.weight", Kernel},
        {block + "_feedforward_intermediate_dense.vars.0", torch + "mlp.up_proj.weight", Kernel},
        {block + "_feedforward_output_dense.vars.0", torch + "mlp.down_proj.weight", Kernel},
        {final_norm + ".vars.0", "model.norm.weight"},
        {"reversible_embedding.vars.1", "lm_head.weight", Kernel},
    };
}

nlohmann::json kerasLlamaConfig(ConfigReader& config, const TensorSource& file) {
    return scaledConfig(config, file, "llama");
}

nlohmann::json kerasMistralConfig(ConfigReader& config, const TensorSource& file) {
    nlohmann::json translated = scaledConfig(config, file, "mistral");
    if (config.has("sliding_window"))
        translated["sliding_window"] = config.size({"sliding_window"});
    return translated;
}

nlohmann::json kerasQwenConfig(ConfigReader& config, const TensorSource& file) {
    config.refuse("use_sliding_window_attention",
                  "the sliding window of this Keras class is not supported");
    return scaledConfig(config, file, "qwen2");
}

std::vector<KerasName> kerasLlamaNames(std::string_view model_type) {
    if (model_type == "mistral")
        return llamaNames("mistral_transformer_decoder", "mistral_layer_normalization");
    if (model_type == "qwen2")
        return llamaNames("qwen_transformer_decoder", "qwen_layer_norm");
    return llamaNames("llama_transformer_decoder", "llama_layer_norm");
}

// GemmaBackbone of KerasHub as Hugging Face's gemma, or gemma2 with its norms after each part. The
// kernels of queries, keys and values are one matrix per head, and the config counts both halves of
// the gated MLP.

std::size_t mlpSize(ConfigReader& config) {
    const std::size_t both_halves = config.size({"intermediate_dim"});
    if (both_halves % 2 != 0)
        config.fail(ErrorCode::Malformed,
                    "has 'config.intermediate_dim' = " + std::to_string(both_halves) +
                        ", expected an even number, twice the width of the "
                        "MLP; correct the config.");
    return both_halves / 2;
}

/// What gemma2 has more than gemma.
nlohmann::json gemma2Config(ConfigReader& config, std::size_t d_head, std::size_t context) {
    nlohmann::json more{{"query_pre_attn_scalar", d_head}};
    more["attn_logit_softcapping"] = nullptr;
    more["final_logit_softcapping"] = nullptr;
    if (config.has("attention_logit_soft_cap"))
        more["attn_logit_softcapping"] = config.positiveOr({"attention_logit_soft_cap"}, 50.0);
    if (config.has("final_logit_soft_cap"))
        more["final_logit_softcapping"] = config.positiveOr({"final_logit_soft_cap"}, 30.0);
    const std::size_t window = config.sizeOr({"sliding_window_size"}, 4096);
    more["sliding_window"] =
        config.flagOr({"use_sliding_window_attention"}, false) ? window : context;
    return more;
}

void refuseMixtures(ConfigReader& config) {
    for (const std::string_view key : {"use_post_attention_norm", "attention_logit_soft_cap",
                                       "final_logit_soft_cap", "use_sliding_window_attention"})
        config.refuse(key, "it is supported only together with use_post_ffw_norm");
}

nlohmann::json kerasGemmaConfig(ConfigReader& config, const TensorSource&) {
    const std::size_t d_head = config.size({"head_dim"});
    const std::size_t context = assumedContext(config);
    nlohmann::json translated{{"model_type", "gemma"},
                              {"vocab_size", config.size({"vocabulary_size"})},
                              {"num_hidden_layers", config.size({"num_layers"})},
                              {"num_attention_heads", config.size({"num_query_heads"})},
                              {"num_key_value_heads", config.size({"num_key_value_heads"})},
                              {"hidden_size", config.size({"hidden_dim"})},
                              {"head_dim", d_head},
                              {"intermediate_size", mlpSize(config)},
                              {"max_position_embeddings", context},
                              {"rms_norm_eps", config.positiveOr({"layer_norm_epsilon"}, 1e-6)},
                              {"rope_theta", 10000.0},
                              {"hidden_activation", "gelu_pytorch_tanh"}};
    if (!config.flagOr({"use_post_ffw_norm"}, false)) {
        refuseMixtures(config);
        return translated;
    }
    translated["model_type"] = "gemma2";
    translated.update(gemma2Config(config, d_head, context));
    return translated;
}

std::vector<KerasName> kerasGemmaNames(std::string_view model_type) {
    using enum KerasForm;
    const std::string block = "gemma_decoder_block{}.";
    const std::string torch = "model.layers.{}.";
    const bool gemma2 = model_type == "gemma2";
    std::vector<KerasName> names{
        {"reversible_embedding.vars.0", "model.embed_tokens.weight"},
        {block + "pre_attention_norm.vars.0", torch + "input_layernorm.weight"},
        {block + "attention.query_dense.vars.0", torch + "self_attn.q_proj.weight",
         HeadsFirstKernel},
        {block + "attention.key_dense.vars.0", torch + "self_attn.k_proj.weight", HeadsFirstKernel},
        {block + "attention.value_dense.vars.0", torch + "self_attn.v_proj.weight",
         HeadsFirstKernel},
        {block + "attention.output_dense.vars.0", torch + "self_attn.o_proj.weight", Kernel},
        {block + "pre_ffw_norm.vars.0",
         torch + (gemma2 ? "pre_feedforward_layernorm.weight" : "post_attention_layernorm.weight")},
        {block + "gating_ffw.vars.0", torch + "mlp.gate_proj.weight", Kernel},
        {block + "gating_ffw_2.vars.0", torch + "mlp.up_proj.weight", Kernel},
        {block + "ffw_linear.vars.0", torch + "mlp.down_proj.weight", Kernel},
        {"rms_normalization.vars.0", "model.norm.weight"},
    };
    if (gemma2)
        names.insert(
            names.end(),
            {{block + "post_attention_norm.vars.0", torch + "post_attention_layernorm.weight"},
             {block + "post_ffw_norm.vars.0", torch + "post_feedforward_layernorm.weight"}});
    return names;
}

// BertBackbone of KerasHub as Hugging Face's bert.

bool hasMaskedLmHead(const TensorSource& file) {
    return std::ranges::any_of(file.tensors(), [](const TensorInfo& tensor) {
        return tensor.name.find("masked_lm_head.") != std::string::npos;
    });
}

nlohmann::json kerasBertConfig(ConfigReader& config, const TensorSource& file) {
    if (hasMaskedLmHead(file))
        config.note("The masked-LM head is left out, so there are no logits: it is not read from "
                    "files of KerasHub.");
    return {{"model_type", "bert"},
            {"vocab_size", config.size({"vocabulary_size"})},
            {"num_hidden_layers", config.size({"num_layers"})},
            {"num_attention_heads", config.size({"num_heads"})},
            {"hidden_size", config.size({"hidden_dim"})},
            {"intermediate_size", config.size({"intermediate_dim"})},
            {"max_position_embeddings", config.sizeOr({"max_sequence_length"}, 512)},
            {"type_vocab_size", config.sizeOr({"num_segments"}, 2)},
            {"layer_norm_eps", 1e-12},
            {"hidden_act", "gelu_new"}};
}

std::vector<KerasName> kerasBertNames(std::string_view) {
    using enum KerasForm;
    const std::string block = "transformer_encoder{}.";
    const std::string attention = block + "_self_attention_layer.";
    const std::string torch = "bert.encoder.layer.{}.";
    return {
        {"reversible_embedding.vars.0", "bert.embeddings.word_embeddings.weight"},
        {"position_embedding.vars.0", "bert.embeddings.position_embeddings.weight"},
        {"embedding.vars.0", "bert.embeddings.token_type_embeddings.weight"},
        {"layer_normalization.vars.0", "bert.embeddings.LayerNorm.weight"},
        {"layer_normalization.vars.1", "bert.embeddings.LayerNorm.bias"},
        {attention + "query_dense.vars.0", torch + "attention.self.query.weight", Kernel},
        {attention + "query_dense.vars.1", torch + "attention.self.query.bias"},
        {attention + "key_dense.vars.0", torch + "attention.self.key.weight", Kernel},
        {attention + "key_dense.vars.1", torch + "attention.self.key.bias"},
        {attention + "value_dense.vars.0", torch + "attention.self.value.weight", Kernel},
        {attention + "value_dense.vars.1", torch + "attention.self.value.bias"},
        {attention + "output_dense.vars.0", torch + "attention.output.dense.weight", Kernel},
        {attention + "output_dense.vars.1", torch + "attention.output.dense.bias"},
        {block + "_self_attention_layer_norm.vars.0", torch + "attention.output.LayerNorm.weight"},
        {block + "_self_attention_layer_norm.vars.1", torch + "attention.output.LayerNorm.bias"},
        {block + "_feedforward_intermediate_dense.vars.0", torch + "intermediate.dense.weight",
         Kernel},
        {block + "_feedforward_intermediate_dense.vars.1", torch + "intermediate.dense.bias"},
        {block + "_feedforward_output_dense.vars.0", torch + "output.dense.weight", Kernel},
        {block + "_feedforward_output_dense.vars.1", torch + "output.dense.bias"},
        {block + "_feedforward_layer_norm.vars.0", torch + "output.LayerNorm.weight"},
        {block + "_feedforward_layer_norm.vars.1", torch + "output.LayerNorm.bias"},
    };
}

template <nlohmann::json (*Config)(ConfigReader&, const TensorSource&)>
TranslatedConfig asJsonText(ConfigReader& config, const TensorSource& file) {
    const nlohmann::json translated = Config(config, file);
    return {translated.at("model_type").get<std::string>(), translated.dump()};
}

constexpr std::array kBackbones{
    KerasBackbone{"GPT2Backbone", asJsonText<kerasGpt2Config>, kerasGpt2Names},
    KerasBackbone{"LlamaBackbone", asJsonText<kerasLlamaConfig>, kerasLlamaNames},
    KerasBackbone{"Llama3Backbone", asJsonText<kerasLlamaConfig>, kerasLlamaNames},
    KerasBackbone{"MistralBackbone", asJsonText<kerasMistralConfig>, kerasLlamaNames},
    KerasBackbone{"QwenBackbone", asJsonText<kerasQwenConfig>, kerasLlamaNames},
    KerasBackbone{"GemmaBackbone", asJsonText<kerasGemmaConfig>, kerasGemmaNames},
    KerasBackbone{"BertBackbone", asJsonText<kerasBertConfig>, kerasBertNames},
};

} // namespace

const KerasBackbone* kerasBackbone(std::string_view class_name) {
    const auto found = std::ranges::find(kBackbones, class_name, &KerasBackbone::class_name);
    return found == kBackbones.end() ? nullptr : found;
}

std::string supportedBackbones() {
    std::vector<std::string> names;
    names.reserve(kBackbones.size());
    for (const KerasBackbone& backbone : kBackbones)
        names.emplace_back(backbone.class_name);
    return join(names, ", ");
}

} // namespace headscope
