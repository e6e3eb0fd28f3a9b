#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/engine/head_mask.h"
#include "core/heads/bootstrap.h"
#include "core/heads/head_score.h"
#include "core/heads/head_type.h"
#include "core/heads/input_sequence.h"
#include "core/heads/score_heads.h"
#include "core/model/model.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Whether a head matters for the sequences its type is read from: what is lost when it is ablated,
/// beside what is lost when other heads near it are.
struct AblationEffectQuestion {
    LayerHead head;
    InputKind input = InputKind::Repeats; ///< what its type is read from
    AblationKind kind = AblationKind::Mean;
    bool preserve_patterns = false;
    /// Never drawn as others: heads of the same type, which may stand in for one another.
    std::vector<LayerHead> same_type = {};
    std::size_t others = 10;
    std::uint64_t seed = 0;
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

/// Values are means over the sequences, in nats (logits have the same unit).
struct AblationEffect {
    struct Other {
        LayerHead head;
        double difference = 0.0;
    };

    AblationEffectQuestion question;
    EffectMeasure measure = EffectMeasure::Loss;
    std::size_t sequences = 0;
    double full = 0.0;
    double difference = 0.0;   ///< with the head ablated − full: above 0, it helps
    Interval interval;         ///< 95 %, of the difference, over the sequences
    std::vector<Other> others; ///< the least loss first

    /// How many of the others cost less than the head.
    std::size_t above() const;
    /// The interval lies above 0 and above what three of four others cost. More would be too much
    /// to ask: others near it may be parts of the same circuit.
    bool hasEffect() const;
};

/// The question about a head whose types are known by these scores: heads that share a type with it
/// are not compared with it, and its input is that of its first type.
AblationEffectQuestion effectQuestion(const HeadScores& scores, LayerHead head,
                                      const Thresholds& thresholds = {});

/// What a head is ablated on whose type is read from `input`: of sentences one in five; repeats for
/// types that are read from weights, and where the model cannot read the input. Fails as
/// repeatedRandomSequences() does, and with ErrorCode::Cancelled on a stop request.
Result<std::vector<InputSequence>> effectSequences(const std::shared_ptr<const Model>& model,
                                                   InputKind input,
                                                   const RepeatOptions& options = {},
                                                   const std::stop_token& stop = {});

/// Others are drawn from the head's own layer, and where that has too few, from the nearest layers;
/// fewer than asked for when the network has no more. Resample takes each sequence's z from the
/// next one, which must be of the same length.
/// Fails as sweepHeads() does and without sequences; ErrorCode::Cancelled on a stop request.
Result<AblationEffect> ablationEffect(const std::shared_ptr<const Model>& model,
                                      std::span<const InputSequence> sequences,
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

/// "ablating it changes the loss by 1.930 nats (95 % 1.710 to 2.150), more than 10 of 10 other
/// heads near it"
std::string ablationEffectText(const AblationEffect& result);

/// The effect of ablating a head whose types are still to be found.
struct HeadEffectQuestion {
    LayerHead head;
    AblationKind kind = AblationKind::Mean;
    bool preserve_patterns = false;            ///< AblationEffectQuestion
    std::size_t others = 10;                   ///< likewise
    std::vector<InputSequence> sequences = {}; ///< empty: what its first type is read from
    RepeatOptions repeats = {};                ///< whose seed also draws the others
};

/// What stands in, by the name that users give it: mean, zero, resample or pattern-preserving.
void chooseEffectKind(HeadEffectQuestion& question, std::string_view name);

struct HeadEffect {
    HeadScores scores; ///< of all heads, on the same sequences
    AblationEffect effect;
};

/// Scores all heads, so that heads of its type are no comparison, and measures the effect of this
/// one. Fails as scoreHeads(), scoreSequences() and ablationEffects() do.
Result<HeadEffect> headEffect(const std::shared_ptr<const Model>& model,
                              const HeadEffectQuestion& question, const Progress& progress = {},
                              const std::stop_token& stop = {});

} // namespace headscope
