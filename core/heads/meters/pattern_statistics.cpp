#include "core/heads/meters/pattern_statistics.h"

#include "core/model/model.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace headscope {

namespace {

/// −Σ w ln w, with 0 ln 0 = 0.
double entropyOf(std::span<const float> weights) {
    double entropy = 0.0;
    for (const float weight : weights)
        if (weight > 0.0f)
            entropy -= static_cast<double>(weight) * std::log(static_cast<double>(weight));
    return entropy;
}

double meanDistance(std::span<const float> weights, std::size_t query, std::size_t first_key) {
    double sum = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const std::size_t key = first_key + i;
        sum += static_cast<double>(weights[i]) *
               static_cast<double>(key < query ? query - key : key - query);
    }
    return sum;
}

/// The largest weights that are not 0, largest first, equal ones by key.
std::vector<PatternSummary::TopKey> topKeys(std::span<const float> weights, std::size_t first_key,
                                            std::size_t count) {
    std::vector<PatternSummary::TopKey> top;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i] <= 0.0f || (top.size() == count && weights[i] <= top.back().weight))
            continue;
        if (top.size() == count)
            top.pop_back();
        const auto place = std::ranges::find_if(
            top, [&](const PatternSummary::TopKey& each) { return each.weight < weights[i]; });
        top.insert(place, {first_key + i, weights[i]});
    }
    return top;
}

} // namespace

double PatternSummary::offsetMass(std::ptrdiff_t offset) const {
    return offset_mass[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(argmax.size()) - 1 +
                                                offset)];
}

PatternStatistics::PatternStatistics(const ModelSpec& spec, std::size_t positions,
                                     std::size_t top_keys)
    : top_keys_(top_keys) {
    PatternSummary empty;
    empty.offset_mass.assign(2 * positions - 1, 0.0);
    empty.key_mass.assign(positions, 0.0);
    empty.entropy = empty.distance = empty.key_mass;
    empty.argmax.assign(positions, 0);
    empty.top.resize(positions);
    heads_ = PerHead<PatternSummary>(headIndex(spec), empty);
}

void PatternStatistics::observe(const PatternBlock& block) {
    PatternSummary& head = heads_[block.head];
    const std::size_t last = head.argmax.size() - 1;
    for (std::size_t query = block.queries.begin; query < block.queries.end; ++query) {
        const std::span<const float> weights{block.weights.row(query - block.queries.begin),
                                             block.keys.size()};
        const std::size_t first_key = block.keys.begin;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            head.key_mass[first_key + i] += static_cast<double>(weights[i]);
            head.offset_mass[last + query - first_key - i] += static_cast<double>(weights[i]);
        }
        head.entropy[query] = entropyOf(weights);
        head.distance[query] = meanDistance(weights, query, first_key);
        head.argmax[query] = first_key + static_cast<std::size_t>(
                                             std::ranges::max_element(weights) - weights.begin());
        head.top[query] = topKeys(weights, first_key, top_keys_);
    }
}

} // namespace headscope
