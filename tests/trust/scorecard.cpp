#include "tests/trust/scorecard.h"

#include "core/base/text.h"
#include "core/heads/head_type.h"

#include <algorithm>
#include <cmath>

namespace headscope::test {

namespace {

std::string keyOf(HeadTypeId type) {
    return std::string(headType(type).key);
}

std::string countedText(const Counted& counted) {
    return std::to_string(counted.is) + " of " + std::to_string(counted.of);
}

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
}

/// Of planted distances that the head keeps to from nearly every query.
void addOffset(Counted& offsets, const PlantedHead& head, const Shown& shown,
               const HeadScores& scores) {
    if (head.look != Look::Back || truthOf(HeadTypeId::Positional, head, shown) != Truth::Must)
        return;
    const auto found = labels(scores, head.head, {});
    offsets.add(std::ranges::count(found, HeadTypeId::Positional) == 1 &&
                scores.at(HeadTypeId::Positional, head.head).variant ==
                    -static_cast<double>(head.back));
}

} // namespace

std::string nameOf(const PlantedCase& planted, std::size_t place, LayerHead head) {
    const auto found = std::ranges::find(planted.heads, head, &PlantedHead::head);
    return "model " + std::to_string(place) + " head " + headText(head) + " (" +
           plantedText(*found) + ")";
}

void Scorecard::addLabels(const PlantedCase& planted, std::size_t place, const HeadScores& scores,
                          const ShownOnBoth& shown) {
    models += 1;
    for (const PlantedHead& head : planted.heads) {
        heads += 1;
        const auto found = labels(scores, head.head, {});
        for (const HeadTypeId type : scores.types) {
            const bool has = std::ranges::count(found, type) == 1;
            const Shown& read = shown.of(type, head.head);
            const Truth truth = truthOf(type, head, read);
            if (truth == Truth::Must)
                types[type].found.add(has);
            if (truth == Truth::MustNot)
                types[type].false_one.add(has);
            if (truth == Truth::May || has == (truth == Truth::Must))
                continue;
            const HeadScore& score = scores.at(type, head.head);
            wrong.push_back((has ? "false " : "missed ") + keyOf(type) + " " +
                            fixedText(score.score, 2) + " [" + fixedText(score.low, 2) +
                            "], baseline " + fixedText(score.baseline, 2) + ", above control " +
                            fixedText(score.above_control, 2) + ", shown " +
                            fixedText(read.share, 2) + ": " + nameOf(planted, place, head.head));
        }
        addOffset(offsets, head, shown.distinct[head.head], scores);
        if (const auto type = typeOfLook(head); head.half && type)
            half.add(std::ranges::count(found, *type) == 1);
        if (head.look == Look::BosToken && shown.repeats[head.head].first >= 0.5)
            by_token.add(std::ranges::count(found, HeadTypeId::Sink) == 1);
    }
}

double Scorecard::coverage() const {
    double sum = 0.0;
    for (const auto& [type, intervals] : covered)
        sum += intervals.share();
    return sum / static_cast<double>(covered.size());
}

std::string Scorecard::text() const {
    std::string text = counted(models, "planted model") + ", " + counted(heads, "head") + "\n" +
                       padded("type", 22) + padded("found", 14) + "false\n";
    for (const auto& [type, counts] : types)
        text += padded(keyOf(type), 22) + padded(countedText(counts.found), 14) +
                countedText(counts.false_one) + "\n";
    text += "distances named: " + countedText(offsets) + "\n";
    text += "labels that change with the basis of z: " + countedText(by_basis) + "\n";
    text += "heads whose labels change with the period: " + countedText(by_period) + "\n";
    text += "heads for half of the vocabulary that have the label: " + countedText(half) + "\n";
    text +=
        "heads that look at BOS wherever it is that are called sinks: " + countedText(by_token) +
        "\n";
    text += "effects below 0.001 nats that are called needed: " + countedText(needed) + "\n";
    if (!covered.empty())
        text += "intervals that hold the mean of many sequences, mean over types: " +
                fixedText(100.0 * coverage(), 1) + " %\n";
    for (const auto& [type, intervals] : covered)
        text += "  " + padded(keyOf(type), 20) + countedText(intervals) + "\n";
    for (const std::string& line : wrong)
        text += line + "\n";
    return text;
}

} // namespace headscope::test
