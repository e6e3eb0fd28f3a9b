#pragma once

#include "core/ask/analysis.h"
#include "core/ask/given.h"
#include "core/base/result.h"
#include "core/base/table.h"
#include "core/engine/head_mask.h"
#include "core/interventions/metric.h"
#include "core/model/prompt.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope {

// What is asked, read for the model of the question (given.h).

BosMode bosOf(const Asked& asked);

/// Of ParameterType::Prompt.
Result<Prompt> promptOf(const Asking& asking);
/// Of ParameterType::Prompts.
Result<std::vector<Prompt>> promptsOf(const Asking& asking);

struct ComparedPrompts {
    Prompt clean;
    Prompt corrupted;
    Metric metric; ///< of the clean one
};
/// Of ParameterType::PromptPair and Metric.
Result<ComparedPrompts> comparedPromptsOf(const Asking& asking);

/// Of ParameterType::Ablation.
Result<HeadMask> maskOf(const Asking& asking);

/// A run that is asked about, and what is noted with it.
struct AskedRun {
    Prompt prompt;
    HeadMask ablated;
    Provenance provenance;
};
/// Of ParameterType::Prompt and Ablation.
Result<AskedRun> runOf(const Asking& asking);

/// Nothing where the parameter is not there.
Result<std::optional<TokenId>> tokenOf(const Asking& asking, const std::string& key);

} // namespace headscope
