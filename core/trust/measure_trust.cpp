#include "core/trust/measure_trust.h"

#include "core/base/random.h"
#include "core/heads/head_type.h"
#include "core/heads/score_heads.h"
#include "core/heads/score_sequences.h"
#include "core/interventions/effect_beside.h"
#include "core/interventions/effect_verdict.h"
#include "core/tensor/parallel.h"
#include "core/trust/input/other_input.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace headscope {

namespace {

// Shares of the work, about.
constexpr double kScoring = 0.1;    ///< of what takes both
constexpr double kOtherInput = 0.3; ///< of the rest

constexpr std::size_t kResamples = 900; ///< of all parts together
constexpr std::array<InputKind, 6> kRunKinds{InputKind::Repeats,   InputKind::Distinct,
                                             InputKind::Sentences, InputKind::Names,
                                             InputKind::Needles,   InputKind::Ordinals};

/// What the scores alone say of a label.
LabelTrust labelOf(const HeadScores& scores, LayerHead head, HeadTypeId type,
                   const Thresholds& thresholds) {
    LabelTrust label{.score = scores.at(type, head), .threshold = thresholds.of(type)};
    if (scores.has(HeadTypeId::Dormant))
        label.output = 1.0 - scores.at(HeadTypeId::Dormant, head).score;
    if (scores.has(HeadTypeId::WritesNothing))
        label.writes_nothing = scores.at(HeadTypeId::WritesNothing, head).score >=
                               thresholds.of(HeadTypeId::WritesNothing);
    return label;
}

/// Readings of those sequences that say anything of a label's type.
using Readings = std::vector<const SequenceReading*>;

Readings readingsOf(const OtherInput::Part& part, const std::vector<SequenceReading>& all,
                    HeadTypeId type) {
    Readings found;
    for (const std::size_t sequence : part.sequences)
        if (const auto at = all[sequence].find(type);
            at != all[sequence].end() && at->second.rows > 0.0)
            found.push_back(&all[sequence]);
    return found;
}

/// A set of which fewer than two sequences say anything of the type says nothing of the label.
void readSets(LabelTrust& label, const OtherInput& input,
              const std::vector<SequenceReading>& readings) {
    for (const OtherInput::Part& set : input.sets) {
        const Readings found = readingsOf(set, readings, label.score.type);
        if (found.size() < 2)
            continue;
        const HeadScore score = scoreOfReadings(label.score.head, label.score.type, found);
        if (!std::isnan(score.baseline))
            label.sets.push_back(
                {set.name, found.size(), score.score, score.baseline, score.low, score.high});
    }
}

/// Draws as many sequences of each part as it has, with replacement, again and again.
void resample(LabelTrust& label, const OtherInput& input,
              const std::vector<SequenceReading>& readings, std::uint64_t seed) {
    Random random(seed);
    const std::size_t draws = kResamples / input.drawn.size();
    std::size_t held = 0;
    for (const OtherInput::Part& part : input.drawn) {
        const Readings found = readingsOf(part, readings, label.score.type);
        if (found.size() < 2)
            continue;
        Readings drawn(found.size());
        for (std::size_t i = 0; i < draws; ++i) {
            std::ranges::generate(drawn, [&] { return found[random.below(found.size())]; });
            const HeadScore score = scoreOfReadings(label.score.head, label.score.type, drawn);
            if (std::isnan(score.baseline))
                continue;
            ++label.resamples;
            held += score.reaches(label.threshold) ? 1 : 0;
        }
    }
    if (label.resamples > 0)
        label.stable_share = static_cast<double>(held) / static_cast<double>(label.resamples);
}

class Measuring {
public:
    Measuring(const std::shared_ptr<const Model>& model, const HeadScores& scores,
              const Thresholds& thresholds, const TrustOptions& options, const Progress& progress,
              const std::stop_token& stop, const PublishTrust& publish)
        : model_(model), scores_(scores), thresholds_(thresholds), options_(options),
          progress_(progress), stop_(stop), publish_(publish) {}

    Result<ModelTrust> run() {
        trust_.expected_false = expectedFalse(scores_, thresholds_);
        for (const LayerHead head : heads())
            for (const HeadTypeId type : labels(scores_, head, thresholds_))
                if (isAsked(type))
                    trust_.labels.push_back(labelOf(scores_, head, type, thresholds_));
        publish();
        const double other = !options_.other_input ? 0.0 : options_.effects ? kOtherInput : 1.0;
        if (options_.other_input)
            if (auto read = readOtherInput(partOf(progress_, 0.0, other)); !read)
                return read.error();
        if (options_.effects)
            if (auto ablated = ablate(partOf(progress_, other, 1.0)); !ablated)
                return ablated.error();
        report(progress_, 1.0, "testing labels");
        return std::move(trust_);
    }

private:
    /// Those asked for, each once.
    std::vector<LayerHead> heads() const {
        if (options_.heads.empty())
            return {scores_.heads.begin(), scores_.heads.end()};
        std::vector<LayerHead> heads;
        for (const LayerHead head : options_.heads)
            if (std::ranges::find(heads, head) == heads.end())
                heads.push_back(head);
        return heads;
    }

    bool isAsked(HeadTypeId type) const {
        return options_.types.empty() ||
               std::ranges::find(options_.types, type) != options_.types.end();
    }

    void publish() const {
        if (publish_)
            publish_(trust_.labels);
    }

    std::vector<LabelTrust*> labelsReadFrom(InputKind kind) {
        std::vector<LabelTrust*> found;
        for (LabelTrust& label : trust_.labels) {
            const HeadType& type = headType(label.score.type);
            if (type.input == kind && !type.from_weights)
                found.push_back(&label);
        }
        return found;
    }

    Result<void> readOtherInput(const Progress& progress) {
        double done = 0.0;
        for (const InputKind kind : kRunKinds) {
            const double end = done + 1.0 / static_cast<double>(kRunKinds.size());
            if (auto read = readInput(kind, partOf(progress, done, end)); !read)
                return read;
            publish();
            done = end;
        }
        return {};
    }

    Result<void> readInput(InputKind kind, const Progress& progress) {
        constexpr double kMade = 0.3;
        const std::vector<LabelTrust*> of_kind = labelsReadFrom(kind);
        if (of_kind.empty())
            return {};
        const auto input = otherInput(model_, kind, options_.repeats, options_.text,
                                      partOf(progress, 0.0, kMade), stop_);
        if (!input && input.error().code == ErrorCode::Cancelled)
            return input.error();
        if (!input) {
            trust_.notes.push_back("Not tested on other input: " + input.error().message);
            return {};
        }
        std::vector<HeadTypeId> types;
        types.reserve(of_kind.size());
        for (const LabelTrust* const label : of_kind)
            types.push_back(label->score.type);
        const auto readings =
            measureSequences(model_, input->sequences, partOf(progress, kMade, 1.0), stop_, types);
        if (!readings)
            return readings.error();
        parallelFor(of_kind.size(), [&](std::size_t i, std::size_t) {
            readSets(*of_kind[i], *input, *readings);
            resample(*of_kind[i], *input, *readings, options_.repeats.seed);
        });
        trust_.notes.insert(trust_.notes.end(), input->notes.begin(), input->notes.end());
        return {};
    }

    std::vector<AblationEffectQuestion> questions() const {
        std::vector<AblationEffectQuestion> found;
        for (const LayerHead head : heads()) {
            for (AblationEffectQuestion& question : effectQuestions(scores_, head, thresholds_)) {
                if (std::ranges::none_of(question.labels,
                                         [this](HeadTypeId type) { return isAsked(type); }))
                    continue;
                question.seed = options_.repeats.seed;
                question.most_sequences = options_.most_sequences;
                found.push_back(std::move(question));
            }
        }
        return found;
    }

    void take(const AblationEffect& effect) {
        const std::vector<HeadTypeId>& of_effect = effect.question.labels;
        for (LabelTrust& label : trust_.labels)
            if (label.score.head == effect.question.head &&
                std::ranges::find(of_effect, label.score.type) != of_effect.end())
                label.effect = effect;
        publish();
    }

    Result<void> ablate(const Progress& progress) {
        constexpr double kAlone = 0.8;
        const std::vector<AblationEffectQuestion> asked = questions();
        const auto effects =
            ablationEffects(model_, asked, {}, options_.repeats, partOf(progress, 0.0, kAlone),
                            stop_, [this](const AblationEffect& effect) { take(effect); });
        if (!effects)
            return effects.error();
        return ablateBesideOthers(partOf(progress, kAlone, 1.0));
    }

    HeadSet othersWith(const HeadScore& score) const {
        HeadSet others;
        for (const LayerHead head : scores_.heads) {
            const std::vector<HeadTypeId> of_head = labels(scores_, head, thresholds_);
            if (head != score.head && std::ranges::find(of_head, score.type) != of_head.end())
                others.push_back(head);
        }
        return others;
    }

    /// Ablates each label's head together with the others of the label: of several heads that do
    /// the same, none costs anything alone.
    Result<void> ablateBesideOthers(const Progress& progress) {
        std::map<InputKind, EffectInput> inputs;
        const auto count = static_cast<double>(trust_.labels.size());
        for (std::size_t i = 0; i < trust_.labels.size(); ++i) {
            const auto done = static_cast<double>(i);
            if (auto ablated = ablateBesideOthers(
                    trust_.labels[i], inputs, partOf(progress, done / count, (done + 1.0) / count));
                !ablated)
                return ablated;
        }
        publish();
        return {};
    }

    Result<void> ablateBesideOthers(LabelTrust& label, std::map<InputKind, EffectInput>& inputs,
                                    const Progress& progress) const {
        if (!label.effect || label.effect->verdict() != EffectVerdict::None ||
            label.writes_nothing || !claimsCause(label.score.type))
            return {};
        const HeadSet others = othersWith(label.score);
        if (others.empty())
            return {};
        const InputKind kind = label.effect->question.input;
        if (!inputs.contains(kind)) {
            auto input =
                effectSequences(model_, kind, options_.repeats, options_.most_sequences, stop_);
            if (!input)
                return input.error();
            inputs.emplace(kind, *std::move(input));
        }
        auto beside = effectBeside(model_, inputs.at(kind),
                                   {.head = label.score.head,
                                    .others = others,
                                    .by = label.effect->question.replacement()},
                                   progress, stop_);
        if (!beside)
            return beside.error();
        label.beside = *std::move(beside);
        return {};
    }

    const std::shared_ptr<const Model>& model_;
    const HeadScores& scores_;
    const Thresholds& thresholds_;
    const TrustOptions& options_;
    const Progress& progress_;
    const std::stop_token& stop_;
    const PublishTrust& publish_;
    ModelTrust trust_;
};

} // namespace

Result<ModelTrust> measureTrust(const std::shared_ptr<const Model>& model, const HeadScores& scores,
                                const Thresholds& thresholds, const TrustOptions& options,
                                const Progress& progress, const std::stop_token& stop,
                                const PublishTrust& publish) {
    return Measuring(model, scores, thresholds, options, progress, stop, publish).run();
}

Result<ModelTrust> testLabels(const std::shared_ptr<const Model>& model,
                              const TrustOptions& options, const Progress& progress,
                              const std::stop_token& stop) {
    const auto scores = scoreHeads(model, options.repeats, partOf(progress, 0.0, kScoring), stop);
    if (!scores)
        return scores.error();
    return measureTrust(model, *scores, Thresholds(), options, partOf(progress, kScoring, 1.0),
                        stop);
}

} // namespace headscope
