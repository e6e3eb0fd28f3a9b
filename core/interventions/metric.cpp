#include "core/interventions/metric.h"

#include "core/base/text.h"
#include "core/engine/loss.h"
#include "core/tensor/nonlinear.h"
#include "core/tensor/rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

namespace headscope {

namespace {

constexpr std::size_t kLargestReference = std::size_t{128} << 20;

Error invalid(std::string message) {
    return {ErrorCode::InvalidArgument, std::move(message)};
}

} // namespace

Result<std::size_t> predictingPosition(const ModelSpec& spec, const TokenIds& ids) {
    if (const auto position = predictedPosition(spec, ids))
        return *position;
    return invalid("The prompt has no mask token for which this bidirectional network could "
                   "predict one; put one in or name a position.");
}

std::string_view metricName(MetricKind kind) {
    switch (kind) {
    case MetricKind::Loss:
        return "loss";
    case MetricKind::LogitDifference:
        return "logit-diff";
    case MetricKind::Probability:
        return "probability";
    case MetricKind::Kl:
        return "kl";
    }
    return {};
}

std::string_view effectMethodName(EffectMethod method) {
    return method == EffectMethod::Exact ? "exact" : "gradient";
}

EffectMethod effectMethodNamed(std::string_view name) {
    return name == effectMethodName(EffectMethod::Gradient) ? EffectMethod::Gradient
                                                            : EffectMethod::Exact;
}

Result<PromptMetric> PromptMetric::make(const Metric& metric, const ModelSpec& spec,
                                        const TokenIds& ids) {
    if (spec.output == OutputHead::None)
        return invalid("This network has no unembedding, so there are no predictions to measure.");
    if (ids.empty())
        return invalid("The prompt has no tokens, so there is nothing to measure.");
    PromptMetric bound(metric);
    if (auto chosen = metric.kind == MetricKind::Loss ? bound.chooseTargets(spec, ids)
                                                      : bound.choosePositions(spec, ids);
        !chosen)
        return chosen.error();
    if (auto valid = bound.check(spec, ids); !valid)
        return valid.error();
    if (bound.needsReference()) {
        bound.logits_ = Tensor({bound.positions_.size(), spec.outputs()});
        bound.probabilities_ = bound.logits_;
        bound.log_sums_.resize(bound.positions_.size());
    }
    return bound;
}

Result<void> PromptMetric::chooseTargets(const ModelSpec& spec, const TokenIds& ids) {
    std::vector<Target> targets = metric_.targets;
    if (targets.empty()) {
        if (spec.predictsClasses())
            return invalid(
                "The logits of this network are of classes, so it predicts no next token; "
                "say for the loss which class it shall predict at which position.");
        if (!spec.causal)
            return invalid("A bidirectional network predicts no next token; say for the loss which "
                           "token it shall predict at which position.");
        if (ids.size() < 2 || metric_.position == ids.size() - 1)
            return invalid("The loss is that of the token which follows, and none follows the last "
                           "position of the prompt.");
        for (std::size_t position = 0; position + 1 < ids.size(); ++position)
            if (position == metric_.position.value_or(position))
                targets.push_back({position, ids[position + 1]});
    }
    std::ranges::sort(targets, {}, &Target::position);
    for (const Target& target : targets) {
        if (!positions_.empty() && positions_.back() == target.position)
            return invalid("Position " + std::to_string(target.position) +
                           " has two tokens to predict; give one.");
        positions_.push_back(target.position);
        tokens_.push_back(target.token);
    }
    if (positions_.empty()) // a position beyond the prompt
        positions_.push_back(*metric_.position);
    return {};
}

Result<void> PromptMetric::choosePositions(const ModelSpec& spec, const TokenIds& ids) {
    if (metric_.position) {
        positions_ = {*metric_.position};
    } else if (metric_.kind == MetricKind::Kl) {
        positions_.resize(ids.size());
        std::iota(positions_.begin(), positions_.end(), std::size_t{0});
    } else {
        const auto position = predictingPosition(spec, ids);
        if (!position)
            return position.error();
        positions_ = {*position};
    }
    return {};
}

Result<void> PromptMetric::check(const ModelSpec& spec, const TokenIds& ids) const {
    if (positions_.back() >= ids.size())
        return invalid("There is no position " + std::to_string(positions_.back()) +
                       ": the prompt has positions 0 to " + std::to_string(ids.size() - 1) + ".");
    TokenIds named = tokens_;
    if (metric_.kind == MetricKind::LogitDifference)
        named = {metric_.token, metric_.other};
    if (metric_.kind == MetricKind::Probability)
        named = {metric_.token};
    for (const TokenId token : named)
        if (token < 0 || static_cast<std::size_t>(token) >= spec.outputs())
            return invalid(spec.predictsClasses()
                               ? "There is no class " + std::to_string(token) +
                                     ": the logits are of classes 0 to " +
                                     std::to_string(spec.outputs() - 1) + "."
                               : "Token id " + std::to_string(token) +
                                     " is outside the vocabulary, which has ids 0 to " +
                                     std::to_string(spec.outputs() - 1) + ".");
    const double bytes = 2.0 * sizeof(float) * static_cast<double>(positions_.size()) *
                         static_cast<double>(spec.outputs());
    if (needsReference() && bytes > static_cast<double>(kLargestReference))
        return Error{ErrorCode::TooLarge,
                     "The KL divergence over " + std::to_string(positions_.size()) +
                         " positions needs the reference run's probabilities, " +
                         byteText(static_cast<std::size_t>(bytes)) + " of at most " +
                         byteText(kLargestReference) +
                         "; name one position or shorten the prompt."};
    return {};
}

std::size_t PromptMetric::indexOf(std::size_t position) const {
    const auto found = std::ranges::lower_bound(positions_, position);
    return static_cast<std::size_t>(found - positions_.begin());
}

void PromptMetric::keepReference(std::size_t position, std::span<const float> logits) {
    const std::size_t index = indexOf(position);
    const double log_sum = logSumExp(logits);
    log_sums_[index] = log_sum;
    std::ranges::copy(logits, logits_.matrix().row(index));
    std::ranges::transform(logits, probabilities_.matrix().row(index), [&](float logit) {
        return static_cast<float>(std::exp(static_cast<double>(logit) - log_sum));
    });
}

double PromptMetric::at(std::size_t position, std::span<const float> logits) const {
    const auto logit = [&](TokenId token) {
        return static_cast<double>(logits[static_cast<std::size_t>(token)]);
    };
    switch (metric_.kind) {
    case MetricKind::Loss:
        return tokenLoss(logits, tokens_[indexOf(position)]);
    case MetricKind::LogitDifference:
        return logit(metric_.token) - logit(metric_.other);
    case MetricKind::Probability:
        return std::exp(-tokenLoss(logits, metric_.token));
    case MetricKind::Kl:
        return divergence(indexOf(position), logits);
    }
    return std::numeric_limits<double>::quiet_NaN();
}

double PromptMetric::value(const Tensor& logits) const {
    MetricReading reading(*this);
    for (const std::size_t position : positions_)
        reading.read(position, {logits.matrix().row(position), logits.dim(1)});
    return reading.value();
}

Tensor PromptMetric::gradient(const Tensor& logits) const {
    Tensor gradient(logits.shape());
    const double share = 1.0 / static_cast<double>(positions_.size());
    for (const std::size_t position : positions_)
        addGradient(position, {logits.matrix().row(position), logits.dim(1)}, share,
                    {gradient.matrix().row(position), logits.dim(1)});
    return gradient;
}

/// Loss: p − one-hot. Logit difference: one-hot − one-hot. Probability p_t: p_t · (one-hot − p).
void PromptMetric::addGradient(std::size_t position, std::span<const float> logits, double share,
                               std::span<float> gradient) const {
    const auto add = [&](TokenId token, double slope) {
        gradient[static_cast<std::size_t>(token)] += static_cast<float>(share * slope);
    };
    const auto addProbabilities = [&](double slope) {
        const double log_sum = logSumExp(logits);
        for (std::size_t id = 0; id < logits.size(); ++id)
            gradient[id] += static_cast<float>(share * slope *
                                               std::exp(static_cast<double>(logits[id]) - log_sum));
    };
    switch (metric_.kind) {
    case MetricKind::Loss:
        addProbabilities(1.0);
        return add(tokens_[indexOf(position)], -1.0);
    case MetricKind::LogitDifference:
        add(metric_.token, 1.0);
        return add(metric_.other, -1.0);
    case MetricKind::Probability: {
        const double p = at(position, logits);
        addProbabilities(-p);
        return add(metric_.token, p);
    }
    case MetricKind::Kl:
        return;
    }
}

/// Σ p (ln p − ln q), with ln p − ln q as a difference of logits, which is 0 for the same logits.
double PromptMetric::divergence(std::size_t index, std::span<const float> logits) const {
    const float* reference = logits_.matrix().row(index);
    const float* p = probabilities_.matrix().row(index);
    const double shift = logSumExp(logits) - log_sums_[index];
    double sum = 0.0;
    for (std::size_t i = 0; i < logits.size(); ++i)
        sum += static_cast<double>(p[i]) *
               (static_cast<double>(reference[i]) - static_cast<double>(logits[i]) + shift);
    return sum;
}

MetricReading::MetricReading(const PromptMetric& metric)
    : metric_(&metric),
      numbers_(metric.positions().size(), std::numeric_limits<double>::quiet_NaN()) {}

void MetricReading::read(std::size_t position, std::span<const float> logits) {
    numbers_[metric_->indexOf(position)] = metric_->at(position, logits);
}

void MetricReading::know(std::size_t position, double value) {
    numbers_[metric_->indexOf(position)] = value;
}

double MetricReading::at(std::size_t position) const {
    return numbers_[metric_->indexOf(position)];
}

double MetricReading::value() const {
    return std::accumulate(numbers_.begin(), numbers_.end(), 0.0) /
           static_cast<double>(numbers_.size());
}

double shareOfDifference(double value, double from, double to) {
    return areDifferent(from, to) ? (value - from) / (to - from)
                                  : std::numeric_limits<double>::quiet_NaN();
}

} // namespace headscope
