#pragma once

#include "core/model/model.h"
#include "core/pruning/passages.h"
#include "core/pruning/smaller_model.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// A number of the whole network beside that of the smaller one.
struct Gain {
    std::string name; ///< "KV cache"
    double before = 0.0;
    double after = 0.0;
    std::string before_text; ///< "12.3 kB"
    std::string after_text;
    std::string unit; ///< "per token", behind both; may be empty

    /// "−12.5 %"
    std::string changeText() const;
};

/// Parameters, their bytes as float32, bytes of the KV cache of one token as float16, and
/// floating-point operations of one token.
std::vector<Gain> gains(const ModelCost& before, const ModelCost& after);

/// Tokens a second of one run over the first passages of a text, the best of three; 0 where a run
/// fails or is stopped.
double tokensPerSecond(const std::shared_ptr<const Model>& model, const PassageSet& text,
                       const std::stop_token& stop = {});
/// Of both networks, measured here and now.
Gain speedGain(const std::shared_ptr<const Model>& whole,
               const std::shared_ptr<const Model>& smaller, const PassageSet& text,
               const std::stop_token& stop = {});

} // namespace headscope
