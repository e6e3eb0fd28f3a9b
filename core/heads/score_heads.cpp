#include "core/heads/score_heads.h"

#include "core/base/text.h"
#include "core/circuits/copying.h"
#include "core/circuits/folded_weights.h"
#include "core/datasets/bundled.h"
#include "core/heads/controls/controls.h"
#include "core/heads/head_type.h"
#include "core/heads/needles.h"
#include "core/heads/score_sequences.h"
#include "core/heads/sequences.h"
#include "core/heads/types/weight_evidence.h"
#include "core/model/model.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

void add(HeadScores& scores, HeadTypeId id, const PerHead<WeightReading>& readings,
         const MeasuredOn& measured_on) {
    scores.types.push_back(id);
    scores.measured_on.push_back(measured_on);
    for (const LayerHead head : readings.heads()) {
        const WeightReading& reading = readings[head];
        scores.scores.push_back({.head = head,
                                 .type = id,
                                 .score = reading.score,
                                 .baseline = reading.baseline,
                                 .low = reading.score,
                                 .high = reading.score,
                                 .variant = reading.variant});
    }
}

/// "Folded: …." as "folded: …".
std::string withinSentence(std::string sentence) {
    sentence.front() =
        static_cast<char>(std::tolower(static_cast<unsigned char>(sentence.front())));
    sentence.pop_back();
    return sentence;
}

// Where reading ends, as a share of the work.
constexpr double kRepeatsEnd = 0.2;
constexpr double kDistinctEnd = 0.3;
constexpr double kSentencesEnd = 0.55;
constexpr double kNamesEnd = 0.68;
constexpr double kNeedlesEnd = 0.78;
constexpr double kOrdinalsEnd = 0.8;

/// A control takes a run of its own; every second sentence is enough for an interval.
constexpr std::size_t kSentencesOfAControl = 2;

bool isReadFrom(const HeadType& type, InputKind input) {
    return type.input == input || (input == InputKind::Sentences && type.also_on_sentences);
}

/// The types to measure; none: all.
class AskedFor {
public:
    explicit AskedFor(std::span<const HeadTypeId> types) : types_(types) {}

    bool has(HeadTypeId id) const {
        return types_.empty() || std::ranges::find(types_, id) != types_.end();
    }
    bool hasAnyFrom(InputKind input) const { return !readFrom(input).empty(); }
    /// The types read from this input whose meters are needed.
    std::vector<HeadTypeId> readFrom(InputKind input) const {
        std::vector<HeadTypeId> types;
        for (const HeadType& type : headTypes())
            if (isReadFrom(type, input) && has(type.id))
                types.push_back(type.id);
        return types;
    }

private:
    std::span<const HeadTypeId> types_;
};

/// Takes the types that are defined by this input.
void take(HeadScores& scores, const HeadScores& from, InputKind input, AskedFor asked) {
    for (const HeadTypeId id : from.types)
        if (headType(id).input == input && asked.has(id))
            scores.take(id, from);
}

/// Says why none of the types that are defined by this input could be read.
void leaveUnread(HeadScores& scores, InputKind input, const std::string& reason, AskedFor asked) {
    for (const HeadType& type : headTypes())
        if (type.input == input && asked.has(type.id) && !scores.has(type.id))
            scores.unread.emplace(type.id, reason);
}

Result<HeadScores> scoreByWeights(const std::shared_ptr<const Model>& model, AskedFor asked,
                                  const Progress& progress, const std::stop_token& stop) {
    HeadScores scores;
    scores.heads = headIndex(model->spec);
    if (!foldsExactly(model->spec)) {
        leaveUnread(scores, InputKind::Weights,
                    "Something stands between the residual stream and the heads of this model that "
                    "cannot be folded into their weights.",
                    asked);
        return scores;
    }
    report(progress, 0.0, "reading weights");
    const FoldedWeights weights = foldWeights(model);
    WeightEvidence evidence(weights);
    const MeasuredOn measured_on{
        .input = "the weights", .bos = withinSentence(weights.note), .sequences = 1};
    for (const HeadType& type : headTypes()) {
        if (!type.from_weights || !asked.has(type.id))
            continue;
        const auto readings = type.from_weights(evidence, stop);
        if (readings)
            add(scores, type.id, *readings, measured_on);
        else if (readings.error().code == ErrorCode::Cancelled)
            return readings.error();
        else
            scores.unread.emplace(type.id, readings.error().message);
    }
    return scores;
}

/// An input after the first may be impossible for a model; being stopped is another matter.
bool isCancelled(const Error& error) {
    return error.code == ErrorCode::Cancelled;
}

class HeadScoring {
public:
    HeadScoring(const std::shared_ptr<const Model>& model, AskedFor asked,
                const RepeatOptions& options, const Progress& progress, const std::stop_token& stop)
        : model_(model), asked_(asked), options_(options), progress_(progress), stop_(stop) {
        scores_.heads = headIndex(model->spec);
    }

    Result<HeadScores> run(const PartialScores& partial) {
        struct Step {
            InputKind input;
            Result<void> (HeadScoring::*add)();
        };
        for (const auto& [input, add] : {Step{InputKind::Repeats, &HeadScoring::addRepeats},
                                         Step{InputKind::Distinct, &HeadScoring::addDistinct},
                                         Step{InputKind::Sentences, &HeadScoring::addSentences},
                                         Step{InputKind::Names, &HeadScoring::addNames},
                                         Step{InputKind::Needles, &HeadScoring::addNeedles},
                                         Step{InputKind::Ordinals, &HeadScoring::addOrdinals},
                                         Step{InputKind::Weights, &HeadScoring::addWeights}}) {
            if (!asked_.hasAnyFrom(input))
                continue;
            if (auto added = (this->*add)(); !added)
                return added.error();
            if (partial)
                partial(scores_);
        }
        report(progress_, 1.0, "scoring heads");
        return std::move(scores_);
    }

private:
    /// The types of `input`, on repeats.
    Result<HeadScores> onRepeats(InputKind input, double begin, double end) {
        const auto repeats = repeatedRandomSequences(*model_, options_);
        if (!repeats)
            return repeats.error();
        return scoreWithControls(model_, *repeats, repeatsText(options_, *repeats->front().period),
                                 1, options_.seed, partOf(progress_, begin, end), stop_,
                                 asked_.readFrom(input));
    }

    Result<void> addRepeats() {
        const auto found = onRepeats(InputKind::Repeats, 0.0, kRepeatsEnd);
        if (!found)
            return found.error();
        take(scores_, *found, InputKind::Repeats, asked_);
        if (!scores_.has(HeadTypeId::Copying))
            leaveCopyingUnread();
        return {};
    }

    void leaveCopyingUnread() {
        const auto direct = checkDirectLogits(*model_);
        if (direct)
            return;
        for (const HeadTypeId id : {HeadTypeId::Copying, HeadTypeId::CopySuppression})
            if (asked_.has(id) && !scores_.has(id))
                scores_.unread.emplace(id, direct.error().message);
    }

    Result<void> addDistinct() {
        const auto distinct = distinctRandomSequences(*model_, options_);
        if (!distinct)
            return distinct.error();
        const InputSequence& first = distinct->front();
        const std::size_t length = first.ids.size() - first.firstContent();
        const auto found = scoreSequences(model_, *distinct, distinctText(options_, length),
                                          partOf(progress_, kRepeatsEnd, kDistinctEnd), stop_,
                                          asked_.readFrom(InputKind::Distinct));
        if (!found)
            return found.error();
        take(scores_, *found, InputKind::Distinct, asked_);
        return {};
    }

    Result<void> addSentences() {
        const auto sentences = sentenceSequences(*model_, bundledSentences(), options_.bos);
        const auto found = sentences
                               ? scoreWithControls(model_, *sentences,
                                                   counted(sentences->size(), "bundled sentence"),
                                                   kSentencesOfAControl, options_.seed,
                                                   partOf(progress_, kDistinctEnd, kSentencesEnd),
                                                   stop_, asked_.readFrom(InputKind::Sentences))
                               : onRepeats(InputKind::Sentences, kDistinctEnd, kSentencesEnd);
        if (!found)
            return found.error();
        take(scores_, *found, InputKind::Sentences, asked_);
        if (!sentences)
            return {};
        for (const HeadTypeId id : scores_.types)
            if (headType(id).also_on_sentences)
                scores_.takeOnSentences(id, *found);
        return {};
    }

    Result<void> addNames() {
        const Progress progress = partOf(progress_, kSentencesEnd, kNamesEnd);
        const auto names = nameSequences(model_, kNamePrompts, options_.seed, options_.bos,
                                         partOf(progress, 0.0, 0.8), stop_);
        if (!names) {
            leaveUnread(scores_, InputKind::Names, names.error().message, asked_);
            return isCancelled(names.error()) ? Result<void>(names.error()) : Result<void>();
        }
        const auto found = scoreWithControls(model_, *names,
                                             counted(names->size(), "indirect-object prompt") +
                                                 ", seed " + std::to_string(options_.seed),
                                             1, options_.seed, partOf(progress, 0.8, 1.0), stop_,
                                             asked_.readFrom(InputKind::Names));
        if (!found)
            return found.error();
        take(scores_, *found, InputKind::Names, asked_);
        return {};
    }

    Result<void> addNeedles() {
        const Progress progress = partOf(progress_, kNamesEnd, kNeedlesEnd);
        const auto needles = needleSequences(model_, kNeedles, options_.seed, options_.bos,
                                             partOf(progress, 0.0, 0.4), stop_);
        if (!needles) {
            leaveUnread(scores_, InputKind::Needles, needles.error().message, asked_);
            return isCancelled(needles.error()) ? Result<void>(needles.error()) : Result<void>();
        }
        const auto found = scoreWithControls(
            model_, *needles, needlesText(needles->size(), options_.seed), 1, options_.seed,
            partOf(progress, 0.4, 1.0), stop_, asked_.readFrom(InputKind::Needles));
        if (!found)
            return found.error();
        take(scores_, *found, InputKind::Needles, asked_);
        return {};
    }

    Result<void> addOrdinals() {
        const auto ordinals = ordinalSequences(*model_, options_.bos);
        if (!ordinals) {
            leaveUnread(scores_, InputKind::Ordinals, ordinals.error().message, asked_);
            return {};
        }
        const auto found =
            scoreWithControls(model_, *ordinals, ordinalsText(ordinals->size()), 1, options_.seed,
                              partOf(progress_, kNeedlesEnd, kOrdinalsEnd), stop_,
                              asked_.readFrom(InputKind::Ordinals));
        if (!found)
            return found.error();
        take(scores_, *found, InputKind::Ordinals, asked_);
        return {};
    }

    Result<void> addWeights() {
        const auto found =
            scoreByWeights(model_, asked_, partOf(progress_, kOrdinalsEnd, 1.0), stop_);
        if (!found)
            return found.error();
        take(scores_, *found, InputKind::Weights, asked_);
        scores_.unread.insert(found->unread.begin(), found->unread.end());
        return {};
    }

    const std::shared_ptr<const Model>& model_;
    AskedFor asked_;
    const RepeatOptions& options_;
    const Progress& progress_;
    const std::stop_token& stop_;
    HeadScores scores_;
};

Result<HeadScores> score(const std::shared_ptr<const Model>& model, AskedFor asked,
                         const RepeatOptions& options, const Progress& progress,
                         const std::stop_token& stop, const PartialScores& partial) {
    const auto runnable = checkRunnable(*model);
    if (runnable)
        return HeadScoring(model, asked, options, progress, stop).run(partial);
    auto scores = scoreByWeights(model, asked, progress, stop);
    if (!scores)
        return scores.error();
    if (scores->types.empty())
        return runnable.error();
    for (const HeadType& type : headTypes())
        if (!type.from_weights && asked.has(type.id))
            scores->unread.emplace(type.id, runnable.error().message);
    return scores;
}

} // namespace

Result<HeadScores> scoreWeights(const std::shared_ptr<const Model>& model, const Progress& progress,
                                const std::stop_token& stop) {
    return scoreByWeights(model, AskedFor({}), progress, stop);
}

Result<HeadScores> scoreHeads(const std::shared_ptr<const Model>& model,
                              const RepeatOptions& options, const Progress& progress,
                              const std::stop_token& stop, const PartialScores& partial) {
    return score(model, AskedFor({}), options, progress, stop, partial);
}

Result<HeadScores> scoreTypes(const std::shared_ptr<const Model>& model,
                              std::span<const HeadTypeId> types, const RepeatOptions& options,
                              const Progress& progress, const std::stop_token& stop) {
    return score(model, AskedFor(types), options, progress, stop, {});
}

} // namespace headscope
