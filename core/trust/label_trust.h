#pragma once

#include "core/base/layer_head.h"
#include "core/heads/head_score.h"
#include "core/heads/head_type.h"
#include "core/interventions/ablation_effect.h"
#include "core/interventions/effect_beside.h"

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// What is asked of a label, in display order.
enum class TrustPart {
    Pattern,   ///< its score counts
    Specific,  ///< the score is above that of a control that the type does not explain
    Writes,    ///< the head writes something
    Needed,    ///< the network needs the head for what the label is about
    Transfers, ///< it holds on other input of the same kind
    Stable,    ///< it does not depend on the sequences, seeds and periods drawn
};

enum class Grade {
    Passed,
    Failed,
    Undecided, ///< measured, and the interval holds both answers
    Untested,  ///< not measured
    NotAsked,  ///< the label does not claim this
};

/// What all grades of a label together say.
enum class TrustWord {
    Cause,       ///< the network needs the head, and nothing says that it is for something else
    Secondary,   ///< likewise, but not clearly more than heads near it, or others make up for it
    Correlate,   ///< only the pattern is there
    Interferer,  ///< the network does better without the head
    Undecided,   ///< the head was ablated, and too little is known
    Untested,    ///< the head was not ablated
    Description, ///< the label claims no cause
};

std::span<const TrustPart> trustParts();
std::span<const Grade> grades();
std::span<const TrustWord> trustWords();
/// "pattern", "specific", "writes", "needed", "transfers", "stable"
std::string_view trustPartName(TrustPart part);
/// One sentence: what the part asks.
std::string_view trustPartMeaning(TrustPart part);
/// "passed", "failed", "undecided", "untested", "not asked"
std::string_view gradeName(Grade grade);
/// "●", "○", "◐", "·", "–"
std::string_view gradeMark(Grade grade);
/// "cause", "secondary", "correlate: pattern only", "interferer", "undecided", "untested",
/// "description"
std::string_view trustWordName(TrustWord word);
/// One sentence for people.
std::string_view trustWordMeaning(TrustWord word);

/// Whether a label of this type says what a head does in the network. Those of how attention is
/// spread, of what weights could do, wherever the head looks, and of heads that rest or write
/// little do not; those of successors do, because there is input on which they matter.
bool claimsCause(HeadTypeId type);

/// A label on one set of other input.
struct SetScore {
    std::string set; ///< "tokens of the upper half of the vocabulary"
    std::size_t sequences = 0;
    double score = 0.0;
    double baseline = 0.0;
    double low = 0.0; ///< 95 % interval, as of HeadScore
    double high = 0.0;

    bool operator==(const SetScore&) const = default;
};

/// What is known of one label beyond its pattern, as figures; the grades follow from them.
struct LabelTrust {
    HeadScore score; ///< with head, type and control
    double threshold = 0.0;
    /// ‖z W_O‖ relative to the mean of the layer's heads, at most 1; NaN: not measured.
    double output = std::numeric_limits<double>::quiet_NaN();
    bool writes_nothing = false;
    /// The effect of ablating the head on what the type is read from; nothing: not measured.
    std::optional<AblationEffect> effect = std::nullopt;
    /// Where that found no effect: the same with all other heads of this label ablated, too.
    std::optional<EffectBeside> beside = std::nullopt;
    std::vector<SetScore> sets = {}; ///< empty: not measured
    /// The share of resamples, seeds and periods in which the label holds; NaN: not measured.
    double stable_share = std::numeric_limits<double>::quiet_NaN();
    std::size_t resamples = 0;

    Grade grade(TrustPart part) const;
    TrustWord word() const;

    bool holdsOn(const SetScore& set) const;
    /// On how many sets the label holds.
    std::size_t setsHeld() const;
    /// The set with the lowest score; null if no set was read.
    const SetScore* leastSet() const;
};

/// What one part says of a label, as one sentence with its figures: "Its score is 0.62 on shuffled
/// tokens, and 0.91 as measured (difference at least 0.21)."
std::string trustSentence(const LabelTrust& label, TrustPart part);

/// "pattern ● specific ● writes ● needed ● transfers ● stable ○"
std::string trustLine(const LabelTrust& label);

} // namespace headscope
