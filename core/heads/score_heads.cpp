#include "core/heads/score_heads.h"

#include "core/base/text.h"
#include "core/circuits/copying.h"
#include "core/circuits/folded_weights.h"
#include "core/circuits/positional.h"
#include "core/datasets/bundled.h"
#include "core/heads/head_type.h"
#include "core/heads/score_sequences.h"
#include "core/heads/sequences.h"
#include "core/model/model.h"

#include <cctype>
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
constexpr double kSentencesEnd = 0.6;
constexpr double kNamesEnd = 0.8;

/// Takes the types that are defined by this input.
void take(HeadScores& scores, const HeadScores& from, InputKind input) {
    for (const HeadTypeId id : from.types)
        if (headType(id).input == input)
            scores.take(id, from);
}

/// Says why none of the types that are defined by this input could be read.
void leaveUnread(HeadScores& scores, InputKind input, const std::string& reason) {
    for (const HeadType& type : headTypes())
        if (type.input == input && !scores.has(type.id))
            scores.unread.emplace(type.id, reason);
}

/// An input after the first may be impossible for a model; being stopped is another matter.
bool isCancelled(const Error& error) {
    return error.code == ErrorCode::Cancelled;
}

class HeadScoring {
public:
    HeadScoring(const std::shared_ptr<const Model>& model, const RepeatOptions& options,
                const Progress& progress, const std::stop_token& stop)
        : model_(model), options_(options), progress_(progress), stop_(stop) {
        scores_.heads = headIndex(model->spec);
    }

    const HeadScores& scores() const { return scores_; }

    Result<void> addRepeats() {
        const auto repeats = repeatedRandomSequences(*model_, options_);
        if (!repeats)
            return repeats.error();
        auto found =
            scoreSequences(model_, *repeats, repeatsText(options_, *repeats->front().period),
                           partOf(progress_, 0.0, kRepeatsEnd), stop_);
        if (!found)
            return found.error();
        take(scores_, *found, InputKind::Repeats);
        if (!scores_.has(HeadTypeId::Copying)) {
            const auto copies = checkCopies(model_->spec);
            scores_.unread.emplace(HeadTypeId::Copying,
                                   copies ? "The masked-LM head of this model is not linear, so no "
                                            "part of its logits is that of a head."
                                          : copies.error().message);
        }
        on_repeats_ = *std::move(found);
        return {};
    }

    Result<void> addSentences() {
        const auto sentences = sentenceSequences(*model_, bundledSentences(), options_.bos);
        if (!sentences) {
            take(scores_, on_repeats_, InputKind::Sentences);
            return {};
        }
        const auto found =
            scoreSequences(model_, *sentences, counted(sentences->size(), "bundled sentence"),
                           partOf(progress_, kRepeatsEnd, kSentencesEnd), stop_);
        if (!found)
            return found.error();
        take(scores_, *found, InputKind::Sentences);
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
            leaveUnread(scores_, InputKind::Names, names.error().message);
            return isCancelled(names.error()) ? Result<void>(names.error()) : Result<void>();
        }
        const auto found = scoreSequences(model_, *names,
                                          counted(names->size(), "indirect-object prompt") +
                                              ", seed " + std::to_string(options_.seed),
                                          partOf(progress, 0.8, 1.0), stop_);
        if (!found)
            return found.error();
        take(scores_, *found, InputKind::Names);
        return {};
    }

    Result<void> addWeights() {
        const auto found = scoreWeights(model_, partOf(progress_, kNamesEnd, 1.0), stop_);
        if (!found)
            return found.error();
        take(scores_, *found, InputKind::Weights);
        scores_.unread.insert(found->unread.begin(), found->unread.end());
        return {};
    }

private:
    const std::shared_ptr<const Model>& model_;
    const RepeatOptions& options_;
    const Progress& progress_;
    const std::stop_token& stop_;
    HeadScores on_repeats_; ///< all types that repeats say something of
    HeadScores scores_;
};

} // namespace

Result<HeadScores> scoreWeights(const std::shared_ptr<const Model>& model, const Progress& progress,
                                const std::stop_token& stop) {
    HeadScores scores;
    scores.heads = headIndex(model->spec);
    if (!foldsExactly(model->spec)) {
        leaveUnread(scores, InputKind::Weights,
                    "Something stands between the residual stream and the heads of this model that "
                    "cannot be folded into their weights.");
        return scores;
    }
    report(progress, 0.0, "reading weights");
    const FoldedWeights weights = foldWeights(model);
    const auto positional = positionalAttention(weights, {}, stop);
    const MeasuredOn measured_on{
        .input = "the weights", .bos = withinSentence(weights.note), .sequences = 1};
    for (const HeadType& type : headTypes()) {
        if (!type.from_weights)
            continue;
        const auto readings = type.from_weights({weights, positional}, stop);
        if (readings)
            add(scores, type.id, *readings, measured_on);
        else if (readings.error().code == ErrorCode::Cancelled)
            return readings.error();
        else
            scores.unread.emplace(type.id, readings.error().message);
    }
    return scores;
}

Result<HeadScores> scoreHeads(const std::shared_ptr<const Model>& model,
                              const RepeatOptions& options, const Progress& progress,
                              const std::stop_token& stop, const PartialScores& partial) {
    HeadScoring scoring(model, options, progress, stop);
    for (const auto add : {&HeadScoring::addRepeats, &HeadScoring::addSentences,
                           &HeadScoring::addNames, &HeadScoring::addWeights}) {
        if (auto added = (scoring.*add)(); !added)
            return added.error();
        if (partial)
            partial(scoring.scores());
    }
    report(progress, 1.0, "scoring heads");
    return scoring.scores();
}

Result<HeadScores> scoreWhatIsThere(const std::shared_ptr<const Model>& model,
                                    const RepeatOptions& options, const Progress& progress,
                                    const std::stop_token& stop) {
    const auto runnable = checkRunnable(*model);
    if (runnable)
        return scoreHeads(model, options, progress, stop);
    auto scores = scoreWeights(model, progress, stop);
    if (!scores)
        return scores.error();
    if (scores->types.empty())
        return runnable.error();
    for (const HeadType& type : headTypes())
        if (!type.from_weights)
            scores->unread.emplace(type.id, runnable.error().message);
    return scores;
}

} // namespace headscope
