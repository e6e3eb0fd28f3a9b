#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>

namespace headscope {

/// Random numbers that are the same on every machine and compiler: the engine is fixed by the
/// standard, and the distributions of the standard library, which are not, are left alone.
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    /// Uniform in [0, bound), without bias.
    std::size_t below(std::size_t bound) {
        constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
        const std::uint64_t limit = largest - largest % bound;
        std::uint64_t draw = engine_();
        while (draw >= limit)
            draw = engine_();
        return static_cast<std::size_t>(draw % bound);
    }

private:
    std::mt19937_64 engine_;
};

} // namespace headscope
