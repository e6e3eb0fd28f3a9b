#include "core/loading/dialects/gguf/spec_keys.h"

#include "core/loading/dialects/gguf/gguf_metadata.h"
#include "core/loading/model_texts.h"
#include "core/model/rotary_frequencies.h"

#include <algorithm>
#include <functional>
#include <initializer_list>

namespace headscope {

namespace {

/// Collects the keys of one architecture.
class KeyWriter {
public:
    KeyWriter(const ModelSpec& spec, const std::vector<TensorRule>& tensors,
              std::string_view architecture)
        : spec_(spec), tensors_(tensors), architecture_(architecture) {}

    GgufDescription describe() {
        addSizes();
        if (spec_.experts)
            addExperts(*spec_.experts);
        addNorm();
        if (spec_.positions == PositionKind::Rotary)
            addRotary(spec_.rotary);
        if (architecture_ == "mpt") // BLOOM's ALiBi goes without saying
            number("attention.max_alibi_bias", 8.0);
        addScores();
        addWindows();
        addFactors();
        if (!spec_.causal)
            addEncoder();
        if (isOneOf({"gptneox", "stablelm"}))
            add("use_parallel_residual", spec_.parallel_residual);
        if (architecture_ == "falcon")
            add("tensor_data_layout", std::string("jploski"));
        return std::move(result_);
    }

private:
    bool isOneOf(std::initializer_list<std::string_view> architectures) const {
        return std::ranges::find(architectures, architecture_) != architectures.end();
    }
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
        size("feed_forward_length", spec_.widestMlp());
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

    void addExperts(const ExpertsSpec& experts) {
        size("expert_count", experts.n_experts);
        size("expert_used_count", experts.n_chosen);
        if (isOneOf({"qwen2moe", "qwen3moe", "gpt-oss"}))
            size("expert_feed_forward_length", experts.d_mlp);
        if (experts.d_shared != 0)
            size("expert_shared_feed_forward_length", experts.d_shared);
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
    }

    /// Where the architecture has them; which layers do is known by it, too, but of these two.
    void addWindows() {
        const auto widest = std::ranges::max_element(spec_.windows);
        if (widest == spec_.windows.end() || *widest == 0)
            return;
        if (isOneOf({"gemma2", "gemma3", "phi3", "cohere2", "exaone4", "gpt-oss", "olmo2"}))
            size("attention.sliding_window", *widest);
        if (architecture_ == "olmo2") {
            std::vector<bool> has_window;
            for (std::size_t layer = 0; layer < spec_.n_layers; ++layer)
                has_window.push_back(spec_.window(layer) != 0);
            add("attention.sliding_window_pattern", std::move(has_window));
        }
        if (architecture_ == "modern-bert") {
            size("attention.sliding_window", *widest - 1); // as many to either side
            std::size_t step = 1; // from the first layer, which sees all, to the next such
            while (step < spec_.n_layers && spec_.window(step) != 0)
                ++step;
            size("attention.sliding_window_pattern", step);
        }
    }

    double factorOf(WeightRole role) const {
        const auto rule = std::ranges::find(tensors_, role, &TensorRule::role);
        return rule == tensors_.end() ? 1.0 : rule->factor;
    }

    void addFactors() {
        const double logits = factorOf(WeightRole::LnFinalWeight);
        if (isOneOf({"command-r", "cohere2"}))
            number("logit_scale", logits);
        if (!isOneOf({"granite", "granitemoe"}))
            return;
        number("attention.scale", spec_.attention_scale.front());
        number("embedding_scale", spec_.embedding_scale);
        number("residual_scale", factorOf(WeightRole::W_O));
        number("logit_scale", 1.0 / logits);
    }

    void addEncoder() {
        add("attention.causal", false);
        if (isOneOf({"bert", "nomic-bert"})) // at least one, or llama.cpp does not open it
            result_.metadata.push_back(
                {"tokenizer.ggml.token_type_count",
                 static_cast<std::uint32_t>(std::max<std::size_t>(1, spec_.n_token_types))});
        if (architecture_ == "modern-bert")
            add("hidden_activation",
                std::string(spec_.activation == Activation::Silu ? "silu" : "gelu"));
    }

    const ModelSpec& spec_;
    const std::vector<TensorRule>& tensors_;
    std::string architecture_;
    GgufDescription result_;
};

} // namespace

GgufDescription describeForGguf(const ModelSpec& spec, const std::vector<TensorRule>& tensors,
                                std::string_view architecture) {
    return KeyWriter(spec, tensors, architecture).describe();
}

} // namespace headscope
