#include "core/interventions/effects/judging.h"

#include "core/base/text.h"
#include "core/heads/mean_interval.h"

#include <vector>

namespace headscope {

namespace {

/// After how many of `size` sequences the verdict is looked for.
std::vector<std::size_t> looksAt(std::size_t first, std::size_t size) {
    std::vector<std::size_t> looks;
    for (std::size_t count = first; first > 0 && count < size; count *= 2)
        looks.push_back(count);
    looks.push_back(size);
    return looks;
}

} // namespace

void readFirst(const EffectRuns& runs, std::optional<double> least_effect, double error,
               EffectReading& reading) {
    reading.sequences = runs.full().size();
    reading.full = meanOf(runs.full());
    reading.least = leastEffect(reading.full, least_effect);
    reading.difference = meanOf(runs.differences(0));
    reading.interval = meanInterval(runs.differences(0), error);
}

std::optional<double> rivalOf(std::span<const double> others) {
    if (others.empty())
        return std::nullopt;
    return others[(3 * others.size() + 3) / 4 - 1];
}

Result<void> checkEffect(const EffectInput& input, const EffectRuns& runs,
                         std::optional<double> least) {
    if (input.sequences.empty())
        return Error{ErrorCode::InvalidArgument, "There is no sequence to ablate a head on."};
    if (least && !(*least >= 0.0))
        return Error{ErrorCode::InvalidArgument,
                     "The least effect is " + numberText(*least) + " nats; give 0 or more."};
    if (runs.size() == 0)
        return Error{ErrorCode::InvalidArgument,
                     "To resample a head, another sequence of the same length is needed; give two "
                     "of one length, or ablate by mean or zero."};
    return {};
}

EffectVerdict verdictOn(const EffectFigures& figures) {
    switch (effectSide(figures.interval, figures.least)) {
    case EffectSide::Above:
        return figures.interval.low > figures.rival.value_or(0.0) ? EffectVerdict::Needed
                                                                  : EffectVerdict::Secondary;
    case EffectSide::Below:
        return EffectVerdict::Interferes;
    case EffectSide::Within:
        return EffectVerdict::None;
    case EffectSide::Unclear:
        break;
    }
    return EffectVerdict::Undecided;
}

bool isDecided(const EffectFigures& figures) {
    const EffectVerdict found = verdictOn(figures);
    return found != EffectVerdict::Undecided &&
           (found != EffectVerdict::Secondary || figures.interval.high < *figures.rival);
}

Result<void> lookUntil(EffectRuns& runs, std::size_t first, const IsDecided& is_decided,
                       const Progress& progress, const std::stop_token& stop) {
    constexpr double kAllLooks = 0.05;
    const std::vector<std::size_t> looks = looksAt(first, runs.size());
    const auto share = [&](std::size_t count) {
        return static_cast<double>(count) / static_cast<double>(runs.size());
    };
    for (const std::size_t look : looks) {
        const Progress part = partOf(progress, share(runs.full().size()), share(look));
        if (auto run = runs.measureUpTo(look, part, stop); !run)
            return run;
        if (is_decided(kAllLooks / static_cast<double>(looks.size())))
            break;
    }
    return {};
}

} // namespace headscope
