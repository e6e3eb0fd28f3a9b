#include "core/interventions/ablation_effect.h"

#include "core/base/random.h"
#include "core/base/text.h"
#include "core/datasets/bundled.h"
#include "core/heads/score_sequences.h"
#include "core/heads/sequences.h"
#include "core/interventions/sweep.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace headscope {

namespace {

constexpr std::uint64_t kBootstrapSeed = 0;
constexpr std::size_t kSentenceStep = 5;

std::size_t layersApart(LayerHead a, LayerHead b) {
    return a.layer < b.layer ? b.layer - a.layer : a.layer - b.layer;
}

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

EffectMeasure measureOf(const ModelSpec& spec, const InputSequence& sequence) {
    if (!spec.predictsNextToken())
        return EffectMeasure::Kl;
    if (sequence.names)
        return EffectMeasure::NameLogits;
    return sequence.period ? EffectMeasure::SecondCopyLoss : EffectMeasure::Loss;
}

/// What a repeat can be known from: in the second copy, every token after its first.
std::vector<Target> secondCopy(const InputSequence& sequence) {
    std::vector<Target> targets;
    targets.reserve(*sequence.period);
    for (std::size_t q = sequence.firstContent() + *sequence.period; q + 1 < sequence.ids.size();
         ++q)
        targets.push_back({q, sequence.ids[q + 1]});
    return targets;
}

Metric metricOf(const ModelSpec& spec, const InputSequence& sequence) {
    Metric metric;
    switch (measureOf(spec, sequence)) {
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

/// One sequence of all heads in question.
Result<SweepResult> sweepOne(const std::shared_ptr<const Model>& model,
                             std::span<const InputSequence> sequences, std::size_t index,
                             const AblationEffectQuestion& question,
                             const std::vector<HeadSet>& units, const std::stop_token& stop) {
    SweepQuestion sweep;
    sweep.prompts = {sequences[index].ids};
    sweep.units = units;
    sweep.kind = question.kind;
    sweep.preserve_patterns = question.preserve_patterns;
    if (question.kind == AblationKind::Resample)
        sweep.references = {sequences[(index + 1) % sequences.size()].ids};
    sweep.metric = metricOf(model->spec, sequences[index]);
    return sweepHeads(model, sweep, {}, stop);
}

double meanOver(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

} // namespace

std::string_view effectMeasureName(EffectMeasure measure) {
    switch (measure) {
    case EffectMeasure::SecondCopyLoss:
        return "loss on the second copy";
    case EffectMeasure::NameLogits:
        return "logit of S less that of IO";
    case EffectMeasure::Loss:
        return "loss";
    case EffectMeasure::Kl:
        break;
    }
    return "KL from the whole model";
}

std::size_t AblationEffect::above() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        others, [this](const Other& other) { return other.difference < difference; }));
}

bool AblationEffect::hasEffect() const {
    if (others.empty())
        return interval.low > 0.0;
    const std::size_t three_of_four = (3 * others.size() + 3) / 4 - 1; // others are in order
    return interval.low > std::max(0.0, others[three_of_four].difference);
}

AblationEffectQuestion effectQuestion(const HeadScores& scores, LayerHead head,
                                      const Thresholds& thresholds) {
    const auto types = labels(scores, head, thresholds);
    AblationEffectQuestion question;
    question.head = head;
    if (!types.empty())
        question.input = headType(types.front()).input;
    question.same_type = headsOfSameType(scores, head, thresholds);
    return question;
}

Result<std::vector<InputSequence>> effectSequences(const std::shared_ptr<const Model>& model,
                                                   InputKind input, const RepeatOptions& options,
                                                   const std::stop_token& stop) {
    if (input == InputKind::Sentences) {
        std::vector<Sentence> some;
        for (std::size_t i = 0; i < bundledSentences().size(); i += kSentenceStep)
            some.push_back(bundledSentences()[i]);
        if (auto sentences = sentenceSequences(*model, some, options.bos))
            return sentences;
    }
    if (input == InputKind::Names) {
        auto names = nameSequences(model, kNamePrompts, options.seed, options.bos, {}, stop);
        if (names || names.error().code == ErrorCode::Cancelled)
            return names;
    }
    // Also in place of distinct tokens, of which nothing can be predicted.
    return repeatedRandomSequences(*model, options);
}

Result<AblationEffect> ablationEffect(const std::shared_ptr<const Model>& model,
                                      std::span<const InputSequence> sequences,
                                      const AblationEffectQuestion& question,
                                      const Progress& progress, const std::stop_token& stop) {
    if (sequences.empty())
        return Error{ErrorCode::InvalidArgument, "There is no sequence to ablate a head on."};
    std::vector<HeadSet> units{{question.head}};
    for (const LayerHead other : drawOthers(model->spec, question))
        units.push_back({other});

    std::vector<double> full;
    std::vector<std::vector<double>> differences(units.size()); // [unit, sequence]
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        report(progress, static_cast<double>(i) / static_cast<double>(sequences.size()),
               "ablating " + headText(question.head) + " and heads near it, sequence " +
                   std::to_string(i + 1) + " of " + std::to_string(sequences.size()));
        const auto swept = sweepOne(model, sequences, i, question, units, stop);
        if (!swept)
            return swept.error();
        full.push_back(swept->full);
        for (std::size_t unit = 0; unit < units.size(); ++unit)
            differences[unit].push_back(swept->difference(unit));
    }

    AblationEffect result;
    result.question = question;
    result.measure = measureOf(model->spec, sequences.front());
    result.sequences = sequences.size();
    result.full = meanOver(full);
    result.difference = meanOver(differences[0]);
    const std::vector<double> ones(sequences.size(), 1.0);
    result.interval =
        Bootstrap(sequences.size(), kBootstrapSeed).intervalOfMean(differences[0], ones);
    for (std::size_t unit = 1; unit < units.size(); ++unit)
        result.others.push_back({units[unit].front(), meanOver(differences[unit])});
    std::ranges::sort(result.others, {}, &AblationEffect::Other::difference);
    return result;
}

Result<std::vector<AblationEffect>> ablationEffects(
    const std::shared_ptr<const Model>& model, std::span<const AblationEffectQuestion> questions,
    const std::vector<InputSequence>& sequences, const RepeatOptions& options,
    const Progress& progress, const std::stop_token& stop, const PublishEffect& publish) {
    std::vector<AblationEffect> effects;
    effects.reserve(questions.size());
    std::map<InputKind, std::vector<InputSequence>> inputs;
    const auto count = static_cast<double>(questions.size());
    for (const AblationEffectQuestion& question : questions) {
        if (sequences.empty() && !inputs.contains(question.input)) {
            auto read = effectSequences(model, question.input, options, stop);
            if (!read)
                return read.error();
            inputs.emplace(question.input, *std::move(read));
        }
        const auto done = static_cast<double>(effects.size());
        auto effect =
            ablationEffect(model, sequences.empty() ? inputs.at(question.input) : sequences,
                           question, partOf(progress, done / count, (done + 1.0) / count), stop);
        if (!effect)
            return effect.error();
        if (publish)
            publish(*effect);
        effects.push_back(*std::move(effect));
    }
    return effects;
}

std::string ablationEffectText(const AblationEffect& result) {
    std::string text = "ablating it changes the " + std::string(effectMeasureName(result.measure)) +
                       " by " + fixedText(result.difference, 3) + " nats";
    if (result.sequences > 1)
        text += " (95 % " + fixedText(result.interval.low, 3) + " to " +
                fixedText(result.interval.high, 3) + ")";
    return text + ", more than " + std::to_string(result.above()) + " of " +
           std::to_string(result.others.size()) + " other heads near it";
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

void chooseEffectKind(HeadEffectQuestion& question, std::string_view name) {
    question.preserve_patterns = name == "pattern-preserving";
    question.kind = name == "mean"       ? AblationKind::Mean
                    : name == "resample" ? AblationKind::Resample
                                         : AblationKind::Zero;
}

Result<HeadEffect> headEffect(const std::shared_ptr<const Model>& model,
                              const HeadEffectQuestion& question, const Progress& progress,
                              const std::stop_token& stop) {
    auto scores = scoresFor(model, question, partOf(progress, 0.0, kScoring), stop);
    if (!scores)
        return scores.error();
    AblationEffectQuestion asked = effectQuestion(*scores, question.head);
    asked.kind = question.kind;
    asked.preserve_patterns = question.preserve_patterns;
    asked.others = question.others;
    asked.seed = question.repeats.seed;
    auto effects = ablationEffects(model, {&asked, 1}, question.sequences, question.repeats,
                                   partOf(progress, kScoring, 1.0), stop);
    if (!effects)
        return effects.error();
    return HeadEffect{*std::move(scores), std::move(effects->front())};
}

} // namespace headscope
