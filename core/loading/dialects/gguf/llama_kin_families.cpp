// Kin of Llama that came later, and those under whose architecture llama.cpp writes them.

#include "core/loading/dialects/gguf/gguf_families.h"
#include "core/loading/dialects/gguf/llama_families.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace headscope {

namespace {

using Json = nlohmann::json;

/// One expert is an MLP.
void refuseExperts(GgufKeys& keys) {
    if (const std::size_t experts = keys.sizeOr("expert_count", 0, 0); experts > 1)
        keys.reader.fail(ErrorCode::Unsupported, "has " + std::to_string(experts) +
                                                     " experts, expected none in this family; "
                                                     "open another model.");
}

// Granite, Cohere, Seed-OSS.

/// Whether a Granite rotates queries and keys.
constexpr std::string_view kGraniteRotates = "rope.scaling.finetuned";

Json graniteLikeConfig(GgufKeys& keys) {
    Json config = rmsNormed(llamaLikeConfig(keys, "granite"), keys);
    config["attention_bias"] = keys.hasTensor("blk.0.attn_q.bias");
    config["mlp_bias"] = keys.hasTensor("blk.0.ffn_down.bias");
    addGraniteScales(keys, config);
    return config;
}

Json graniteGgufConfig(GgufKeys& keys) {
    if (!keys.flagOr(kGraniteRotates, true))
        keys.reader.fail(ErrorCode::Unsupported, "has no rotary positions, which this family has; "
                                                 "open another model.");
    return graniteLikeConfig(keys);
}

// Granite 4, all of whose layers attend; others of its files have recurrent ones. llama.cpp's
// conversion gives models without those the architecture of Granite.

Json graniteHybridGgufConfig(GgufKeys& keys) {
    const bool rotates = keys.flagOr(kGraniteRotates, true);
    Json config = graniteLikeConfig(keys);
    config["model_type"] = "granitemoehybrid";
    config["layer_types"] = std::vector<std::string>(keys.size("block_count"), "attention");
    config["num_local_experts"] = 0;
    refuseExperts(keys);
    config["shared_intermediate_size"] =
        keys.sizeOr("expert_shared_feed_forward_length", keys.size("feed_forward_length"));
    config["position_embedding_type"] = rotates ? "rope" : "nope";
    keys.reader.passOver({"granitehybrid.ssm.*", "granitehybrid.expert_used_count"});
    return config;
}

std::vector<GgufName> sharedMlpNames() {
    const std::string mlp = "model.layers.{}.shared_mlp.";
    return {{"blk.{}.ffn_gate", mlp + "input_linear", GgufForm::FusedRows},
            {"blk.{}.ffn_up", mlp + "input_linear", GgufForm::FusedRows},
            {"blk.{}.ffn_down", mlp + "output_linear"}};
}

std::vector<GgufName> graniteHybridNames(const TensorSource& file) {
    return withNames(rotatedGgufNames(file), sharedMlpNames());
}

/// The names of either config; they name the MLP differently.
std::vector<GgufName> graniteNames(const TensorSource& file) {
    std::vector<GgufName> names = rotatedGgufNames(file);
    std::ranges::copy(sharedMlpNames(), std::back_inserter(names));
    return names;
}

Json cohereGgufConfig(GgufKeys& keys) {
    Json config = layerNormed(llamaLikeConfig(keys, "cohere"), keys);
    config["attention_bias"] = keys.hasTensor("blk.0.attn_q.bias");
    config["logit_scale"] = keys.positiveOr("logit_scale", 0.0625);
    return config;
}

Json commandGgufConfig(GgufKeys& keys) {
    Json config = cohereGgufConfig(keys);
    config["use_qk_norm"] = keys.hasTensor("blk.0.attn_q_norm.weight");
    return config;
}

Json cohere2GgufConfig(GgufKeys& keys) {
    Json config = cohereGgufConfig(keys);
    config["model_type"] = "cohere2";
    config["sliding_window"] = keys.size("attention.sliding_window");
    return config;
}

Json seedOssGgufConfig(GgufKeys& keys) {
    Json config = rmsNormed(llamaLikeConfig(keys, "seed_oss"), keys);
    config["attention_bias"] = keys.hasTensor("blk.0.attn_q.bias");
    config["attention_out_bias"] = keys.hasTensor("blk.0.attn_output.bias");
    config["mlp_bias"] = keys.hasTensor("blk.0.ffn_down.bias");
    return config;
}

std::vector<GgufName> seedOssNames(const TensorSource& file) {
    return withNames(plainGgufNames(file),
                     {{"blk.{}.post_attention_norm", "model.layers.{}.post_attention_layernorm"}});
}

// Arcee, SmolLM 3, ERNIE 4.5: Llama's tensors without biases, as llama.cpp knows them.

Json arceeGgufConfig(GgufKeys& keys) {
    return rmsNormed(llamaLikeConfig(keys, "arcee"), keys);
}

Json smollm3GgufConfig(GgufKeys& keys) {
    return rmsNormed(llamaLikeConfig(keys, "smollm3"), keys);
}

Json ernie45GgufConfig(GgufKeys& keys) {
    return rmsNormed(llamaLikeConfig(keys, "ernie4_5"), keys);
}

// Nemotron.

Json nemotronGgufConfig(GgufKeys& keys) {
    Json config = llamaLikeConfig(keys, "nemotron", RotatedPart::Stated);
    config["norm_eps"] = layerNormEps(keys);
    config["attention_bias"] = keys.hasTensor("blk.0.attn_q.bias");
    config["mlp_bias"] = keys.hasTensor("blk.0.ffn_down.bias");
    return config;
}

// EXAONE 4. llama.cpp knows the model with windows by its 64 layers.

Json exaone4GgufConfig(GgufKeys& keys) {
    Json config = rmsNormed(llamaLikeConfig(keys, "exaone4"), keys);
    const std::size_t window = keys.sizeOr("attention.sliding_window", 4096, 0);
    config["sliding_window"] =
        keys.size("block_count") == 64 && window != 0 ? Json(window) : Json();
    return config;
}

// EXAONE 3. Newer conversions name the eps of its RMSNorm like that of LayerNorm.

Json exaoneGgufConfig(GgufKeys& keys) {
    Json config = llamaLikeConfig(keys, "exaone");
    config["rms_norm_eps"] =
        keys.positiveOr("attention.layer_norm_rms_epsilon", layerNormEps(keys));
    config["attention_bias"] = keys.hasTensor("blk.0.attn_q.bias");
    config["mlp_bias"] = keys.hasTensor("blk.0.ffn_down.bias");
    return config;
}

std::vector<GgufName> exaoneNames(const TensorSource&) {
    const std::string layer = "transformer.h.{}.";
    const std::string attention = layer + "attn.attention.";
    return {{"token_embd", "transformer.wte"},
            {"output_norm", "transformer.ln_f"},
            {"output", "lm_head"},
            {"blk.{}.attn_norm", layer + "ln_1"},
            {"blk.{}.attn_q", attention + "q_proj"},
            {"blk.{}.attn_k", attention + "k_proj"},
            {"blk.{}.attn_v", attention + "v_proj"},
            {"blk.{}.attn_output", attention + "out_proj"},
            {"blk.{}.ffn_norm", layer + "ln_2"},
            {"blk.{}.ffn_gate", layer + "mlp.c_fc_0"},
            {"blk.{}.ffn_up", layer + "mlp.c_fc_1"},
            {"blk.{}.ffn_down", layer + "mlp.c_proj"}};
}

// Hunyuan's dense models, whose base comes raised by alpha.

Json hunyuanGgufConfig(GgufKeys& keys) {
    Json config = rmsNormed(llamaLikeConfig(keys, "hunyuan_v1_dense"), keys);
    config["attention_bias"] = keys.hasTensor("blk.0.attn_q.bias");
    keys.sizeOr("rope.scaling.original_context_length", 1);
    refuseExperts(keys);
    return config;
}

std::vector<GgufName> hunyuanNames(const TensorSource& file) {
    return withNames(plainGgufNames(file),
                     {{"blk.{}.attn_q_norm", "model.layers.{}.self_attn.query_layernorm"},
                      {"blk.{}.attn_k_norm", "model.layers.{}.self_attn.key_layernorm"}});
}

// Mistral 3, and Ministral 3, whose queries grow after the context that it was trained with.

Json mistral3GgufConfig(GgufKeys& keys) {
    Json config = rmsNormed(llamaLikeConfig(keys, "mistral"), keys);
    const double growth = keys.numberOr("attention.temperature_scale", 0.0);
    const double magnitude = keys.numberOr("rope.scaling.yarn_log_multiplier", 0.0);
    if (growth == 0.0 && magnitude == 0.0)
        return config;
    config["model_type"] = "ministral3";
    Json rotary = config.value("rope_scaling", Json{{"rope_type", "default"}});
    rotary["rope_theta"] = config["rope_theta"];
    rotary["llama_4_scaling_beta"] = growth;
    if (magnitude != 0.0)
        rotary.update({{"mscale", 1.0}, {"mscale_all_dim", magnitude}});
    config["rope_parameters"] = std::move(rotary);
    config.erase("rope_scaling");
    config.erase("rope_theta");
    return config;
}

// GLM-4; the models of before 0414 have the name of its elder.

Json glmGgufConfig(GgufKeys& keys) {
    Json config = rmsNormed(llamaLikeConfig(keys, "glm", RotatedPart::Stated), keys);
    config["attention_bias"] = keys.hasTensor("blk.0.attn_q.bias");
    return config;
}

std::vector<GgufName> glmNames(const TensorSource& file) {
    return withNames(plainGgufNames(file), {{"blk.{}.ffn_up", "model.layers.{}.mlp.gate_up_proj"}});
}

Json glm4GgufConfig(GgufKeys& keys) {
    Json config = rmsNormed(llamaLikeConfig(keys, "glm4", RotatedPart::Stated), keys);
    config["attention_bias"] = keys.hasTensor("blk.0.attn_q.bias");
    return config;
}

std::vector<GgufName> glm4Names(const TensorSource& file) {
    return withNames(glmNames(file),
                     {{"blk.{}.post_attention_norm", "model.layers.{}.post_self_attn_layernorm"},
                      {"blk.{}.post_ffw_norm", "model.layers.{}.post_mlp_layernorm"}});
}

} // namespace

std::vector<GgufFamily> llamaKinGgufFamilies() {
    return {{"granite", graniteGgufConfig, graniteNames},
            {"granitehybrid", graniteHybridGgufConfig, graniteHybridNames},
            {"chatglm", glmGgufConfig, glmNames},
            {"exaone", exaoneGgufConfig, exaoneNames},
            {"hunyuan-dense", hunyuanGgufConfig, hunyuanNames},
            {"mistral3", mistral3GgufConfig, rotatedGgufNames},
            {"command-r", commandGgufConfig, normedGgufNames},
            {"cohere2", cohere2GgufConfig, plainGgufNames},
            {"glm4", glm4GgufConfig, glm4Names},
            {"arcee", arceeGgufConfig, rotatedGgufNames},
            {"smollm3", smollm3GgufConfig, rotatedGgufNames},
            {"ernie4_5", ernie45GgufConfig, plainGgufNames},
            {"nemotron", nemotronGgufConfig, gainPlusOneGgufNames},
            {"exaone4", exaone4GgufConfig, olmo2GgufNames},
            {"seed_oss", seedOssGgufConfig, seedOssNames}};
}

} // namespace headscope
