#pragma once

#include "core/ask/analysis.h"
#include "core/base/result.h"
#include "core/engine/head_mask.h"
#include "core/interventions/metric.h"
#include "core/interventions/metric_words.h"
#include "core/model/prompt.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope {

// The groups of parameters, read for a model. They fail as what they call does.

/// Of ParameterType::Prompt.
Result<Prompt> promptOf(const Asking& asking);
/// Of ParameterType::Prompts.
Result<std::vector<Prompt>> promptsOf(const Asking& asking);
/// What the prompts are, for a caption: promptsNote().
std::string promptsNoteOf(const Asked& asked);

struct CleanAndCorrupted {
    Prompt clean;
    Prompt corrupted;
};
/// Of ParameterType::PromptPair.
Result<CleanAndCorrupted> pairOf(const Asking& asking);

BosMode bosOf(const Asked& asked);

/// Of ParameterType::Metric.
MetricWords metricWordsOf(const Asked& asked);
Result<Metric> metricOf(const Asking& asking, const TokenIds& prompt);
/// Whether the tokens of the metric, or one of `others`, are named by ids.
bool namesIds(const Asked& asked, const std::vector<std::string>& others = {});
/// The rules of that group.
std::vector<Rule> metricRules();

/// Of ParameterType::Ablation.
Result<HeadMask> maskOf(const Asking& asking);

/// Nothing where the parameter is not there.
Result<std::optional<TokenId>> tokenOf(const Asking& asking, const std::string& key);

} // namespace headscope
