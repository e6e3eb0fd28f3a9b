#pragma once

#include "core/base/per_head.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/model.h"

#include <memory>
#include <stop_token>

namespace headscope {

/// How much a head is of some type that says which positions or words it looks for or what it does
/// in a task, on the input that types are defined by: above 1 for heads that have such a type, by
/// their strongest score. The least goes first.
Result<PerHead<double>> typeScores(const std::shared_ptr<const Model>& model,
                                   const Progress& progress, const std::stop_token& stop);

} // namespace headscope
