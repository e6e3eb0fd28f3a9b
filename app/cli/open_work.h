#pragma once

#include "app/cli/model_option.h"
#include "app/cli/work.h"

#include <string>
#include <vector>

namespace headscope::cli {

/// Reads a plan of this command. Fails for one of another.
Result<WorkPlan> readPlan(const std::string& path, const std::string& command);

/// Asks `work`, whose options were read, and writes down what its question comes to.
Result<WorkPlan> makePlan(Work& work, const std::string& command, const ModelChoice& model,
                          std::vector<std::string> words);

/// Asks `work` the question of a plan again: its model and its files must be what they were, and
/// the units must come out as they stand there. `model_path` is where the model lies on this
/// machine; empty: where the plan says.
Result<void> openWork(Work& work, const WorkPlan& plan, const std::string& plan_path,
                      const std::string& model_path);

} // namespace headscope::cli
