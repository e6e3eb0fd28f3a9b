#include "core/loading/dialects/gguf/same_network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace headscope {

namespace {

bool nearly(double a, double b) {
    return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b));
}

bool allNearly(std::span<const double> a, std::span<const double> b) {
    return std::ranges::equal(a, b, nearly);
}

bool sameSizes(const ModelSpec& a, const ModelSpec& b) {
    const auto sizes = [](const ModelSpec& spec) {
        return std::array{spec.n_layers, spec.d_model,          spec.n_heads,      spec.n_kv_heads,
                          spec.d_head,   spec.valueDim(),       spec.d_mlp,        spec.d_vocab,
                          spec.n_ctx,    spec.embeddingWidth(), spec.n_token_types};
    };
    return sizes(a) == sizes(b) && a.kept_heads == b.kept_heads;
}

bool sameNorms(const ModelSpec& a, const ModelSpec& b) {
    return a.norm.kind == b.norm.kind && nearly(a.norm.eps, b.norm.eps) &&
           a.norm_placement == b.norm_placement && a.qk_norm == b.qk_norm &&
           a.qk_norm_after_rotary == b.qk_norm_after_rotary &&
           a.qk_norm_gains_by_head == b.qk_norm_gains_by_head &&
           a.norm_after_embedding == b.norm_after_embedding &&
           a.narrow_embedding == b.narrow_embedding && a.final_norm == b.final_norm &&
           a.finalNorm().kind == b.finalNorm().kind;
}

bool sameResidual(const ModelSpec& a, const ModelSpec& b) {
    return a.parallel_residual == b.parallel_residual && a.shared_norm == b.shared_norm &&
           nearly(a.embedding_scale, b.embedding_scale) && a.causal == b.causal;
}

/// What Llama 3.1 does to frequencies is written out as factors.
bool sameScaling(const RotarySpec& a, const RotarySpec& b) {
    using enum RotaryScalingKind;
    if (a.scaling == Llama3 && b.scaling == LongRope)
        return nearly(b.amplitude, 1.0) && b.short_factors == b.long_factors;
    if (a.scaling != b.scaling || !nearly(a.amplitude, b.amplitude))
        return false;
    if (a.scaling == LongRope)
        return allNearly(a.short_factors, b.short_factors) &&
               allNearly(a.long_factors, b.long_factors) &&
               (nearly(a.original_context, b.original_context) ||
                a.short_factors == a.long_factors);
    return a.scaling == None ||
           (nearly(a.factor, b.factor) && nearly(a.beta_fast, b.beta_fast) &&
            nearly(a.beta_slow, b.beta_slow) && a.whole_pairs == b.whole_pairs &&
            (a.scaling == Linear || nearly(a.original_context, b.original_context)));
}

bool sameRotary(const RotarySpec& a, const RotarySpec& b) {
    return a.d_rotary == b.d_rotary && nearly(a.base, b.base) && a.pairs == b.pairs &&
           sameScaling(a, b);
}

bool samePositions(const ModelSpec& a, const ModelSpec& b) {
    if (a.positions != b.positions || a.position_offset != b.position_offset ||
        a.uncounted_token != b.uncounted_token || !allNearly(a.alibi_slopes, b.alibi_slopes) ||
        a.alibi_by_key != b.alibi_by_key ||
        a.window_rotary.has_value() != b.window_rotary.has_value() ||
        a.relative_buckets != b.relative_buckets || a.unrotated_layers != b.unrotated_layers ||
        a.unnormed_layers != b.unnormed_layers)
        return false;
    if (a.positions != PositionKind::Rotary)
        return true;
    return sameRotary(a.rotary, b.rotary) &&
           (!a.window_rotary || sameRotary(*a.window_rotary, *b.window_rotary));
}

bool sameWindows(const ModelSpec& a, const ModelSpec& b) {
    for (std::size_t layer = 0; layer < a.n_layers; ++layer)
        if (a.window(layer) != b.window(layer))
            return false;
    return true;
}

bool sameScores(const ModelSpec& a, const ModelSpec& b) {
    return allNearly(a.attention_scale, b.attention_scale) &&
           nearly(a.attention_softcap, b.attention_softcap) && a.learned_sinks == b.learned_sinks &&
           nearly(a.logit_softcap, b.logit_softcap);
}

bool sameLimits(const ModelSpec& a, const ModelSpec& b) {
    return nearly(a.qkv_clip, b.qkv_clip) && nearly(a.query_growth, b.query_growth) &&
           (a.query_growth == 0.0 || a.growth_context == b.growth_context);
}

bool sameMlp(const ModelSpec& a, const ModelSpec& b) {
    return a.mlp == b.mlp && a.activation == b.activation;
}

bool sameExperts(const ModelSpec& a, const ModelSpec& b) {
    if (!a.experts || !b.experts)
        return a.experts.has_value() == b.experts.has_value();
    const auto rest = [](const ExpertsSpec& experts) {
        return std::tuple(experts.n_experts, experts.n_chosen, experts.d_mlp, experts.scores,
                          experts.weights_sum_to_one, experts.choice_bias, experts.n_groups,
                          experts.n_groups_chosen, experts.d_shared, experts.gatesShared(),
                          experts.dense_layers, experts.biases);
    };
    return rest(*a.experts) == rest(*b.experts) && nearly(a.experts->limit, b.experts->limit) &&
           nearly(a.experts->weight_scale, b.experts->weight_scale) &&
           nearly(a.experts->mixer_margin, b.experts->mixer_margin);
}

bool sameOutput(const ModelSpec& a, const ModelSpec& b) {
    return a.output == b.output && a.tied_unembedding == b.tied_unembedding &&
           a.outputs() == b.outputs();
}

struct Aspect {
    std::string_view name;
    bool (*same)(const ModelSpec& a, const ModelSpec& b);
};

constexpr std::array kAspects{
    Aspect{"its sizes", sameSizes},
    Aspect{"its norms", sameNorms},
    Aspect{"its residual stream", sameResidual},
    Aspect{"its positions", samePositions},
    Aspect{"its windows", sameWindows},
    Aspect{"how it scales scores or logits", sameScores},
    Aspect{"the limit of its queries, keys and values, or how its queries grow", sameLimits},
    Aspect{"its MLPs", sameMlp},
    Aspect{"its experts", sameExperts},
    Aspect{"its unembedding", sameOutput},
};

/// Every factor on the values of a role.
bool sameFactors(const Architecture& a, const Architecture& b) {
    const auto factors = [](const Architecture& architecture) {
        std::vector<std::pair<WeightRole, double>> all;
        for (const TensorRule& rule : architecture.tensors)
            all.emplace_back(rule.role, rule.factor);
        std::ranges::sort(all);
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    };
    return std::ranges::equal(factors(a), factors(b), [](const auto& x, const auto& y) {
        return x.first == y.first && nearly(x.second, y.second);
    });
}

} // namespace

std::string networkDifference(const Architecture& a, const Architecture& b) {
    for (const Aspect& aspect : kAspects)
        if (!aspect.same(a.spec, b.spec))
            return std::string(aspect.name);
    return sameFactors(a, b) ? "" : "its biases or the factors on its weights";
}

} // namespace headscope
