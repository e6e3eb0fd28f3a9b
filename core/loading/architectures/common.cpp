#include "core/loading/architectures/common.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace headscope {

namespace {

/// gelu_new, gelu_fast and gelu_pytorch_tanh are three spellings of the tanh form.
constexpr std::array<std::pair<std::string_view, Activation>, 9> kActivations{{
    {"gelu", Activation::GeluErf},
    {"gelu_new", Activation::GeluTanh},
    {"gelu_fast", Activation::GeluTanh},
    {"gelu_pytorch_tanh", Activation::GeluTanh},
    {"quick_gelu", Activation::QuickGelu},
    {"relu", Activation::Relu},
    {"relu2", Activation::ReluSquared},
    {"silu", Activation::Silu},
    {"swish", Activation::Silu},
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

} // namespace headscope
