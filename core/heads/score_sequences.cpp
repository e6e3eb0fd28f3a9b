#include "core/heads/score_sequences.h"

#include "core/base/text.h"
#include "core/engine/engine.h"
#include "core/heads/mean_interval.h"
#include "core/heads/meters/meter.h"
#include "core/model/model.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

namespace headscope {

namespace {

/// A head that shows less than this share of its attention to a type is not judged by it.
constexpr double kLeastShown = 0.1;

/// What each sequence says of one head, with how much it counts.
struct Samples {
    std::vector<double> values;
    std::vector<double> weights;

    double weight() const { return std::accumulate(weights.begin(), weights.end(), 0.0); }

    double mean() const { return weightedMean(values, weights); }

    /// The value of all sequences that have one.
    double sameInAll() const {
        double same = kUndefinedReading;
        for (const double value : values) {
            if (!std::isnan(value) && !std::isnan(same) && value != same)
                return kUndefinedReading;
            if (!std::isnan(value))
                same = value;
        }
        return same;
    }
};

/// `pick` takes one number out of each sequence's measurement, `weigh` how much it counts.
template <class Pick, class Weigh>
Samples overSequences(std::span<const Measurement* const> sequences, Pick pick, Weigh weigh) {
    Samples samples;
    samples.values.reserve(sequences.size());
    samples.weights.reserve(sequences.size());
    for (const Measurement* const sequence : sequences) {
        samples.values.push_back(pick(*sequence));
        samples.weights.push_back(weigh(*sequence));
    }
    return samples;
}

HeadScore undefinedScore(LayerHead head, HeadTypeId type) {
    return {head,
            type,
            kUndefinedReading,
            kUndefinedReading,
            kUndefinedReading,
            kUndefinedReading,
            kUndefinedReading};
}

/// 95 %, within what a score can be. A single sequence has none, and where only one of several says
/// anything, nothing is known.
Interval intervalOf(const Samples& scores) {
    constexpr double kError = 0.05;
    if (scores.values.size() == 1)
        return {scores.mean(), scores.mean()};
    const Interval interval = meanInterval(scores.values, scores.weights, kError);
    if (std::isnan(interval.low))
        return std::isnan(scores.mean()) ? interval : Interval{0.0, 1.0};
    return {std::max(interval.low, 0.0), std::min(interval.high, 1.0)};
}

HeadScore scoreOf(LayerHead head, HeadTypeId type, std::span<const Measurement* const> sequences) {
    if (sequences.empty())
        return undefinedScore(head, type);
    const auto weight = [head](const Measurement& m) { return m.heads[head].weight; };
    const auto rows = [](const Measurement& m) { return m.rows; };
    const Samples scores = overSequences(
        sequences, [head](const Measurement& m) { return m.heads[head].score; }, weight);
    const Samples baselines = overSequences(
        sequences, [head](const Measurement& m) { return m.heads[head].baseline; }, weight);
    const Samples variants = overSequences(
        sequences, [head](const Measurement& m) { return m.heads[head].variant; }, rows);
    HeadScore score = undefinedScore(head, type);
    score.baseline = baselines.mean();
    score.variant = headType(type).variant_is_offset ? variants.sameInAll() : variants.mean();
    if (scores.weight() >= kLeastShown * variants.weight()) {
        score.score = scores.mean();
        const Interval interval = intervalOf(scores);
        score.low = interval.low;
        score.high = interval.high;
        score.p_value = meanPValue(scores.values, scores.weights, score.baseline);
    }
    return score;
}

/// Types of words are shown as undefined where there are no words, types of no text not at all.
bool isRead(const HeadType& type, const ModelSpec& spec, bool is_found) {
    const bool of_text = type.input != InputKind::Names && type.input != InputKind::Needles &&
                         type.group != TypeGroup::Weights;
    return (of_text || is_found) && !(type.looks_ahead && spec.causal);
}

} // namespace

Result<HeadScores> scoreSequences(const std::shared_ptr<const Model>& model,
                                  std::span<const InputSequence> sequences,
                                  const std::string& input, const Progress& progress,
                                  const std::stop_token& stop, std::span<const HeadTypeId> types) {
    const auto readings = measureSequences(model, sequences, progress, stop, types);
    if (!readings)
        return readings.error();
    return scoresOfReadings(model->spec, sequences, input, *readings);
}

Result<std::vector<SequenceReading>> measureSequences(const std::shared_ptr<const Model>& model,
                                                      std::span<const InputSequence> sequences,
                                                      const Progress& progress,
                                                      const std::stop_token& stop,
                                                      std::span<const HeadTypeId> types) {
    if (const auto checked = checkSequences(sequences); !checked)
        return checked.error();
    std::vector<SequenceReading> readings;
    while (readings.size() < sequences.size()) {
        const std::size_t first = readings.size();
        reportSequence(progress, first, sequences.size());
        auto batch = measureBatch(
            model, sequences.subspan(first, sequencesPerBatch(sequences, first)), stop, types);
        if (!batch)
            return batch.error();
        std::ranges::move(*batch, std::back_inserter(readings));
    }
    report(progress, 1.0, "scoring heads");
    return readings;
}

Result<std::vector<SequenceReading>> measureBatch(const std::shared_ptr<const Model>& model,
                                                  std::span<const InputSequence> sequences,
                                                  const std::stop_token& stop,
                                                  std::span<const HeadTypeId> types) {
    std::vector<SequenceMeters> meters;
    meters.reserve(sequences.size()); // the runs keep pointers
    std::vector<MeteredRun> metered;
    metered.reserve(sequences.size());
    for (const InputSequence& sequence : sequences)
        metered.push_back({&sequence.ids, {&meters.emplace_back(model, sequence, types)}});
    if (const auto ran = runMetered(model, metered, stop); !ran)
        return ran.error();
    std::vector<SequenceReading> readings;
    readings.reserve(meters.size());
    for (const SequenceMeters& each : meters)
        readings.push_back(each.measurements());
    return readings;
}

Result<void> runMetered(const std::shared_ptr<const Model>& model, std::span<const MeteredRun> runs,
                        const std::stop_token& stop) {
    std::vector<RunItem> items;
    items.reserve(runs.size());
    for (const MeteredRun& run : runs) {
        RunItem item;
        item.ids = *run.ids;
        for (SequenceMeters* const meters : run.meters) {
            meters->watch(item.hooks);
            item.observers.push_back(meters);
        }
        items.push_back(std::move(item));
    }
    Request request;
    request.logits = false;
    request.keep_attention = false;
    request.last_attention_output = true; // meters read it as values and W_O
    const auto ran = runBatch(model, items, request, stop);
    return ran ? Result<void>() : Result<void>(ran.error());
}

void reportSequence(const Progress& progress, std::size_t done, std::size_t sequences) {
    report(progress, static_cast<double>(done) / static_cast<double>(sequences),
           "scoring heads, sequence " + std::to_string(done + 1) + " of " +
               std::to_string(sequences));
}

HeadScores scoresOfReadings(const ModelSpec& spec, std::span<const InputSequence> sequences,
                            const std::string& input, std::span<const SequenceReading> readings) {
    SequenceScores scores;
    for (const SequenceReading& reading : readings)
        scores.add(reading);
    return scores.scores(
        spec, {.input = input, .bos = bosText(sequences.front()), .sequences = sequences.size()});
}

Result<void> checkSequences(std::span<const InputSequence> sequences) {
    if (sequences.empty())
        return Error{ErrorCode::InvalidArgument, "There is no sequence to score heads on."};
    for (const InputSequence& sequence : sequences) {
        if (sequence.has_bos != sequences.front().has_bos)
            return Error{ErrorCode::InvalidArgument,
                         "Some sequences begin with BOS and some do not; score them apart."};
        // Or the types would look in the wrong places.
        const std::size_t content = sequence.ids.size() - sequence.firstContent();
        if (sequence.period && content != 2 * *sequence.period)
            return Error{ErrorCode::InvalidArgument,
                         "A sequence that repeats " + counted(*sequence.period, "token") +
                             " must hold " + std::to_string(2 * *sequence.period) +
                             " tokens besides BOS, and this one holds " + std::to_string(content) +
                             "."};
    }
    return {};
}

std::size_t sequencesPerBatch(std::span<const InputSequence> sequences, std::size_t first) {
    constexpr std::size_t kPositions = 256;
    std::size_t positions = 0;
    std::size_t count = 0;
    while (first + count < sequences.size() &&
           (count == 0 || positions + sequences[first + count].ids.size() <= kPositions))
        positions += sequences[first + count++].ids.size();
    return count;
}

std::string bosText(const InputSequence& sequence) {
    if (!sequence.has_bos)
        return "without BOS";
    return "with BOS (id " + std::to_string(sequence.ids.front()) + ")";
}

SequenceMeters::SequenceMeters(const std::shared_ptr<const Model>& model,
                               const InputSequence& sequence, std::span<const HeadTypeId> types) {
    const auto isAsked = [&](HeadTypeId id) {
        return types.empty() || std::ranges::find(types, id) != types.end();
    };
    const auto isReadByAsked = [&](HeadTypeId id) {
        return std::ranges::any_of(headTypes(), [&](const HeadType& type) {
            return type.read_from && type.read_from->type == id && isAsked(type.id);
        });
    };
    for (const HeadType& type : headTypes())
        if (type.meter && (isAsked(type.id) || isReadByAsked(type.id)))
            if (auto meter = type.meter(model, sequence))
                meters_.emplace(type.id, std::move(meter));
}

SequenceMeters SequenceMeters::ofControls(const std::shared_ptr<const Model>& model,
                                          const InputSequence& sequence, ControlInput input,
                                          std::span<const HeadTypeId> types) {
    SequenceMeters controls;
    for (const HeadType& type : headTypes()) {
        const bool is_asked = types.empty() || std::ranges::find(types, type.id) != types.end();
        if (!is_asked || !type.control || type.control->input != input)
            continue;
        const auto make = type.control->meter ? type.control->meter : type.meter;
        if (auto meter = make(model, sequence))
            controls.meters_.emplace(type.id, std::move(meter));
    }
    return controls;
}

void SequenceMeters::watch(HookSet& hooks) {
    for (auto& [id, meter] : meters_)
        meter->watch(hooks);
}

void SequenceMeters::observe(const PatternBlock& block) {
    for (auto& [id, meter] : meters_)
        meter->observe(block);
}

SequenceReading SequenceMeters::measurements() const {
    SequenceReading found;
    for (const auto& [id, meter] : meters_)
        found.emplace(id, meter->measurement());
    for (const HeadType& type : headTypes())
        if (type.read_from)
            if (const auto source = found.find(type.read_from->type); source != found.end()) {
                Measurement measurement = source->second;
                for (Reading& reading : measurement.heads)
                    reading = type.read_from->reading(reading);
                found.emplace(type.id, std::move(measurement));
            }
    return found;
}

HeadScore scoreOfReadings(LayerHead head, HeadTypeId type,
                          std::span<const SequenceReading* const> readings) {
    std::vector<const Measurement*> found;
    found.reserve(readings.size());
    for (const SequenceReading* const reading : readings)
        if (const auto at = reading->find(type); at != reading->end())
            found.push_back(&at->second);
    return scoreOf(head, type, found);
}

void SequenceScores::add(const SequenceReading& sequence) {
    for (const auto& [id, found] : sequence)
        measurements_[id].push_back(found);
}

HeadScores SequenceScores::scores(const ModelSpec& spec, const MeasuredOn& measured_on) const {
    HeadScores summary;
    summary.heads = headIndex(spec);
    for (const HeadType& type : headTypes()) {
        std::vector<const Measurement*> found;
        if (const auto at = measurements_.find(type.id); at != measurements_.end())
            for (const Measurement& measurement : at->second)
                found.push_back(&measurement);
        if (!isRead(type, spec, !found.empty()))
            continue;
        summary.types.push_back(type.id);
        summary.measured_on.push_back(measured_on);
        const std::size_t first = summary.scores.size();
        summary.scores.resize(first + summary.heads.size());
        parallelFor(summary.heads.size(), [&](std::size_t place, std::size_t) {
            const LayerHead head = summary.heads.at(place);
            summary.scores[first + place] = scoreOf(head, type.id, found);
        });
    }
    return summary;
}

PromptScores::PromptScores(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                           bool has_bos)
    : model_(model), sequence_{ids, has_bos, std::nullopt}, meters_(model, sequence_) {}

HeadScores PromptScores::scores() const {
    SequenceScores scores;
    scores.add(meters_.measurements());
    return scores.scores(model_->spec,
                         {.input = "this prompt of " + counted(sequence_.ids.size(), "token"),
                          .bos = bosText(sequence_),
                          .sequences = 1});
}

} // namespace headscope
