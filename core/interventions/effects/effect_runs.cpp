#include "core/interventions/effects/effect_runs.h"

#include "core/heads/needles.h"

#include <optional>
#include <string>
#include <utility>

namespace headscope {

namespace {

/// The next sequence of the same length, where there is another one.
std::optional<std::size_t> otherOfSameLength(std::span<const InputSequence> sequences,
                                             std::size_t index) {
    for (std::size_t step = 1; step < sequences.size(); ++step) {
        const std::size_t other = (index + step) % sequences.size();
        if (sequences[other].ids.size() == sequences[index].ids.size())
            return other;
    }
    return std::nullopt;
}

/// What a repeat can be known from: in the second copy, every token after its first; of a sentence
/// that comes again those that heads are read from.
std::vector<Target> secondCopy(const InputSequence& sequence) {
    std::vector<Target> targets;
    if (sequence.needle) {
        for (const std::size_t q : sequence.needle->queries)
            targets.push_back({q, sequence.ids[q + 1]});
        return targets;
    }
    targets.reserve(*sequence.period);
    for (std::size_t q = sequence.firstContent() + *sequence.period; q + 1 < sequence.ids.size();
         ++q)
        targets.push_back({q, sequence.ids[q + 1]});
    return targets;
}

Metric metricOf(const ModelSpec& spec, const InputSequence& sequence) {
    Metric metric;
    switch (effectMeasureOf(spec, sequence)) {
    case EffectMeasure::SecondCopyLoss:
        metric.targets = secondCopy(sequence);
        break;
    case EffectMeasure::NameLogits:
        metric.kind = MetricKind::LogitDifference;
        metric.token = sequence.names->s_token; // so that more is worse, as of a loss
        metric.other = sequence.names->io_token;
        metric.position = sequence.names->end;
        break;
    case EffectMeasure::Loss:
        break;
    case EffectMeasure::Kl:
        metric.kind = MetricKind::Kl;
        break;
    }
    return metric;
}

} // namespace

EffectMeasure effectMeasureOf(const ModelSpec& spec, const InputSequence& sequence) {
    if (!spec.predictsNextToken())
        return EffectMeasure::Kl;
    if (sequence.names)
        return EffectMeasure::NameLogits;
    return sequence.period || sequence.needle ? EffectMeasure::SecondCopyLoss : EffectMeasure::Loss;
}

EffectRuns::EffectRuns(std::shared_ptr<const Model> model, std::span<const InputSequence> sequences,
                       ReplacedBy by, std::vector<HeadSet> units)
    : model_(std::move(model)), sequences_(sequences), by_(by), units_(std::move(units)),
      differences_(units_.size()) {
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        if (by.kind != AblationKind::Resample)
            usable_.push_back({i, i});
        else if (const auto other = otherOfSameLength(sequences, i))
            usable_.push_back({i, *other});
    }
}

Result<void> EffectRuns::measureUpTo(std::size_t count, const Progress& progress,
                                     const std::stop_token& stop) {
    const std::size_t begin = full_.size();
    for (std::size_t i = begin; i < count; ++i) {
        report(progress, static_cast<double>(i - begin) / static_cast<double>(count - begin),
               "ablating " + headSetText(units_.front()) + " by " + replacementName(by_) +
                   ", sequence " + std::to_string(i + 1) + " of " + std::to_string(count));
        const InputSequence& sequence = sequences_[usable_[i].sequence];
        SweepQuestion sweep;
        sweep.prompts = {sequence.ids};
        sweep.units = units_;
        sweep.kind = by_.kind;
        sweep.preserve_patterns = by_.preserve_patterns;
        if (by_.kind == AblationKind::Resample)
            sweep.references = {sequences_[usable_[i].other].ids};
        sweep.metric = metricOf(model_->spec, sequence);
        const auto swept = sweepHeads(model_, sweep, {}, stop);
        if (!swept)
            return swept.error();
        full_.push_back(swept->full);
        for (std::size_t unit = 0; unit < units_.size(); ++unit)
            differences_[unit].push_back(swept->difference(unit));
    }
    return {};
}

std::vector<InputSequence> EffectRuns::used() const {
    std::vector<InputSequence> used;
    for (std::size_t i = 0; i < full_.size(); ++i)
        used.push_back(sequences_[usable_[i].sequence]);
    return used;
}

} // namespace headscope
