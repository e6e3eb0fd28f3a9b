#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/interventions/effect_verdict.h"
#include "core/interventions/effects/effect_runs.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace headscope {

inline std::size_t layersApart(LayerHead a, LayerHead b) {
    return a.layer < b.layer ? b.layer - a.layer : a.layer - b.layer;
}

/// What the runs of their first unit say so far.
void readFirst(const EffectRuns& runs, std::optional<double> least_effect, double error,
               EffectReading& reading);

/// What a verdict rests on.
struct EffectFigures {
    Interval interval;
    double least = 0.0;
    std::optional<double> rival; ///< what three of four others cost at most; nothing: no others
};

/// What three in four of the others cost at most. `others` holds their costs, the least first.
std::optional<double> rivalOf(std::span<const double> others);

/// The figures of an AblationEffect or a SetEffect.
template <class Effect>
EffectFigures figuresOf(const Effect& effect) {
    std::vector<double> costs;
    for (const auto& other : effect.others)
        costs.push_back(other.difference);
    return {effect.interval, effect.least, rivalOf(costs)};
}

/// How many of the others cost less.
template <class Effect>
std::size_t countAbove(const Effect& effect) {
    return static_cast<std::size_t>(std::ranges::count_if(
        effect.others, [&](const auto& other) { return other.difference < effect.difference; }));
}

/// Fails without sequences, for a least effect below 0, and where none can be resampled.
Result<void> checkEffect(const EffectInput& input, const EffectRuns& runs,
                         std::optional<double> least);

EffectVerdict verdictOn(const EffectFigures& figures);
/// Whether all is on one side of what the verdict compares it with.
bool isDecided(const EffectFigures& figures);

/// Measures `first` sequences, then twice as many, and so on, until `is_decided` says so of what
/// there is or all are measured; `first` 0: all at once. An interval has `error` of all looks
/// together (Bonferroni). Fails as EffectRuns::measureUpTo() does.
using IsDecided = std::function<bool(double error)>;
Result<void> lookUntil(EffectRuns& runs, std::size_t first, const IsDecided& is_decided,
                       const Progress& progress, const std::stop_token& stop);

} // namespace headscope
