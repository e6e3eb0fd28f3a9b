#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/heads/head_score.h"
#include "core/heads/sequences.h"
#include "core/model/model.h"
#include "core/model/prompt.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// Shown the scores that are there after each input; those still to come are not defined.
using PartialScores = std::function<void(const HeadScores&)>;

/// Scores all heads, each type on what it is defined by (HeadType::input): repeated random tokens,
/// the bundled sentences, the indirect-object task, the weights. An input that this model cannot
/// read leaves its types undefined, with the reason in HeadScores::unread, except Spread types,
/// which are then read from repeats. A model that cannot be run has the types that are read from
/// its weights; fails with why it cannot where there is none.
Result<HeadScores> scoreHeads(const std::shared_ptr<const Model>& model,
                              const RepeatOptions& options = {}, const Progress& progress = {},
                              const std::stop_token& stop = {}, const PartialScores& partial = {});

/// scoreHeads() for some types; what none of them is defined by is not run. No types: all.
Result<HeadScores> scoreTypes(const std::shared_ptr<const Model>& model,
                              std::span<const HeadTypeId> types, const RepeatOptions& options = {},
                              const Progress& progress = {}, const std::stop_token& stop = {});

/// Scores all heads by the types that are read from weights. Those that are not defined for this
/// network are left out, with the reason in HeadScores::unread, and so are all types where
/// something between the residual stream and the heads cannot be folded into them
/// (FoldedWeights::exact). Fails with ErrorCode::Cancelled on a stop request.
Result<HeadScores> scoreWeights(const std::shared_ptr<const Model>& model,
                                const Progress& progress = {}, const std::stop_token& stop = {});

} // namespace headscope
