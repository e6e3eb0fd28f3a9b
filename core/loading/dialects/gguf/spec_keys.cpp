#include "core/loading/dialects/gguf/spec_keys.h"

#include "core/loading/dialects/gguf/gguf_metadata.h"
#include "core/loading/model_texts.h"
#include "core/model/rotary_frequencies.h"

#include <algorithm>
#include <functional>

namespace headscope {

namespace {

/// Collects the keys of one architecture.
class KeyWriter {
public:
    KeyWriter(const ModelSpec& spec, std::string_view architecture)
        : spec_(spec), architecture_(architecture) {}

    GgufDescription describe() {
        addSizes();
        addNorm();
        if (spec_.positions == PositionKind::Rotary)
            addRotary(spec_.rotary);
        if (architecture_ == "mpt") // BLOOM's ALiBi goes without saying
            number("attention.max_alibi_bias", 8.0);
        addScores();
        if (architecture_ == "gptneox" || architecture_ == "stablelm")
            add("use_parallel_residual", spec_.parallel_residual);
        return std::move(result_);
    }

private:
    void add(std::string_view key, GgufEntry::Value value) {
        result_.metadata.push_back({architecture_ + "." + std::string(key), std::move(value)});
    }
    void size(std::string_view key, std::size_t value) {
        add(key, static_cast<std::uint32_t>(value));
    }
    void number(std::string_view key, double value) { add(key, static_cast<float>(value)); }
    void numbers(std::string_view tensor, const std::vector<double>& values) {
        result_.numbers.push_back({std::string(tensor), {values.begin(), values.end()}});
    }

    void addSizes() {
        size("block_count", spec_.n_layers);
        size("context_length", spec_.n_ctx);
        size("embedding_length", spec_.d_model);
        size("feed_forward_length", spec_.d_mlp);
        size("vocab_size", spec_.d_vocab);
        if (spec_.queryWidth() != spec_.d_model || !spec_.kept_heads.empty()) {
            size("attention.key_length", spec_.d_head);
            size("attention.value_length", spec_.valueDim());
        }
        addHeads();
    }

    void addHeads() {
        if (spec_.kept_heads.empty()) {
            size("attention.head_count", spec_.n_heads);
            size("attention.head_count_kv", spec_.n_kv_heads);
            return;
        }
        std::vector<std::int32_t> heads;
        std::vector<std::int32_t> kv_heads;
        for (std::size_t layer = 0; layer < spec_.n_layers; ++layer) {
            // One of zeros stands for none.
            heads.push_back(std::max(1, static_cast<std::int32_t>(spec_.headsIn(layer))));
            kv_heads.push_back(std::max(1, static_cast<std::int32_t>(spec_.kvHeadsIn(layer))));
        }
        add("attention.head_count", std::move(heads));
        add("attention.head_count_kv", std::move(kv_heads));
        size(kGgufWholeHeads, spec_.n_heads);
        size(kGgufWholeKvHeads, spec_.n_kv_heads);
        add(kGgufKeptHeads, keptHeadsText(spec_));
    }

    void addNorm() {
        const bool is_rms = spec_.norm.kind == NormKind::RmsNorm;
        number(is_rms ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon",
               spec_.norm.eps);
    }

    void addRotary(const RotarySpec& rotary) {
        size("rope.dimension_count", rotary.d_rotary);
        number("rope.freq_base", rotary.base);
        if (spec_.window_rotary)
            number("rope.freq_base_swa", spec_.window_rotary->base);
        switch (rotary.scaling) {
        case RotaryScalingKind::Linear:
        case RotaryScalingKind::Yarn:
            addScaling(rotary);
            break;
        case RotaryScalingKind::LongRope:
            addFactors(rotary);
            break;
        case RotaryScalingKind::Llama3:
            numbers("rope_freqs.weight", llama3Factors(rotary));
            break;
        default:
            break;
        }
    }

    void addScaling(const RotarySpec& rotary) {
        const bool is_yarn = rotary.scaling == RotaryScalingKind::Yarn;
        add("rope.scaling.type", std::string(is_yarn ? "yarn" : "linear"));
        number("rope.scaling.factor", rotary.factor);
        if (!is_yarn)
            return;
        size("rope.scaling.original_context_length",
             static_cast<std::size_t>(rotary.original_context));
        number("rope.scaling.yarn_attn_factor", rotary.amplitude);
        number("rope.scaling.yarn_beta_fast", rotary.beta_fast);
        number("rope.scaling.yarn_beta_slow", rotary.beta_slow);
    }

    void addFactors(const RotarySpec& rotary) {
        if (rotary.short_factors == rotary.long_factors && rotary.amplitude == 1.0)
            return numbers("rope_freqs.weight", rotary.short_factors);
        size("rope.scaling.original_context_length",
             static_cast<std::size_t>(rotary.original_context));
        number("rope.scaling.attn_factor", rotary.amplitude);
        numbers("rope_factors_short.weight", rotary.short_factors);
        numbers("rope_factors_long.weight", rotary.long_factors);
    }

    /// What divides each frequency (Llama 3.1).
    static std::vector<double> llama3Factors(const RotarySpec& rotary) {
        RotarySpec plain = rotary;
        plain.scaling = RotaryScalingKind::None;
        std::vector<double> factors = rotaryFrequencies(plain, 0);
        std::ranges::transform(factors, rotaryFrequencies(rotary, 0), factors.begin(),
                               std::divides());
        return factors;
    }

    void addScores() {
        if (spec_.attention_softcap > 0.0)
            number("attn_logit_softcapping", spec_.attention_softcap);
        if (spec_.logit_softcap > 0.0)
            number("final_logit_softcapping", spec_.logit_softcap);
        const auto window = std::ranges::max_element(spec_.windows);
        const bool has_key = architecture_.starts_with("gemma") || architecture_ == "phi3";
        if (window != spec_.windows.end() && *window > 0 && has_key)
            size("attention.sliding_window", *window);
    }

    const ModelSpec& spec_;
    std::string architecture_;
    GgufDescription result_;
};

} // namespace

GgufDescription describeForGguf(const ModelSpec& spec, std::string_view architecture) {
    return KeyWriter(spec, architecture).describe();
}

} // namespace headscope
