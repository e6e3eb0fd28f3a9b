#pragma once

#include "core/pruning/pruning_curve.h"

#include <cstddef>
#include <memory>
#include <stop_token>
#include <vector>

namespace headscope {

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
