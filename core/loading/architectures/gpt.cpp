// The lineage of GPT: GPT-2, GPT-Neo, GPT-J, CodeGen, GPT-NeoX.

#include "core/loading/architectures/common.h"

#include <algorithm>

namespace headscope {

// GPT-2 (Radford et al. 2019), and attention-only networks as a GPT-2 with n_inner = 0.

namespace {

ModelSpec readGpt2Spec(ConfigReader& config) {
    ModelSpec spec;
    spec.n_layers = config.size({"n_layer", "num_hidden_layers"});
    spec.d_model = config.size({"n_embd", "hidden_size"});
    spec.n_heads = config.size({"n_head", "num_attention_heads"});
    spec.n_kv_heads = spec.n_heads;
    spec.d_head = headSize(config, spec);
    spec.d_mlp = config.sizeOr({"n_inner"}, 4 * spec.d_model, 0);
    spec.d_vocab = config.size({"vocab_size"});
    spec.n_ctx = config.size({"n_positions", "n_ctx", "max_position_embeddings"});
    spec.norm.eps = config.positiveOr({"layer_norm_epsilon"}, 1e-5);
    spec.mlp = spec.d_mlp == 0 ? MlpKind::None : MlpKind::Plain;
    spec.activation = readActivation(config, {"activation_function"}, "gelu_new");
    spec.tied_unembedding = config.flagOr({"tie_word_embeddings"}, true);
    readSpecialTokens(config, spec);
    return spec;
}

std::vector<double> readAttentionScale(ConfigReader& config, const ModelSpec& spec) {
    std::vector<double> scale = usualAttentionScale(spec);
    if (!config.flagOr({"scale_attn_weights"}, true))
        scale.assign(spec.n_layers, 1.0);
    if (config.flagOr({"scale_attn_by_inverse_layer_idx"}, false))
        for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
            scale[layer] /= static_cast<double>(layer + 1);
    return scale;
}

std::vector<TensorRule> gpt2Tensors(const ModelSpec& spec) {
    using enum WeightRole;
    // Conv1D matrices are [in, out]; c_attn holds the columns of all queries, then keys, values.
    std::vector<TensorRule> rules{
        {W_E, "transformer.wte.weight"},
        {W_pos, "transformer.wpe.weight"},
        {Ln1Weight, "transformer.h.{}.ln_1.weight"},
        {Ln1Bias, "transformer.h.{}.ln_1.bias"},
        {W_QKV, "transformer.h.{}.attn.c_attn.weight"},
        {b_QKV, "transformer.h.{}.attn.c_attn.bias"},
        {W_O, "transformer.h.{}.attn.c_proj.weight"},
        {b_O, "transformer.h.{}.attn.c_proj.bias"},
        {LnFinalWeight, "transformer.ln_f.weight"},
        {LnFinalBias, "transformer.ln_f.bias"},
        {spec.tied_unembedding ? W_E : W_U, "lm_head.weight"},
    };
    if (spec.mlp != MlpKind::None)
        append(rules, {{Ln2Weight, "transformer.h.{}.ln_2.weight"},
                       {Ln2Bias, "transformer.h.{}.ln_2.bias"},
                       {W_in, "transformer.h.{}.mlp.c_fc.weight"},
                       {b_in, "transformer.h.{}.mlp.c_fc.bias"},
                       {W_out, "transformer.h.{}.mlp.c_proj.weight"},
                       {b_out, "transformer.h.{}.mlp.c_proj.bias"}});
    return rules;
}

} // namespace

Architecture describeGpt2(ConfigReader& config, const TensorSource&) {
    Architecture gpt2;
    gpt2.spec = readGpt2Spec(config);
    gpt2.spec.attention_scale = readAttentionScale(config, gpt2.spec);
    gpt2.base_prefix = "transformer.";
    gpt2.tensors = gpt2Tensors(gpt2.spec);
    gpt2.extras = causalMaskBuffers();
    if (gpt2.spec.mlp == MlpKind::None)
        gpt2.extras.insert(gpt2.extras.end(),
                           {{"*h.*.mlp.*", "n_inner is 0 in the config: no MLP", true},
                            {"*h.*.ln_2.*", "n_inner is 0 in the config: no MLP", true}});
    return gpt2;
}

// GPT-Neo (Black et al. 2021), TinyStories: GPT-2 with unscaled scores and a window on every other
// layer.

namespace {

/// "global" or "local" for each layer.
void readNeoWindows(ConfigReader& config, ModelSpec& spec) {
    const std::size_t window = config.sizeOr({"window_size"}, 256);
    const std::vector<std::string> kinds = config.texts("attention_layers");
    const auto isKnown = [](const std::string& kind) {
        return kind == "global" || kind == "local";
    };
    if (kinds.size() != spec.n_layers || !std::ranges::all_of(kinds, isKnown)) {
        config.fail(ErrorCode::Mismatch,
                    "has " + std::to_string(kinds.size()) +
                        " attention_layers, expected 'global' or 'local' for each of the " +
                        std::to_string(spec.n_layers) + " layers; correct the config.");
        return;
    }
    for (const std::string& kind : kinds)
        spec.windows.push_back(kind == "local" ? window : 0);
}

ModelSpec readGptNeoSpec(ConfigReader& config) {
    ModelSpec spec;
    spec.n_layers = config.size({"num_layers", "num_hidden_layers"});
    spec.d_model = config.size({"hidden_size"});
    spec.n_heads = config.size({"num_heads", "num_attention_heads"});
    spec.n_kv_heads = spec.n_heads;
    spec.d_head = headSize(config, spec);
    spec.d_mlp = config.sizeOr({"intermediate_size"}, 4 * spec.d_model);
    spec.d_vocab = config.size({"vocab_size"});
    spec.n_ctx = config.size({"max_position_embeddings"});
    spec.norm.eps = config.positiveOr({"layer_norm_epsilon"}, 1e-5);
    spec.attention_scale.assign(spec.n_layers, 1.0);
    spec.activation = readActivation(config, {"activation_function"}, "gelu_new");
    spec.tied_unembedding = config.flagOr({"tie_word_embeddings"}, true);
    readNeoWindows(config, spec);
    readSpecialTokens(config, spec);
    return spec;
}

} // namespace

Architecture describeGptNeo(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    using enum Layout;
    Architecture neo;
    neo.spec = readGptNeoSpec(config);
    neo.base_prefix = "transformer.";
    neo.tensors = {
        {W_E, "transformer.wte.weight"},
        {W_pos, "transformer.wpe.weight"},
        {Ln1Weight, "transformer.h.{}.ln_1.weight"},
        {Ln1Bias, "transformer.h.{}.ln_1.bias"},
        {W_Q, "transformer.h.{}.attn.attention.q_proj.weight", Transposed},
        {W_K, "transformer.h.{}.attn.attention.k_proj.weight", Transposed},
        {W_V, "transformer.h.{}.attn.attention.v_proj.weight", Transposed},
        {W_O, "transformer.h.{}.attn.attention.out_proj.weight", Transposed},
        {b_O, "transformer.h.{}.attn.attention.out_proj.bias"},
        {Ln2Weight, "transformer.h.{}.ln_2.weight"},
        {Ln2Bias, "transformer.h.{}.ln_2.bias"},
        {W_in, "transformer.h.{}.mlp.c_fc.weight", Transposed},
        {b_in, "transformer.h.{}.mlp.c_fc.bias"},
        {W_out, "transformer.h.{}.mlp.c_proj.weight", Transposed},
        {b_out, "transformer.h.{}.mlp.c_proj.bias"},
        {LnFinalWeight, "transformer.ln_f.weight"},
        {LnFinalBias, "transformer.ln_f.bias"},
        {neo.spec.tied_unembedding ? W_E : W_U, "lm_head.weight"},
    };
    neo.extras = causalMaskBuffers();
    return neo;
}

// GPT-J (Wang & Komatsuzaki 2021): parallel residual with one norm, rotary positions in adjacent
// pairs, an unembedding with biases.

namespace {

ModelSpec readGptjSpec(ConfigReader& config) {
    ModelSpec spec;
    spec.n_layers = config.size({"n_layer", "num_hidden_layers"});
    spec.d_model = config.size({"n_embd", "hidden_size"});
    spec.n_heads = config.size({"n_head", "num_attention_heads"});
    spec.n_kv_heads = spec.n_heads;
    spec.d_head = headSize(config, spec);
    spec.d_mlp = config.sizeOr({"n_inner"}, 4 * spec.d_model);
    spec.d_vocab = config.size({"vocab_size"});
    spec.n_ctx = config.size({"n_positions", "n_ctx", "max_position_embeddings"});
    spec.norm.eps = config.positiveOr({"layer_norm_epsilon"}, 1e-5);
    spec.positions = PositionKind::Rotary;
    spec.rotary.d_rotary = config.sizeOr({"rotary_dim"}, spec.d_head);
    spec.rotary.pairs = RotaryPairs::Adjacent;
    spec.parallel_residual = true;
    spec.shared_norm = true;
    spec.attention_scale = usualAttentionScale(spec);
    spec.activation = readActivation(config, {"activation_function"}, "gelu_new");
    spec.tied_unembedding = config.flagOr({"tie_word_embeddings"}, false);
    readSpecialTokens(config, spec);
    return spec;
}

/// All but queries, keys and values.
Architecture gptjLike(ConfigReader& config) {
    using enum WeightRole;
    using enum Layout;
    Architecture gptj;
    gptj.spec = readGptjSpec(config);
    gptj.base_prefix = "transformer.";
    gptj.tensors = {
        {W_E, "transformer.wte.weight"},
        {Ln1Weight, "transformer.h.{}.ln_1.weight"},
        {Ln1Bias, "transformer.h.{}.ln_1.bias"},
        {W_O, "transformer.h.{}.attn.out_proj.weight", Transposed},
        {W_in, "transformer.h.{}.mlp.fc_in.weight", Transposed},
        {b_in, "transformer.h.{}.mlp.fc_in.bias"},
        {W_out, "transformer.h.{}.mlp.fc_out.weight", Transposed},
        {b_out, "transformer.h.{}.mlp.fc_out.bias"},
        {LnFinalWeight, "transformer.ln_f.weight"},
        {LnFinalBias, "transformer.ln_f.bias"},
        {gptj.spec.tied_unembedding ? W_E : W_U, "lm_head.weight"},
        {b_U, "lm_head.bias"},
    };
    gptj.extras = causalMaskBuffers();
    gptj.extras.push_back(
        {"*attn.embed_positions", "sines and cosines, which follow from the config"});
    return gptj;
}

} // namespace

Architecture describeGptj(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    using enum Layout;
    Architecture gptj = gptjLike(config);
    append(gptj.tensors, {{W_Q, "transformer.h.{}.attn.q_proj.weight", Transposed},
                          {W_K, "transformer.h.{}.attn.k_proj.weight", Transposed},
                          {W_V, "transformer.h.{}.attn.v_proj.weight", Transposed}});
    return gptj;
}

// CodeGen (Nijkamp et al. 2022): GPT-J with queries, values and keys in one matrix, in the four
// parts that it was trained in.
Architecture describeCodegen(ConfigReader& config, const TensorSource&) {
    Architecture codegen = gptjLike(config);
    if (codegen.spec.n_heads % 4 != 0)
        config.fail(
            ErrorCode::Mismatch,
            "has " + std::to_string(codegen.spec.n_heads) +
                " heads, expected a multiple of 4, in as many parts the file holds queries, "
                "keys and values; correct the config.");
    append(codegen.tensors,
           {{WeightRole::W_QKV, "transformer.h.{}.attn.qkv_proj.weight", Layout::QuarteredQvk}});
    return codegen;
}

// GPT-NeoX (Black et al. 2022), Pythia: rotary positions in a part of each head, parallel residual
// with two norms, queries, keys and values interleaved head by head.

namespace {

ModelSpec readGptNeoxSpec(ConfigReader& config) {
    ModelSpec spec;
    spec.n_layers = config.size({"num_hidden_layers"});
    spec.d_model = config.size({"hidden_size"});
    spec.n_heads = config.size({"num_attention_heads"});
    spec.n_kv_heads = spec.n_heads;
    spec.d_head = headSize(config, spec);
    spec.d_mlp = config.size({"intermediate_size"});
    spec.d_vocab = config.size({"vocab_size"});
    spec.n_ctx = config.sizeOr({"max_position_embeddings"}, 2048);
    spec.norm.eps = config.positiveOr({"layer_norm_eps"}, 1e-5);
    spec.positions = PositionKind::Rotary;
    spec.rotary = readRotary(config, spec, {.fraction = 0.25, .reads_fraction = true});
    spec.parallel_residual = config.flagOr({"use_parallel_residual"}, true);
    spec.attention_scale = usualAttentionScale(spec);
    spec.activation = readActivation(config, {"hidden_act"}, "gelu");
    spec.tied_unembedding = config.flagOr({"tie_word_embeddings"}, false);
    readSpecialTokens(config, spec);
    return spec;
}

} // namespace

Architecture describeGptNeox(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    using enum Layout;
    Architecture neox;
    neox.spec = readGptNeoxSpec(config);
    const WeightRole unembedding = neox.spec.tied_unembedding ? W_E : W_U;
    neox.base_prefix = "gpt_neox.";
    neox.tensors = {
        {W_E, "gpt_neox.embed_in.weight"},
        {Ln1Weight, "gpt_neox.layers.{}.input_layernorm.weight"},
        {Ln1Bias, "gpt_neox.layers.{}.input_layernorm.bias"},
        {W_QKV, "gpt_neox.layers.{}.attention.query_key_value.weight", GroupedQkv},
        {W_O, "gpt_neox.layers.{}.attention.dense.weight", Transposed},
        {Ln2Weight, "gpt_neox.layers.{}.post_attention_layernorm.weight"},
        {Ln2Bias, "gpt_neox.layers.{}.post_attention_layernorm.bias"},
        {W_in, "gpt_neox.layers.{}.mlp.dense_h_to_4h.weight", Transposed},
        {b_in, "gpt_neox.layers.{}.mlp.dense_h_to_4h.bias"},
        {W_out, "gpt_neox.layers.{}.mlp.dense_4h_to_h.weight", Transposed},
        {b_out, "gpt_neox.layers.{}.mlp.dense_4h_to_h.bias"},
        {LnFinalWeight, "gpt_neox.final_layer_norm.weight"},
        {LnFinalBias, "gpt_neox.final_layer_norm.bias"},
        {unembedding, "embed_out.weight"},
        {unembedding, "lm_head.weight"},
    };
    if (config.flagOr({"attention_bias"}, true))
        append(neox.tensors,
               {{b_QKV, "gpt_neox.layers.{}.attention.query_key_value.bias", GroupedQkv},
                {b_O, "gpt_neox.layers.{}.attention.dense.bias"}});
    neox.extras = causalMaskBuffers();
    neox.extras.push_back(
        {"*rotary_emb.inv_freq", "rotary frequencies, which follow from the config"});
    return neox;
}

} // namespace headscope
