#include "core/loading/dialects/gguf/gguf_families.h"

#include "core/base/text.h"
#include "core/loading/dialects/gguf/llama_families.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace headscope {

namespace {

std::vector<GgufFamily> allGgufFamilies() {
    std::vector<GgufFamily> all = llamaGgufFamilies();
    for (const auto more :
         {llamaKinGgufFamilies, mixtureGgufFamilies, encoderGgufFamilies, otherGgufFamilies})
        std::ranges::copy(more(), std::back_inserter(all));
    return all;
}

} // namespace

std::string GgufName::torchName(std::string_view layer, std::string_view ending) const {
    const std::string name = replaceAll(torch, "{}", layer);
    if (!hasBareName(form))
        return name + std::string(ending);
    return ending == ".bias" ? name + "_bias" : name;
}

const GgufFamily* ggufFamily(std::string_view architecture) {
    static const std::vector<GgufFamily> families = allGgufFamilies();
    const auto found = std::ranges::find(families, architecture, &GgufFamily::architecture);
    return found == families.end() ? nullptr : &*found;
}

namespace {

using Json = nlohmann::json;

/// Factors of rotary frequencies that the conversion computed from rope_type "llama3", and those of
/// longrope, which come in two sets.
Json rotaryFactors(GgufKeys& keys) {
    const auto all = keys.numbers("rope_freqs.weight");
    if (!all.empty()) {
        keys.reader.note("Rotary frequencies are divided by the factors in 'rope_freqs.weight'.");
        return {{"rope_type", "longrope"},
                {"factor", 1.0},
                {"attention_factor", 1.0},
                {"short_factor", all},
                {"long_factor", all}};
    }
    const auto long_factors = keys.numbers("rope_factors_long.weight");
    if (long_factors.empty())
        return nullptr;
    Json scaling{{"rope_type", "longrope"},
                 {"attention_factor", keys.positiveOr("rope.scaling.attn_factor", 1.0)},
                 {"short_factor", keys.numbers("rope_factors_short.weight")},
                 {"long_factor", long_factors}};
    if (keys.has("rope.scaling.original_context_length"))
        scaling["original_max_position_embeddings"] =
            keys.size("rope.scaling.original_context_length");
    return scaling;
}

Json yarn(GgufKeys& keys) {
    Json scaling{{"rope_type", "yarn"}, {"factor", keys.positiveOr("rope.scaling.factor", 1.0)}};
    if (keys.has("rope.scaling.original_context_length"))
        scaling["original_max_position_embeddings"] =
            keys.size("rope.scaling.original_context_length");
    // llama.cpp multiplies the usual factor with one; other files name the whole of it.
    if (keys.has("rope.scaling.attn_factor")) {
        const double factor = scaling["factor"];
        scaling["attention_factor"] = keys.positiveOr("rope.scaling.attn_factor", 1.0) *
                                      (factor > 1.0 ? 1.0 + 0.1 * std::log(factor) : 1.0);
    } else if (keys.has("rope.scaling.yarn_attn_factor")) {
        scaling["attention_factor"] = keys.positiveOr("rope.scaling.yarn_attn_factor", 1.0);
    }
    scaling["beta_fast"] = keys.positiveOr("rope.scaling.yarn_beta_fast", 32.0);
    scaling["beta_slow"] = keys.positiveOr("rope.scaling.yarn_beta_slow", 1.0);
    return scaling;
}

} // namespace

Json rotaryScaling(GgufKeys& keys) {
    if (Json factors = rotaryFactors(keys); !factors.is_null())
        return factors;
    const double factor =
        keys.positiveOr("rope.scaling.factor", keys.positiveOr("rope.scale_linear", 1.0));
    const std::string type =
        keys.textOr("rope.scaling.type", keys.has("rope.scale_linear") ? "linear" : "none");
    if (type == "yarn")
        return yarn(keys);
    if (type != "none" && type != "linear" && type != "longrope")
        keys.reader.fail(ErrorCode::Unsupported, "asks for rotary embeddings of the type '" + type +
                                                     "', expected none, linear, yarn or longrope; "
                                                     "open a model without it.");
    return type == "linear" && factor != 1.0 ? Json{{"rope_type", "linear"}, {"factor", factor}}
                                             : Json();
}

double rotatedFraction(GgufKeys& keys) {
    const auto whole = static_cast<double>(keys.headSize());
    const std::size_t rotated = keys.rotatedSize();
    double fraction = static_cast<double>(rotated) / whole;
    while (static_cast<std::size_t>(whole * fraction) < rotated)
        fraction = std::nextafter(fraction, 2.0);
    return fraction;
}

Json clipOf(GgufKeys& keys) {
    const double limit = keys.numberOr("attention.clamp_kqv", 0.0);
    return limit > 0.0 ? Json(limit) : Json();
}

void requireWholeRotation(GgufKeys& keys) {
    if (keys.rotatedSize() != keys.headSize())
        keys.reader.fail(ErrorCode::Unsupported, "rotates " + std::to_string(keys.rotatedSize()) +
                                                     " of the " + std::to_string(keys.headSize()) +
                                                     " dimensions of each head, which is not "
                                                     "supported in this family; open another "
                                                     "model.");
}

double rmsNormEps(GgufKeys& keys) {
    return keys.positiveOr("attention.layer_norm_rms_epsilon", 1e-5);
}

double layerNormEps(GgufKeys& keys) {
    return keys.positiveOr("attention.layer_norm_epsilon", 1e-5);
}

Json llamaLikeConfig(GgufKeys& keys, std::string_view model_type, RotatedPart rotated) {
    const std::size_t vocabulary = keys.rows("token_embd.weight");
    Json config{{"model_type", model_type},
                {"vocab_size", vocabulary != 0 ? vocabulary : keys.size("vocab_size")},
                {"num_hidden_layers", keys.size("block_count")},
                {"num_attention_heads", keys.nHeads()},
                {"num_key_value_heads", keys.nKvHeads()},
                {"head_dim", keys.headSize()},
                {"hidden_size", keys.size("embedding_length")},
                {"intermediate_size", keys.size("feed_forward_length")},
                {"max_position_embeddings", keys.size("context_length")},
                {"rope_theta", keys.positiveOr("rope.freq_base", 10000.0)},
                {"tie_word_embeddings", !keys.hasTensor("output.weight")}};
    keys.sizeOr("vocab_size", 1);
    if (Json scaling = rotaryScaling(keys); !scaling.is_null())
        config["rope_scaling"] = std::move(scaling);
    if (rotated == RotatedPart::Stated)
        config["partial_rotary_factor"] = rotatedFraction(keys);
    else
        requireWholeRotation(keys);
    return config;
}

void addEmbedding(GgufKeys& keys, Json& config) {
    config["vocab_size"] = keys.rows("token_embd.weight");
    config["tie_word_embeddings"] = !keys.hasTensor("output.weight");
    keys.sizeOr("vocab_size", 1);
}

Json rmsNormed(Json config, GgufKeys& keys) {
    config["rms_norm_eps"] = rmsNormEps(keys);
    return config;
}

Json layerNormed(Json config, GgufKeys& keys) {
    config["layer_norm_eps"] = layerNormEps(keys);
    return config;
}

Json mixtureConfig(GgufKeys& keys, std::string_view model_type, const char* experts_key) {
    Json config = rmsNormed(llamaLikeConfig(keys, model_type), keys);
    config["intermediate_size"] =
        keys.sizeOr("expert_feed_forward_length", keys.size("feed_forward_length"));
    config[experts_key] = keys.size("expert_count");
    config["num_experts_per_tok"] = keys.size("expert_used_count");
    constexpr std::size_t kSoftmax = 1;
    const std::size_t gating = keys.sizeOr("expert_gating_func", kSoftmax, 0);
    const double scale = keys.numberOr("expert_weights_scale", 0.0); // 0: none
    if (gating > kSoftmax || (scale != 0.0 && scale != 1.0))
        keys.reader.fail(ErrorCode::Unsupported,
                         "weighs its experts by the function " + std::to_string(gating) +
                             " and the factor " + numberText(scale) +
                             ", expected a softmax (1) and none; open another model.");
    return config;
}

void requireSumOfOne(GgufKeys& keys) {
    if (!keys.flagOr("expert_weights_norm", true))
        keys.reader.fail(ErrorCode::Unsupported,
                         "does not let the weights of the chosen experts sum to 1, which the "
                         "family '" +
                             keys.architecture() + "' does; open another model.");
}

void addGraniteScales(GgufKeys& keys, Json& config) {
    config["attention_multiplier"] = keys.positiveOr("attention.scale", 1.0);
    config["embedding_multiplier"] = keys.positiveOr("embedding_scale", 1.0);
    config["residual_multiplier"] = keys.positiveOr("residual_scale", 1.0);
    config["logits_scaling"] = keys.positiveOr("logit_scale", 1.0);
}

std::vector<GgufName> llamaGgufNames(GgufForm queries_and_keys) {
    return {
        {"token_embd", "model.embed_tokens"},
        {"output_norm", "model.norm"},
        {"output", "lm_head"},
        {"blk.{}.attn_norm", "model.layers.{}.input_layernorm"},
        {"blk.{}.attn_q", "model.layers.{}.self_attn.q_proj", queries_and_keys},
        {"blk.{}.attn_k", "model.layers.{}.self_attn.k_proj", queries_and_keys},
        {"blk.{}.attn_v", "model.layers.{}.self_attn.v_proj"},
        {"blk.{}.attn_output", "model.layers.{}.self_attn.o_proj"},
        {"blk.{}.ffn_norm", "model.layers.{}.post_attention_layernorm"},
        {"blk.{}.ffn_gate", "model.layers.{}.mlp.gate_proj"},
        {"blk.{}.ffn_up", "model.layers.{}.mlp.up_proj"},
        {"blk.{}.ffn_down", "model.layers.{}.mlp.down_proj"},
    };
}

std::vector<GgufName> plainGgufNames(const TensorSource&) {
    return llamaGgufNames(GgufForm::AsIs);
}

std::vector<GgufName> rotatedGgufNames(const TensorSource&) {
    return llamaGgufNames(GgufForm::Rotary);
}

std::vector<GgufName> expertGgufNames(const std::string& router, const std::string& experts) {
    using enum GgufForm;
    const std::string layer = "model.layers.{}.";
    return {{"blk.{}.ffn_gate_inp", layer + router},
            {"blk.{}.ffn_gate_exps", layer + experts + ".gate_up_proj", FusedExperts},
            {"blk.{}.ffn_up_exps", layer + experts + ".gate_up_proj", FusedExperts},
            {"blk.{}.ffn_down_exps", layer + experts + ".down_proj", BareName}};
}

std::vector<GgufName> qkNormGgufNames() {
    return {{"blk.{}.attn_q_norm", "model.layers.{}.self_attn.q_norm"},
            {"blk.{}.attn_k_norm", "model.layers.{}.self_attn.k_norm"}};
}

std::vector<GgufName> withNames(std::vector<GgufName> names, const std::vector<GgufName>& others) {
    std::erase_if(names, [&](const GgufName& name) {
        return std::ranges::any_of(others, [&](const GgufName& other) {
            return other.gguf == name.gguf || other.torch == name.torch;
        });
    });
    names.insert(names.end(), others.begin(), others.end());
    return names;
}

} // namespace headscope
