#pragma once

#include "core/pruning/pruning_curve.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// What of the curves is stated: the share of all heads that can go before the loss is above
/// (1 + tolerance) times that of the whole network, between two cuts by a straight line.
struct ShareVerdict {
    std::string order;
    double share = 0.0;
    /// 95 %, by the resamples of lossIncrease(), which all cuts share.
    Interval interval;
    bool whole_curve = false; ///< the loss stays below to the end of the curve
};

struct Verdict {
    double tolerance = 0.01;
    std::vector<ShareVerdict> orders;   ///< all but random ones, as in the result
    std::optional<ShareVerdict> random; ///< of the mean loss of all random orders
    bool by_documents = false;

    /// The order by which most can go; random where there is no other.
    const ShareVerdict& best() const;
};

Verdict verdictOf(const PruningResult& result, double tolerance = 0.01);

/// "36 % of the heads [31–42 %] can go at no more than 1 % more loss (order: gradient); random
/// order: 11 % [8–15 %]."
std::string verdictText(const Verdict& verdict);

/// The last cut of the best order within its share: the one to look at closely. Nothing where not
/// even the first cut is, and where there are only random orders.
std::optional<CurvePlace> placeOfVerdict(const PruningResult& result, const Verdict& verdict);

/// Of a cut.
Interval lossIncrease(const PruningResult& result, const PassageSums& sums);

/// A target whose loss grew, which averages hide.
struct WorseToken {
    std::size_t passage = 0;
    std::size_t position = 0; ///< of the token itself
    TokenId token = 0;
    TokenIds before_it; ///< up to eight tokens in front of it, as the model read them
    double whole = 0.0; ///< −ln p by the whole network, nats
    double cut = 0.0;   ///< without the heads
};

/// The `count` targets of the test text whose loss grows most, largest first, when heads are
/// removed in the way of the question.
Result<std::vector<WorseToken>> worstTokens(const std::shared_ptr<const Model>& model,
                                            const PassageSet& calibration, const PassageSet& test,
                                            const PruningQuestion& question, const HeadSet& removed,
                                            std::size_t count, const std::stop_token& stop = {});

} // namespace headscope
