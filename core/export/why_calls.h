#pragma once

#include "core/attribution/score_parts.h"
#include "core/attribution/score_trace.h"
#include "core/base/result.h"
#include "core/engine/head_mask.h"
#include "core/export/call.h"
#include "core/interventions/part_removal.h"
#include "core/model/prompt.h"

#include <cstddef>
#include <optional>

namespace headscope {

/// A run and the cell of it that is explained.
struct ExplainedCell {
    const LoadedModel& loaded;
    const Prompt& prompt;
    const HeadMask& mask;
    const ScoreQuestion& cell;
};

// Calls that give the same numbers again. They fail for heads that are ablated in ways no command
// has a word for.

/// What each side reads, and the pairs of both.
Result<Call> scorePartsCall(const ExplainedCell& explained);
/// Along the singular directions of the head; the first `worded` of them with words.
Result<Call> scoreSignalsCall(const ExplainedCell& explained, std::size_t worded);
/// By dimension of the head, or with `all_keys` the same of every key that the query sees.
Result<Call> scoreDimensionsCall(const ExplainedCell& explained, bool all_keys);
/// Which tokens the weight depends on. Fails where heads are ablated.
Result<Call> weightTokensCall(const ExplainedCell& explained);
/// The graph that goes back from the cell; `trace.root` is that cell.
Result<Call> traceCall(const ExplainedCell& explained, const TraceQuestion& trace);

/// What is left without a part; `rank`, from 1, where the part is a singular direction. Fails for
/// other random directions than a command draws.
Result<Call> removalCall(const ExplainedCell& explained, const RemovalQuestion& question,
                         std::optional<std::size_t> rank);

} // namespace headscope
