#include "core/analysis/measure.h"

#include "core/engine/attention.h"

#include <algorithm>
#include <limits>
#include <span>

namespace headscope {

namespace {

/// One query and the keys a perfect head would attend to.
struct ScoredRow {
    std::size_t query = 0;
    std::vector<std::size_t> keys;
};

std::vector<ScoredRow> scoredRows(const ProbeSequence& sequence, const Detector& detector) {
    std::vector<ScoredRow> rows;
    for (std::size_t q = 0; q < sequence.ids.size(); ++q) {
        auto keys = detector.targets(sequence, q);
        if (!keys.empty())
            rows.push_back({q, std::move(keys)});
    }
    return rows;
}

double chanceOf(std::span<const ScoredRow> rows, const ScoreRule& rule, std::size_t positions) {
    double sum = 0.0;
    for (const ScoredRow& row : rows) {
        const PositionRange visible = rule.visibleKeys(row.query, positions);
        const auto targets =
            std::ranges::count_if(row.keys, [&](std::size_t key) { return visible.contains(key); });
        sum += static_cast<double>(targets) / static_cast<double>(visible.size());
    }
    return sum / static_cast<double>(rows.size());
}

/// Adds up what one head puts on the targets, over all rows and over those from 2 on.
struct TargetAttention {
    double all = 0.0;
    double from_row_2 = 0.0;
};

TargetAttention targetAttention(const Run& run, LayerHead head, std::span<const ScoredRow> rows) {
    TargetAttention sum;
    for (const ScoredRow& row : rows) {
        double attention = 0.0;
        for (const std::size_t key : row.keys)
            attention += static_cast<double>(run.weight(head, row.query, key));
        sum.all += attention;
        if (row.query >= 2)
            sum.from_row_2 += attention;
    }
    return sum;
}

} // namespace

std::optional<Measurement> measure(const Run& run, const ProbeSequence& sequence,
                                   const Detector& detector) {
    const auto rows = scoredRows(sequence, detector);
    if (rows.empty())
        return std::nullopt;
    std::size_t rows_from_2 = 0;
    for (const ScoredRow& row : rows)
        rows_from_2 += row.query >= 2 ? 1 : 0;

    Measurement found;
    const ModelSpec& spec = run.model->spec;
    for (std::size_t layer = 0; layer < run.attention.size(); ++layer) {
        // All heads of a layer have one mask.
        const double chance = chanceOf(rows, scoreRule(spec, {layer, 0}), run.positions());
        for (std::size_t head = 0; head < spec.n_heads; ++head) {
            found.chance.push_back(chance);
            const TargetAttention sum = targetAttention(run, {layer, head}, rows);
            found.score.push_back(sum.all / static_cast<double>(rows.size()));
            found.score_from_row_2.push_back(
                rows_from_2 == 0 ? std::numeric_limits<double>::quiet_NaN()
                                 : sum.from_row_2 / static_cast<double>(rows_from_2));
        }
    }
    return found;
}

} // namespace headscope
