#include "core/interventions/effects/effect_words.h"

#include "core/base/text.h"
#include "core/interventions/effects/figures_text.h"
#include "core/interventions/sweep.h"

#include <cmath>
#include <string>
#include <vector>

namespace headscope {

namespace {

/// "more than 8 of 10 other heads near it"
std::string rank(const AblationEffect& result) {
    return result.others.empty()
               ? "with no other head to compare it with"
               : "more than " + std::to_string(result.above()) + " of " +
                     std::to_string(result.others.size()) + " other heads near it";
}

void addChanges(const std::vector<AblationEffect::Replaced>& replaced, const char* verb,
                std::vector<std::string>& parts) {
    for (const AblationEffect::Replaced& each : replaced)
        parts.push_back("by " + replacementName(each.by) + " it " + verb + " by " +
                        natsText(std::abs(each.difference)));
}

std::string replacementSentence(const AblationEffect& result) {
    std::vector<std::string> parts;
    addChanges(result.rising(), "rises", parts);
    addChanges(result.falling(), "falls", parts);
    return std::string(result.signsDiffer() ? " The sign" : " This") +
           " depends on what replaces it: " + join(parts, ", ") + ".";
}

std::string backupSentence(const AblationEffect& result) {
    if (!result.question.backups)
        return "";
    if (result.backups_tried == 0)
        return " Backups were not looked for: that takes two sequences or more, and another head "
               "in its layer or a later one.";
    if (result.backups.empty())
        return " No backup found: of " + std::to_string(result.backups_tried) +
               " heads in its layer and later ones none surely costs more when it is ablated.";
    std::vector<std::string> heads;
    for (const AblationEffect::Backup& backup : result.backups)
        heads.push_back(headText(backup.head) + " (+" + natsText(backup.growth) + ")");
    return " Backed up by " + join(heads, ", ") + ", which cost more when it is ablated.";
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

std::string verdictSentence(EffectVerdict verdict, const EffectReading& reading,
                            const EffectWords& words) {
    const std::string least = leastText(reading.least);
    const double difference = reading.difference;
    const auto finding = [&](const char* verb, double change) {
        return words.ablating + " " + verb + " the " +
               std::string(effectMeasureName(reading.measure)) + " by " + natsText(change) +
               spreadText(reading.interval, reading.sequences);
    };
    switch (verdict) {
    case EffectVerdict::Needed:
        return "Needed: " + finding("raises", difference) + ", " + words.rank + ".";
    case EffectVerdict::Secondary:
        return "Secondary: " + finding("raises", difference) + ", " + words.rank +
               ", but not clearly more than three in four of them.";
    case EffectVerdict::Interferes:
        return "Interferes: " + finding("lowers", -difference) +
               "; the model does better here without " + words.them + ".";
    case EffectVerdict::None:
        return "No effect found: " + finding("changes", difference) + "; less than " + least +
               " is not counted.";
    case EffectVerdict::Undecided:
        break;
    }
    return "Undecided: " + finding("changes", difference) + ", and " +
           (reading.sequences < 2
                ? "a single sequence does not say how far that holds."
                : "these sequences do not say whether that is more than " + least + ".");
}

std::string effectTitle(const AblationEffectQuestion& question) {
    std::vector<std::string> names;
    for (const HeadTypeId label : question.labels)
        names.emplace_back(headType(label).key);
    return "head " + headText(question.head) + " (" +
           (names.empty() ? "no type" : join(names, " ")) + ")";
}

ReplacedBy replacedByNamed(std::string_view name) {
    if (name == "pattern-preserving")
        return {AblationKind::Zero, true};
    return {name == "mean"       ? AblationKind::Mean
            : name == "resample" ? AblationKind::Resample
                                 : AblationKind::Zero};
}

std::string replacementName(const ReplacedBy& replacement) {
    SweepQuestion named;
    named.kind = replacement.kind;
    named.preserve_patterns = replacement.preserve_patterns;
    return sweepKindName(named);
}

std::string ablationEffectText(const AblationEffect& result) {
    const EffectWords words{.ablating =
                                "ablating it by " + replacementName(result.question.replacement()),
                            .rank = rank(result),
                            .them = "it"};
    return verdictSentence(result.verdict(), result, words) +
           (result.replacementsDiffer() ? replacementSentence(result) : "") +
           backupSentence(result);
}

} // namespace headscope
