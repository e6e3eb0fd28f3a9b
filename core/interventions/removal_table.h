#pragma once

#include "core/base/result.h"
#include "core/base/table.h"
#include "core/interventions/part_removal.h"
#include "core/model/model.h"

#include <string_view>

namespace headscope {

/// One row per reading: reading (whole, predicted, norms held, norms anew, random 1 …), score,
/// weight, kl. Fields: the cell, side, part, and the seed of the random directions. The rows are
/// "readings".
Table removalTable(const PartRemoval& removal, const Model& model, const Provenance& provenance);

/// "key:3.5", "query:mlp 2", "key:embedding", "key:direction 2": the side of a part, and its writer
/// or singular direction. Fails on anything that is none of the network's.
Result<RemovalQuestion> parseRemoval(std::string_view text, const ScoreQuestion& cell,
                                     const StreamRun& run);

} // namespace headscope
