#pragma once

#include "core/base/table.h"
#include "core/heads/bootstrap.h"
#include "core/pruning/passages.h"

#include <cstddef>
#include <vector>

namespace headscope {

/// Sums over the targets of each passage.
struct PassageSums {
    std::vector<double> loss;       ///< [passage], nats
    std::vector<double> divergence; ///< [passage], KL from the whole network, nats
    std::vector<double> agreement;  ///< [passage], targets with the whole network's prediction
};

/// What means and intervals over a text ask of its passages.
struct PassageLayout {
    std::vector<double> targets;       ///< [passage], how many
    std::vector<std::size_t> document; ///< [passage]
};
PassageLayout layoutOf(const PassageSet& text);

/// Means over all targets.
struct MeanReading {
    double loss = 0.0;       ///< nats
    double divergence = 0.0; ///< nats
    double agreement = 0.0;  ///< 0..1
};
MeanReading meanOf(const PassageLayout& layout, const PassageSums& sums);

/// 95 % of the mean loss less that of the whole network, nats: a bootstrap over documents, or over
/// passages where the text has fewer than ten documents; paired, since both share the resamples.
Interval lossIncrease(const PassageLayout& layout, const PassageSums& whole,
                      const PassageSums& sums);

// What every table of losses shows: loss, its 95 % interval as a difference from the whole network
// (low, high), perplexity, kl, agreement.
void addLossColumns(std::vector<Column>& columns);
void addLossCells(TableRow& row, const PassageLayout& layout, const PassageSums& whole,
                  const PassageSums& sums);

} // namespace headscope
