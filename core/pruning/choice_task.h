#pragma once

#include "core/base/result.h"
#include "core/model/model.h"
#include "core/pruning/measure/judge.h"
#include "core/pruning/passages.h"

#include <span>
#include <string_view>

namespace headscope {

/// Tasks in which a network chooses between two next tokens.
enum class ChoiceTaskKind {
    IndirectObject, ///< Mary or John: core/datasets/indirect_object.h
    Agreement,      ///< "was" or "were": core/datasets/agreement_pairs.h
};
std::span<const ChoiceTaskKind> choiceTaskKinds();

/// "indirect_object", "verb_agreement"
std::string_view choiceTaskKey(ChoiceTaskKind kind);

/// What a network makes of a task.
struct ChoiceReading {
    ChoiceTaskKind kind{};
    double right = 0.0; ///< share of the prompts in which the right token is likelier; chance: ½
    double difference = 0.0; ///< mean logit of the right token less that of the wrong one, nats
};

/// A network does a task from here on; others are not measured, because nothing can be lost.
inline constexpr double kDoesTask = 0.6;

/// The prompts of a task as passages, each of which ends with two targets: the right token, and the
/// wrong one. Empty where the model cannot be asked: it reads to both sides, has no tokenizer, or
/// its tokenizer has too few of the words as one token.
PassageSet choicePassages(const Model& model, ChoiceTaskKind kind);

/// What the readings of these passages say of the task.
ChoiceReading choiceReading(ChoiceTaskKind kind, const TargetReadings& readings);

} // namespace headscope
