#include "core/heads/example_choice.h"

#include "core/base/random.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>

namespace headscope {

namespace {

/// The first rank of a part, of `size` in all. Rounded up, so that fewer sequences than parts fill
/// the strongest ones.
std::size_t beginOf(std::size_t part, std::size_t size) {
    return (part * size + kExampleIntervals - 1) / kExampleIntervals;
}

// Ranks, ascending: 0 is the strongest.

std::vector<std::size_t> ranksByDecile(std::size_t size, std::size_t count) {
    const std::size_t per_part = std::max<std::size_t>(1, count / kExampleIntervals);
    std::vector<std::size_t> ranks;
    for (std::size_t part = 0; part < kExampleIntervals; ++part) {
        const std::size_t begin = beginOf(part, size);
        const std::size_t in_part = beginOf(part + 1, size) - begin;
        const std::size_t chosen = std::min(per_part, in_part);
        for (std::size_t i = 0; i < chosen; ++i)
            ranks.push_back(begin + i * in_part / chosen);
    }
    return ranks;
}

std::vector<std::size_t> ranksFrom(std::size_t first, std::size_t count) {
    std::vector<std::size_t> ranks(count);
    std::iota(ranks.begin(), ranks.end(), first);
    return ranks;
}

std::vector<std::size_t> drawnRanks(std::size_t size, std::size_t count, std::uint64_t seed) {
    std::vector<std::size_t> ranks = ranksFrom(0, size);
    Random random(seed);
    for (std::size_t i = 0; i < count; ++i)
        std::swap(ranks[i], ranks[i + random.below(size - i)]);
    ranks.resize(count);
    std::ranges::sort(ranks);
    return ranks;
}

std::vector<std::size_t> chosenRanks(ExampleKind kind, std::size_t size, std::size_t count,
                                     std::uint64_t seed) {
    const std::size_t most = std::min(count, size);
    switch (kind) {
    case ExampleKind::Deciles:
        return ranksByDecile(size, count);
    case ExampleKind::Strongest:
        return ranksFrom(0, most);
    case ExampleKind::Middle:
        return ranksFrom((size - most) / 2, most);
    case ExampleKind::Random:
        return drawnRanks(size, most, seed);
    }
    return {};
}

} // namespace

std::span<const ExampleKind> exampleKinds() {
    static constexpr std::array kinds{ExampleKind::Deciles, ExampleKind::Strongest,
                                      ExampleKind::Middle, ExampleKind::Random};
    return kinds;
}

std::string_view exampleKindName(ExampleKind kind) {
    static constexpr std::array<std::string_view, 4> names{"deciles", "strongest", "middle",
                                                           "random"};
    return names[static_cast<std::size_t>(kind)];
}

std::vector<ChosenExample> chooseExamples(std::span<const float> strongest, ExampleKind kind,
                                          std::size_t count, std::uint64_t seed) {
    std::vector<std::size_t> order(strongest.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return strongest[i]; });
    std::vector<ChosenExample> chosen;
    for (const std::size_t rank : chosenRanks(kind, order.size(), count, seed))
        chosen.push_back(
            {order[rank], kExampleIntervals - rank * kExampleIntervals / order.size()});
    return chosen;
}

std::vector<std::size_t> weightHistogram(std::span<const float> weights, std::size_t bins) {
    std::vector<std::size_t> counts(bins);
    for (const float weight : weights)
        ++counts[std::min(static_cast<std::size_t>(weight * static_cast<float>(bins)), bins - 1)];
    return counts;
}

} // namespace headscope
