#include "core/interventions/set_effect.h"

#include "core/base/random.h"
#include "core/base/text.h"
#include "core/heads/mean_interval.h"
#include "core/heads/score_sequences.h"
#include "core/interventions/effects/effect_runs.h"
#include "core/interventions/effects/effect_words.h"
#include "core/interventions/effects/judging.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace headscope {

namespace {

/// For each of these heads another one, as near as there is; nothing where too few are left.
HeadSet drawSet(const ModelSpec& spec, const HeadSet& heads, Random& random) {
    HeadSet left;
    for (const LayerHead head : spec.allHeads())
        if (std::ranges::find(heads, head) == heads.end())
            left.push_back(head);
    if (left.size() < heads.size())
        return {};
    HeadSet drawn;
    for (const LayerHead head : heads) {
        std::size_t nearest = spec.n_layers;
        for (const LayerHead other : left)
            nearest = std::min(nearest, layersApart(head, other));
        HeadSet near;
        std::ranges::copy_if(left, std::back_inserter(near),
                             [&](LayerHead other) { return layersApart(head, other) == nearest; });
        drawn.push_back(near[random.below(near.size())]);
        std::erase(left, drawn.back());
    }
    return drawn;
}

/// The heads in question and after them the sets to compare with, each once: fewer than asked for
/// where there are no more, or none was found in many tries.
std::vector<HeadSet> unitsOf(const ModelSpec& spec, const SetEffectQuestion& question) {
    constexpr std::size_t kTriesPerSet = 10;
    std::vector<HeadSet> units{question.heads};
    std::set<HeadSet> known;
    Random random(question.seed);
    for (std::size_t i = 0; i < kTriesPerSet * question.sets && known.size() < question.sets; ++i) {
        HeadSet drawn = drawSet(spec, question.heads, random);
        HeadSet sorted = drawn;
        std::ranges::sort(sorted);
        if (!drawn.empty() && known.insert(std::move(sorted)).second)
            units.push_back(std::move(drawn));
    }
    return units;
}

void judge(SetEffect& result, const EffectRuns& runs, const std::vector<HeadSet>& units,
           double error) {
    readFirst(runs, result.question.least_effect, error, result);
    result.others.clear();
    for (std::size_t unit = 1; unit < units.size(); ++unit)
        result.others.push_back({units[unit], meanOf(runs.differences(unit))});
    std::ranges::sort(result.others, {}, &SetEffect::Other::difference);
}

} // namespace

std::size_t SetEffect::above() const {
    return countAbove(*this);
}

EffectVerdict SetEffect::verdict() const {
    return verdictOn(figuresOf(*this));
}

Result<SetEffect> setEffect(const std::shared_ptr<const Model>& model, const EffectInput& input,
                            const SetEffectQuestion& question, const Progress& progress,
                            const std::stop_token& stop) {
    if (question.heads.empty())
        return Error{ErrorCode::InvalidArgument, "No head is ablated; name at least one."};
    const std::vector<HeadSet> units = unitsOf(model->spec, question);
    EffectRuns runs(model, input.sequences, question.by, units);
    if (auto checked = checkEffect(input, runs, question.least_effect); !checked)
        return checked.error();
    SetEffect result;
    result.question = question;
    result.measure = effectMeasureOf(model->spec, input.sequences.front());
    const auto is_decided = [&](double error) {
        judge(result, runs, units, error);
        return isDecided(figuresOf(result));
    };
    if (auto run = lookUntil(runs, input.first, is_decided, progress, stop); !run)
        return run.error();
    return result;
}

namespace {

std::string whyNoHead(const HeadScores& scores, HeadTypeId type, const std::string& model) {
    if (scores.naming() == Naming::OneText)
        return "One text gives scores, and no types; give two or more.";
    const std::string nobody =
        "No head of " + model + " has the type " + std::string(headType(type).key);
    const auto unread = scores.unread.find(type);
    return unread == scores.unread.end() ? nobody + "; name another type."
                                         : nobody + ", which was not read: " + unread->second;
}

} // namespace

Result<SetEffect> typeEffect(const std::shared_ptr<const Model>& model,
                             const TypeEffectQuestion& question, const Progress& progress,
                             const std::stop_token& stop) {
    constexpr double kScoring = 0.3; // of the work, about
    const Progress scoring = partOf(progress, 0.0, kScoring);
    const std::string key(headType(question.type).key);
    const auto scores =
        question.sequences.empty()
            ? scoreTypes(model, typesOf({&key, 1}), question.repeats, scoring, stop)
            : scoreSequences(model, question.sequences, "the tested sequences", scoring, stop);
    if (!scores)
        return scores.error();
    SetEffectQuestion asked;
    asked.by = question.by;
    asked.sets = question.sets;
    asked.seed = question.repeats.seed;
    asked.least_effect = question.least_effect;
    for (const LayerHead head : scores->heads) {
        const std::vector<HeadTypeId> types = labels(*scores, head, {});
        if (std::ranges::find(types, question.type) != types.end())
            asked.heads.push_back(head);
    }
    if (asked.heads.empty())
        return Error{ErrorCode::InvalidArgument, whyNoHead(*scores, question.type, model->name)};
    EffectInput input{question.sequences, 0};
    if (input.sequences.empty()) {
        auto read = effectSequences(model, headType(question.type).input, question.repeats,
                                    question.most_sequences, stop);
        if (!read)
            return read.error();
        input = *std::move(read);
    }
    return setEffect(model, input, asked, partOf(progress, kScoring, 1.0), stop);
}

std::string setEffectText(const SetEffect& result) {
    const std::size_t count = result.question.heads.size();
    return verdictSentence(
        result.verdict(), result,
        {.ablating =
             "ablating " + (count == 1 ? "head " : "the " + std::to_string(count) + " heads ") +
             headSetText(result.question.heads) + " by " + replacementName(result.question.by),
         .rank = result.others.empty() ? "with too few other heads to compare them with"
                                       : "more than " + std::to_string(result.above()) + " of " +
                                             std::to_string(result.others.size()) +
                                             " random sets of as many heads near them",
         .them = "them"});
}

} // namespace headscope
