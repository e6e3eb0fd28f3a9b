#include "core/heads/head_score.h"

#include "core/heads/head_type.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace headscope {

bool HeadScores::has(HeadTypeId type) const {
    return std::ranges::find(types, type) != types.end();
}

Naming HeadScores::naming() const {
    Naming naming = Naming::WeightsAlone;
    for (const HeadTypeId type : types) {
        if (headType(type).from_weights != nullptr)
            continue;
        if (measuredOn(type).sequences > 1)
            return Naming::Possible;
        naming = Naming::OneText;
    }
    return naming;
}

const HeadScore& HeadScores::at(HeadTypeId type, LayerHead head) const {
    return scores[indexOf(type) * heads.size() + heads.placeOf(head)];
}

const MeasuredOn& HeadScores::measuredOn(HeadTypeId type) const {
    return measured_on[indexOf(type)];
}

std::vector<MeasuredOn> HeadScores::inputsOf(const std::vector<HeadTypeId>& of_types) const {
    std::vector<MeasuredOn> inputs;
    for (const HeadTypeId type : of_types)
        if (std::ranges::find(inputs, measuredOn(type)) == inputs.end())
            inputs.push_back(measuredOn(type));
    return inputs;
}

void HeadScores::take(HeadTypeId type, const HeadScores& from) {
    assert(from.heads == heads);
    const auto count = static_cast<std::ptrdiff_t>(heads.size());
    const auto taken =
        from.scores.begin() + static_cast<std::ptrdiff_t>(from.indexOf(type)) * count;
    const auto place = std::ranges::lower_bound(types, type); // ids are in display order
    const std::ptrdiff_t index = place - types.begin();
    if (place == types.end() || *place != type) {
        types.insert(place, type);
        measured_on.insert(measured_on.begin() + index, from.measuredOn(type));
        scores.insert(scores.begin() + index * count, taken, taken + count);
    } else {
        measured_on[static_cast<std::size_t>(index)] = from.measuredOn(type);
        std::copy_n(taken, count, scores.begin() + index * count);
    }
}

void HeadScores::takeOnSentences(HeadTypeId type, const HeadScores& from) {
    assert(from.heads == heads);
    for (const LayerHead head : heads)
        scores[indexOf(type) * heads.size() + heads.placeOf(head)].on_sentences =
            from.at(type, head).score;
}

void HeadScores::takeControl(HeadTypeId type, const PerHead<ControlScore>& controls) {
    assert(controls.heads() == heads);
    for (const LayerHead head : heads) {
        HeadScore& score = scores[indexOf(type) * heads.size() + heads.placeOf(head)];
        score.control = controls[head].score;
        score.above_control = controls[head].above;
    }
}

std::size_t HeadScores::indexOf(HeadTypeId type) const {
    const auto found = std::ranges::find(types, type);
    assert(found != types.end());
    return static_cast<std::size_t>(found - types.begin());
}

std::vector<HeadTypeId> typesOf(std::span<const std::string> keys) {
    std::vector<HeadTypeId> types;
    const auto add = [&types](HeadTypeId id) {
        if (std::ranges::find(types, id) == types.end())
            types.push_back(id);
    };
    for (const std::string& key : keys)
        if (const auto id = headTypeByKey(key)) {
            add(*id);
            for (const auto& other : {headType(*id).together_with, headType(*id).acts_on})
                if (other)
                    add(*other);
        }
    return types;
}

HeadScores onlyTypes(const HeadScores& scores, std::span<const std::string> keys) {
    HeadScores kept;
    kept.heads = scores.heads;
    for (const std::string& key : keys) {
        const auto asked = headTypeByKey(key);
        if (!asked || !scores.has(*asked))
            continue;
        for (const HeadTypeId id : typesOf({&key, 1}))
            if (scores.has(id))
                kept.take(id, scores);
    }
    return kept;
}

double Thresholds::of(HeadTypeId id) const {
    const auto moved = moved_.find(id);
    return moved == moved_.end() ? headType(id).threshold : moved->second;
}

void Thresholds::set(HeadTypeId id, double threshold) {
    if (threshold == headType(id).threshold)
        moved_.erase(id);
    else
        moved_[id] = threshold;
}

namespace {

/// Written so that a control that was not measured passes.
bool isAboveControl(const HeadScore& score) {
    const auto& control = headType(score.type).control;
    return !control || !(score.above_control < control->least_above);
}

} // namespace

std::vector<HeadTypeId> labels(const HeadScores& scores, LayerHead head,
                               const Thresholds& thresholds) {
    if (scores.naming() != Naming::Possible)
        return {};
    const auto counts = [&](HeadTypeId type, LayerHead each) {
        if (!scores.has(type))
            return false;
        const HeadScore& score = scores.at(type, each);
        return score.reaches(thresholds.of(type)) && isAboveControl(score);
    };
    const auto countsLater = [&](HeadTypeId type) {
        return std::ranges::any_of(scores.heads, [&](LayerHead other) {
            return other.layer > head.layer && counts(type, other);
        });
    };
    std::vector<HeadTypeId> found;
    for (const HeadTypeId id : scores.types) {
        const HeadType& type = headType(id);
        if (counts(id, head) && (!type.together_with || counts(*type.together_with, head)) &&
            (!type.acts_on || countsLater(*type.acts_on)))
            found.push_back(id);
    }
    std::stable_sort(found.begin(), found.end(), [&](HeadTypeId a, HeadTypeId b) {
        return std::pair(headType(a).group, -scores.at(a, head).aboveBaseline()) <
               std::pair(headType(b).group, -scores.at(b, head).aboveBaseline());
    });
    return found;
}

std::optional<HeadTypeId> nearestType(const HeadScores& scores, LayerHead head,
                                      const Thresholds& thresholds) {
    std::optional<HeadTypeId> nearest;
    double largest_part = 0.0;
    for (const HeadTypeId type : scores.types) {
        const HeadScore& score = scores.at(type, head);
        const double threshold = thresholds.of(type);
        const double part = (score.score - score.baseline) / (threshold - score.baseline);
        // Written so that NaN fails.
        if (score.score < threshold && score.baseline < threshold && part > largest_part) {
            largest_part = part;
            nearest = type;
        }
    }
    return nearest;
}

double sinkShare(const HeadScores& scores, double epsilon) {
    if (!scores.has(HeadTypeId::Sink))
        return std::numeric_limits<double>::quiet_NaN();
    const auto sinks = std::ranges::count_if(scores.scores, [&](const HeadScore& score) {
        return score.type == HeadTypeId::Sink && score.score > epsilon;
    });
    return static_cast<double>(sinks) / static_cast<double>(scores.heads.size());
}

} // namespace headscope
