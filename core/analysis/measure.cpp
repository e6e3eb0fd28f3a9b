#include "core/analysis/measure.h"

#include "core/engine/attention.h"

#include <algorithm>
#include <limits>

namespace headscope {

TargetAttention::TargetAttention(const ModelSpec& spec, const ProbeSequence& sequence)
    : spec_(spec), positions_(sequence.ids.size()) {
    for (const Detector& detector : detectors())
        targets_.emplace(detector.id, targetsOf(detector, sequence));
}

TargetAttention::Targets TargetAttention::targetsOf(const Detector& detector,
                                                    const ProbeSequence& sequence) const {
    Targets targets;
    for (std::size_t query = 0; query < positions_; ++query) {
        const auto keys = detector.targets(sequence, query);
        if (keys.empty())
            continue;
        targets.queries.push_back(query);
        targets.begins.push_back(targets.keys.size());
        for (const std::size_t key : keys)
            targets.keys.push_back(static_cast<std::uint32_t>(key));
    }
    targets.begins.push_back(targets.keys.size());
    targets.sums.assign(spec_.n_layers * spec_.n_heads, 0.0);
    targets.from_row_2 = targets.sums;
    return targets;
}

void TargetAttention::observe(const PatternBlock& block) {
    const std::size_t head = block.head.layer * spec_.n_heads + block.head.head;
    for (auto& [id, targets] : targets_) {
        auto query = std::ranges::lower_bound(targets.queries, block.queries.begin);
        for (; query != targets.queries.end() && *query < block.queries.end; ++query) {
            const auto index = static_cast<std::size_t>(query - targets.queries.begin());
            const float* const row = block.weights.row(*query - block.queries.begin);
            double attention = 0.0;
            for (std::size_t i = targets.begins[index]; i < targets.begins[index + 1]; ++i)
                if (block.keys.contains(targets.keys[i]))
                    attention += static_cast<double>(row[targets.keys[i] - block.keys.begin]);
            targets.sums[head] += attention;
            if (*query >= 2)
                targets.from_row_2[head] += attention;
        }
    }
}

double TargetAttention::chanceOf(const Targets& targets, std::size_t layer) const {
    const ScoreRule rule = scoreRule(spec_, {layer, 0}); // all heads of a layer have one mask
    double sum = 0.0;
    for (std::size_t i = 0; i < targets.queries.size(); ++i) {
        const PositionRange visible = rule.visibleKeys(targets.queries[i], positions_);
        const auto seen =
            std::count_if(targets.keys.begin() + static_cast<std::ptrdiff_t>(targets.begins[i]),
                          targets.keys.begin() + static_cast<std::ptrdiff_t>(targets.begins[i + 1]),
                          [&](std::uint32_t key) { return visible.contains(key); });
        sum += static_cast<double>(seen) / static_cast<double>(visible.size());
    }
    return sum / static_cast<double>(targets.queries.size());
}

std::optional<Measurement> TargetAttention::measurement(DetectorId id) const {
    const Targets& targets = targets_.at(id);
    if (targets.queries.empty())
        return std::nullopt;
    const auto rows = static_cast<double>(targets.queries.size());
    const auto from_2 = static_cast<double>(
        std::ranges::count_if(targets.queries, [](std::size_t query) { return query >= 2; }));
    Measurement found;
    for (std::size_t layer = 0; layer < spec_.n_layers; ++layer) {
        const double chance = chanceOf(targets, layer);
        for (std::size_t head = 0; head < spec_.n_heads; ++head) {
            const std::size_t index = layer * spec_.n_heads + head;
            found.chance.push_back(chance);
            found.score.push_back(targets.sums[index] / rows);
            found.score_from_row_2.push_back(from_2 == 0.0
                                                 ? std::numeric_limits<double>::quiet_NaN()
                                                 : targets.from_row_2[index] / from_2);
        }
    }
    return found;
}

} // namespace headscope
