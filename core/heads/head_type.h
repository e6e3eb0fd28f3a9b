#pragma once

#include "core/base/per_head.h"
#include "core/base/result.h"
#include "core/heads/head_score.h"
#include "core/heads/input_sequence.h"
#include "core/heads/meters/meter.h"
#include "core/model/model.h"

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

class WeightEvidence;

/// What a type says of a head; a head is first called by what it looks for.
enum class TypeGroup {
    Position, ///< which positions it looks for, or that it looks for none
    Words,    ///< which words it looks for
    Task,     ///< what it does in the indirect-object task
    Weights,  ///< what its weights do, wherever it looks
    Spread,   ///< how its attention is spread
};

/// What the scores are measured on unless the user gives a text.
enum class InputKind {
    Repeats,   ///< random tokens, repeated
    Distinct,  ///< random tokens, none of them twice
    Sentences, ///< the bundled ones; of Spread types random tokens where there is no tokenizer
    Names,     ///< prompts of the indirect-object task
    Weights,   ///< nothing is run
    Needles,   ///< sentences that come in a text and once more at its end
    Ordinals,  ///< words that follow one another in a fixed order, one at a time
};

/// What the weights say of one head.
struct WeightReading {
    double score = 0.0; ///< NaN: not defined
    double baseline = 0.0;
    double variant = 0.0;
};

/// The sequence on which a control is read.
enum class ControlInput {
    Same,
    /// The same tokens in random order; of a repeat only those of the second copy, so that nothing
    /// repeats.
    Shuffled,
    /// An indirect-object prompt with three different names, none of which comes twice.
    ThreeNames,
    /// The sentence that comes again has its tokens in random order where it comes first.
    ShuffledNeedle,
};

/// A counterfactual: what heads look for in a type is not there, and the type is read at the same
/// places. A head whose score is no larger than there does not look for it.
struct Control {
    std::string_view
        what; ///< what was changed, as it follows "score" in a sentence: "in random order"
    ControlInput input;
    /// What is read there, from the unchanged sequence; null: as HeadType::meter.
    std::unique_ptr<Meter> (*meter)(const std::shared_ptr<const Model>& model,
                                    const InputSequence& sequence) = nullptr;
    /// What the 95 % interval of score − control must begin at (ours): with norms, a head that
    /// looks a fixed distance back shows a hundredth more where tokens repeat than where they do
    /// not.
    double least_above = 0.05;
};

/// How a type is read from what the meter of another type found.
struct ReadFrom {
    HeadTypeId type;
    Reading (*reading)(const Reading& of_type);
};

/// A head type that is recognised by where attention goes, or by what the weights do.
struct HeadType {
    HeadTypeId id;
    TypeGroup group;
    InputKind input;
    std::string_view key;     ///< "induction": in files and on the command line
    std::string_view name;    ///< "Induction"
    char letter;              ///< in the grid
    std::string_view summary; ///< one sentence for people
    std::string_view formula; ///< with its source; "ours" where nobody has published one
    std::string_view variant; ///< what HeadScore::variant is, "from row 2 on"
    double threshold;         ///< the type counts from this score on, unless the user moves it
    /// For types that are read from weights alone: the behaviour that must count as well before a
    /// head is called by this type. Weights say what a head could do, a run says whether it does.
    std::optional<HeadTypeId> together_with = std::nullopt;
    /// For types that act on heads of another type: they count only in a layer before the last head
    /// of that type, because what is written later cannot reach it.
    std::optional<HeadTypeId> acts_on = std::nullopt;
    /// Read on the bundled sentences too (HeadScore::on_sentences): random tokens overstate what a
    /// head does that has nothing else to look at.
    bool also_on_sentences = false;
    /// HeadScore::variant is the offset k − q in tokens, negative where the key comes before the
    /// query. It is part of the head's label (scoreName()), and not defined where sequences differ.
    bool variant_is_offset = false;
    bool looks_ahead = false; ///< causal networks have no such heads
    /// What reads the score off a run of this sequence; null when the sequence, or a network of
    /// this kind, has nothing to read it from. No function for types that are read from weights or
    /// from another type.
    std::unique_ptr<Meter> (*meter)(const std::shared_ptr<const Model>& model,
                                    const InputSequence& sequence) = nullptr;
    /// For types that are read from weights: reads all heads. Fails for networks where this is not
    /// defined, and with ErrorCode::Cancelled on a stop request.
    Result<PerHead<WeightReading>> (*from_weights)(WeightEvidence& evidence,
                                                   const std::stop_token& stop) = nullptr;
    std::optional<ReadFrom> read_from = std::nullopt;
    /// Where a perfect head would look: the same keys that the meter reads. Null for a type that
    /// names none, an empty function where the sequence has nothing to name them by.
    Targets (*targets)(const ModelSpec& spec, const InputSequence& sequence) = nullptr;
    /// None: the type claims nothing of what heads look for, or its baseline is a control.
    std::optional<Control> control = std::nullopt;
};

/// All types in display order.
std::span<const HeadType> headTypes();
const HeadType& headType(HeadTypeId id);
/// The name of its type; with the offset, of types that have one: "Positional −3".
std::string scoreName(const HeadScore& score);
/// Nothing for an unknown key.
std::optional<HeadTypeId> headTypeByKey(std::string_view key);

} // namespace headscope
