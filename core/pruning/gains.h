#pragma once

#include "core/model/model.h"
#include "core/pruning/passages.h"
#include "core/pruning/smaller_model.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

/// A number of the whole network beside that of the smaller one.
struct Gain {
    std::string name; ///< "KV cache"
    double before = 0.0;
    double after = 0.0;
    std::string before_text; ///< "12.3 kB"
    std::string after_text;
    std::string unit; ///< "per token", after both; may be empty
    /// The 95 % interval of a measured change: factors from before to after.
    std::optional<std::pair<double, double>> interval = {};

    /// "-12.5 %", "-12.5 %, 95 % interval -14.0 % to -11.2 %"
    std::string changeText() const;
};

/// Parameters, their bytes as float32, bytes of the KV cache of one token as float16, and
/// floating-point operations of one token.
std::vector<Gain> gains(const ModelCost& before, const ModelCost& after);

/// Tokens a second over the first passages of a text, measured here and now: both networks run in
/// turn, so that what else the machine does meets both, and the change is the median over the
/// turns. The interval is between the second and the last but one of them, which holds with 96 %
/// whatever their distribution. Nothing where a run fails or is stopped.
std::optional<Gain> speedGain(const std::shared_ptr<const Model>& whole,
                              const std::shared_ptr<const Model>& smaller, const PassageSet& text,
                              const std::stop_token& stop = {});

} // namespace headscope
