#include "core/base/progress.h"

#include <chrono>
#include <cmath>
#include <string>
#include <utility>

namespace headscope {

namespace {

constexpr double kLeastFraction = 0.01; ///< before, next to nothing is known
constexpr double kLeastSeconds = 2.0;
constexpr double kMinutesFrom = 90.0; ///< seconds

std::string durationText(double seconds) {
    return seconds < kMinutesFrom ? std::to_string(std::lround(seconds)) + " s"
                                  : std::to_string(std::lround(seconds / 60.0)) + " min";
}

} // namespace

Progress withTimeLeft(Progress progress) {
    if (!progress)
        return {};
    const auto start = std::chrono::steady_clock::now();
    return [progress = std::move(progress), start](double fraction, std::string_view stage) {
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        std::string text(stage);
        if (fraction > kLeastFraction && seconds > kLeastSeconds)
            text += ", about " + durationText(seconds * (1.0 - fraction) / fraction) + " left";
        progress(fraction, text);
    };
}

} // namespace headscope
