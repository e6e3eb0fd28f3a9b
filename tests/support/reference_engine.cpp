#include "tests/support/reference_engine.h"

#include "tests/support/reference_router.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace headscope::test {

namespace {

/// _relative_position_bucket of T5 (Raffel et al. 2020) as MPNet calls it: 32 buckets, 128
/// positions.
std::size_t bucketOf(std::size_t query, std::size_t key) {
    constexpr double half = 16.0;
    constexpr double exact = 8.0;
    const std::size_t first = key > query ? 16 : 0;
    const double n = std::abs(static_cast<double>(query) - static_cast<double>(key));
    if (n < exact)
        return first + static_cast<std::size_t>(n);
    const double large = exact + std::log(n / exact) / std::log(128.0 / exact) * (half - exact);
    return first + static_cast<std::size_t>(std::min(large, half - 1.0));
}

/// The nearest number of eight binary digits, ties to even.
double bfloat16(double value) {
    int exponent = 0;
    const double digits = std::frexp(value, &exponent) * 256.0;
    return std::ldexp(std::nearbyint(digits), exponent - 8);
}

double roundedProduct(double a, double b) {
    return bfloat16(bfloat16(a) * bfloat16(b));
}

/// Of all heads, in columns side by side.
struct Projected {
    Matrix queries;
    Matrix keys;
    Matrix values;
};

/// One prompt through one network.
class Pass {
public:
    Pass(const Model& model, const EditZ& edit_z)
        : spec_(model.spec), weights_(model.weights), edit_z_(edit_z) {}

    ReferenceRun operator()(const TokenIds& ids);

private:
    Matrix embed(const TokenIds& ids) const;
    Matrix block(std::size_t layer, Matrix x);
    template <class Branch>
    Matrix withNorms(const Matrix& x, const NormWeights& ln, const NormWeights& ln_post,
                     const Branch& branch) const;
    Matrix withPositions(Matrix x) const;
    Matrix attention(std::size_t layer, const Matrix& x);
    Projected projected(const AttentionWeights& weights, const Matrix& x) const;
    Projected throughLatents(const LatentWeights& weights, const Matrix& x) const;
    Matrix clipped(Matrix x) const;
    NormWeights gainsOf(const NormWeights& norm, std::size_t head) const;
    Matrix pattern(LayerHead head, Matrix q, Matrix k) const;
    Matrix scores(LayerHead head, const Matrix& q, const Matrix& k) const;
    bool sees(std::size_t layer, std::size_t query, std::size_t key) const;
    Matrix mlp(std::size_t layer, const Matrix& x) const;
    Matrix mixture(std::size_t layer, const Matrix& x);
    Matrix expert(std::size_t layer, std::size_t index, const Matrix& x) const;
    Matrix unembed(Matrix x) const;

    const ModelSpec& spec_;
    const Weights& weights_;
    const EditZ& edit_z_;
    ReferenceRun run_;
};

ReferenceRun Pass::operator()(const TokenIds& ids) {
    Matrix x = embed(ids);
    for (std::size_t layer = 0; layer < spec_.n_layers; ++layer) {
        run_.residuals.push_back(x);
        x = block(layer, std::move(x));
    }
    run_.residuals.push_back(x);
    if (spec_.output != OutputHead::None)
        run_.logits = unembed(std::move(x));
    return std::move(run_);
}

Matrix Pass::embed(const TokenIds& ids) const {
    Matrix x(ids.size(), spec_.embeddingWidth());
    for (std::size_t t = 0; t < x.rows; ++t)
        for (std::size_t c = 0; c < x.cols; ++c)
            x(t, c) = spec_.embedding_scale * weights_.W_E(static_cast<std::size_t>(ids[t]), c);
    if (spec_.projectsParts())
        x = linear(x, weights_.W_project_in);
    std::size_t next = spec_.position_offset;
    std::size_t segment = 0;
    for (std::size_t t = 0; t < x.rows; ++t) {
        if (t > 0 && spec_.segment_separator && ids[t - 1] == *spec_.segment_separator)
            segment = 1;
        const std::size_t row =
            ids[t] == spec_.uncounted_token ? spec_.position_offset - 1 : next++;
        for (std::size_t c = 0; c < x.cols; ++c) {
            if (spec_.positions == PositionKind::Learned)
                x(t, c) += weights_.W_pos(row, c);
            if (spec_.n_token_types > 0)
                x(t, c) += weights_.W_token_type(segment, c);
            if (spec_.n_task_types > 0)
                x(t, c) += weights_.W_task_type(0, c);
        }
    }
    if (spec_.norm_after_embedding)
        x = norm(std::move(x), spec_.norm, weights_.ln_embed);
    return spec_.narrow_embedding ? linear(x, weights_.W_project_in, weights_.b_project_in) : x;
}

/// Vaswani et al. 2017, with the norms where ModelSpec puts them; parallel: Wang and Komatsuzaki
/// 2021, x + attention(x) + mlp(x).
Matrix Pass::block(std::size_t layer, Matrix x) {
    const LayerWeights& weights = weights_.layers[layer];
    const NormWeights& ln2 = spec_.shared_norm ? weights.ln1 : weights.ln2;
    const bool post = spec_.norm_placement == NormPlacement::Post;
    const auto attentionOut = [&](const Matrix& y) { return attention(layer, y); };
    const bool bare = std::ranges::count(spec_.unnormed_layers, layer) != 0; // ModernBERT's first
    const Matrix attn_out =
        bare ? attentionOut(x) : withNorms(x, weights.ln1, weights.ln1_post, attentionOut);
    const auto mlpOut = [&](const Matrix& from) {
        return withNorms(from, ln2, weights.ln2_post, [&](const Matrix& y) {
            return spec_.hasExperts(layer) ? mixture(layer, y) : mlp(layer, y);
        });
    };
    if (spec_.parallel_residual) {
        x = x + attn_out + mlpOut(x);
        return post ? norm(std::move(x), spec_.norm, ln2) : x;
    }
    x = x + attn_out;
    if (post)
        x = norm(std::move(x), spec_.norm, weights.ln1);
    if (spec_.mlp == MlpKind::None)
        return x;
    x = x + mlpOut(x);
    return post ? norm(std::move(x), spec_.norm, ln2) : x;
}

/// What a branch adds to the residual stream.
template <class Branch>
Matrix Pass::withNorms(const Matrix& x, const NormWeights& ln, const NormWeights& ln_post,
                       const Branch& branch) const {
    switch (spec_.norm_placement) {
    case NormPlacement::Pre:
        return branch(norm(x, spec_.norm, ln));
    case NormPlacement::Sandwich:
        return norm(branch(norm(x, spec_.norm, ln)), spec_.norm, ln_post);
    case NormPlacement::Output:
        return norm(branch(x), spec_.norm, ln);
    case NormPlacement::Post:
    case NormPlacement::None:
        break;
    }
    return branch(x);
}

/// What queries and keys read: x + W_pos of a Shortformer (Press et al. 2021), else x.
Matrix Pass::withPositions(Matrix x) const {
    if (spec_.positions == PositionKind::Shortformer)
        for (std::size_t t = 0; t < x.rows; ++t)
            for (std::size_t c = 0; c < x.cols; ++c)
                x(t, c) += weights_.W_pos(t, c);
    return x;
}

/// concat_h(pattern_h v_h) W_O + b_O; the query heads of a group share keys and values (Ainslie et
/// al. 2023).
Matrix Pass::attention(std::size_t layer, const Matrix& x) {
    const AttentionWeights& weights = weights_.layers[layer].attn;
    const std::size_t d_head = spec_.d_head;
    const std::size_t d_head_v = spec_.valueDim();
    const std::size_t heads_per_group = spec_.n_heads / spec_.n_kv_heads;
    auto [queries, keys, values] =
        spec_.latent ? throughLatents(weights.latent, x) : projected(weights, x);
    if (spec_.qk_norm == QkNorm::AllHeads) {
        queries = norm(std::move(queries), spec_.norm, weights.q_norm);
        keys = norm(std::move(keys), spec_.norm, weights.k_norm);
    }
    queries = clipped(std::move(queries));
    keys = clipped(std::move(keys));

    Matrix all_z(x.rows, spec_.n_heads * d_head_v);
    std::vector<Matrix>& patterns = run_.patterns.emplace_back();
    for (std::size_t head = 0; head < spec_.n_heads; ++head) {
        const std::size_t kv_head = head / heads_per_group;
        patterns.push_back(pattern({layer, head}, columns(queries, head * d_head, d_head),
                                   columns(keys, kv_head * d_head, d_head)));
        Matrix z(x.rows, d_head_v);
        for (std::size_t query = 0; query < x.rows; ++query)
            for (std::size_t key = 0; key < x.rows; ++key)
                for (std::size_t d = 0; d < d_head_v; ++d)
                    z(query, d) +=
                        patterns.back()(query, key) * values(key, kv_head * d_head_v + d);
        if (edit_z_)
            edit_z_({layer, head}, z);
        setColumns(all_z, head * d_head_v, z);
    }
    return linear(all_z, weights.W_O, weights.b_O);
}

Projected Pass::projected(const AttentionWeights& weights, const Matrix& x) const {
    const std::size_t d_head = spec_.d_head;
    const Matrix qkv = linear(x, weights.W_QKV, weights.b_QKV);
    const Matrix at_positions = linear(withPositions(x), weights.W_QKV, weights.b_QKV);
    const std::size_t n_queries = spec_.n_heads * d_head;
    const std::size_t n_keys = spec_.n_kv_heads * d_head;
    return {columns(at_positions, 0, n_queries), columns(at_positions, n_queries, n_keys),
            clipped(columns(qkv, n_queries + n_keys, spec_.n_kv_heads * spec_.valueDim()))};
}

/// DeepSeek-V2 (2024), equations 9 to 16, with the rotated part of each key before the other one.
Projected Pass::throughLatents(const LatentWeights& weights, const Matrix& x) const {
    const LatentSpec& latent = *spec_.latent;
    const NormSpec rms{NormKind::RmsNorm, latent.eps};
    const Matrix c = norm(linear(x, weights.W_DKV, weights.b_DKV), rms, weights.kv_norm);
    const Matrix own = linear(c, weights.W_UK);
    const Matrix shared = linear(x, weights.W_KR, weights.b_KR);
    const std::size_t n_own = spec_.d_head - latent.d_shared;
    Matrix keys(x.rows, spec_.n_heads * spec_.d_head);
    for (std::size_t head = 0; head < spec_.n_heads; ++head) {
        setColumns(keys, head * spec_.d_head, shared);
        setColumns(keys, head * spec_.d_head + latent.d_shared, columns(own, head * n_own, n_own));
    }
    const Matrix from = latent.d_queries == 0
                            ? x
                            : norm(linear(x, weights.W_DQ, weights.b_DQ), rms, weights.q_norm);
    return {linear(from, weights.W_UQ), std::move(keys), linear(c, weights.W_UV)};
}

/// What OLMo and MPT do to queries, keys and values.
Matrix Pass::clipped(Matrix x) const {
    for (std::size_t t = 0; spec_.qkv_clip != 0.0 && t < x.rows; ++t)
        for (std::size_t c = 0; c < x.cols; ++c)
            x(t, c) = std::max(-spec_.qkv_clip, std::min(spec_.qkv_clip, x(t, c)));
    return x;
}

/// Of one head, where each has its own.
NormWeights Pass::gainsOf(const NormWeights& norm, std::size_t head) const {
    if (!spec_.qk_norm_gains_by_head)
        return norm;
    NormWeights own{Tensor({spec_.d_head}), {}};
    for (std::size_t d = 0; d < spec_.d_head; ++d)
        own.weight(d) = norm.weight(head * spec_.d_head + d);
    return own;
}

/// softmax(scores) [query, key] of one head's q and k [position, d_head]
Matrix Pass::pattern(LayerHead head, Matrix q, Matrix k) const {
    const AttentionWeights& weights = weights_.layers[head.layer].attn;
    const auto normalise = [&] {
        if (spec_.qk_norm != QkNorm::PerHead)
            return;
        q = norm(std::move(q), spec_.norm, gainsOf(weights.q_norm, head.head));
        k = norm(std::move(k), spec_.norm, gainsOf(weights.k_norm, spec_.kvHeadOf(head)));
    };
    if (!spec_.qk_norm_after_rotary)
        normalise();
    const bool turns = std::ranges::count(spec_.unrotated_layers, head.layer) == 0;
    if (spec_.positions == PositionKind::Rotary && turns) {
        const bool windowed = spec_.window(head.layer) != 0;
        const RotarySpec& rotary =
            windowed && spec_.window_rotary ? *spec_.window_rotary : spec_.rotary;
        rotate(rotary, q);
        rotate(rotary, k);
        for (std::size_t t = 0; spec_.query_growth != 0.0 && t < q.rows; ++t)
            for (std::size_t d = 0; d < q.cols; ++d)
                q(t, d) *=
                    1.0 + spec_.query_growth *
                              std::log1p(std::floor(static_cast<double>(t) /
                                                    static_cast<double>(spec_.growth_context)));
    }
    if (spec_.qk_norm_after_rotary)
        normalise();
    const Matrix scored = scores(head, q, k);
    return spec_.learned_sinks ? softmaxWithSink(scored, weights.sinks(head.head))
                               : softmax(scored);
}

/// softCap(scale q kᵀ) + slope (key − query), −∞ where the mask hides the key
Matrix Pass::scores(LayerHead head, const Matrix& q, const Matrix& k) const {
    Matrix scores(q.rows, k.rows);
    for (std::size_t query = 0; query < q.rows; ++query) {
        for (std::size_t key = 0; key < k.rows; ++key) {
            double& score = scores(query, key);
            for (std::size_t d = 0; d < spec_.d_head; ++d)
                score += spec_.attention_scale[head.layer] * q(query, d) * k(key, d);
            score = softCap(spec_.attention_softcap, score);
            if (spec_.alibi_by_key)
                score += spec_.attention_scale[head.layer] *
                         roundedProduct(spec_.alibi_slopes[head.head], static_cast<double>(key));
            else if (spec_.positions == PositionKind::Alibi)
                score += spec_.alibi_slopes[head.head] *
                         (static_cast<double>(key) - static_cast<double>(query));
            if (spec_.relative_buckets != 0)
                score += weights_.W_rel_pos(bucketOf(query, key), head.head);
            if (!sees(head.layer, query, key))
                score = -std::numeric_limits<double>::infinity();
        }
    }
    return scores;
}

/// A window counts the query itself, which is in its middle where later keys are seen, too.
bool Pass::sees(std::size_t layer, std::size_t query, std::size_t key) const {
    const std::size_t window = spec_.window(layer);
    if (!spec_.causal)
        return window == 0 || std::max(query, key) - std::min(query, key) <= window / 2;
    return key <= query && (window == 0 || query - key < window);
}

/// act(x W_in + b_in) W_out + b_out, with SoLU (Elhage et al. 2022) norm(act(x W_in + b_in)) W_out
/// + b_out; gated (Shazeer 2020): (act(x W_gate + b_gate) ⊙ (x W_in + b_in)) W_out + b_out, in
/// TransformerLens (act(x W_gate) ⊙ (x W_in) + b_in) W_out + b_out
Matrix Pass::mlp(std::size_t layer, const Matrix& x) const {
    const MlpWeights& weights = weights_.layers[layer].mlp;
    const bool behind = spec_.mlp_bias_behind_gate;
    Matrix hidden = linear(x, weights.W_in, behind ? Tensor() : weights.b_in);
    if (spec_.mlp == MlpKind::Gated) {
        const Matrix gate = activated(spec_.activation, linear(x, weights.W_gate, weights.b_gate));
        for (std::size_t i = 0; i < hidden.values.size(); ++i)
            hidden.values[i] *= gate.values[i];
        for (std::size_t t = 0; behind && t < hidden.rows; ++t)
            for (std::size_t c = 0; c < hidden.cols; ++c)
                hidden(t, c) += weights.b_in(c);
    } else {
        hidden = activated(spec_.activation, std::move(hidden));
    }
    if (spec_.mlp_norm)
        hidden = norm(std::move(hidden), spec_.norm, weights.ln);
    return linear(hidden, weights.W_out, weights.b_out);
}

/// Σ w_e expert_e(x) over the experts that the router chooses (Shazeer et al. 2017); Qwen 2 adds
/// σ(x · W) shared(x).
Matrix Pass::mixture(std::size_t layer, const Matrix& x) {
    const ExpertsWeights& weights = weights_.layers[layer].experts;
    const ExpertsSpec& experts = *spec_.experts;
    Routing routing = referenceRouting(
        layer, experts, linear(x, weights.W_router, weights.b_router), weights.b_choice);
    Matrix out(x.rows, x.cols);
    std::vector<Matrix> outputs;
    for (std::size_t e = 0; e < experts.n_experts; ++e)
        outputs.push_back(expert(layer, e, x));
    for (std::size_t t = 0; t < x.rows; ++t)
        for (std::size_t choice = 0; choice < routing.chosen[t].size(); ++choice)
            for (std::size_t c = 0; c < x.cols; ++c)
                out(t, c) += routing.weights[t][choice] * outputs[routing.chosen[t][choice]](t, c);
    run_.routings.push_back(std::move(routing));
    if (experts.d_shared == 0)
        return out;
    Matrix hidden = linear(x, weights.shared.W_in);
    const Matrix opened = activated(spec_.activation, linear(x, weights.shared.W_gate));
    for (std::size_t i = 0; i < hidden.values.size(); ++i)
        hidden.values[i] *= opened.values[i];
    const Matrix shared = linear(hidden, weights.shared.W_out);
    Matrix open(x.rows, 1);
    std::ranges::fill(open.values, 1.0);
    if (experts.shared_gate) {
        open = linear(x, weights.W_shared_router);
        for (double& gate : open.values)
            gate = 1.0 / (1.0 + std::exp(-gate));
    }
    for (std::size_t t = 0; t < x.rows; ++t)
        for (std::size_t c = 0; c < x.cols; ++c)
            out(t, c) += shared(t, c) * open(t, 0);
    return out;
}

/// (act(x W_gate) ⊙ (x W_in)) W_out of one expert, whose matrices lie among those of the others. As
/// GptOssExperts of transformers with biases and a limit.
Matrix Pass::expert(std::size_t layer, std::size_t index, const Matrix& x) const {
    const ExpertsWeights& weights = weights_.layers[layer].experts;
    const std::size_t d_mlp = spec_.experts->d_mlp;
    const bool biases = spec_.experts->biases;
    const double limit = spec_.experts->limit;
    Matrix hidden(x.rows, d_mlp);
    Matrix gate(x.rows, d_mlp);
    for (std::size_t t = 0; t < x.rows; ++t)
        for (std::size_t h = 0; h < d_mlp; ++h) {
            for (std::size_t c = 0; c < x.cols; ++c) {
                hidden(t, h) += x(t, c) * weights.W_in(index, c, h);
                gate(t, h) += x(t, c) * weights.W_gate(index, c, h);
            }
            if (biases) {
                hidden(t, h) += weights.b_in(index, h);
                gate(t, h) += weights.b_gate(index, h);
            }
            if (limit != 0.0) {
                hidden(t, h) = std::max(-limit, std::min(limit, hidden(t, h))) + 1.0;
                gate(t, h) = std::min(limit, gate(t, h));
            }
        }
    gate = activated(spec_.activation, std::move(gate));
    Matrix out(x.rows, x.cols);
    for (std::size_t t = 0; t < x.rows; ++t)
        for (std::size_t c = 0; c < x.cols; ++c) {
            for (std::size_t h = 0; h < d_mlp; ++h)
                out(t, c) += gate(t, h) * hidden(t, h) * weights.W_out(index, h, c);
            if (biases)
                out(t, c) += weights.b_out(index, c);
        }
    return out;
}

/// softCap(norm(x) W_Uᵀ + b_U); the masked-LM head (Devlin et al. 2018) transforms x before.
Matrix Pass::unembed(Matrix x) const {
    if (spec_.final_norm)
        x = norm(std::move(x), spec_.finalNorm(), weights_.ln_final);
    if (spec_.output == OutputHead::MaskedLm)
        x = norm(activated(spec_.headActivation(), linear(x, weights_.W_mlm, weights_.b_mlm)),
                 spec_.norm, weights_.ln_mlm);
    if (spec_.projectsParts())
        x = linear(x, weights_.W_project_out);
    const WeightTensor& W_U = spec_.tied_unembedding ? weights_.W_E : weights_.W_U;
    Matrix logits = linearTransposed(x, W_U, weights_.b_U);
    for (double& logit : logits.values)
        logit = softCap(spec_.logit_softcap, logit);
    return logits;
}

} // namespace

ReferenceRun referenceRun(const Model& model, const TokenIds& ids, const EditZ& edit_z) {
    return Pass(model, edit_z)(ids);
}

} // namespace headscope::test
