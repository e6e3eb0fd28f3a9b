#pragma once

#include "app/cli/output_options.h"
#include "app/cli/work.h"
#include "core/heads/head_score.h"

#include <memory>
#include <string>
#include <vector>

namespace headscope::cli {

/// Prints or writes the scores; `types`: keys of those that are shown, all where there are none.
Result<void> deliverScores(const TableOptions& options, const HeadScores& scores,
                           const std::vector<std::string>& types, const Model& model);

/// The scores of heads on sequences of the user's own, some of them a unit.
std::unique_ptr<Work> makeHeadsWork();

} // namespace headscope::cli
