#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/model.h"
#include "core/verify/checks/check.h"
#include "core/verify/function/trials.h"

#include <memory>
#include <stop_token>
#include <vector>

namespace headscope {

/// Whether the file says what the model is: it must predict natural texts better than counts of
/// their tokens do, and none of the things that an export can have wrong may make it better.
/// Nothing of it applies to a model that cannot read the texts or predicts no tokens.
Result<std::vector<Check>> functionChecks(const std::shared_ptr<const Model>& model,
                                          const Progress& progress = {},
                                          const std::stop_token& stop = {});

/// "Predicts better than …": by the means of passages.
Check predictionCheck(std::string name, std::span<const double> model,
                      std::span<const double> counted, const std::string& explanation);

/// Of each kind: what was worse, what would be better, what could not be told.
std::vector<Check> trialChecks(const TrialResults& results);

} // namespace headscope
