#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/engine/head_mask.h"
#include "core/heads/bootstrap.h"
#include "core/heads/head_score.h"
#include "core/heads/head_type.h"
#include "core/heads/input_sequence.h"
#include "core/heads/score_heads.h"
#include "core/interventions/effect_verdict.h"
#include "core/model/model.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// What replaces z of an ablated head.
struct ReplacedBy {
    AblationKind kind = AblationKind::Mean;
    bool preserve_patterns = false; ///< SweepQuestion

    bool operator==(const ReplacedBy&) const = default;
};

/// By the name that users give it: mean, zero, resample or pattern-preserving.
ReplacedBy replacedByNamed(std::string_view name);

/// Whether the network needs a head for the sequences its types are read from: what is lost when it
/// is ablated, beside what is lost when other heads near it are.
struct AblationEffectQuestion {
    LayerHead head;
    InputKind input = InputKind::Repeats; ///< what its types are read from
    AblationKind kind = AblationKind::Mean;
    bool preserve_patterns = false;
    /// Never drawn as others: heads of the same type, which may make up for one another.
    std::vector<LayerHead> same_type = {};
    std::size_t others = 10;
    std::uint64_t seed = 0;
    std::vector<HeadTypeId> labels = {};               ///< of the head, that this input is for
    std::optional<double> least_effect = std::nullopt; ///< nats; nothing: leastEffect()
    std::size_t most_sequences = 80;                   ///< drawn while the verdict is undecided
    /// Also look for heads that make up for it: two runs more for each head of its layer and of
    /// later ones.
    bool backups = false;

    ReplacedBy replacement() const { return {kind, preserve_patterns}; }
};

/// What is compared.
enum class EffectMeasure {
    SecondCopyLoss, ///< of what a repeat makes predictable: every later token of the second copy
    NameLogits,     ///< logit of S − logit of IO at the end of an indirect-object prompt
    Loss,           ///< mean next-token loss
    Kl,             ///< from the whole network, where no next token is predicted
};

/// "loss on the second copy", "logit of S less that of IO", "loss", "KL from the whole model"
std::string_view effectMeasureName(EffectMeasure measure);

/// What ablating heads changes. Values are means over the sequences, in nats (logits have the same
/// unit). Intervals are Student's t. A verdict that is looked for several times, with more
/// sequences each time, would be wrong too often: 95 % hold for all looks together (Bonferroni),
/// and one look has 1 − 0.05/looks.
struct EffectReading {
    EffectMeasure measure = EffectMeasure::Loss;
    std::size_t sequences = 0; ///< that were used
    double full = 0.0;
    double least = 0.01;     ///< the least effect that counts
    double difference = 0.0; ///< with the heads ablated − full: above 0, they help
    Interval interval;       ///< 95 %, of the difference; NaN for a single sequence
};

struct AblationEffect : EffectReading {
    struct Other {
        LayerHead head;
        double difference = 0.0;
    };
    /// The head with something else in its place.
    struct Replaced {
        ReplacedBy by;
        std::size_t sequences = 0; ///< without those that have no other of the same length
        double difference = 0.0;
        Interval interval; ///< 95 %
    };
    /// A head whose own effect is larger while the head in question is ablated.
    struct Backup {
        LayerHead head;
        double alone = 0.0; ///< what ablating it costs in the whole network
        /// What it costs beside the ablated head, less `alone`.
        double growth = 0.0;
        Interval interval; ///< of the growth, 95 % for all candidates together (Bonferroni)
    };

    AblationEffectQuestion question;
    std::vector<Other> others;      ///< the least loss first
    std::vector<Replaced> replaced; ///< by what the question does not ask for
    std::vector<Backup> backups;    ///< the largest growth first
    std::size_t backups_tried = 0;  ///< candidates; 0: nobody asked, or of fewer than two sequences

    /// How many of the others cost less than the head.
    std::size_t above() const;
    /// Needed asks for more than what three of four others cost. More would be too much to ask:
    /// others near it may be parts of the same circuit.
    EffectVerdict verdict() const;
    /// Whether all figures are on one side of what the verdict compares them with.
    bool isDecided() const;
    /// The replacements, that of the question first, which raise (or lower) the measured value by
    /// at least the least effect.
    std::vector<Replaced> rising() const;
    std::vector<Replaced> falling() const;
    bool signsDiffer() const { return !rising().empty() && !falling().empty(); }
    /// Another replacement has such an effect, and that of the question has none or the opposite.
    bool replacementsDiffer() const;

private:
    std::vector<Replaced> onSide(EffectSide side) const;
};

/// What a head is ablated on. `first` sequences are looked at first, then twice as many, and so on,
/// until the verdict is clear; 0: all at once.
struct EffectInput {
    std::vector<InputSequence> sequences;
    std::size_t first = 0;
};

/// The questions about a head whose types are known by these scores, one for each input that its
/// labels are read from, in the order of its labels; a head without labels is tested on repeats.
/// Heads that share a label of the question with it are not compared with it; a label that says how
/// attention is spread, or what weights could do, counts only where there is no other.
std::vector<AblationEffectQuestion> effectQuestions(const HeadScores& scores, LayerHead head,
                                                    const Thresholds& thresholds = {});
/// The same for sequences of the user, which all labels were read from: one question.
AblationEffectQuestion effectQuestion(const HeadScores& scores, LayerHead head,
                                      const Thresholds& thresholds = {});

/// What a head is ablated on whose type is read from `input`, at most `most` sequences: of
/// sentences one in five first; repeats for types that are read from weights, and where the model
/// cannot read the input. Fails as repeatedRandomSequences() does, and with ErrorCode::Cancelled on
/// a stop request.
Result<EffectInput> effectSequences(const std::shared_ptr<const Model>& model, InputKind input,
                                    const RepeatOptions& options = {}, std::size_t most = 80,
                                    const std::stop_token& stop = {});

/// Others are drawn from the head's own layer, and where that has too few, from the nearest layers;
/// fewer than asked for when the network has no more. The head alone is then replaced by zero, mean
/// and resample, too. Resample takes each sequence's z from the next one of the same length, and
/// leaves out sequences that have none.
/// Fails as sweepHeads() does, without sequences, for a least effect below 0, and for Resample when
/// no sequence has another of its length; ErrorCode::Cancelled on a stop request.
Result<AblationEffect> ablationEffect(const std::shared_ptr<const Model>& model,
                                      const EffectInput& input,
                                      const AblationEffectQuestion& question,
                                      const Progress& progress = {},
                                      const std::stop_token& stop = {});

/// Called with the effect of each head as soon as it is measured.
using PublishEffect = std::function<void(const AblationEffect&)>;

/// The effects of several heads, one after another: of each on `sequences`, or where there are none
/// on what its input gives with `options`. Fails as effectSequences() and ablationEffect() do.
Result<std::vector<AblationEffect>>
ablationEffects(const std::shared_ptr<const Model>& model,
                std::span<const AblationEffectQuestion> questions,
                const std::vector<InputSequence>& sequences, const RepeatOptions& options = {},
                const Progress& progress = {}, const std::stop_token& stop = {},
                const PublishEffect& publish = {});

/// "Needed: ablating it by mean raises the loss on the second copy by 1.930 nats (95 % 1.710 to
/// 2.150, 10 sequences), more than 10 of 10 other heads near it."; further sentences where
/// replacements differ in sign, and about backups.
std::string ablationEffectText(const AblationEffect& result);

/// "head 4.1 (induction copying)", "head 4.1 (no type)"
std::string effectTitle(const AblationEffectQuestion& question);

/// "mean", "zero", "resample", "pattern-preserving"
std::string replacementName(const ReplacedBy& replacement);

/// The effect of ablating a head whose types are still to be found.
struct HeadEffectQuestion {
    LayerHead head;
    ReplacedBy by = {};
    std::size_t others = 10;                           ///< AblationEffectQuestion
    std::vector<InputSequence> sequences = {};         ///< empty: what its types are read from
    RepeatOptions repeats = {};                        ///< whose seed also draws the others
    std::optional<double> least_effect = std::nullopt; ///< AblationEffectQuestion
    std::size_t most_sequences = 80;                   ///< likewise
    bool backups = false;                              ///< likewise
};

struct HeadEffect {
    HeadScores scores;                   ///< of all heads, on the same sequences
    std::vector<AblationEffect> effects; ///< one for each input of its labels
};

/// Scores all heads, so that heads of its type are no comparison, and measures the effect of this
/// one. Fails as scoreHeads(), scoreSequences() and ablationEffects() do.
Result<HeadEffect> headEffect(const std::shared_ptr<const Model>& model,
                              const HeadEffectQuestion& question, const Progress& progress = {},
                              const std::stop_token& stop = {});

} // namespace headscope
