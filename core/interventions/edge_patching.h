#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/table.h"
#include "core/interventions/edge_attribution.h"
#include "core/model/model.h"

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace headscope {

/// The change of the metric, clean run as the base, with each of these edges of the result alone
/// carrying the corrupted prompt: the receiver reads u_corrupted − u_clean of the writer more than
/// it did, and everything after it is computed again. One run per edge from the receiver's layer
/// on. Fails as attributeEdges() does.
Result<std::vector<double>> patchEdges(const std::shared_ptr<const Model>& model,
                                       const EdgeResult& result, std::span<const Edge> edges,
                                       const Progress& progress = {}, std::stop_token stop = {});

/// A network of which some edges carry the clean prompt and the others the corrupted one: each
/// receiver reads, of every writer whose edge to it is corrupted, what the writer adds in the run
/// of the corrupted prompt in place of what it adds here.
struct EdgeCircuit {
    std::size_t edges = 0; ///< how many it has: those of largest |score|
    double kept = 0.0;     ///< the metric when they alone are clean
    double without = 0.0;  ///< when they alone are corrupted
};

/// Which share of the way from the corrupted prompt's metric to the clean one's a value is: of
/// EdgeCircuit::kept the circuit's faithfulness, near 1 when its edges are enough (Wang et al.
/// 2022, arXiv 2211.00593; normalised as by Marks et al. 2024, arXiv 2403.19647), of `without` what
/// the network does without it, near 0 when it is complete. NaN when the prompts do not differ.
double shareOfClean(const EdgeResult& result, double value);

/// Two runs for each count, which may be beyond the number of edges and then means all. Fails as
/// attributeEdges() does.
Result<std::vector<EdgeCircuit>> measureEdgeCircuits(const std::shared_ptr<const Model>& model,
                                                     const EdgeResult& result,
                                                     std::span<const std::size_t> counts,
                                                     const Progress& progress = {},
                                                     std::stop_token stop = {});

/// 0, 1, 2, 5, 10, 20, 50 … and all.
std::vector<std::size_t> circuitSizes(const EdgeResult& result);

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
