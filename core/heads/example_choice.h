#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace headscope {

/// Sequences are sorted by how strongly a head looks somewhere in them, and cut into ten parts.
inline constexpr std::size_t kExampleIntervals = 10;

/// Which sequences show what a head does. The strongest alone show one side of it.
enum class ExampleKind {
    Deciles,   ///< some of every part
    Strongest, ///< from the top
    Middle,    ///< around the median
    Random,    ///< drawn from all
};

/// In display order.
std::span<const ExampleKind> exampleKinds();
/// "deciles", "strongest", "middle", "random"
std::string_view exampleKindName(ExampleKind kind);

struct ChosenExample {
    std::size_t sequence = 0;
    std::size_t interval = 0; ///< 1 to kExampleIntervals, the last is the strongest

    bool operator==(const ChosenExample&) const = default;
};

/// `count` sequences at most, strongest first, by the largest weight of each. Of Deciles every part
/// gives its strongest sequence, and others at even steps below it.
std::vector<ChosenExample> chooseExamples(std::span<const float> strongest, ExampleKind kind,
                                          std::size_t count, std::uint64_t seed = 0);

/// How many weights lie in each of `bins` parts from 0 to 1; 1 belongs to the last.
std::vector<std::size_t> weightHistogram(std::span<const float> weights, std::size_t bins);

} // namespace headscope
