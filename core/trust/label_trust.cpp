#include "core/trust/label_trust.h"

#include "core/base/names.h"
#include "core/interventions/effect_verdict.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace headscope {

namespace {

constexpr double kStableFrom = 0.9;

struct PartWords {
    TrustPart part;
    std::string_view name;
    std::string_view meaning;
};

constexpr std::array<TrustPart, 6> kParts{TrustPart::Pattern,   TrustPart::Specific,
                                          TrustPart::Writes,    TrustPart::Needed,
                                          TrustPart::Transfers, TrustPart::Stable};

constexpr std::array<PartWords, 6> kPartWords{
    {{TrustPart::Pattern, "pattern",
      "Whether the head attends, or its weights act, as the type says."},
     {TrustPart::Specific, "specific",
      "Whether its score is larger than on input without what the type looks for."},
     {TrustPart::Writes, "writes", "Whether the head adds anything to the residual stream."},
     {TrustPart::Needed, "needed",
      "Whether the model does worse without the head, on what the type is read from."},
     {TrustPart::Transfers, "transfers", "Whether the label holds on other input of this kind."},
     {TrustPart::Stable, "stable",
      "Whether the label holds whichever sequences are drawn: in nine of ten resamples."}}};

constexpr Names<Grade, 5> kGradeNames{{{Grade::Passed, "passed"},
                                       {Grade::Failed, "failed"},
                                       {Grade::Undecided, "undecided"},
                                       {Grade::Untested, "untested"},
                                       {Grade::NotAsked, "not asked"}}};
constexpr Names<Grade, 5> kGradeMarks{{{Grade::Passed, "●"},
                                       {Grade::Failed, "○"},
                                       {Grade::Undecided, "◐"},
                                       {Grade::Untested, "·"},
                                       {Grade::NotAsked, "–"}}};

constexpr Names<TrustWord, 7> kWordNames{{{TrustWord::Cause, "cause"},
                                          {TrustWord::Secondary, "secondary"},
                                          {TrustWord::Correlate, "correlate: pattern only"},
                                          {TrustWord::Interferer, "interferer"},
                                          {TrustWord::Undecided, "undecided"},
                                          {TrustWord::Untested, "untested"},
                                          {TrustWord::Description, "description"}}};
constexpr Names<TrustWord, 7> kWordMeanings{
    {{TrustWord::Cause, "The model needs the head where it has this pattern."},
     {TrustWord::Secondary,
      "The model is worse without the head, but not clearly more than without others near it, or "
      "only where the other heads with this label are ablated, too."},
     {TrustWord::Correlate,
      "Only the pattern is there: the model does not need the head for what the label says."},
     {TrustWord::Interferer, "The model does better without the head."},
     {TrustWord::Undecided, "The head was tested, and the figures leave it open."},
     {TrustWord::Untested, "Only the pattern was measured: the head was not ablated."},
     {TrustWord::Description,
      "The label says how attention is spread, that the head rests or writes little, or what its "
      "weights could do, and claims no cause."}}};

const PartWords& wordsOf(TrustPart part) {
    return *std::ranges::find(kPartWords, part, &PartWords::part);
}

Grade specificGrade(const HeadScore& score) {
    if (!headType(score.type).control)
        return Grade::NotAsked;
    if (std::isnan(score.control) || std::isnan(score.above_control))
        return Grade::Untested;
    if (score.above_control > 0.0)
        return Grade::Passed;
    return score.score > score.control ? Grade::Undecided : Grade::Failed;
}

Grade neededGrade(const LabelTrust& label) {
    if (!label.effect)
        return Grade::Untested;
    switch (label.effect->verdict()) {
    case EffectVerdict::Needed:
    case EffectVerdict::Secondary:
        return Grade::Passed;
    case EffectVerdict::Interferes:
        return Grade::Failed;
    case EffectVerdict::None:
        return label.beside && label.beside->counts() ? Grade::Passed : Grade::Failed;
    case EffectVerdict::Undecided:
        break;
    }
    return Grade::Undecided;
}

/// What other input says of a label can only be asked where a run says something of it.
Grade unlessOfWeights(HeadTypeId type, Grade grade) {
    return headType(type).from_weights ? Grade::NotAsked : grade;
}

/// The whole interval says that the label does not hold. Written so that NaN fails.
bool clearlyFails(const SetScore& set, double threshold) {
    return !(set.high >= threshold && set.high > set.baseline);
}

Grade transferGrade(const LabelTrust& label) {
    if (label.sets.size() < 2)
        return Grade::Untested;
    if (label.setsHeld() == label.sets.size())
        return Grade::Passed;
    const bool fails = std::ranges::any_of(
        label.sets, [&](const SetScore& set) { return clearlyFails(set, label.threshold); });
    return fails ? Grade::Failed : Grade::Undecided;
}

} // namespace

std::span<const TrustPart> trustParts() {
    return kParts;
}

std::span<const Grade> grades() {
    static constexpr std::array kGrades{Grade::Passed, Grade::Failed, Grade::Undecided,
                                        Grade::Untested, Grade::NotAsked};
    return kGrades;
}

std::span<const TrustWord> trustWords() {
    static constexpr std::array kWords{
        TrustWord::Cause,     TrustWord::Secondary, TrustWord::Correlate,  TrustWord::Interferer,
        TrustWord::Undecided, TrustWord::Untested,  TrustWord::Description};
    return kWords;
}

std::string_view trustPartName(TrustPart part) {
    return wordsOf(part).name;
}

std::string_view trustPartMeaning(TrustPart part) {
    return wordsOf(part).meaning;
}

std::string_view gradeName(Grade grade) {
    return nameOf(kGradeNames, grade);
}

std::string_view gradeMark(Grade grade) {
    return nameOf(kGradeMarks, grade);
}

std::string_view trustWordName(TrustWord word) {
    return nameOf(kWordNames, word);
}

std::string_view trustWordMeaning(TrustWord word) {
    return nameOf(kWordMeanings, word);
}

bool claimsCause(HeadTypeId type) {
    const TypeGroup group = headType(type).group;
    const bool says_what_could_be = // of ordinals, heads are ablated on what they speak of
        group == TypeGroup::Weights && headType(type).input != InputKind::Ordinals;
    return group != TypeGroup::Spread && !says_what_could_be && type != HeadTypeId::Sink &&
           type != HeadTypeId::Dormant && type != HeadTypeId::WritesNothing;
}

bool LabelTrust::holdsOn(const SetScore& set) const {
    return set.score >= threshold && set.low > set.baseline; // NaN fails
}

std::size_t LabelTrust::setsHeld() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(sets, [this](const SetScore& set) { return holdsOn(set); }));
}

const SetScore* LabelTrust::leastSet() const {
    const auto least = std::ranges::min_element(sets, [](const SetScore& a, const SetScore& b) {
        return std::isnan(b.score) ? false : std::isnan(a.score) || a.score < b.score;
    });
    return least == sets.end() ? nullptr : &*least;
}

Grade LabelTrust::grade(TrustPart part) const {
    switch (part) {
    case TrustPart::Pattern:
        return score.reaches(threshold) ? Grade::Passed : Grade::Failed;
    case TrustPart::Specific:
        return specificGrade(score);
    case TrustPart::Writes:
        if (writes_nothing)
            return Grade::Failed;
        return std::isnan(output) ? Grade::Untested : Grade::Passed;
    case TrustPart::Needed:
        return neededGrade(*this);
    case TrustPart::Transfers:
        return unlessOfWeights(score.type, transferGrade(*this));
    case TrustPart::Stable:
        break;
    }
    if (std::isnan(stable_share))
        return unlessOfWeights(score.type, Grade::Untested);
    return stable_share >= kStableFrom ? Grade::Passed : Grade::Failed;
}

TrustWord LabelTrust::word() const {
    if (!claimsCause(score.type))
        return TrustWord::Description;
    const Grade needed = grade(TrustPart::Needed);
    if (needed == Grade::Failed && effect->verdict() == EffectVerdict::Interferes)
        return TrustWord::Interferer;
    const Grade specific = grade(TrustPart::Specific);
    if (needed == Grade::Failed || specific == Grade::Failed ||
        grade(TrustPart::Writes) == Grade::Failed)
        return TrustWord::Correlate;
    if (needed == Grade::Untested)
        return TrustWord::Untested;
    if (needed == Grade::Undecided || specific == Grade::Undecided)
        return TrustWord::Undecided;
    return effect->verdict() == EffectVerdict::Needed ? TrustWord::Cause : TrustWord::Secondary;
}

} // namespace headscope
