// Encoders. Files of GGUF are for embeddings of texts: they hold no head for masked tokens.

#include "core/base/text.h"
#include "core/loading/dialects/gguf/gguf_families.h"
#include "core/loading/dialects/gguf/llama_families.h"

#include <algorithm>
#include <string>
#include <utility>

namespace headscope {

namespace {

using Json = nlohmann::json;

/// How llama.cpp makes one vector of a text changes nothing before the end of the network.
void requireEncoder(GgufKeys& keys) {
    if (keys.flagOr("attention.causal", false))
        keys.reader.fail(ErrorCode::Unsupported, "is causal, expected an encoder; open another "
                                                 "model.");
    for (const char* pooling : {"pooling_type", "classifier.pooling_type"})
        keys.sizeOr(pooling, 0, 0);
}

// BERT, RoBERTa, XLM-RoBERTa and DistilBERT, all called bert: the conversion cuts the padding's
// rows off the positions of the second and the third, and the last has no types of tokens.

Json distilbertGgufConfig(GgufKeys& keys) {
    Json config{{"model_type", "distilbert"},
                {"n_layers", keys.size("block_count")},
                {"n_heads", keys.size("attention.head_count")},
                {"dim", keys.size("embedding_length")},
                {"hidden_dim", keys.size("feed_forward_length")},
                {"max_position_embeddings", keys.rows("position_embd.weight")},
                {"activation", "gelu"}};
    constexpr double kEps = 1e-12;
    if (const double eps = keys.positiveOr("attention.layer_norm_epsilon", kEps); eps != kEps)
        keys.reader.fail(ErrorCode::Unsupported, "has no types of tokens, as DistilBERT, and norms "
                                                 "with an eps of " +
                                                     numberText(eps) +
                                                     ", expected 1e-12; open another model.");
    addEmbedding(keys, config);
    return config;
}

Json bertGgufConfig(GgufKeys& keys) {
    requireEncoder(keys);
    keys.sizeOr("context_length", 1);
    if (!keys.hasTensor("token_types.weight"))
        return distilbertGgufConfig(keys);
    Json config{{"model_type", "bert"},
                {"num_hidden_layers", keys.size("block_count")},
                {"num_attention_heads", keys.size("attention.head_count")},
                {"hidden_size", keys.size("embedding_length")},
                {"intermediate_size", keys.size("feed_forward_length")},
                {"max_position_embeddings", keys.rows("position_embd.weight")},
                {"type_vocab_size", keys.rows("token_types.weight")},
                {"layer_norm_eps", keys.positiveOr("attention.layer_norm_epsilon", 1e-12)},
                {"hidden_act", "gelu"}};
    addEmbedding(keys, config);
    return config;
}

std::vector<GgufName> distilbertGgufNames() {
    const std::string layer = "distilbert.transformer.layer.{}.";
    return {{"token_embd", "distilbert.embeddings.word_embeddings"},
            {"position_embd", "distilbert.embeddings.position_embeddings"},
            {"token_embd_norm", "distilbert.embeddings.LayerNorm"},
            {"cls", "pre_classifier"},
            {"cls.output", "classifier"},
            {"blk.{}.attn_q", layer + "attention.q_lin"},
            {"blk.{}.attn_k", layer + "attention.k_lin"},
            {"blk.{}.attn_v", layer + "attention.v_lin"},
            {"blk.{}.attn_output", layer + "attention.out_lin"},
            {"blk.{}.attn_output_norm", layer + "sa_layer_norm"},
            {"blk.{}.ffn_up", layer + "ffn.lin1"},
            {"blk.{}.ffn_down", layer + "ffn.lin2"},
            {"blk.{}.layer_output_norm", layer + "output_layer_norm"}};
}

std::vector<GgufName> bertGgufNames(const TensorSource& file) {
    if (file.find("token_types.weight") == nullptr &&
        file.find("bert.embeddings.token_type_embeddings.weight") == nullptr)
        return distilbertGgufNames();
    const std::string layer = "bert.encoder.layer.{}.";
    return {{"token_embd", "bert.embeddings.word_embeddings"},
            {"position_embd", "bert.embeddings.position_embeddings"},
            {"token_types", "bert.embeddings.token_type_embeddings"},
            {"token_embd_norm", "bert.embeddings.LayerNorm"},
            {"cls", "bert.pooler.dense"},
            {"cls.output", "classifier"},
            {"blk.{}.attn_q", layer + "attention.self.query"},
            {"blk.{}.attn_k", layer + "attention.self.key"},
            {"blk.{}.attn_v", layer + "attention.self.value"},
            {"blk.{}.attn_output", layer + "attention.output.dense"},
            {"blk.{}.attn_output_norm", layer + "attention.output.LayerNorm"},
            {"blk.{}.ffn_up", layer + "intermediate.dense"},
            {"blk.{}.ffn_down", layer + "output.dense"},
            {"blk.{}.layer_output_norm", layer + "output.LayerNorm"}};
}

// ModernBERT. Window and base of layers that see near tokens alone; without a window all see all.

void addModernBertWindows(GgufKeys& keys, Json& config) {
    const std::size_t window = keys.sizeOr("attention.sliding_window", 0, 0);
    constexpr const char* pattern = "attention.sliding_window_pattern";
    if (keys.isList(pattern))
        config["layer_types"] = keys.layerTypes(pattern);
    else
        config["global_attn_every_n_layers"] = window == 0 ? 1 : keys.sizeOr(pattern, 3);
    if (window != 0)
        config["local_attention"] = window;
}

Json modernBertGgufConfig(GgufKeys& keys) {
    requireEncoder(keys);
    requireWholeRotation(keys);
    if (!rotaryScaling(keys).is_null())
        keys.reader.fail(ErrorCode::Unsupported, "stretches its rotary positions, which is not "
                                                 "supported in this family; open another model.");
    Json config{{"model_type", "modernbert"},
                {"num_hidden_layers", keys.size("block_count")},
                {"num_attention_heads", keys.size("attention.head_count")},
                {"hidden_size", keys.size("embedding_length")},
                {"intermediate_size", keys.size("feed_forward_length")},
                {"max_position_embeddings", keys.size("context_length")},
                {"norm_eps", layerNormEps(keys)},
                {"global_rope_theta", keys.positiveOr("rope.freq_base", 10000.0)},
                {"local_rope_theta", keys.positiveOr("rope.freq_base_swa", 10000.0)},
                {"hidden_activation", keys.textOr("hidden_activation", "gelu")}};
    rmsNormEps(keys); // which the conversion writes, too
    addModernBertWindows(keys, config);
    addEmbedding(keys, config);
    return config;
}

std::vector<GgufName> modernBertGgufNames(const TensorSource&) {
    const std::string layer = "model.layers.{}.";
    return {{"token_embd", "model.embeddings.tok_embeddings"},
            {"token_embd_norm", "model.embeddings.norm"},
            {"output_norm", "model.final_norm"},
            {"cls", "classifier.dense"},
            {"cls.norm", "classifier.norm"},
            {"cls.output", "classifier"},
            {"blk.{}.attn_norm", layer + "attn_norm"},
            {"blk.{}.attn_qkv", layer + "attn.Wqkv"},
            {"blk.{}.attn_output", layer + "attn.Wo"},
            {"blk.{}.ffn_norm", layer + "mlp_norm"},
            {"blk.{}.ffn_up", layer + "mlp.Wi"},
            {"blk.{}.ffn_down", layer + "mlp.Wo"}};
}

// Nomic BERT; its mixtures of experts have an architecture of their own.

Json nomicBertGgufConfig(GgufKeys& keys) {
    requireEncoder(keys);
    requireWholeRotation(keys);
    Json config{{"model_type", "nomic_bert"},
                {"num_hidden_layers", keys.size("block_count")},
                {"num_attention_heads", keys.size("attention.head_count")},
                {"hidden_size", keys.size("embedding_length")},
                {"intermediate_size", keys.size("feed_forward_length")},
                {"max_position_embeddings", keys.size("context_length")},
                {"type_vocab_size", keys.rows("token_types.weight")},
                {"layer_norm_eps", keys.positiveOr("attention.layer_norm_epsilon", 1e-12)},
                {"rope_theta", keys.positiveOr("rope.freq_base", 10000.0)},
                {"hidden_act", "silu"}};
    if (Json scaling = rotaryScaling(keys); !scaling.is_null())
        config["rope_scaling"] = std::move(scaling);
    addEmbedding(keys, config);
    return config;
}

std::vector<GgufName> nomicBertGgufNames(const TensorSource& file) {
    const bool is_scoped = std::ranges::any_of(file.tensors(), [](const TensorInfo& tensor) {
        return tensor.name.starts_with("nomic_bert.");
    });
    const std::string scope = is_scoped ? "nomic_bert." : "bert.";
    const std::string layer = scope + "encoder.layers.{}.";
    return {{"token_embd", scope + "embeddings.word_embeddings"},
            {"token_types", scope + "embeddings.token_type_embeddings"},
            {"token_embd_norm", scope + "emb_ln"},
            {"blk.{}.attn_qkv", layer + "attn.Wqkv"},
            {"blk.{}.attn_output", layer + "attn.out_proj"},
            {"blk.{}.attn_output_norm", layer + "norm1"},
            {"blk.{}.ffn_gate", layer + "mlp.fc12"},
            {"blk.{}.ffn_up", layer + "mlp.fc11"},
            {"blk.{}.ffn_down", layer + "mlp.fc2"},
            {"blk.{}.layer_output_norm", layer + "norm2"}};
}

} // namespace

std::vector<GgufFamily> encoderGgufFamilies() {
    return {{"bert", bertGgufConfig, bertGgufNames},
            {"modern-bert", modernBertGgufConfig, modernBertGgufNames},
            {"nomic-bert", nomicBertGgufConfig, nomicBertGgufNames}};
}

} // namespace headscope
