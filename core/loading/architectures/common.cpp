#include "core/loading/architectures/common.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace headscope {

namespace {

/// Two spellings of the exact GELU and five of its tanh form; the first toys wrote GeLU and ReLU.
constexpr std::array<std::pair<std::string_view, Activation>, 14> kActivations{{
    {"gelu", Activation::GeluErf},
    {"gelu_python", Activation::GeluErf},
    {"gelu_new", Activation::GeluTanh},
    {"gelu_accurate", Activation::GeluTanh},
    {"gelu_python_tanh", Activation::GeluTanh},
    {"gelu_fast", Activation::GeluTanh},
    {"gelu_pytorch_tanh", Activation::GeluTanh},
    {"quick_gelu", Activation::QuickGelu},
    {"relu", Activation::Relu},
    {"relu2", Activation::ReluSquared},
    {"silu", Activation::Silu},
    {"swish", Activation::Silu},
    {"GeLU", Activation::GeluErf},
    {"ReLU", Activation::Relu},
}};

} // namespace

Activation readActivation(ConfigReader& config, ConfigReader::Keys keys,
                          std::string_view fallback) {
    const std::string name = config.textOr(keys, fallback);
    const auto known =
        std::ranges::find(kActivations, name, &decltype(kActivations)::value_type::first);
    if (known != kActivations.end())
        return known->second;
    std::vector<std::string> names;
    names.reserve(kActivations.size());
    for (const auto& [supported, activation] : kActivations)
        names.emplace_back(supported);
    config.fail(ErrorCode::Unsupported, "asks for the activation '" + name + "', expected one of " +
                                            join(names, ", ") + ".");
    return Activation::Relu;
}

double readClip(ConfigReader& config) {
    return config.positiveOr({"clip_qkv"}, 0.0);
}

std::size_t headSize(ConfigReader& config, const ModelSpec& spec) {
    if (spec.d_model % spec.n_heads != 0)
        config.fail(ErrorCode::Mismatch,
                    "has a width of " + std::to_string(spec.d_model) + " and " +
                        std::to_string(spec.n_heads) +
                        " heads, expected a number of heads that divides the width; correct the "
                        "config.");
    return std::max<std::size_t>(1, spec.d_model / spec.n_heads);
}

std::vector<double> usualAttentionScale(const ModelSpec& spec) {
    return std::vector<double>(spec.n_layers, 1.0 / std::sqrt(static_cast<double>(spec.d_head)));
}

std::vector<double> alibiSlopes(std::size_t n_heads) {
    const std::size_t n = std::bit_floor(n_heads);
    std::vector<double> slopes;
    slopes.reserve(n_heads);
    for (std::size_t head = 0; head < n_heads; ++head) {
        const std::size_t step = head < n ? 2 * (head + 1) : 2 * (head - n) + 1;
        slopes.push_back(std::exp2(-4.0 * static_cast<double>(step) / static_cast<double>(n)));
    }
    return slopes;
}

void readSpecialTokens(ConfigReader& config, ModelSpec& spec) {
    spec.bos_token = config.token("bos_token_id", spec.d_vocab);
    spec.mask_token = config.token("mask_token_id", spec.d_vocab);
}

bool hasTensorEnding(const TensorSource& file, std::string_view ending) {
    return std::ranges::any_of(file.tensors(), [ending](const TensorInfo& tensor) {
        return tensor.name.ends_with(ending);
    });
}

std::vector<ExtraRule> causalMaskBuffers() {
    const std::string mask = "the causal mask, a constant that old files carry";
    const std::string value = "a constant of the causal mask that old files carry";
    return {{"*.attn.bias", mask},
            {"*.attn.masked_bias", value},
            {"*.attention.bias", mask},
            {"*.attention.masked_bias", value}};
}

void append(std::vector<TensorRule>& rules, const std::vector<TensorRule>& more) {
    rules.insert(rules.end(), more.begin(), more.end());
}

namespace {

/// How far the network was stretched: the key, or the context over the original one.
double stretch(ConfigReader& scaling, const ModelSpec& spec, const RotarySpec& rotary) {
    return scaling.positiveOr({"factor"},
                              static_cast<double>(spec.n_ctx) / rotary.original_context);
}

/// Lets prompts be as long as the scaling stretches the original context.
void stretchContext(ModelSpec& spec, const RotarySpec& rotary) {
    const double stretched = rotary.factor * rotary.original_context;
    const auto largest = static_cast<double>(ConfigReader::kLargestSize);
    spec.n_ctx = std::max(spec.n_ctx, static_cast<std::size_t>(std::min(stretched, largest)));
}

void readLlama3(ConfigReader& scaling, ModelSpec&, RotarySpec& rotary) {
    rotary.scaling = RotaryScalingKind::Llama3;
    rotary.factor = scaling.positiveOr({"factor"}, 8.0);
    rotary.low_freq_factor = scaling.positiveOr({"low_freq_factor"}, 1.0);
    rotary.high_freq_factor = scaling.positiveOr({"high_freq_factor"}, 4.0);
    if (rotary.high_freq_factor <= rotary.low_freq_factor)
        scaling.fail(ErrorCode::Malformed,
                     "has a rotary high_freq_factor that is not above its low_freq_factor; correct "
                     "the config.");
}

void readLinear(ConfigReader& scaling, ModelSpec&, RotarySpec& rotary) {
    rotary.scaling = RotaryScalingKind::Linear;
    rotary.factor = scaling.positiveOr({"factor"}, 1.0);
}

bool hasBaseToRaise(ConfigReader& scaling, const RotarySpec& rotary) {
    if (rotary.d_rotary > 2)
        return true;
    scaling.fail(ErrorCode::Mismatch, "scales the base of rotary embeddings of " +
                                          std::to_string(rotary.d_rotary) +
                                          " dimensions, expected more than 2; correct the config.");
    return false;
}

/// Its context is max_position_embeddings, whatever the prompt length it was stretched to.
void readDynamic(ConfigReader& scaling, ModelSpec& spec, RotarySpec& rotary) {
    if (!hasBaseToRaise(scaling, rotary))
        return;
    rotary.scaling = RotaryScalingKind::Dynamic;
    rotary.factor = scaling.positiveOr({"factor"}, 1.0);
    rotary.original_context = static_cast<double>(spec.n_ctx);
    stretchContext(spec, rotary);
}

/// A base raised once and for all is only another base.
void raiseBase(ConfigReader& scaling, std::string_view key, RotarySpec& rotary) {
    if (!hasBaseToRaise(scaling, rotary))
        return;
    const auto d = static_cast<double>(rotary.d_rotary);
    rotary.base *= std::pow(scaling.positiveOr({key}, 1.0), d / (d - 2.0));
}

void readNtk(ConfigReader& scaling, ModelSpec&, RotarySpec& rotary) {
    raiseBase(scaling, "factor", rotary);
}

void readYarn(ConfigReader& scaling, ModelSpec& spec, RotarySpec& rotary) {
    rotary.scaling = RotaryScalingKind::Yarn;
    rotary.factor = stretch(scaling, spec, rotary);
    rotary.beta_fast = scaling.positiveOr({"beta_fast"}, 32.0);
    rotary.beta_slow = scaling.positiveOr({"beta_slow"}, 1.0);
    rotary.whole_pairs = scaling.flagOr({"truncate"}, true);
    double magnitude = yarnMagnitude(rotary.factor, 1.0);
    if (scaling.has("mscale") && scaling.has("mscale_all_dim"))
        magnitude = yarnMagnitude(rotary.factor, scaling.positiveOr({"mscale"}, 1.0)) /
                    yarnMagnitude(rotary.factor, scaling.positiveOr({"mscale_all_dim"}, 1.0));
    rotary.amplitude = scaling.positiveOr({"attention_factor"}, magnitude);
    stretchContext(spec, rotary);
}

std::vector<double> readFactors(ConfigReader& scaling, std::string_view key,
                                const RotarySpec& rotary) {
    std::vector<double> factors = scaling.numbers(key);
    const bool positive = std::ranges::all_of(factors, [](double x) { return x > 0.0; });
    if (factors.size() != rotary.d_rotary / 2 || !positive)
        scaling.fail(ErrorCode::Mismatch,
                     "has " + std::to_string(factors.size()) + " numbers in '" + std::string(key) +
                         "', expected " + std::to_string(rotary.d_rotary / 2) +
                         " above 0, one for each rotated pair; correct the config.");
    return factors;
}

void readLongRope(ConfigReader& scaling, ModelSpec& spec, RotarySpec& rotary) {
    rotary.scaling = RotaryScalingKind::LongRope;
    rotary.factor = stretch(scaling, spec, rotary);
    rotary.short_factors = readFactors(scaling, "short_factor", rotary);
    rotary.long_factors = readFactors(scaling, "long_factor", rotary);
    const double ratio = std::log(rotary.factor) / std::log(rotary.original_context);
    rotary.amplitude = scaling.positiveOr({"attention_factor"},
                                          rotary.factor <= 1.0 ? 1.0 : std::sqrt(1.0 + ratio));
}

void readNothing(ConfigReader&, ModelSpec&, RotarySpec&) {}

struct ScalingType {
    std::string_view name;
    void (*read)(ConfigReader& scaling, ModelSpec& spec, RotarySpec& rotary);
};
/// "su" is what Phi-3 called longrope at first, "deepseek_yarn" what Sarvam called yarn; "mrope"
/// turns by time, row and column of an image, which are one and the same position in a text.
constexpr std::array kScalingTypes{
    ScalingType{"default", readNothing}, ScalingType{"linear", readLinear},
    ScalingType{"dynamic", readDynamic}, ScalingType{"ntk", readNtk},
    ScalingType{"yarn", readYarn},       ScalingType{"longrope", readLongRope},
    ScalingType{"su", readLongRope},     ScalingType{"llama3", readLlama3},
    ScalingType{"mrope", readNothing},   ScalingType{"deepseek_yarn", readYarn},
};

void readScaling(ConfigReader& scaling, bool reads_alpha, ModelSpec& spec, RotarySpec& rotary) {
    const std::string type = scaling.textOr({"rope_type", "type"}, "default");
    if (reads_alpha && type == "dynamic" && scaling.has("alpha")) {
        scaling.passOver({"factor"});
        return raiseBase(scaling, "alpha", rotary);
    }
    const auto known = std::ranges::find(kScalingTypes, type, &ScalingType::name);
    if (known == kScalingTypes.end())
        scaling.fail(ErrorCode::Unsupported,
                     "asks for rotary embeddings of the type '" + type +
                         "', expected default, linear, dynamic, ntk, yarn, longrope or llama3; "
                         "open a model without it.");
    else
        known->read(scaling, spec, rotary);
}

/// The object with the parameters of one layer type, of all layers, or of old configs.
std::optional<ConfigReader> rotaryParameters(ConfigReader& config, const RotaryDefaults& defaults) {
    const std::string_view layer_type = defaults.layer_type;
    auto parameters = config.object("rope_parameters");
    if (!parameters && !defaults.reads_old_scaling)
        return std::nullopt;
    if (!parameters)
        return config.object("rope_scaling");
    const bool nested = parameters->has("full_attention") || parameters->has("sliding_attention");
    if (!nested)
        return parameters;
    if (layer_type.empty())
        parameters->fail(ErrorCode::Unsupported,
                         "has rotary parameters for each layer type, expected one set for all "
                         "layers of this family.");
    return parameters->object(layer_type);
}

} // namespace

double yarnMagnitude(double factor, double mscale) {
    return factor <= 1.0 ? 1.0 : 0.1 * mscale * std::log(factor) + 1.0;
}

RotarySpec readRotary(ConfigReader& config, ModelSpec& spec, const RotaryDefaults& defaults) {
    RotarySpec rotary;
    rotary.base = config.positiveOr({"rope_theta", "rotary_emb_base"}, defaults.base);
    double stated = config.positiveOr({"partial_rotary_factor", "rotary_pct"}, defaults.fraction);
    std::size_t original = config.sizeOr({"original_max_position_embeddings"}, 0);
    auto parameters = rotaryParameters(config, defaults);
    if (parameters) {
        rotary.base = parameters->positiveOr({"rope_theta"}, rotary.base);
        stated = parameters->positiveOr({"partial_rotary_factor"}, stated);
        const std::size_t nested =
            parameters->sizeOr({"original_max_position_embeddings"}, spec.n_ctx);
        original = original != 0 ? original : nested;
    }
    const double fraction = defaults.reads_fraction ? stated : defaults.fraction;
    if (fraction != stated)
        config.note("partial_rotary_factor has no effect, as in transformers: this family rotates "
                    "whole heads.");
    if (fraction > 1.0)
        config.fail(ErrorCode::Malformed, "rotates " + numberText(fraction) +
                                              " of each head, expected at most 1; correct "
                                              "partial_rotary_factor in the config.");
    const std::size_t part = defaults.d_part != 0 ? defaults.d_part : spec.d_head;
    rotary.d_rotary = static_cast<std::size_t>(static_cast<double>(part) * fraction);
    rotary.original_context = static_cast<double>(original);
    if (parameters && !config.error())
        readScaling(*parameters, defaults.reads_alpha, spec, rotary);
    return rotary;
}

} // namespace headscope
