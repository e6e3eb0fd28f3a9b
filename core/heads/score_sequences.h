#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/engine/pattern_observer.h"
#include "core/heads/head_score.h"
#include "core/heads/head_type.h"
#include "core/model/model.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// Scores all heads on given sequences, in batches whose patterns are watched and not kept. `input`
/// says what they are. Types that these sequences say nothing of are not defined. `types`: those
/// that are read, with what they are read from (HeadType::read_from); none: all.
Result<HeadScores> scoreSequences(const std::shared_ptr<const Model>& model,
                                  std::span<const InputSequence> sequences,
                                  const std::string& input, const Progress& progress = {},
                                  const std::stop_token& stop = {},
                                  std::span<const HeadTypeId> types = {});

/// What the meters of all types found on one sequence; without types that it has nothing for.
using SequenceReading = std::map<HeadTypeId, Measurement>;

/// scoreSequences() in two halves. This runs the sequences as one batch, sequencesPerBatch() of
/// them: the same ones give the same bits. Fails as the run does.
Result<std::vector<SequenceReading>> measureBatch(const std::shared_ptr<const Model>& model,
                                                  std::span<const InputSequence> sequences,
                                                  const std::stop_token& stop = {},
                                                  std::span<const HeadTypeId> types = {});
/// All of them, in batches. Fails as checkSequences() and measureBatch() do.
Result<std::vector<SequenceReading>> measureSequences(const std::shared_ptr<const Model>& model,
                                                      std::span<const InputSequence> sequences,
                                                      const Progress& progress = {},
                                                      const std::stop_token& stop = {},
                                                      std::span<const HeadTypeId> types = {});
/// And this takes the means over all sequences, with a reading for each.
HeadScores scoresOfReadings(const ModelSpec& spec, std::span<const InputSequence> sequences,
                            const std::string& input, std::span<const SequenceReading> readings);
/// The score of one head by one type on some of the sequences, each counted as often as it is
/// given; readings without the type do not count.
HeadScore scoreOfReadings(LayerHead head, HeadTypeId type,
                          std::span<const SequenceReading* const> readings);
/// Fails for no sequences, for some with BOS and some without, and for a period that does not
/// describe its sequence.
Result<void> checkSequences(std::span<const InputSequence> sequences);

/// "scoring heads, sequence 3 of 10"; `done` of them are.
void reportSequence(const Progress& progress, std::size_t done, std::size_t sequences);

/// How many sequences from `first` on make a batch: products large enough, and progress between
/// them. At least one.
std::size_t sequencesPerBatch(std::span<const InputSequence> sequences, std::size_t first);

/// "with BOS (id 0)", "without BOS"
std::string bosText(const InputSequence& sequence);

/// The meters of some types on one sequence; none: of all.
class SequenceMeters : public PatternObserver {
public:
    SequenceMeters(const std::shared_ptr<const Model>& model, const InputSequence& sequence,
                   std::span<const HeadTypeId> types = {});
    /// The meters of the types' controls that are read on this input, at the places of the
    /// unchanged sequence.
    static SequenceMeters ofControls(const std::shared_ptr<const Model>& model,
                                     const InputSequence& sequence, ControlInput input,
                                     std::span<const HeadTypeId> types = {});

    bool empty() const { return meters_.empty(); }

    /// Adds what they must see beside the patterns.
    void watch(HookSet& hooks);
    void observe(const PatternBlock& block) override;
    SequenceReading measurements() const;

private:
    SequenceMeters() = default;

    std::map<HeadTypeId, std::unique_ptr<Meter>> meters_;
};

/// A run that meters watch.
struct MeteredRun {
    const TokenIds* ids = nullptr;
    std::vector<SequenceMeters*> meters;
};
/// Runs them as one batch. Fails as the run does.
Result<void> runMetered(const std::shared_ptr<const Model>& model, std::span<const MeteredRun> runs,
                        const std::stop_token& stop = {});

/// What the meters found on sequences, one after another.
class SequenceScores {
public:
    void add(const SequenceReading& sequence);
    /// Means over the sequences with 95 % intervals. Types that no sequence says anything of are
    /// not defined.
    HeadScores scores(const ModelSpec& spec, const MeasuredOn& measured_on) const;

private:
    /// By type; a sequence without a row for a type adds nothing there.
    std::map<HeadTypeId, std::vector<Measurement>> measurements_;
};

/// Scores all heads on the user's own prompt while it runs; types that need more than patterns are
/// not defined without watch(). The interval is that of one sequence: none (low = high = score).
class PromptScores : public PatternObserver {
public:
    PromptScores(const std::shared_ptr<const Model>& model, const TokenIds& ids, bool has_bos);

    /// Call before the run.
    void watch(HookSet& hooks) { meters_.watch(hooks); }
    void observe(const PatternBlock& block) override { meters_.observe(block); }
    HeadScores scores() const;

private:
    std::shared_ptr<const Model> model_;
    InputSequence sequence_;
    SequenceMeters meters_;
};

} // namespace headscope
