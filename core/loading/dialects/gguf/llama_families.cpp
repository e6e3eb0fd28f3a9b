#include "core/loading/dialects/gguf/llama_families.h"

#include "core/io/sealed_json.h"
#include "core/loading/dialects/gguf/gguf_families.h"
#include "core/loading/model_texts.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

using Json = nlohmann::json;

std::vector<GgufName> llamaNames(const TensorSource& file) {
    return withNames(rotatedGgufNames(file), expertGgufNames("mlp.gate", "mlp.experts"));
}
// Llama, Mistral and SmolLM. Models with biases on queries, keys and values alone are Qwen 2's
// network under Llama's name, those with experts are Mixtral's.

Json llamaGgufConfig(GgufKeys& keys) {
    if (keys.sizeOr("expert_count", 0, 0) > 0) {
        requireSumOfOne(keys);
        return mixtureConfig(keys, "mixtral", "num_local_experts");
    }
    const bool biases = keys.hasTensor("blk.0.attn_q.bias");
    const bool output_bias = keys.hasTensor("blk.0.attn_output.bias");
    Json config =
        rmsNormed(llamaLikeConfig(keys, biases && !output_bias ? "qwen2" : "llama"), keys);
    config["attention_bias"] = output_bias;
    config["mlp_bias"] = keys.hasTensor("blk.0.ffn_down.bias");
    return config;
}

// Deci: Llama whose layers have different numbers of heads. llama.cpp keeps how many there are in
// each layer, Headscope's own files also which of the heads those are.

bool hasInSomeLayer(const GgufKeys& keys, const Json& kept, const std::string& ending) {
    return std::ranges::any_of(kept.items(), [&](const auto& layer) {
        return keys.hasTensor("blk." + layer.key() + ending);
    });
}

/// The kept heads of a file that another program wrote: the heads of a layer have the numbers from
/// 0 on, in groups as large as those of the layer with most. Fails where they are not, and for
/// Nemotron's layers that have an output alone.
Json headsFromZero(GgufKeys& keys) {
    const std::size_t n_heads = keys.nHeads();
    const std::size_t n_kv_heads = keys.nKvHeads();
    std::vector<std::size_t> heads = keys.sizesByLayer("attention.head_count");
    std::vector<std::size_t> kv_heads = keys.sizesByLayer("attention.head_count_kv");
    heads.resize(std::max(heads.size(), kv_heads.size()), n_heads);
    kv_heads.resize(heads.size(), keys.has("attention.head_count_kv") ? n_kv_heads : n_heads);
    Json kept = Json::object();
    if (!heads.empty() && heads.size() != keys.size("block_count"))
        keys.reader.fail(ErrorCode::Malformed,
                         "counts the heads of " + std::to_string(heads.size()) +
                             " layers, expected " + std::to_string(keys.size("block_count")) +
                             "; convert the model again.");
    for (std::size_t layer = 0; layer < heads.size(); ++layer) {
        if (heads[layer] * n_kv_heads != kv_heads[layer] * n_heads) {
            keys.reader.fail(
                ErrorCode::Unsupported,
                "has " + std::to_string(heads[layer]) + " heads and " +
                    std::to_string(kv_heads[layer]) + " key-value heads in layer " +
                    std::to_string(layer) + ", and " + std::to_string(n_heads) + " and " +
                    std::to_string(n_kv_heads) +
                    " in another, expected as many heads for each key-value head in all "
                    "layers; open another model.");
            return Json::object();
        }
        std::vector<std::size_t> numbers(heads[layer]);
        std::iota(numbers.begin(), numbers.end(), std::size_t{0});
        kept[std::to_string(layer)] = std::move(numbers);
    }
    const bool all_alike =
        std::ranges::all_of(heads, [&](std::size_t count) { return count == n_heads; });
    return all_alike ? Json::object() : kept;
}

Json strangersDeciConfig(GgufKeys& keys) {
    Json config = rmsNormed(llamaLikeConfig(keys, "llama"), keys);
    Json kept = headsFromZero(keys);
    const bool biases = keys.hasTensor("blk.0.attn_output.bias");
    config["attention_bias"] = biases && keys.hasTensor("blk.0.attn_q.bias");
    config["mlp_bias"] = keys.hasTensor("blk.0.ffn_down.bias");
    if (biases)
        config[kOutputBiasKey] = true;
    if (!kept.empty())
        config[kKeptHeadsKey] = std::move(kept);
    return config;
}

Json deciGgufConfig(GgufKeys& keys) {
    if (!keys.has(kGgufKeptHeads))
        return strangersDeciConfig(keys);
    const auto document = readForeignJson(keys.textOr(kGgufKeptHeads, ""), {.depth = 2});
    if (!document || !document->root().isObject()) {
        keys.reader.fail(ErrorCode::Unsupported,
                         "says under 'deci." + std::string(kGgufKeptHeads) +
                             "' which heads its layers kept in no form that Headscope writes; save "
                             "the smaller model again.");
        return {};
    }
    const Json& kept = document->root().json();
    Json config = rmsNormed(llamaLikeConfig(keys, "llama"), keys);
    for (const char* counts : {"deci.attention.head_count", "deci.attention.head_count_kv"})
        keys.reader.numbers(counts); // which the tensors of the heads that were kept must fit
    const bool output_bias = hasInSomeLayer(keys, kept, ".attn_output.bias");
    config["attention_bias"] = output_bias && hasInSomeLayer(keys, kept, ".attn_q.bias");
    config[kOutputBiasKey] = output_bias;
    config["mlp_bias"] = keys.hasTensor("blk.0.ffn_down.bias");
    config[kKeptHeadsKey] = kept;
    return config;
}

// Qwen 2 and 3. The language models inside of Qwen-VL turn by time, row and column of an image,
// which are one and the same position in a text.

Json qwen2GgufConfig(GgufKeys& keys) {
    return rmsNormed(llamaLikeConfig(keys, "qwen2"), keys);
}

Json qwen3GgufConfig(GgufKeys& keys) {
    Json config = rmsNormed(llamaLikeConfig(keys, "qwen3"), keys);
    config["attention_bias"] = keys.hasTensor("blk.0.attn_q.bias");
    return config;
}

// Gemma. GGUF leaves out how attention is scaled: as in llama.cpp, by the width of a head, but in
// the 27B models, told by their number of layers, by that of the residual stream over the heads.

Json gemmaGgufConfig(GgufKeys& keys, std::string_view model_type) {
    Json config = rmsNormed(llamaLikeConfig(keys, model_type), keys);
    config["hidden_activation"] = "gelu_pytorch_tanh";
    return config;
}

Json gemma1GgufConfig(GgufKeys& keys) {
    return gemmaGgufConfig(keys, "gemma");
}

void scaleGemmaAttention(GgufKeys& keys, Json& config, std::size_t layers_of_27b) {
    const bool is_27b = keys.size("block_count") == layers_of_27b;
    config["query_pre_attn_scalar"] =
        is_27b ? keys.size("embedding_length") / keys.size("attention.head_count")
               : keys.headSize();
}

/// Null where the file has no cap.
Json softcap(GgufKeys& keys, std::string_view key) {
    return keys.has(key) ? Json(keys.positiveOr(key, 1.0)) : Json();
}

Json gemma2GgufConfig(GgufKeys& keys) {
    Json config = gemmaGgufConfig(keys, "gemma2");
    scaleGemmaAttention(keys, config, 46);
    config["attn_logit_softcapping"] = softcap(keys, "attn_logit_softcapping");
    config["final_logit_softcapping"] = softcap(keys, "final_logit_softcapping");
    config["sliding_window"] = keys.sizeOr("attention.sliding_window", 4096);
    return config;
}

Json gemma3GgufConfig(GgufKeys& keys) {
    Json config = gemmaGgufConfig(keys, "gemma3_text");
    scaleGemmaAttention(keys, config, 62);
    config["rope_theta"] = keys.positiveOr("rope.freq_base", 1e6);
    config["rope_local_base_freq"] = keys.positiveOr("rope.freq_base_swa", 10000.0);
    config["final_logit_softcapping"] = softcap(keys, "final_logit_softcapping");
    if (keys.has("attention.sliding_window"))
        config["sliding_window"] = keys.size("attention.sliding_window");
    config["sliding_window_pattern"] = keys.sizeOr("attention.sliding_window_pattern",
                                                   keys.has("attention.sliding_window") ? 6 : 1);
    return config;
}

std::vector<GgufName> gemma2Names(const TensorSource& file) {
    using enum GgufForm;
    return withNames(
        gainPlusOneGgufNames(file),
        {{"blk.{}.post_attention_norm", "model.layers.{}.post_attention_layernorm", GainPlusOne},
         {"blk.{}.ffn_norm", "model.layers.{}.pre_feedforward_layernorm", GainPlusOne},
         {"blk.{}.post_ffw_norm", "model.layers.{}.post_feedforward_layernorm", GainPlusOne}});
}

std::vector<GgufName> gemma3Names(const TensorSource& file) {
    using enum GgufForm;
    return withNames(gemma2Names(file),
                     {{"blk.{}.attn_q_norm", "model.layers.{}.self_attn.q_norm", GainPlusOne},
                      {"blk.{}.attn_k_norm", "model.layers.{}.self_attn.k_norm", GainPlusOne}});
}

// Phi.

Json phi2GgufConfig(GgufKeys& keys) {
    return layerNormed(llamaLikeConfig(keys, "phi", RotatedPart::Stated), keys);
}

std::vector<GgufName> phi2Names(const TensorSource& file) {
    return withNames(plainGgufNames(file),
                     {{"output_norm", "model.final_layernorm"},
                      {"blk.{}.attn_output", "model.layers.{}.self_attn.dense"},
                      {"blk.{}.ffn_up", "model.layers.{}.mlp.fc1"},
                      {"blk.{}.ffn_down", "model.layers.{}.mlp.fc2"}});
}

Json phi3GgufConfig(GgufKeys& keys) {
    Json config = rmsNormed(llamaLikeConfig(keys, "phi3", RotatedPart::Stated), keys);
    if (const std::size_t window = keys.sizeOr("attention.sliding_window", 0, 0); window != 0)
        config["sliding_window"] = window;
    keys.sizeOr("rope.scaling.original_context_length", 1);
    return config;
}

std::vector<GgufName> phi3Names(const TensorSource& file) {
    return withNames(plainGgufNames(file),
                     {{"blk.{}.attn_qkv", "model.layers.{}.self_attn.qkv_proj"},
                      {"blk.{}.ffn_up", "model.layers.{}.mlp.gate_up_proj"}});
}

// OLMo.

Json olmoGgufConfig(GgufKeys& keys) {
    layerNormEps(keys); // which is always 1e-5
    Json config = llamaLikeConfig(keys, "olmo");
    config["clip_qkv"] = clipOf(keys);
    return config;
}

// OLMo 3 has the architecture of OLMo 2 and windows, in all but every fourth layer unless it says
// which. Only layers without one scale their rotary positions.

Json olmo3GgufConfig(GgufKeys& keys) {
    Json config = rmsNormed(llamaLikeConfig(keys, "olmo3"), keys);
    const double base = config["rope_theta"];
    const Json plain{{"rope_type", "default"}, {"rope_theta", base}};
    Json scaled = config.value("rope_scaling", plain);
    scaled["rope_theta"] = base;
    config["rope_parameters"] = {
        {"full_attention", std::move(scaled)},
        {"sliding_attention",
         {{"rope_type", "default"}, {"rope_theta", keys.positiveOr("rope.freq_base_swa", base)}}}};
    config.erase("rope_scaling");
    config.erase("rope_theta");
    config["sliding_window"] = keys.size("attention.sliding_window");
    if (auto types = keys.layerTypes("attention.sliding_window_pattern"); !types.empty())
        config["layer_types"] = std::move(types);
    return config;
}

Json olmo2GgufConfig(GgufKeys& keys) {
    if (keys.sizeOr("attention.sliding_window", 0, 0) > 0)
        return olmo3GgufConfig(keys);
    return rmsNormed(llamaLikeConfig(keys, "olmo2"), keys);
}

// StableLM and StarCoder 2.

Json stablelmGgufConfig(GgufKeys& keys) {
    Json config = layerNormed(llamaLikeConfig(keys, "stablelm", RotatedPart::Stated), keys);
    config["use_parallel_residual"] = !keys.hasTensor("blk.0.ffn_norm.weight");
    keys.flagOr("use_parallel_residual", false); // true in some files that are sequential
    config["use_qkv_bias"] = keys.hasTensor("blk.0.attn_q.bias");
    config["qk_layernorm"] = keys.hasTensor("blk.0.attn_q_norm.weight");
    return config;
}

std::vector<GgufName> stablelmNames(const TensorSource& file) {
    const std::string attention = "model.layers.{}.self_attn.";
    return withNames(plainGgufNames(file),
                     {{"blk.{}.attn_q_norm", attention + "q_layernorm.norms", GgufForm::HeadRows},
                      {"blk.{}.attn_k_norm", attention + "k_layernorm.norms", GgufForm::HeadRows}});
}

Json starcoder2GgufConfig(GgufKeys& keys) {
    Json config = llamaLikeConfig(keys, "starcoder2");
    config["norm_epsilon"] = layerNormEps(keys);
    config["use_bias"] = keys.hasTensor("blk.0.attn_q.bias");
    return config;
}

std::vector<GgufName> starcoder2Names(const TensorSource& file) {
    return withNames(plainGgufNames(file), {{"blk.{}.ffn_up", "model.layers.{}.mlp.c_fc"},
                                            {"blk.{}.ffn_down", "model.layers.{}.mlp.c_proj"}});
}

} // namespace

std::vector<GgufName> gainPlusOneGgufNames(const TensorSource& file) {
    return withNames(
        plainGgufNames(file),
        {{"output_norm", "model.norm", GgufForm::GainPlusOne},
         {"blk.{}.attn_norm", "model.layers.{}.input_layernorm", GgufForm::GainPlusOne},
         {"blk.{}.ffn_norm", "model.layers.{}.post_attention_layernorm", GgufForm::GainPlusOne}});
}

std::vector<GgufName> normedGgufNames(const TensorSource& file) {
    return withNames(plainGgufNames(file), qkNormGgufNames());
}

std::vector<GgufName> olmo2GgufNames(const TensorSource& file) {
    return withNames(normedGgufNames(file),
                     {{"blk.{}.post_attention_norm", "model.layers.{}.post_attention_layernorm"},
                      {"blk.{}.post_ffw_norm", "model.layers.{}.post_feedforward_layernorm"}});
}

std::vector<GgufFamily> llamaGgufFamilies() {
    return {{"llama", llamaGgufConfig, llamaNames},
            {"deci", deciGgufConfig, rotatedGgufNames},
            {"qwen2", qwen2GgufConfig, plainGgufNames},
            {"qwen2vl", qwen2GgufConfig, plainGgufNames},
            {"qwen3", qwen3GgufConfig, normedGgufNames},
            {"qwen3vl", qwen3GgufConfig, normedGgufNames},
            {"gemma", gemma1GgufConfig, gainPlusOneGgufNames},
            {"gemma2", gemma2GgufConfig, gemma2Names},
            {"gemma3", gemma3GgufConfig, gemma3Names},
            {"phi2", phi2GgufConfig, phi2Names},
            {"phi3", phi3GgufConfig, phi3Names},
            {"olmo", olmoGgufConfig, rotatedGgufNames},
            {"olmo2", olmo2GgufConfig, olmo2GgufNames},
            {"stablelm", stablelmGgufConfig, stablelmNames},
            {"starcoder2", starcoder2GgufConfig, starcoder2Names}};
}

} // namespace headscope
