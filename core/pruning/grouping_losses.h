#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/table.h"
#include "core/model/model.h"
#include "core/pruning/grouped_queries.h"
#include "core/pruning/passages.h"
#include "core/pruning/smaller_model.h"

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// One way to share keys and values.
struct GroupingPoint {
    std::size_t n_kv_heads = 0;
    Pooling pooling = Pooling::Mean;
    PassageSums sums;
    ModelCost cost;
};

/// What grouped queries cost before anyone trains.
struct GroupingResult {
    std::string model_name;
    std::size_t n_heads = 0;
    std::size_t n_kv_heads = 0;
    PassageLayout layout; ///< of the test text
    PassageSums whole;
    ModelCost whole_cost;
    std::vector<GroupingPoint> points; ///< by falling KV heads, each by every pooling
};

/// Pools to every count of pooledCounts() in every way, with moments of the calibration text, and
/// measures on the test text. Fails as checkPoolable(), checkApart() and the runs do;
/// ErrorCode::Cancelled on a stop request.
Result<GroupingResult> measureGroupings(const std::shared_ptr<const Model>& model,
                                        const PassageSet& calibration, const PassageSet& test,
                                        const Progress& progress = {},
                                        const std::stop_token& stop = {});

/// The result of the mildest pooling: "Keys and values of 12 heads in 6: loss +2.1 % [+1.8 % to
/// +2.4 %] before training (least squares; mean: +35 %), the same prediction at 84 % of the tokens,
/// and a KV cache of 50 %."
std::string groupingText(const GroupingResult& result);

/// kv_heads, pooling, loss, low, high, perplexity, kl, agreement, kv_per_token, parameters
std::vector<Column> groupingColumns();
/// One row per way; the whole network is the row of pooling "whole".
Table groupingTable(const GroupingResult& result, const PassageSet& calibration,
                    const PassageSet& test, const Provenance& provenance);

} // namespace headscope
