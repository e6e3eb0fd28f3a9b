#pragma once

#include "core/base/random.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace headscope::test {

/// Numbers from a seed, the same on every machine.
class Draw {
public:
    explicit Draw(std::uint64_t seed) : random_(seed) {}

    std::size_t below(std::size_t bound) { return random_.below(bound); }
    /// In [low, high).
    double between(double low, double high) {
        constexpr std::size_t kSteps = std::size_t{1} << 53;
        return low +
               (high - low) * static_cast<double>(below(kSteps)) / static_cast<double>(kSteps);
    }
    bool chance(double probability) { return between(0.0, 1.0) < probability; }
    /// Of mean 0 and deviation 1 (Box and Muller 1958).
    double normal() {
        const double radius = std::sqrt(-2.0 * std::log(1.0 - between(0.0, 1.0)));
        return radius * std::cos(between(0.0, 2.0 * std::numbers::pi));
    }

private:
    Random random_;
};

} // namespace headscope::test
