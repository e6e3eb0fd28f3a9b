#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/model.h"
#include "core/pruning/passages.h"
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
        Worse,    ///< higher, and surely so
        Better,   ///< lower, surely so, and by kLeastGain of the loss or more
        NoEffect, ///< not one loss changes, where that is a sign of something lost
        Untold,   ///< none of these
        Failed,   ///< the altered model gives no finite numbers
    };
    std::size_t kind = 0; ///< index among the kinds
    std::string name;     ///< of the alteration
    Outcome outcome = Untold;
    PairedMean difference; ///< of the loss, altered less as read, nats
    std::string said;      ///< NoEffect: what is lost; Failed: why
};
inline constexpr double kLeastGain = 0.01;

struct TrialResults {
    double loss = 0.0; ///< of the model as read, nats: the mean of its passages
    std::vector<AlterationKind> kinds;
    std::vector<Trial> trials;
};

/// Runs the model as read and with each alteration. Those that are surely worse on a quarter of the
/// passages are not run on the others. Intervals hold for all alterations together with 95 %.
Result<TrialResults> tryAlterations(const std::shared_ptr<const Model>& model,
                                    const PassageSet& text, const TextReading& as_read,
                                    std::vector<AlterationKind> kinds, const Progress& progress,
                                    const std::stop_token& stop);

/// The two tokens among `compared` that would gain most by standing in each other's place, by what
/// the model predicts where they occur; nothing where none would gain.
std::optional<std::pair<TokenId, TokenId>> likelyExchange(const PassageSet& text,
                                                          const TextReading& as_read,
                                                          const TokenIds& compared);

/// The targets of a text that occur most often, at most `count`.
TokenIds frequentTargets(const PassageSet& text, std::size_t count);

} // namespace headscope
