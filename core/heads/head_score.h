#pragma once

#include "core/base/per_head.h"

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// In display order.
enum class HeadTypeId {
    Previous,
    Induction,
    Duplicate,
    Current,
    Sink,
    Dormant,
    WritesNothing,
    Next,
    Rare,
    SubjectVerb,
    VerbObject,
    Adverb,
    Coreference,
    WordClass,
    Punctuation,
    Quotation,
    Subword,
    Retrieval,
    NameMover,
    NegativeNameMover,
    SInhibition,
    DuplicateName,
    Copying,
    CopySuppression,
    Successor,
    CopyingWeights,
    PreviousWeights,
    InductionWeights,
    Positional,
    Local,
    LongRange,
    Diffuse,
};

/// A measured score with everything needed to judge it.
struct HeadScore {
    LayerHead head;
    HeadTypeId type = HeadTypeId::Previous;
    double score = 0.0;    ///< 0..1, of eigenvalues from −1; NaN: not defined here
    double baseline = 0.0; ///< of a head that attends evenly to all it sees
    double low = 0.0;      ///< 95 % interval over sequences (meanInterval)
    double high = 0.0;
    /// The second reading, which HeadType::variant names; NaN: not defined here.
    double variant = 0.0;
    /// The score on the bundled sentences, of types that are also read there
    /// (HeadType::also_on_sentences); NaN: not defined here.
    double on_sentences = std::numeric_limits<double>::quiet_NaN();
    /// The score on the control, of types that have one (HeadType::control); NaN: not measured.
    double control = std::numeric_limits<double>::quiet_NaN();
    /// The lower end of the 95 % interval of score − control, by sequence; NaN: not measured.
    double above_control = std::numeric_limits<double>::quiet_NaN();
    /// The probability of such a score or a larger one where the mean is the baseline (Student's t
    /// over sequences, one-sided); NaN for a single sequence and for weights.
    double p_value = std::numeric_limits<double>::quiet_NaN();

    /// Whether it is at or above the threshold, and its interval above the baseline; NaN is
    /// neither.
    bool reaches(double threshold) const { return score >= threshold && low > baseline; }
    /// 0 at the baseline, 1 at a perfect head.
    double aboveBaseline() const { return (score - baseline) / (1.0 - baseline); }
};

/// What a control says of one head (HeadScore::control and above_control).
struct ControlScore {
    double score = std::numeric_limits<double>::quiet_NaN();
    double above = std::numeric_limits<double>::quiet_NaN();
};

/// What a score was measured on.
struct MeasuredOn {
    std::string input;         ///< "10 random sequences of 50 tokens, repeated, seed 0"
    std::string bos;           ///< "with BOS (id 0)", "without BOS"; of weights what was folded
    std::size_t sequences = 0; ///< one: there is no interval, low = high = score

    bool operator==(const MeasuredOn&) const = default;
};

/// Whether heads can be named by their scores.
enum class Naming {
    Possible,
    WeightsAlone, ///< no: they say what heads could do, and not what they do in a run
    OneText,      ///< no: another text may say otherwise
};

/// The scores of all heads of one model.
struct HeadScores {
    HeadIndex heads;
    std::vector<HeadTypeId> types;
    std::vector<HeadScore> scores;       ///< by type, then as in `heads`
    std::vector<MeasuredOn> measured_on; ///< one per type
    /// Why types that are not among these could not be read; a sentence each.
    std::map<HeadTypeId, std::string> unread;

    /// Whether this type was looked for: networks of this kind have such heads, and there is
    /// something to read it from.
    bool has(HeadTypeId type) const;
    /// Where it is not possible, no head has a label.
    Naming naming() const;
    const HeadScore& at(HeadTypeId type, LayerHead head) const;
    const MeasuredOn& measuredOn(HeadTypeId type) const;
    /// Each input of these types once, in their order.
    std::vector<MeasuredOn> inputsOf(const std::vector<HeadTypeId>& of_types) const;
    /// Takes the scores of one type from those of the same heads on other input.
    /// Types stay in display order.
    void take(HeadTypeId type, const HeadScores& from);
    /// Takes the scores of one type on other input as that on sentences.
    void takeOnSentences(HeadTypeId type, const HeadScores& from);

    /// What a control showed of one type, by head.
    void takeControl(HeadTypeId type, const PerHead<ControlScore>& controls);

private:
    std::size_t indexOf(HeadTypeId type) const;
};

/// The types with these keys, and those that their labels ask for besides (HeadType::together_with
/// and acts_on); each once. Unknown keys are passed over.
std::vector<HeadTypeId> typesOf(std::span<const std::string> keys);

/// The scores of the types with these keys, and of those that their labels ask for besides, as far
/// as they are there.
HeadScores onlyTypes(const HeadScores& scores, std::span<const std::string> keys);

/// Thresholds that the user may move; those of HeadType::threshold for all others.
class Thresholds {
public:
    double of(HeadTypeId type) const;
    void set(HeadTypeId type, double threshold);

    bool operator==(const Thresholds&) const = default;

private:
    std::map<HeadTypeId, double> moved_; ///< those that differ from the default
};

/// The types of one head, where naming is possible: scores at or above their threshold whose
/// interval is above the baseline, and above the control where one was measured, of types with
/// HeadType::together_with only where that type counts too, of types with HeadType::acts_on only
/// where a head of a later layer has that type. What it looks for comes before how it spreads, the
/// strongest first.
std::vector<HeadTypeId> labels(const HeadScores& scores, LayerHead head,
                               const Thresholds& thresholds);

/// For a head without labels, the type whose score has come furthest on its way from the baseline
/// to the threshold. Nothing where no score is above its baseline.
std::optional<HeadTypeId> nearestType(const HeadScores& scores, LayerHead head,
                                      const Thresholds& thresholds);

/// The share of all heads that put more than `epsilon` of their attention on position 0 (Gu et al.
/// 2024, who count row 0 too, which sees nothing else). NaN where sinks were not looked for.
double sinkShare(const HeadScores& scores, double epsilon = 0.3);

} // namespace headscope
