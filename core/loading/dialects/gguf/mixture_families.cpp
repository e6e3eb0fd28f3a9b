// Mixtures of experts. GGUF leaves out whether the weights of the chosen experts sum to 1, which
// llama.cpp knows by the architecture.

#include "core/loading/dialects/gguf/gguf_families.h"
#include "core/loading/dialects/gguf/llama_families.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace headscope {

namespace {

using Json = nlohmann::json;

std::vector<GgufName> qwenNames(const TensorSource& file) {
    return withNames(plainGgufNames(file), expertGgufNames("mlp.gate", "mlp.experts"));
}

std::vector<GgufName> normedNames(const TensorSource& file) {
    return withNames(qwenNames(file), qkNormGgufNames());
}

// Qwen 2 and 3 MoE. Older files leave out how wide an expert is.

Json qwenMixtureConfig(GgufKeys& keys, std::string_view model_type, bool sum_to_one) {
    Json config = mixtureConfig(keys, model_type, "num_experts");
    const std::size_t of_chosen = keys.size("feed_forward_length");
    const std::size_t n_chosen = std::max<std::size_t>(1, keys.size("expert_used_count"));
    config["intermediate_size"] = of_chosen;
    config["moe_intermediate_size"] =
        keys.sizeOr("expert_feed_forward_length", std::max<std::size_t>(1, of_chosen / n_chosen));
    config["norm_topk_prob"] = keys.flagOr("expert_weights_norm", sum_to_one);
    return config;
}

Json qwen2MoeGgufConfig(GgufKeys& keys) {
    Json config = qwenMixtureConfig(keys, "qwen2_moe", false);
    config["shared_expert_intermediate_size"] =
        keys.sizeOr("expert_shared_feed_forward_length", keys.size("feed_forward_length"));
    config["qkv_bias"] = keys.hasTensor("blk.0.attn_q.bias");
    return config;
}

std::vector<GgufName> qwen2MoeNames(const TensorSource& file) {
    const std::string shared = "model.layers.{}.mlp.shared_expert";
    return withNames(qwenNames(file),
                     {{"blk.{}.ffn_gate_inp_shexp", shared + "_gate", GgufForm::OneRow},
                      {"blk.{}.ffn_gate_shexp", shared + ".gate_proj"},
                      {"blk.{}.ffn_up_shexp", shared + ".up_proj"},
                      {"blk.{}.ffn_down_shexp", shared + ".down_proj"}});
}

Json qwen3MoeGgufConfig(GgufKeys& keys) {
    Json config = qwenMixtureConfig(keys, "qwen3_moe", true);
    config["attention_bias"] = keys.hasTensor("blk.0.attn_q.bias");
    return config;
}

// OLMoE.

Json olmoeGgufConfig(GgufKeys& keys) {
    Json config = mixtureConfig(keys, "olmoe", "num_experts");
    config["norm_topk_prob"] = keys.flagOr("expert_weights_norm", false);
    return config;
}

// Granite MoE.

Json graniteMoeGgufConfig(GgufKeys& keys) {
    requireSumOfOne(keys);
    Json config = mixtureConfig(keys, "granitemoe", "num_local_experts");
    config["attention_bias"] = keys.hasTensor("blk.0.attn_q.bias");
    addGraniteScales(keys, config);
    return config;
}

std::vector<GgufName> graniteMoeNames(const TensorSource& file) {
    const std::string mixture = "block_sparse_moe.";
    return withNames(rotatedGgufNames(file),
                     expertGgufNames(mixture + "router", mixture + "experts"));
}

// GPT-OSS. Its files do not say that the ramp of YaRN ends between two pairs, but Headscope's say
// where it does not.

Json gptOssGgufConfig(GgufKeys& keys) {
    Json config = mixtureConfig(keys, "gpt_oss", "num_local_experts");
    config["attention_bias"] = keys.hasTensor("blk.0.attn_q.bias");
    config["sliding_window"] = keys.size("attention.sliding_window");
    if (const auto scaling = config.find("rope_scaling");
        scaling != config.end() && scaling->at("rope_type") == "yarn") {
        const bool is_told = keys.has(kGgufYarnTruncates);
        (*scaling)["truncate"] = keys.flagOr(kGgufYarnTruncates, false);
        if (!is_told)
            keys.reader.note("The ramp of YaRN ends between two rotary pairs, as in the published "
                             "models; llama.cpp rounds its ends.");
    }
    return config;
}

std::vector<GgufName> gptOssNames(const TensorSource& file) {
    using enum GgufForm;
    const std::string layer = "model.layers.{}.";
    const std::string experts = layer + "mlp.experts.";
    return withNames(plainGgufNames(file),
                     {{"blk.{}.attn_sinks", layer + "self_attn.sinks", BareName},
                      {"blk.{}.post_attention_norm", layer + "post_attention_layernorm"},
                      {"blk.{}.ffn_gate_inp", layer + "mlp.router"},
                      {"blk.{}.ffn_gate_exps", experts + "gate_up_proj", AlternatingExperts},
                      {"blk.{}.ffn_up_exps", experts + "gate_up_proj", AlternatingExperts},
                      {"blk.{}.ffn_down_exps", experts + "down_proj", ExpertsTransposed}});
}

} // namespace

std::vector<GgufFamily> mixtureGgufFamilies() {
    return {{"qwen2moe", qwen2MoeGgufConfig, qwen2MoeNames},
            {"qwen3moe", qwen3MoeGgufConfig, normedNames},
            {"olmoe", olmoeGgufConfig, normedNames},
            {"granitemoe", graniteMoeGgufConfig, graniteMoeNames},
            {"gpt-oss", gptOssGgufConfig, gptOssNames}};
}

} // namespace headscope
