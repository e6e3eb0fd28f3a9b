#include "core/base/text.h"
#include "core/heads/head_type.h"
#include "core/interventions/ablation_effect.h"
#include "core/trust/label_trust.h"

#include <cmath>
#include <string>

namespace headscope {

namespace {

std::string figure(double value) {
    return fixedText(value, 2);
}

std::string percent(double share) {
    return fixedText(100.0 * share, 0) + " %";
}

std::string patternSentence(const LabelTrust& label) {
    const HeadScore& score = label.score;
    const std::string text = "Its score is " + figure(score.score) + "; the type counts from " +
                             figure(label.threshold) + " on";
    if (headType(score.type).from_weights)
        return text + ".";
    return text + ", and a head that attends evenly has " + figure(score.baseline) + ".";
}

std::string specificSentence(const LabelTrust& label, Grade grade) {
    if (grade == Grade::NotAsked)
        return "This type has no control.";
    if (grade == Grade::Untested)
        return "No control was measured.";
    return "Its score is " + figure(label.score.score) + ", and " + figure(label.score.control) +
           " " + std::string(headType(label.score.type).control->what) +
           "; the difference is at least " + figure(label.score.above_control) + " (95 %).";
}

std::string writesSentence(const LabelTrust& label) {
    if (label.writes_nothing)
        return "It writes nothing, wherever it looks.";
    if (std::isnan(label.output))
        return "What it writes was not measured.";
    if (label.output >= 1.0)
        return "It writes at least as much as the mean of its layer's heads.";
    return "It writes " + percent(label.output) + " of the mean of its layer's heads.";
}

std::string neededSentence(const LabelTrust& label) {
    if (!label.effect)
        return "The head was not ablated.";
    return ablationEffectText(*label.effect) +
           (label.beside ? " " + effectBesideText(*label.beside) : "");
}

std::string transferSentence(const LabelTrust& label, Grade grade) {
    if (grade == Grade::NotAsked)
        return "It is read from weights, and not from input.";
    if (label.sets.empty())
        return "It was not read on other input.";
    const SetScore& least = *label.leastSet();
    const std::string score =
        std::isnan(least.score)
            ? "shows nothing to judge on " + least.set
            : "has its least score, " + figure(least.score) + ", on " + least.set;
    return "It holds on " + std::to_string(label.setsHeld()) + " of " +
           counted(label.sets.size(), "set") + " of other input, and " + score + ".";
}

std::string stableSentence(const LabelTrust& label, Grade grade) {
    if (grade == Grade::NotAsked)
        return "It is read from weights, which are the same each time.";
    if (grade == Grade::Untested)
        return "It was not read on resamples.";
    return "It holds in " + percent(label.stable_share) + " of " +
           counted(label.resamples, "resample") + ".";
}

} // namespace

std::string trustSentence(const LabelTrust& label, TrustPart part) {
    const Grade grade = label.grade(part);
    switch (part) {
    case TrustPart::Pattern:
        return patternSentence(label);
    case TrustPart::Specific:
        return specificSentence(label, grade);
    case TrustPart::Writes:
        return writesSentence(label);
    case TrustPart::Needed:
        return neededSentence(label);
    case TrustPart::Transfers:
        return transferSentence(label, grade);
    case TrustPart::Stable:
        break;
    }
    return stableSentence(label, grade);
}

std::string trustLine(const LabelTrust& label) {
    std::string line;
    for (const TrustPart part : trustParts())
        line += (line.empty() ? "" : " ") + std::string(trustPartName(part)) + " " +
                std::string(gradeMark(label.grade(part)));
    return line;
}

} // namespace headscope
