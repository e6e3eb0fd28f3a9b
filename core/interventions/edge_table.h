#pragma once

#include "core/base/table.h"
#include "core/interventions/edge_attribution.h"
#include "core/interventions/edge_patching.h"

#include <span>

namespace headscope {

/// One row for each of these edges: writer, receiver, score, exact (nothing unless `exact` has one
/// value per edge). Fields: clean, corrupted, metric, estimate, edges (how many there are),
/// correlation (Spearman's, of score and exact); in JSON steps and corrupted_ids. The rows are
/// "best". `provenance` is that of the clean prompt.
Table edgeTable(const EdgeResult& result, std::span<const Edge> edges,
                std::span<const double> exact, const Provenance& provenance);

/// One row per circuit: edges, kept, faithfulness, without, rest (the share of the clean prompt's
/// metric that is left without it). Fields as edgeTable() without correlation. The rows are
/// "circuits".
Table edgeCircuitTable(const EdgeResult& result, std::span<const EdgeCircuit> circuits,
                       const Provenance& provenance);

} // namespace headscope
