#include "core/attribution/logit_attribution.h"

#include "core/attribution/frozen_norm.h"
#include "core/attribution/parts/readers.h"
#include "core/attribution/vocabulary_check.h"
#include "core/engine/block_plan.h"
#include "core/engine/engine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <utility>

namespace headscope {

namespace {

using Direction = std::vector<double>;

constexpr std::array kReadKinds{
    HookKind::Embed,
    HookKind::PosEmbed,
    HookKind::TokenTypeEmbed,
    HookKind::EmbedNormScale,
    HookKind::Ln1Scale,
    HookKind::Ln1PostScale,
    HookKind::Z,
    HookKind::Ln2Scale,
    HookKind::MlpOut,
    HookKind::LnFinalScale,
};

double readIn(std::span<const float> x, std::span<const double> direction) {
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
        sum += static_cast<double>(x[i]) * direction[i];
    return sum;
}

/// The values of a run at one position, by hook point.
class ValuesAtPosition {
public:
    explicit ValuesAtPosition(std::size_t position) : position_(position) {}

    void watch(HookSet& hooks, const ModelSpec& spec) {
        for (const HookPoint point : hookPoints(spec))
            if (std::ranges::find(kReadKinds, point.kind) != kReadKinds.end())
                hooks.observe(point, [this](HookPoint at, const TensorView& x) { keep(at, x); });
    }

    std::span<const float> at(HookPoint point) const { return values_.at(point); }
    double scale(HookPoint point) const { return static_cast<double>(at(point).front()); }

private:
    void keep(HookPoint point, const TensorView& x) {
        Shape shape = x.shape;
        shape[0] = 1;
        const Tensor row = copyOf({x.data + position_ * x.strides[0], shape, x.strides});
        values_[point].assign(row.values().begin(), row.values().end());
    }

    std::size_t position_;
    std::map<HookPoint, std::vector<float>> values_;
};

/// Goes from the logit back through the network and notes what each part adds.
class Attribution {
public:
    Attribution(const Run& run, const ValuesAtPosition& values, LogitAttribution& result)
        : run_(run), spec_(run.model->spec), weights_(run.model->weights), plans_(spec_),
          values_(values), result_(result) {
        result_.sources = Tensor({spec_.n_layers, spec_.n_heads, run.positions()});
    }

    void operator()() {
        output();
        for (std::size_t layer = spec_.n_layers; layer-- > 0;)
            block(layer);
        embedding();
        std::ranges::reverse(result_.parts);
    }

private:
    void add(LogitPartKind kind, double value, LayerHead of = {}) {
        result_.parts.push_back({kind, of, value});
    }

    double through(NormKind kind, const NormWeights& norm, HookPoint scale,
                   Direction& direction) const {
        return throughFrozenNorm(kind, norm, values_.scale(scale), direction);
    }

    /// The direction of the token in what the unembedding reads, and its bias.
    void output() {
        auto [direction, bias] =
            logitDirection(*run_.model, result_.question.token, result_.question.against);
        direction_ = std::move(direction);
        if (spec_.final_norm)
            bias += through(spec_.finalNorm().kind, weights_.ln_final, {HookKind::LnFinalScale, 0},
                            direction_);
        add(LogitPartKind::OutputBias, bias);
    }

    /// From the last step to the first. What a branch reads is not followed, so the norm of its
    /// input is not on the way.
    void block(std::size_t layer) {
        double biases = 0.0;
        Direction branch; // reads attention's output
        const std::vector<BlockStep>& steps = plans_[layer].steps;
        for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
            const bool of_attention = step->branch == Branch::Attention;
            if (step->kind == BlockStepKind::Norm && step->on == BlockValue::Stream)
                biases += through(layer, *step, direction_);
            if (step->kind == BlockStepKind::Add && of_attention)
                branch = direction_;
            if (step->kind == BlockStepKind::Add && !of_attention)
                add(LogitPartKind::Mlp, readIn(values_.at({HookKind::MlpOut, layer}), direction_),
                    {layer, 0});
            if (step->kind == BlockStepKind::Norm && step->on == BlockValue::Output && of_attention)
                biases += through(layer, *step, branch);
            if (step->kind == BlockStepKind::Attention)
                attention(layer, branch, biases);
        }
    }

    double through(std::size_t layer, const BlockStep& norm, Direction& direction) const {
        return through(spec_.norm.kind, weights_.layers[layer].*norm.norm,
                       {norm.hooks.front(), layer}, direction);
    }

    /// `biases` are those of the norms after it.
    void attention(std::size_t layer, const Direction& direction, double biases) {
        const AttentionWeights& weights = weights_.layers[layer].attn;
        biases += readIn(weights.b_O.values(), direction);
        add(LogitPartKind::Biases, biases, {layer, 0});
        heads(layer, timesColumn(*WidenedMatrix(weights.W_O.matrix()), direction));
    }

    /// `direction` [head · d_head_v] reads z.
    void heads(std::size_t layer, const Direction& direction) {
        const std::size_t d_head = spec_.valueDim();
        const std::span<const float> z = values_.at({HookKind::Z, layer});
        for (std::size_t place = spec_.headsIn(layer); place-- > 0;) {
            const LayerHead head = spec_.headAt(layer, place);
            const std::span of_head = std::span(direction).subspan(place * d_head, d_head);
            add(LogitPartKind::Head, readIn(z.subspan(place * d_head, d_head), of_head), head);
            sources(head, of_head);
        }
    }

    void sources(LayerHead head, std::span<const double> direction) {
        const std::size_t query = result_.question.position;
        const Tensor pattern = run_.pattern(head, {query, query + 1}, {0, run_.positions()});
        const Tensor& v = run_.captured.at({HookKind::V, head.layer}); // [key, kv_head, d_head_v]
        const std::size_t kv_place = spec_.kvPlace(head);
        for (std::size_t key = 0; key < run_.positions(); ++key) {
            const float* const v_k = &v.data()[(key * v.dim(1) + kv_place) * v.dim(2)];
            result_.sources(head.layer, head.head, key) = static_cast<float>(
                static_cast<double>(pattern(0u, key)) * readIn({v_k, v.dim(2)}, direction));
        }
    }

    void embedding() {
        if (spec_.norm_after_embedding)
            add(LogitPartKind::EmbeddingBias, through(spec_.norm.kind, weights_.ln_embed,
                                                      {HookKind::EmbedNormScale, 0}, direction_));
        if (spec_.n_token_types > 0)
            add(LogitPartKind::TokenTypes,
                readIn(values_.at({HookKind::TokenTypeEmbed, 0}), direction_));
        if (spec_.positions == PositionKind::Learned)
            add(LogitPartKind::Positions, readIn(values_.at({HookKind::PosEmbed, 0}), direction_));
        add(LogitPartKind::Embedding, readIn(values_.at({HookKind::Embed, 0}), direction_));
    }

    const Run& run_;
    const ModelSpec& spec_;
    const Weights& weights_;
    BlockPlans plans_;
    const ValuesAtPosition& values_;
    LogitAttribution& result_;
    Direction direction_; ///< [d_model], reads the residual stream
};

/// The logit that the soft-cap turned into this one.
double beforeSoftCap(double cap, float logit) {
    const auto capped = static_cast<double>(logit);
    return cap == 0.0 ? capped : cap * std::atanh(capped / cap);
}

HookSet withAblation(HookSet hooks, const HeadMask& ablated, const ModelSpec& spec) {
    addAblation(hooks, ablated, spec);
    return hooks;
}

/// A run that has the logits of one position and all values that its attribution reads.
Result<std::shared_ptr<const Run>> watchedRun(const std::shared_ptr<const Model>& model,
                                              const TokenIds& ids, std::size_t position,
                                              const HookSet& hooks, ValuesAtPosition& values,
                                              std::stop_token stop) {
    HookSet watched = hooks;
    values.watch(watched, model->spec);
    watched.capture(HookKind::V);
    Request request;
    request.logit_positions = {position};
    return runModel(model, ids, request, watched, std::move(stop));
}

LogitAttribution attributionOf(const Run& run, const ValuesAtPosition& values,
                               const LogitQuestion& question) {
    LogitAttribution result;
    result.question = question;
    const auto logitOf = [&](TokenId token) {
        return beforeSoftCap(run.model->spec.logit_softcap, run.logits(0u, token));
    };
    result.logit = logitOf(question.token);
    if (question.against)
        result.logit -= logitOf(*question.against);
    Attribution(run, values, result)();
    return result;
}

/// For networks whose logits are no linear readout.
Result<PredictionAttribution> predictionAlone(const std::shared_ptr<const Model>& model,
                                              const PredictionQuestion& question,
                                              const HookSet& hooks, const Error& why,
                                              std::stop_token stop) {
    Request request;
    request.logit_positions = {question.position};
    request.keep_attention = false;
    const auto run = runModel(model, question.ids, request, hooks, std::move(stop));
    if (!run)
        return run.error();
    auto predictions = topPredictions((*run)->logits, 0, question.predictions);
    const TokenId token = question.token.value_or(predictions.front().id);
    return PredictionAttribution{std::move(predictions), token, why};
}

} // namespace

std::string_view logitPartName(LogitPartKind kind) {
    static constexpr std::array<std::string_view, 8> names{
        "embedding", "positions", "token types", "embedding bias",
        "head",      "biases",    "mlp",         "output bias"};
    return names[static_cast<std::size_t>(kind)];
}

double LogitAttribution::sum() const {
    double sum = 0.0;
    for (const LogitPart& part : parts)
        sum += part.value;
    return sum;
}

double LogitAttribution::of(LayerHead head) const {
    return std::ranges::find_if(parts,
                                [&](const LogitPart& part) {
                                    return part.kind == LogitPartKind::Head && part.of == head;
                                })
        ->value;
}

Result<LogitAttribution> attributeLogit(const std::shared_ptr<const Model>& model,
                                        const LogitQuestion& question, const HookSet& hooks,
                                        std::stop_token stop) {
    for (const auto& checked : {checkVocabulary(*model), checkLinearReadout(*model),
                                checkPosition(question.ids.size(), question.position),
                                checkTokens(*model, question.token, question.against),
                                checkWithoutStandIns(question.ablated)})
        if (!checked)
            return checked.error();
    ValuesAtPosition values(question.position);
    const auto run =
        watchedRun(model, question.ids, question.position,
                   withAblation(hooks, question.ablated, model->spec), values, std::move(stop));
    if (!run)
        return run.error();
    return attributionOf(**run, values, question);
}

Result<PredictionAttribution> attributePrediction(const std::shared_ptr<const Model>& model,
                                                  const PredictionQuestion& question,
                                                  std::stop_token stop) {
    for (const auto& checked :
         {checkVocabulary(*model), checkPosition(question.ids.size(), question.position),
          checkTokens(*model, question.token, question.against),
          checkWithoutStandIns(question.ablated)})
        if (!checked)
            return checked.error();
    const HookSet hooks = withAblation({}, question.ablated, model->spec);
    if (const auto linear = checkLinearReadout(*model); !linear)
        return predictionAlone(model, question, hooks, linear.error(), std::move(stop));
    ValuesAtPosition values(question.position);
    const auto run =
        watchedRun(model, question.ids, question.position, hooks, values, std::move(stop));
    if (!run)
        return run.error();
    auto predictions = topPredictions((*run)->logits, 0, question.predictions);
    const TokenId token = question.token.value_or(predictions.front().id);
    return PredictionAttribution{std::move(predictions), token,
                                 attributionOf(**run, values,
                                               {question.ids, question.position, token,
                                                question.against, question.ablated})};
}

} // namespace headscope
