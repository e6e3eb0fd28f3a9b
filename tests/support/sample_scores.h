#pragma once

#include "core/heads/score_heads.h"

#include <memory>

namespace headscope::test {

/// scoreHeads(), which scores each sample model once for all processes of one build of a runner:
/// tests open the same few again and again, and this takes longer than all else they do. What was
/// found is kept in the folder of the runner.
Result<HeadScores> scoreSamplesOnce(const std::shared_ptr<const Model>& model,
                                    const RepeatOptions& options, const Progress& progress,
                                    const std::stop_token& stop, const PartialScores& partial);

} // namespace headscope::test
