#include "core/interventions/ablation_effect.h"

#include "core/base/random.h"
#include "core/datasets/bundled.h"
#include "core/datasets/indirect_object.h"
#include "core/heads/mean_interval.h"
#include "core/heads/needles.h"
#include "core/heads/score_sequences.h"
#include "core/heads/sequences.h"
#include "core/interventions/effects/effect_runs.h"
#include "core/interventions/effects/judging.h"

#include <algorithm>
#include <map>
#include <utility>

namespace headscope {

namespace {

constexpr double kError = 0.05;

/// In random order within each layer, the nearest layers first.
std::vector<LayerHead> drawOthers(const ModelSpec& spec, const AblationEffectQuestion& question) {
    std::vector<LayerHead> heads;
    for (const LayerHead other : spec.allHeads())
        if (other != question.head &&
            std::ranges::find(question.same_type, other) == question.same_type.end())
            heads.push_back(other);
    Random random(question.seed);
    for (std::size_t i = heads.size(); i > 1; --i) // Fisher–Yates
        std::swap(heads[i - 1], heads[random.below(i)]);
    std::ranges::stable_sort(heads, {},
                             [&](LayerHead other) { return layersApart(other, question.head); });
    heads.resize(std::min(heads.size(), question.others));
    return heads;
}

/// What the runs of the head and of the others say so far.
void judge(AblationEffect& result, const EffectRuns& runs, const std::vector<HeadSet>& units,
           double error) {
    readFirst(runs, result.question.least_effect, error, result);
    result.others.clear();
    for (std::size_t unit = 1; unit < units.size(); ++unit)
        result.others.push_back({units[unit].front(), meanOf(runs.differences(unit))});
    std::ranges::sort(result.others, {}, &AblationEffect::Other::difference);
}

/// The replacements zero, mean and resample, without the one that the question asks for.
std::vector<ReplacedBy> otherReplacements(const AblationEffectQuestion& question) {
    std::vector<ReplacedBy> kinds;
    for (const AblationKind kind : {AblationKind::Zero, AblationKind::Mean, AblationKind::Resample})
        if (ReplacedBy{kind} != question.replacement())
            kinds.push_back({kind});
    return kinds;
}

/// The head replaced by something else, on the sequences that were used.
Result<void> measureReplaced(const std::shared_ptr<const Model>& model,
                             std::span<const InputSequence> used, AblationEffect& result,
                             const Progress& progress, const std::stop_token& stop) {
    const std::vector<ReplacedBy> kinds = otherReplacements(result.question);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        EffectRuns runs(model, used, kinds[i], {{result.question.head}});
        const auto count = static_cast<double>(kinds.size());
        if (runs.size() == 0)
            continue;
        if (auto run = runs.measureUpTo(runs.size(),
                                        partOf(progress, static_cast<double>(i) / count,
                                               static_cast<double>(i + 1) / count),
                                        stop);
            !run)
            return run;
        result.replaced.push_back({kinds[i], runs.size(), meanOf(runs.differences(0)),
                                   meanInterval(runs.differences(0), kError)});
    }
    return {};
}

std::vector<LayerHead> backupCandidates(const ModelSpec& spec, LayerHead head) {
    std::vector<LayerHead> candidates;
    for (const LayerHead other : spec.allHeads())
        if (other.layer >= head.layer && other != head)
            candidates.push_back(other);
    return candidates;
}

/// Heads of the same layer and of later ones that cost more beside the ablated head than alone.
Result<void> findBackups(const std::shared_ptr<const Model>& model,
                         std::span<const InputSequence> sequences, AblationEffect& result,
                         const Progress& progress, const std::stop_token& stop) {
    const LayerHead head = result.question.head;
    const std::vector<LayerHead> candidates = backupCandidates(model->spec, head);
    std::vector<HeadSet> units{{head}};
    for (const LayerHead other : candidates)
        units.insert(units.end(), {{other}, {head, other}});
    EffectRuns runs(model, sequences, result.question.replacement(), units);
    if (runs.size() < 2) // a growth without an interval says nothing
        return {};
    if (auto run = runs.measureUpTo(runs.size(), progress, stop); !run)
        return run;
    result.backups_tried = candidates.size();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const std::vector<double>& alone = runs.differences(2 * i + 1);
        std::vector<double> growth = runs.differences(2 * i + 2);
        for (std::size_t sequence = 0; sequence < growth.size(); ++sequence)
            growth[sequence] -= alone[sequence] + runs.differences(0)[sequence];
        const Interval interval =
            meanInterval(growth, kError / static_cast<double>(candidates.size()));
        if (effectSide(interval, result.least) == EffectSide::Above)
            result.backups.push_back({candidates[i], meanOf(alone), meanOf(growth), interval});
    }
    std::ranges::stable_sort(result.backups, std::ranges::greater(),
                             &AblationEffect::Backup::growth);
    return {};
}

} // namespace

std::size_t AblationEffect::above() const {
    return countAbove(*this);
}

EffectVerdict AblationEffect::verdict() const {
    return verdictOn(figuresOf(*this));
}

bool AblationEffect::isDecided() const {
    return headscope::isDecided(figuresOf(*this));
}

std::vector<AblationEffect::Replaced> AblationEffect::onSide(EffectSide side) const {
    std::vector<Replaced> found;
    if (effectSide(interval, least) == side)
        found.push_back({question.replacement(), sequences, difference, interval});
    for (const Replaced& each : replaced)
        if (effectSide(each.interval, least) == side)
            found.push_back(each);
    return found;
}

std::vector<AblationEffect::Replaced> AblationEffect::rising() const {
    return onSide(EffectSide::Above);
}

std::vector<AblationEffect::Replaced> AblationEffect::falling() const {
    return onSide(EffectSide::Below);
}

bool AblationEffect::replacementsDiffer() const {
    const EffectSide side = effectSide(interval, least);
    return side != EffectSide::Unclear && std::ranges::any_of(replaced, [&](const Replaced& each) {
               const EffectSide other = effectSide(each.interval, least);
               return (other == EffectSide::Above || other == EffectSide::Below) && other != side;
           });
}

namespace {

/// Distinct tokens predict nothing, and of weights nothing is run: both are tested on repeats.
InputKind testedOn(HeadTypeId label) {
    const InputKind input = headType(label).input;
    return input == InputKind::Distinct || input == InputKind::Weights ? InputKind::Repeats : input;
}

/// The labels that say what a head looks for or does; all labels if there is none of these.
std::vector<HeadTypeId> telling(const std::vector<HeadTypeId>& labels) {
    std::vector<HeadTypeId> found;
    for (const HeadTypeId label : labels)
        if (headType(label).group != TypeGroup::Weights &&
            headType(label).group != TypeGroup::Spread)
            found.push_back(label);
    return found.empty() ? labels : found;
}

/// The other heads that share one of these labels.
std::vector<LayerHead> othersWith(const HeadScores& scores, LayerHead head,
                                  const std::vector<HeadTypeId>& of_head,
                                  const Thresholds& thresholds) {
    const std::vector<HeadTypeId> shared = telling(of_head);
    std::vector<LayerHead> heads;
    for (const LayerHead other : scores.heads) {
        const std::vector<HeadTypeId> own = labels(scores, other, thresholds);
        if (other != head && std::ranges::find_first_of(own, shared) != own.end())
            heads.push_back(other);
    }
    return heads;
}

} // namespace

std::vector<AblationEffectQuestion> effectQuestions(const HeadScores& scores, LayerHead head,
                                                    const Thresholds& thresholds) {
    std::vector<AblationEffectQuestion> questions;
    for (const HeadTypeId label : labels(scores, head, thresholds)) {
        auto same = std::ranges::find(questions, testedOn(label), &AblationEffectQuestion::input);
        if (same == questions.end())
            same = questions.insert(same, {.head = head, .input = testedOn(label)});
        same->labels.push_back(label);
    }
    if (questions.empty())
        questions.push_back({.head = head});
    for (AblationEffectQuestion& question : questions)
        question.same_type = othersWith(scores, head, question.labels, thresholds);
    return questions;
}

AblationEffectQuestion effectQuestion(const HeadScores& scores, LayerHead head,
                                      const Thresholds& thresholds) {
    AblationEffectQuestion question{.head = head, .labels = labels(scores, head, thresholds)};
    if (!question.labels.empty())
        question.input = testedOn(question.labels.front());
    question.same_type = othersWith(scores, head, question.labels, thresholds);
    return question;
}

namespace {

constexpr std::size_t kSentenceStep = 5;

/// One sentence in five, then those after them, and so on: the first share is spread over all.
Result<EffectInput> someSentences(const Model& model, BosMode bos, std::size_t most) {
    const std::vector<Sentence>& all = bundledSentences();
    std::vector<Sentence> some;
    std::size_t first = 0;
    for (std::size_t offset = 0; offset < kSentenceStep && some.size() < most; ++offset) {
        for (std::size_t i = offset; i < all.size() && some.size() < most; i += kSentenceStep)
            some.push_back(all[i]);
        first = offset == 0 ? some.size() : first;
    }
    auto sequences = sentenceSequences(model, some, bos);
    if (!sequences)
        return sequences.error();
    first = std::min(first, sequences->size());
    return EffectInput{*std::move(sequences), first};
}

/// Prompts that the model was seen to solve, and after them further ones from the same seed, of
/// which it is not asked again.
Result<EffectInput> someNames(const std::shared_ptr<const Model>& model,
                              const RepeatOptions& options, std::size_t most,
                              const std::stop_token& stop) {
    auto names =
        nameSequences(model, std::min(kNamePrompts, most), options.seed, options.bos, {}, stop);
    if (!names)
        return names.error();
    EffectInput input{*std::move(names), 0};
    input.first = input.sequences.size();
    auto more = indirectObjectPrompts(*model, most, options.seed, options.bos);
    if (!more)
        return more.error();
    for (std::size_t i = input.first; i < more->size(); ++i) {
        IndirectObjectPrompt& prompt = (*more)[i];
        NameTask task;
        task.end = prompt.end;
        task.io_token = prompt.io_token;
        task.s_token = prompt.s_token;
        input.sequences.push_back({.ids = std::move(prompt.ids),
                                   .has_bos = prompt.has_bos,
                                   .names = std::make_shared<const NameTask>(std::move(task))});
    }
    return input;
}

} // namespace

Result<EffectInput> effectSequences(const std::shared_ptr<const Model>& model, InputKind input,
                                    const RepeatOptions& options, std::size_t most,
                                    const std::stop_token& stop) {
    if (input == InputKind::Sentences)
        if (auto sentences = someSentences(*model, options.bos, most))
            return sentences;
    if (input == InputKind::Names) {
        auto names = someNames(model, options, most, stop);
        if (names || names.error().code == ErrorCode::Cancelled)
            return names;
    }
    if (input == InputKind::Needles) {
        auto needles = needleSequences(model, std::min(2 * kNeedles, most), options.seed,
                                       options.bos, {}, stop);
        if (needles)
            return EffectInput{*std::move(needles), 0};
        if (needles.error().code == ErrorCode::Cancelled)
            return needles.error();
    }
    if (input == InputKind::Ordinals)
        if (auto ordinals = ordinalsInOrder(*model, options.bos)) {
            ordinals->resize(std::min(ordinals->size(), most));
            return EffectInput{*std::move(ordinals), 0};
        }
    // Also in place of distinct tokens, of which nothing can be predicted.
    RepeatOptions all = options;
    all.sequences = most;
    auto repeats = repeatedRandomSequences(*model, all);
    if (!repeats)
        return repeats.error();
    return EffectInput{*std::move(repeats), std::min(options.sequences, most)};
}

Result<AblationEffect> ablationEffect(const std::shared_ptr<const Model>& model,
                                      const EffectInput& input,
                                      const AblationEffectQuestion& question,
                                      const Progress& progress, const std::stop_token& stop) {
    // Shares of the work, about.
    constexpr double kLooking = 0.6;
    constexpr double kReplacing = 0.7;
    constexpr std::size_t kBackupSequences = 10;
    std::vector<HeadSet> units{{question.head}};
    for (const LayerHead other : drawOthers(model->spec, question))
        units.push_back({other});
    EffectRuns runs(model, input.sequences, question.replacement(), units);
    if (auto checked = checkEffect(input, runs, question.least_effect); !checked)
        return checked.error();

    AblationEffect result;
    result.question = question;
    result.measure = effectMeasureOf(model->spec, input.sequences.front());
    const auto is_decided = [&](double error) {
        judge(result, runs, units, error);
        return result.isDecided();
    };
    if (auto run = lookUntil(runs, input.first, is_decided, partOf(progress, 0.0, kLooking), stop);
        !run)
        return run.error();
    const std::vector<InputSequence> used = runs.used();
    const double replaced = question.backups ? kReplacing : 1.0;
    if (auto run = measureReplaced(model, used, result, partOf(progress, kLooking, replaced), stop);
        !run)
        return run.error();
    if (question.backups)
        if (auto run =
                findBackups(model, std::span(used).first(std::min(used.size(), kBackupSequences)),
                            result, partOf(progress, kReplacing, 1.0), stop);
            !run)
            return run.error();
    return result;
}

Result<std::vector<AblationEffect>> ablationEffects(
    const std::shared_ptr<const Model>& model, std::span<const AblationEffectQuestion> questions,
    const std::vector<InputSequence>& sequences, const RepeatOptions& options,
    const Progress& progress, const std::stop_token& stop, const PublishEffect& publish) {
    std::vector<AblationEffect> effects;
    effects.reserve(questions.size());
    std::map<std::pair<InputKind, std::size_t>, EffectInput> inputs;
    const EffectInput given{sequences, 0};
    const auto count = static_cast<double>(questions.size());
    for (const AblationEffectQuestion& question : questions) {
        const std::pair key(question.input, question.most_sequences);
        if (sequences.empty() && !inputs.contains(key)) {
            auto read =
                effectSequences(model, question.input, options, question.most_sequences, stop);
            if (!read)
                return read.error();
            inputs.emplace(key, *std::move(read));
        }
        const auto done = static_cast<double>(effects.size());
        auto effect = ablationEffect(model, sequences.empty() ? inputs.at(key) : given, question,
                                     partOf(progress, done / count, (done + 1.0) / count), stop);
        if (!effect)
            return effect.error();
        if (publish)
            publish(*effect);
        effects.push_back(*std::move(effect));
    }
    return effects;
}

namespace {

constexpr double kScoring = 0.5; ///< of the work, about

Result<HeadScores> scoresFor(const std::shared_ptr<const Model>& model,
                             const HeadEffectQuestion& question, const Progress& progress,
                             const std::stop_token& stop) {
    if (question.sequences.empty())
        return scoreHeads(model, question.repeats, progress, stop);
    return scoreSequences(model, question.sequences, "the tested sequences", progress, stop);
}

} // namespace

Result<HeadEffect> headEffect(const std::shared_ptr<const Model>& model,
                              const HeadEffectQuestion& question, const Progress& progress,
                              const std::stop_token& stop) {
    auto scores = scoresFor(model, question, partOf(progress, 0.0, kScoring), stop);
    if (!scores)
        return scores.error();
    std::vector<AblationEffectQuestion> asked =
        question.sequences.empty() ? effectQuestions(*scores, question.head)
                                   : std::vector{effectQuestion(*scores, question.head)};
    for (AblationEffectQuestion& each : asked) {
        each.kind = question.by.kind;
        each.preserve_patterns = question.by.preserve_patterns;
        each.others = question.others;
        each.seed = question.repeats.seed;
        each.least_effect = question.least_effect;
        each.most_sequences = question.most_sequences;
        each.backups = question.backups;
    }
    auto effects = ablationEffects(model, asked, question.sequences, question.repeats,
                                   partOf(progress, kScoring, 1.0), stop);
    if (!effects)
        return effects.error();
    return HeadEffect{*std::move(scores), *std::move(effects)};
}

} // namespace headscope
