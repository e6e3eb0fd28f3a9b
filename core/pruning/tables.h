#pragma once

#include "core/base/table.h"
#include "core/pruning/domains.h"
#include "core/pruning/verdict.h"

#include <cstddef>
#include <span>
#include <vector>

namespace headscope {

// Results of pruning as tables. Heads have the numbers that they had before any were removed.

/// One row per cut: text, order, units, removed heads, share, loss, its 95 % interval as a
/// difference from the whole network (low, high), perplexity, kl, agreement, layers (heads left in
/// each); in JSON the heads. The whole network is the row of order "whole", and with fitted biases
/// "fitted". Fields: verdict, unit, replacement, compensation, calibration, test, and in JSON the
/// texts and the verdicts of all orders. `texts` are those of the results.
Table pruningTable(const DomainResults& results, const Verdict& verdict, const Model& model,
                   const PruningTexts& texts, const Provenance& provenance);

/// The same with the rows of one text alone.
Table curvesTable(const DomainResults& results, std::size_t domain, const Verdict& verdict,
                  const Model& model, const PruningTexts& texts, const Provenance& provenance);

/// One row per text: its loss, that over the loss on text of the model's own, how many heads can go
/// by the best order and by random ones, and whether it is outside of the model's domain.
Table textsTable(const Verdict& verdict, const Provenance& provenance);

/// One row per order of the headline's text: share, low, high, and whether the curve ends before.
Table verdictTable(const Verdict& verdict, const Provenance& provenance);

/// One row per token: passage, position, token, text before it, loss whole and cut, difference.
Table worstTokensTable(std::span<const WorseToken> tokens, const Model& model,
                       const Provenance& provenance);

/// "██████░░" with a block for each head: what is left in each layer.
Table headsLeftTable(const HeadSet& removed, const Model& model, const Provenance& provenance);

} // namespace headscope
