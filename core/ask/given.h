#pragma once

#include "core/ask/analysis.h"
#include "core/ask/asked.h"
#include "core/base/result.h"
#include "core/engine/head_mask.h"
#include "core/interventions/metric_words.h"
#include "core/model/model.h"
#include "core/model/prompt.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

// What a user gives, read for a model. Each fails as what it calls does.

/// One of bosChoices(); anything else is auto.
BosMode bosNamed(std::string_view name);

using ReadText = Result<Prompt> (*)(const Model& model, std::string_view text, BosMode bos);

/// `read_text` is tokensOfText() where the prompt may be empty.
Result<Prompt> readPrompt(const Model& model, const GivenPrompt& given, BosMode bos,
                          ReadText read_text = promptFromText);
Result<std::vector<Prompt>> readPrompts(const Model& model, std::span<const GivenPrompt> given,
                                        BosMode bos);
/// What they are, for a caption: promptsNote().
std::string promptsNote(std::span<const GivenPrompt> given);

/// Heads such as "4.1,4.2", and one of ablationChoices().
Result<HeadMask> readMask(const std::string& heads, std::string_view ablation,
                          const ModelSpec& spec);

/// The metric of ParameterType::Metric.
MetricWords metricWordsOf(const Asked& asked);
/// Whether its tokens are named by ids, or those of one of the parameters `others`.
bool namesIds(const Asked& asked, const std::vector<std::string>& others = {});
/// What cannot be asked of it.
std::vector<Rule> metricRules();

} // namespace headscope
