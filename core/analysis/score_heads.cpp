#include "core/analysis/score_heads.h"

#include "core/analysis/bootstrap.h"
#include "core/analysis/measure.h"
#include "core/engine/engine.h"

#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace headscope {

namespace {

constexpr std::uint64_t kBootstrapSeed = 0;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// What each detector found, one list per detector in display order; a sequence without a row for
/// a detector adds nothing to its list.
using Measurements = std::vector<std::vector<Measurement>>;

void addMeasurements(Measurements& measurements, const TargetAttention& attention) {
    for (std::size_t i = 0; i < detectors().size(); ++i)
        if (auto found = attention.measurement(detectors()[i].id))
            measurements[i].push_back(std::move(*found));
}

/// Runs the sequences as one batch that keeps nothing.
Result<void> watch(const std::shared_ptr<const Model>& model,
                   std::span<const ProbeSequence> sequences, Measurements& measurements,
                   const std::stop_token& stop) {
    std::vector<TargetAttention> attention;
    attention.reserve(sequences.size()); // the batch keeps pointers
    std::vector<RunItem> items;
    for (const ProbeSequence& sequence : sequences) {
        RunItem item;
        item.ids = sequence.ids;
        item.observers = {&attention.emplace_back(model->spec, sequence)};
        items.push_back(std::move(item));
    }
    Request request;
    request.logits = false;
    request.keep_attention = false;
    const auto runs = runBatch(model, items, request, stop);
    if (!runs)
        return runs.error();
    for (const TargetAttention& each : attention)
        addMeasurements(measurements, each);
    return {};
}

/// How many sequences from `first` on make a batch: products large enough, and progress between
/// them.
std::size_t batchSize(std::span<const ProbeSequence> sequences, std::size_t first) {
    constexpr std::size_t kPositions = 256;
    std::size_t positions = 0;
    std::size_t count = 0;
    while (first + count < sequences.size() &&
           (count == 0 || positions + sequences[first + count].ids.size() <= kPositions))
        positions += sequences[first + count++].ids.size();
    return count;
}

double meanOf(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// `pick` takes one number out of each sequence's measurement.
template <class Pick>
std::vector<double> overSequences(const std::vector<Measurement>& sequences, Pick pick) {
    std::vector<double> values;
    values.reserve(sequences.size());
    for (const Measurement& sequence : sequences)
        values.push_back(pick(sequence));
    return values;
}

HeadScore scoreOf(LayerHead head, std::size_t index, DetectorId detector,
                  const std::vector<Measurement>& sequences, const Bootstrap& bootstrap) {
    const auto scores =
        overSequences(sequences, [&](const Measurement& m) { return m.score[index]; });
    const Interval interval = bootstrap.intervalOfMean(scores);
    return {
        .head = head,
        .detector = detector,
        .score = meanOf(scores),
        .chance =
            meanOf(overSequences(sequences, [&](const Measurement& m) { return m.chance[index]; })),
        .low = interval.low,
        .high = interval.high,
        .score_from_row_2 = meanOf(overSequences(
            sequences, [&](const Measurement& m) { return m.score_from_row_2[index]; })),
    };
}

HeadScores summarise(const Measurements& measurements, std::size_t n_layers, std::size_t n_heads) {
    HeadScores summary;
    summary.n_layers = n_layers;
    summary.n_heads = n_heads;
    for (std::size_t i = 0; i < detectors().size(); ++i) {
        const DetectorId id = detectors()[i].id;
        summary.detectors.push_back(id);
        const Bootstrap bootstrap(measurements[i].size(), kBootstrapSeed);
        for (std::size_t index = 0; index < n_layers * n_heads; ++index) {
            const LayerHead head{index / n_heads, index % n_heads};
            summary.scores.push_back(measurements[i].empty()
                                         ? HeadScore{head, id, kNaN, kNaN, kNaN, kNaN, kNaN}
                                         : scoreOf(head, index, id, measurements[i], bootstrap));
        }
    }
    return summary;
}

std::string bosText(const ProbeSequence& sequence) {
    if (!sequence.has_bos)
        return "without BOS";
    return "with BOS (id " + std::to_string(sequence.ids.front()) + ")";
}

/// "10 sequences", "1 sequence"
std::string counted(std::size_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// The period must describe the sequence, or the detectors would look in the wrong places.
Result<void> checkSequences(std::span<const ProbeSequence> sequences) {
    if (sequences.empty())
        return Error{ErrorCode::InvalidArgument, "There is no sequence to score heads on."};
    for (const ProbeSequence& sequence : sequences) {
        if (sequence.has_bos != sequences.front().has_bos)
            return Error{ErrorCode::InvalidArgument,
                         "Some sequences begin with BOS and some do not; score them apart."};
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

} // namespace

Result<HeadScores> scoreSequences(const std::shared_ptr<const Model>& model,
                                  std::span<const ProbeSequence> sequences,
                                  const Progress& progress, const std::stop_token& stop) {
    if (const auto checked = checkSequences(sequences); !checked)
        return checked.error();
    Measurements measurements(detectors().size());
    for (std::size_t first = 0; first < sequences.size();) {
        report(progress, static_cast<double>(first) / static_cast<double>(sequences.size()),
               "probing heads, sequence " + std::to_string(first + 1) + " of " +
                   std::to_string(sequences.size()));
        const std::size_t count = batchSize(sequences, first);
        if (auto done = watch(model, sequences.subspan(first, count), measurements, stop); !done)
            return done.error();
        first += count;
    }
    report(progress, 1.0, "probing heads");

    HeadScores scores = summarise(measurements, model->spec.n_layers, model->spec.n_heads);
    scores.sequences = sequences.size();
    scores.input = counted(sequences.size(), "given sequence");
    scores.bos = bosText(sequences.front());
    return scores;
}

Result<HeadScores> scoreHeads(const std::shared_ptr<const Model>& model,
                              const ProbeOptions& options, const Progress& progress,
                              const std::stop_token& stop) {
    const auto sequences = repeatedRandomSequences(*model, options);
    if (!sequences)
        return sequences.error();
    auto scores = scoreSequences(model, *sequences, progress, stop);
    if (scores)
        scores->input = counted(options.sequences, "random sequence") + " of " +
                        counted(*sequences->front().period, "token") + ", repeated, seed " +
                        std::to_string(options.seed);
    return scores;
}

PromptScores::PromptScores(const ModelSpec& spec, const TokenIds& ids, bool has_bos)
    : spec_(spec), sequence_{ids, has_bos, std::nullopt}, attention_(spec, sequence_) {}

void PromptScores::observe(const PatternBlock& block) {
    attention_.observe(block);
}

HeadScores PromptScores::scores() const {
    Measurements measurements(detectors().size());
    addMeasurements(measurements, attention_);
    HeadScores scores = summarise(measurements, spec_.n_layers, spec_.n_heads);
    scores.sequences = 1;
    scores.input = "this prompt of " + counted(sequence_.ids.size(), "token");
    scores.bos = bosText(sequence_);
    return scores;
}

HeadScores scoreRun(const Run& run, bool has_bos) {
    PromptScores scores(run.model->spec, run.ids, has_bos);
    PatternObserver* const observer = &scores;
    run.observePatterns({&observer, 1});
    return scores.scores();
}

} // namespace headscope
