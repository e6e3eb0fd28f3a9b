#pragma once

#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/model/model_spec.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace headscope {

enum class MetricKind {
    Loss,            ///< −ln p(token), in nats
    LogitDifference, ///< logit of one token − logit of another
    Probability,     ///< p(token)
    Kl,              ///< Σ p ln(p / q) over the vocabulary, in nats; p is of the reference run
};

/// "loss", "logit-diff", "probability", "kl"
std::string_view metricName(MetricKind kind);

/// How the metric of a changed network is found.
enum class EffectMethod {
    Exact,    ///< by a run with each change
    Gradient, ///< estimated to first order, all changes by one reverse pass
};

/// "exact", "gradient"
std::string_view effectMethodName(EffectMethod method);
/// By that name; anything else is exact.
EffectMethod effectMethodNamed(std::string_view name);

/// A token to predict, and the position whose logits predict it.
struct Target {
    std::size_t position = 0;
    TokenId token = 0;
};

/// predictedPosition(), or why there is none.
Result<std::size_t> predictingPosition(const ModelSpec& spec, const TokenIds& ids);

/// What is measured in the logits of a run, whatever the prompt.
struct Metric {
    MetricKind kind = MetricKind::Loss;
    TokenId token = 0; ///< LogitDifference and Probability: the token in question
    TokenId other = 0; ///< LogitDifference: what its logit is compared with
    /// Where it is read. Empty: LogitDifference and Probability at the last position (of a
    /// bidirectional network at the first mask token), Loss and Kl as the mean over all positions.
    std::optional<std::size_t> position;
    /// Loss: what shall be predicted where, in place of each position's next token.
    std::vector<Target> targets;
};

/// A metric and the prompt it is measured on: says which logits it needs and reads them.
class PromptMetric {
public:
    /// Fails when the metric does not fit the network or the prompt: no vocabulary, a token or
    /// position outside, no next token to predict, or a reference for Kl beyond 128 MiB.
    static Result<PromptMetric> make(const Metric& metric, const ModelSpec& spec,
                                     const TokenIds& ids);

    /// The positions whose logits it needs, ascending: Request::logit_positions.
    const std::vector<std::size_t>& positions() const { return positions_; }
    /// Whether the reference run must be kept before another is read.
    bool needsReference() const { return metric_.kind == MetricKind::Kl; }

    /// Kl: keeps one row of the reference run. Thread-safe for different positions.
    void keepReference(std::size_t position, std::span<const float> logits);

    /// The metric at one of positions(); thread-safe. logits [d_vocab].
    double at(std::size_t position, std::span<const float> logits) const;

    /// The value of a whole run: the mean over positions(). logits [position, d_vocab] of all
    /// positions.
    double value(const Tensor& logits) const;
    /// d value() / d logits, zeros at the positions it does not read. Of Kl, whose derivative at
    /// the reference run is 0, nothing but zeros.
    Tensor gradient(const Tensor& logits) const;

    /// The place of a position in positions().
    std::size_t indexOf(std::size_t position) const;

private:
    explicit PromptMetric(Metric metric) : metric_(std::move(metric)) {}
    Result<void> chooseTargets(const ModelSpec& spec, const TokenIds& ids);
    Result<void> choosePositions(const ModelSpec& spec, const TokenIds& ids);
    Result<void> check(const ModelSpec& spec, const TokenIds& ids) const;
    void addGradient(std::size_t position, std::span<const float> logits, double share,
                     std::span<float> gradient) const;
    double divergence(std::size_t index, std::span<const float> logits) const;

    Metric metric_;
    std::vector<std::size_t> positions_;
    TokenIds tokens_; ///< Loss: what each of positions_ shall predict

    // Kl, of the reference run:
    Tensor logits_;                ///< [index, d_vocab]
    Tensor probabilities_;         ///< [index, d_vocab]
    std::vector<double> log_sums_; ///< [index], ln Σ exp(logit)
};

/// The metric of one run, from rows of logits in any order and from any thread. The same rows give
/// the same value to the bit. `metric` must outlive it.
class MetricReading {
public:
    explicit MetricReading(const PromptMetric& metric);

    void read(std::size_t position, std::span<const float> logits);
    /// In place of read(), where another reading of the same logits found it.
    void know(std::size_t position, double value);

    double at(std::size_t position) const;
    /// Mean over the positions; NaN until all of them were read.
    double value() const;

private:
    const PromptMetric* metric_;
    std::vector<double> numbers_; ///< one per position
};

/// (value − from) / (to − from): which share of the way a patched run goes from one run to another.
/// NaN when the two do not differ by more than rounding.
double shareOfDifference(double value, double from, double to);

} // namespace headscope
