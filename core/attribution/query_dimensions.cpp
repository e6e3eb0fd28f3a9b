#include "core/attribution/query_dimensions.h"

#include "core/attribution/score_row.h"
#include "core/attribution/vocabulary_check.h"
#include "core/engine/rotary.h"

#include <algorithm>
#include <optional>
#include <span>

namespace headscope {

namespace {

/// x [d_head], a query or key at a position, before rotary positions turned it.
std::vector<double> turnedBack(std::span<const float> x, std::size_t position,
                               const std::optional<RotaryTable>& back) {
    std::vector<float> before(x.begin(), x.end());
    if (back)
        applyRotary(*back, 1, position, {before.data(), 1, before.size(), before.size()});
    return {before.begin(), before.end()};
}

} // namespace

Result<QueryDimensions> queryDimensions(const StreamRun& run, LayerHead head, std::size_t query) {
    if (auto checked = checkHead(head, run.spec()); !checked)
        return checked.error();
    if (auto checked = checkPosition(run.positions(), query); !checked)
        return checked.error();
    const ScoreRow row(run, head, query);
    const RotarySpec* const rotary = run.spec().rotaryIn(head.layer);
    const auto back =
        rotary ? std::optional(inverse(rotaryTable(*rotary, run.positions()))) : std::nullopt;
    const PositionRange keys = row.visible();
    const std::size_t d_head = row.query().size();
    QueryDimensions result{head,
                           query,
                           keys,
                           turnedBack(row.query(), query, back),
                           {row.query().begin(), row.query().end()},
                           DoubleMatrix(keys.size(), d_head),
                           DoubleMatrix(keys.size(), d_head),
                           DoubleMatrix(keys.size(), d_head),
                           back.has_value()};
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::span<const float> key = row.key(keys.begin + i);
        std::ranges::copy(turnedBack(key, keys.begin + i, back), result.keys_before.row(i));
        std::ranges::copy(key, result.keys.row(i));
        for (std::size_t d = 0; d < d_head; ++d)
            result.parts(i, d) = row.scale() * result.query[d] * result.keys(i, d);
    }
    return result;
}

} // namespace headscope
