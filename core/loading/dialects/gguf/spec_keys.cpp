#include "core/loading/dialects/gguf/spec_keys.h"

#include "core/base/text.h"
#include "core/loading/dialects/gguf/gguf_metadata.h"
#include "core/loading/model_texts.h"
#include "core/model/rotary_frequencies.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <initializer_list>

namespace headscope {

namespace {

// Where llama.cpp looks for what divides rotary frequencies: for one set of factors, and for those
// of short and long prompts.
constexpr std::array<std::string_view, 7> kWithFactors{"llama",   "deci",    "arcee",     "exaone",
                                                       "exaone4", "granite", "granitemoe"};
constexpr std::array<std::string_view, 5> kWithTwoSets{"llama", "deci", "granite", "granitemoe",
                                                       "phi3"};

template <std::size_t Size>
bool contains(const std::array<std::string_view, Size>& all, std::string_view architecture) {
    return std::ranges::find(all, architecture) != all.end();
}

/// Whether factors are the same for all prompts and all that the rotation needs.
bool isOneSet(const RotarySpec& rotary) {
    return rotary.scaling == RotaryScalingKind::Llama3 ||
           (rotary.short_factors == rotary.long_factors && rotary.amplitude == 1.0);
}

/// Whether the frequencies of YaRN are others when the ends of its ramp are rounded.
bool roundingMatters(const RotarySpec& rotary) {
    RotarySpec rounded = rotary;
    rounded.whole_pairs = true;
    return !std::ranges::equal(rotaryFrequencies(rotary, 0), rotaryFrequencies(rounded, 0),
                               [](double a, double b) { return std::abs(a - b) <= 1e-6 * a; });
}

/// The amplitude of YaRN in transformers and in llama.cpp unless they are told another.
double yarnAmplitude(double factor) {
    return factor > 1.0 ? 1.0 + 0.1 * std::log(factor) : 1.0;
}

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
        if (spec_.qkv_clip != 0.0 && isOneOf({"olmo", "mpt"}))
            number("attention.clamp_kqv", spec_.qkv_clip);
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
            // A head of zeros means none.
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
        // llama.cpp multiplies it with the usual one.
        number("rope.scaling.attn_factor", rotary.amplitude / yarnAmplitude(rotary.factor));
        // GPT-OSS as published rounds nothing, and its files do not say so.
        if (architecture_ == "gpt-oss" && rotary.whole_pairs)
            add(kGgufYarnTruncates, true);
    }

    void addFactors(const RotarySpec& rotary) {
        if (isOneSet(rotary) && contains(kWithFactors, architecture_))
            return numbers("rope_freqs.weight", rotary.short_factors);
        add("rope.scaling.type", std::string("longrope"));
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

namespace {

/// Architectures whose heads may together be wider or narrower than the residual stream in
/// llama.cpp.
constexpr std::array<std::string_view, 17> kWithHeadWidth{
    "llama",    "deci",    "qwen3",      "qwen3moe",      "gemma",   "gemma2",
    "gemma3",   "granite", "granitemoe", "glm4",          "arcee",   "smollm3",
    "ernie4_5", "exaone",  "gpt-oss",    "hunyuan-dense", "seed_oss"};

std::string rotationFault(const RotarySpec& rotary, std::string_view architecture,
                          bool came_from_gguf) {
    const std::string name = "'" + std::string(architecture) + "'";
    switch (rotary.scaling) {
    case RotaryScalingKind::Yarn:
        if (rotary.beta_fast != 32.0 || rotary.beta_slow != 1.0)
            return "llama.cpp takes 32 and 1 for beta_fast and beta_slow of YaRN in its " + name +
                   ", and here they are " + numberText(rotary.beta_fast) + " and " +
                   numberText(rotary.beta_slow) + "; write HDF5";
        if (!came_from_gguf && !rotary.whole_pairs && roundingMatters(rotary))
            return "llama.cpp rounds the ends of YaRN's ramp to whole rotary pairs, which this "
                   "model "
                   "does not; write HDF5, or say \"truncate\": true in its config.json to write "
                   "the "
                   "other network that llama.cpp computes";
        return {};
    case RotaryScalingKind::Llama3:
    case RotaryScalingKind::LongRope:
        if (isOneSet(rotary) && contains(kWithFactors, architecture))
            return {};
        if (rotary.scaling == RotaryScalingKind::LongRope && contains(kWithTwoSets, architecture))
            return {};
        return "llama.cpp reads no factors of rotary frequencies in its " + name + "; write HDF5";
    default:
        return {};
    }
}

/// Why llama.cpp does not open the file: a tensor whose shape it takes for granted has another one.
std::string shapeFault(const ModelSpec& spec, std::string_view architecture) {
    const std::string name = "'" + std::string(architecture) + "'";
    if (spec.queryWidth() != spec.d_model && !contains(kWithHeadWidth, architecture))
        return "llama.cpp expects heads that are together as wide as the residual stream in its " +
               name + ", and here they are " + std::to_string(spec.queryWidth()) + " and " +
               std::to_string(spec.d_model) + " wide; write HDF5";
    constexpr std::size_t kLayersWithQkNorm = 64; // of Command-R+
    if (architecture == "command-r" && spec.qk_norm != QkNorm::None &&
        spec.n_layers < kLayersWithQkNorm)
        return "llama.cpp expects norms of queries and keys in its " + name + " only from " +
               std::to_string(kLayersWithQkNorm) + " layers on, and here there are " +
               std::to_string(spec.n_layers) + "; write HDF5";
    if (architecture == "olmoe" && spec.n_kv_heads != spec.n_heads)
        return "llama.cpp expects as many key-value heads as heads in its " + name + "; write HDF5";
    return {};
}

/// A window narrower than the context.
bool hasWindow(const ModelSpec& spec) {
    return std::ranges::any_of(
        spec.windows, [&](std::size_t window) { return window != 0 && window < spec.n_ctx; });
}

} // namespace

std::string notInLlamaCpp(const ModelSpec& spec, std::string_view architecture,
                          bool came_from_gguf) {
    if (spec.positions == PositionKind::Rotary)
        if (auto fault = rotationFault(spec.rotary, architecture, came_from_gguf); !fault.empty())
            return fault;
    if (came_from_gguf) // with the same shapes and the same keys
        return {};
    if (architecture == "phi3" && hasWindow(spec))
        return "llama.cpp ignores the windows of its 'phi3'; write HDF5, or say "
               "\"sliding_window\": "
               "null in its config.json to write the other network that llama.cpp computes";
    return shapeFault(spec, architecture);
}

std::string sometimesInLlamaCpp(const ModelSpec& spec) {
    const RotarySpec& rotary = spec.rotary;
    const auto original = static_cast<std::size_t>(rotary.original_context);
    if (spec.positions != PositionKind::Rotary || rotary.scaling != RotaryScalingKind::LongRope ||
        rotary.short_factors == rotary.long_factors || spec.n_ctx <= original)
        return {};
    return "Started with a context of more than " + std::to_string(original) +
           " tokens, llama.cpp takes the rotary factors of long prompts for all prompts; the model "
           "takes those of short ones up to that length.";
}

GgufDescription describeForGguf(const ModelSpec& spec, const std::vector<TensorRule>& tensors,
                                std::string_view architecture) {
    return KeyWriter(spec, tensors, architecture).describe();
}

} // namespace headscope
