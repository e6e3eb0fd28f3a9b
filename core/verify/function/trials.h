#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/model.h"
#include "core/verify/function/alteration.h"
#include "core/verify/function/paired.h"
#include "core/verify/function/text_losses.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

/// What an alteration does to the loss.
struct Trial {
    enum Outcome {
        Worse,    ///< higher, surely so, and by kLeastLoss of the loss or more
        Better,   ///< lower, surely so, by kLeastGain of the loss or more, and below the ceiling
        NoEffect, ///< not one loss changes, where that is a sign of something lost
        Untold,   ///< none of these
        Failed,   ///< the altered model cannot be run
    };
    std::size_t kind = 0; ///< index among the kinds
    std::string name;     ///< of the alteration
    Outcome outcome = Untold;
    PairedMean difference; ///< of the loss, altered less as read, nats
    std::string said;      ///< NoEffect: what is lost; Failed: why
};
inline constexpr double kLeastLoss = 0.001;
inline constexpr double kLeastGain = 0.01;

/// Passages with what the model as read makes of them.
struct ReadPassages {
    std::vector<Passage> passages;
    TextLosses losses;
};

/// Runs the model with each alteration. One that is surely worse on a text is not tried on those
/// after it; only the last, which has most, tells what is better. Intervals hold for all
/// alterations together with 95 %, of which there are `together`, as if each text decided alone.
/// `ceiling`: a loss that shows nothing, nats.
Result<std::vector<Trial>> tryAlterations(const std::shared_ptr<const Model>& model,
                                          const std::vector<ReadPassages>& texts,
                                          const std::vector<AlterationKind>& kinds,
                                          std::size_t together, double ceiling,
                                          const Progress& progress, const std::stop_token& stop);

/// The targets that occur most often, at most `count`.
TokenIds frequentTargets(const std::vector<Passage>& passages, std::size_t count);

/// The two tokens among `compared` that would gain most by standing in each other's place, by what
/// the model predicts where they occur; nothing where none would gain.
std::optional<std::pair<TokenId, TokenId>> likelyExchange(const std::vector<Passage>& passages,
                                                          const TextReading& as_read,
                                                          const TokenIds& compared);

} // namespace headscope
