#include "core/loading/dialects/gguf/gguf_families.h"
#include "core/loading/dialects/gguf/llama_families.h"

namespace headscope {

namespace {

using Json = nlohmann::json;

/// Names that begin alike in families with "transformer.".
std::vector<GgufName> transformerNames(const std::string& embedding) {
    return {{"token_embd", "transformer." + embedding},
            {"output_norm", "transformer.ln_f"},
            {"output", "lm_head"}};
}

// GPT-2, and GPT-BigCode, which is called starcoder.

Json gpt2GgufConfig(GgufKeys& keys) {
    Json config{{"model_type", "gpt2"},
                {"n_layer", keys.size("block_count")},
                {"n_head", keys.size("attention.head_count")},
                {"n_embd", keys.size("embedding_length")},
                {"n_inner", keys.size("feed_forward_length")},
                {"n_positions", keys.size("context_length")},
                {"layer_norm_epsilon", layerNormEps(keys)},
                {"activation_function", "gelu_new"}};
    keys.sizeOr("attention.head_count_kv", 1);
    addEmbedding(keys, config);
    return config;
}

std::vector<GgufName> gpt2LikeNames(GgufForm matrices) {
    return withNames(transformerNames("wte"),
                     {{"position_embd", "transformer.wpe"},
                      {"blk.{}.attn_norm", "transformer.h.{}.ln_1"},
                      {"blk.{}.attn_qkv", "transformer.h.{}.attn.c_attn", matrices},
                      {"blk.{}.attn_output", "transformer.h.{}.attn.c_proj", matrices},
                      {"blk.{}.ffn_norm", "transformer.h.{}.ln_2"},
                      {"blk.{}.ffn_up", "transformer.h.{}.mlp.c_fc", matrices},
                      {"blk.{}.ffn_down", "transformer.h.{}.mlp.c_proj", matrices}});
}

std::vector<GgufName> gpt2GgufNames(const TensorSource&) {
    return gpt2LikeNames(GgufForm::Transposed);
}

Json bigcodeGgufConfig(GgufKeys& keys) {
    Json config = gpt2GgufConfig(keys);
    config["model_type"] = "gpt_bigcode";
    config["activation_function"] = "gelu_pytorch_tanh";
    config["multi_query"] = true;
    if (keys.sizeOr("attention.head_count_kv", 1) != 1)
        keys.reader.fail(ErrorCode::Unsupported, "has several key-value heads, expected the one of "
                                                 "this family; open another model.");
    return config;
}

std::vector<GgufName> bigcodeGgufNames(const TensorSource&) {
    return gpt2LikeNames(GgufForm::AsIs);
}

// GPT-NeoX, whose exact GELU the file does not state.

Json neoxGgufConfig(GgufKeys& keys) {
    Json config{{"model_type", "gpt_neox"},
                {"num_hidden_layers", keys.size("block_count")},
                {"num_attention_heads", keys.size("attention.head_count")},
                {"hidden_size", keys.size("embedding_length")},
                {"intermediate_size", keys.size("feed_forward_length")},
                {"max_position_embeddings", keys.size("context_length")},
                {"rotary_pct", rotatedFraction(keys)},
                {"rotary_emb_base", keys.positiveOr("rope.freq_base", 10000.0)},
                {"use_parallel_residual", keys.flagOr("use_parallel_residual", true)},
                {"layer_norm_eps", layerNormEps(keys)},
                {"hidden_act", "gelu"},
                {"attention_bias", keys.hasTensor("blk.0.attn_qkv.bias")}};
    if (Json scaling = rotaryScaling(keys); !scaling.is_null())
        config["rope_scaling"] = std::move(scaling);
    addEmbedding(keys, config);
    return config;
}

std::vector<GgufName> neoxGgufNames(const TensorSource&) {
    const std::string layer = "gpt_neox.layers.{}.";
    return {{"token_embd", "gpt_neox.embed_in"},
            {"output_norm", "gpt_neox.final_layer_norm"},
            {"output", "embed_out"},
            {"blk.{}.attn_norm", layer + "input_layernorm"},
            {"blk.{}.attn_qkv", layer + "attention.query_key_value", GgufForm::QkvApart},
            {"blk.{}.attn_output", layer + "attention.dense"},
            {"blk.{}.ffn_norm", layer + "post_attention_layernorm"},
            {"blk.{}.ffn_up", layer + "mlp.dense_h_to_4h"},
            {"blk.{}.ffn_down", layer + "mlp.dense_4h_to_h"}};
}

// Falcon 7B (one key-value head) and those with one per group, with a norm for each branch or one
// for both.

Json falconGgufConfig(GgufKeys& keys) {
    const std::size_t n_kv_heads = keys.sizeOr("attention.head_count_kv", 1);
    const bool two_norms = keys.hasTensor("blk.0.attn_norm_2.weight");
    Json config{{"model_type", "falcon"},
                {"num_hidden_layers", keys.size("block_count")},
                {"num_attention_heads", keys.size("attention.head_count")},
                {"hidden_size", keys.size("embedding_length")},
                {"ffn_hidden_size", keys.size("feed_forward_length")},
                {"max_position_embeddings", keys.size("context_length")},
                {"num_kv_heads", n_kv_heads},
                {"multi_query", n_kv_heads == 1},
                {"new_decoder_architecture", two_norms || n_kv_heads > 1},
                {"num_ln_in_parallel_attn", two_norms ? 2 : 1},
                {"parallel_attn", true},
                {"rope_theta", keys.positiveOr("rope.freq_base", 10000.0)},
                {"layer_norm_epsilon", layerNormEps(keys)},
                {"bias", keys.hasTensor("blk.0.attn_qkv.bias")}};
    keys.textOr("tensor_data_layout", "");
    addEmbedding(keys, config);
    return config;
}

std::vector<GgufName> falconGgufNames(const TensorSource& file) {
    const bool two_norms = file.find("blk.0.attn_norm_2.weight") != nullptr ||
                           file.find("transformer.h.0.ln_attn.weight") != nullptr;
    const std::string layer = "transformer.h.{}.";
    return withNames(
        transformerNames("word_embeddings"),
        {{"blk.{}.attn_norm", layer + (two_norms ? "ln_mlp" : "input_layernorm")},
         {"blk.{}.attn_norm_2", layer + "ln_attn"},
         {"blk.{}.attn_qkv", layer + "self_attention.query_key_value", GgufForm::QkvApart},
         {"blk.{}.attn_output", layer + "self_attention.dense"},
         {"blk.{}.ffn_up", layer + "mlp.dense_h_to_4h"},
         {"blk.{}.ffn_down", layer + "mlp.dense_4h_to_h"}});
}

// BLOOM and MPT: ALiBi, without a word of it in BLOOM's files.

Json bloomGgufConfig(GgufKeys& keys) {
    const std::size_t width = keys.size("embedding_length");
    Json config{{"model_type", "bloom"},
                {"n_layer", keys.size("block_count")},
                {"n_head", keys.size("attention.head_count")},
                {"hidden_size", width},
                {"seq_length", keys.size("context_length")},
                {"layer_norm_epsilon", layerNormEps(keys)}};
    keys.size("feed_forward_length"); // four times the width
    keys.sizeOr("attention.head_count_kv", 1);
    addEmbedding(keys, config);
    return config;
}

std::vector<GgufName> bloomGgufNames(const TensorSource&) {
    const std::string layer = "transformer.h.{}.";
    return withNames(
        transformerNames("word_embeddings"),
        {{"token_embd_norm", "transformer.word_embeddings_layernorm"},
         {"blk.{}.attn_norm", layer + "input_layernorm"},
         {"blk.{}.attn_qkv", layer + "self_attention.query_key_value", GgufForm::QkvApart},
         {"blk.{}.attn_output", layer + "self_attention.dense"},
         {"blk.{}.ffn_norm", layer + "post_attention_layernorm"},
         {"blk.{}.ffn_up", layer + "mlp.dense_h_to_4h"},
         {"blk.{}.ffn_down", layer + "mlp.dense_4h_to_h"}});
}

Json mptGgufConfig(GgufKeys& keys) {
    const std::size_t n_heads = keys.size("attention.head_count");
    const double largest_bias = keys.positiveOr("attention.max_alibi_bias", 8.0);
    if (largest_bias != 8.0 || keys.sizeOr("attention.head_count_kv", n_heads) != n_heads)
        keys.reader.fail(ErrorCode::Unsupported, "has fewer key-value heads than heads, or ALiBi "
                                                 "with a largest bias other than 8, which is not "
                                                 "supported in this family; open another model.");
    Json config{{"model_type", "mpt"},
                {"n_layers", keys.size("block_count")},
                {"n_heads", n_heads},
                {"d_model", keys.size("embedding_length")},
                {"max_seq_len", keys.size("context_length")},
                {"layer_norm_epsilon", layerNormEps(keys)},
                {"attn_config", {{"clip_qkv", clipOf(keys)}}}};
    keys.size("feed_forward_length"); // four times the width
    addEmbedding(keys, config);
    return config;
}

std::vector<GgufName> mptGgufNames(const TensorSource&) {
    const std::string layer = "transformer.blocks.{}.";
    return withNames(transformerNames("wte"), {{"output_norm", "transformer.norm_f"},
                                               {"blk.{}.attn_norm", layer + "norm_1"},
                                               {"blk.{}.attn_qkv", layer + "attn.Wqkv"},
                                               {"blk.{}.attn_output", layer + "attn.out_proj"},
                                               {"blk.{}.ffn_norm", layer + "norm_2"},
                                               {"blk.{}.ffn_up", layer + "ffn.up_proj"},
                                               {"blk.{}.ffn_down", layer + "ffn.down_proj"}});
}

} // namespace

std::vector<GgufFamily> otherGgufFamilies() {
    return {{"gpt2", gpt2GgufConfig, gpt2GgufNames},
            {"starcoder", bigcodeGgufConfig, bigcodeGgufNames},
            {"gptneox", neoxGgufConfig, neoxGgufNames},
            {"falcon", falconGgufConfig, falconGgufNames},
            {"bloom", bloomGgufConfig, bloomGgufNames},
            {"mpt", mptGgufConfig, mptGgufNames}};
}

} // namespace headscope
