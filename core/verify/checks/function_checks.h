#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/model.h"
#include "core/verify/checks/check.h"
#include "core/verify/function/trials.h"
#include "core/verify/verify.h"

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// Whether the file says what the model is: it must predict natural texts better than counts of
/// their tokens do, and none of the things that an export can have wrong may make it better.
/// Nothing of it applies to a model that cannot read the texts or predicts no tokens.
Result<std::vector<Check>> functionChecks(const std::shared_ptr<const Model>& model,
                                          const FunctionOptions& options = {},
                                          const Progress& progress = {},
                                          const std::stop_token& stop = {});

/// Whether a model's losses are surely below those of counts, by the means of passages; else it is
/// not verified. `counted_by`: "how often each token occurs".
Check predictionCheck(const std::string& counted_by, std::span<const double> model,
                      std::span<const double> counted);

/// One check for each kind: what was worse, what would be better, what could not be told.
/// `as_read`: the loss, nats; `predicts`: whether it is surely better than counts are, without
/// which being worse says nothing.
std::vector<Check> trialChecks(const std::vector<AlterationKind>& kinds,
                               const std::vector<Trial>& trials, double as_read, bool predicts);

} // namespace headscope
