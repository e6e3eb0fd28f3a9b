#pragma once

#include "core/base/table.h"
#include "core/pruning/pruning_curve.h"
#include "core/pruning/verdict.h"

#include <span>
#include <vector>

namespace headscope {

// Results of pruning as tables. Heads have the numbers that they had before any were removed.

/// One row per cut: order, units, removed heads, share, loss, its 95 % interval as a difference
/// from the whole network (low, high), perplexity, kl, agreement, layers (heads left in each); in
/// JSON the heads. The whole network is the row of order "whole". Fields: verdict, unit,
/// replacement, compensation, calibration, test, and in JSON the verdicts of all orders.
Table pruningTable(const PruningResult& result, const Verdict& verdict, const Model& model,
                   const PassageSet& calibration, const PassageSet& test,
                   const Provenance& provenance);

/// One row per order: share, low, high, and whether the curve ends before.
Table verdictTable(const Verdict& verdict, const Provenance& provenance);

/// One row per token: passage, position, token, text before it, loss whole and cut, difference.
Table worstTokensTable(std::span<const WorseToken> tokens, const Model& model,
                       const Provenance& provenance);

/// "██████░░" with a block for each head: what is left in each layer.
Table headsLeftTable(const HeadSet& removed, const Model& model, const Provenance& provenance);

} // namespace headscope
