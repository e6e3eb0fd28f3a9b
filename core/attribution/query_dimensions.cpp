#include "core/attribution/query_dimensions.h"

#include "core/attribution/score_row.h"
#include "core/attribution/vocabulary_check.h"
#include "core/engine/rotary.h"

#include <algorithm>
#include <optional>
#include <span>

namespace headscope {

namespace {

/// Turns queries and keys back to where they were before rotary positions.
class TurnBack {
public:
    TurnBack(const StreamRun& run, std::size_t layer) {
        const RotarySpec* const rotary = run.spec().rotaryIn(layer);
        if (!rotary)
            return;
        table_ = rotaryTable(*rotary, run.positions());
        // A turn by −angle; cos² + sin² is the square of the amplitude.
        for (std::size_t i = 0; i < table_->cos.size(); ++i) {
            float& cos = table_->cos.values()[i];
            float& sin = table_->sin.values()[i];
            const float squared = cos * cos + sin * sin;
            cos /= squared;
            sin /= -squared;
        }
    }

    bool turns() const { return table_.has_value(); }

    /// x [d_head] of a query or key at a position.
    std::vector<double> operator()(std::span<const float> x, std::size_t position) const {
        std::vector<float> before(x.begin(), x.end());
        if (table_)
            applyRotary(*table_, 1, position, {before.data(), 1, before.size(), before.size()});
        return {before.begin(), before.end()};
    }

private:
    std::optional<RotaryTable> table_;
};

} // namespace

Result<QueryDimensions> queryDimensions(const StreamRun& run, LayerHead head, std::size_t query) {
    if (auto checked = checkHead(head, run.spec()); !checked)
        return checked.error();
    if (auto checked = checkPosition(run.positions(), query); !checked)
        return checked.error();
    const ScoreRow row(run, head, query);
    const TurnBack turn_back(run, head.layer);
    const PositionRange keys = row.visible();
    const std::size_t d_head = row.query().size();
    QueryDimensions result{head,
                           query,
                           keys,
                           turn_back(row.query(), query),
                           {row.query().begin(), row.query().end()},
                           DoubleMatrix(keys.size(), d_head),
                           DoubleMatrix(keys.size(), d_head),
                           DoubleMatrix(keys.size(), d_head),
                           turn_back.turns()};
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::span<const float> key = row.key(keys.begin + i);
        std::ranges::copy(turn_back(key, keys.begin + i), result.keys_before.row(i));
        std::ranges::copy(key, result.keys.row(i));
        for (std::size_t d = 0; d < d_head; ++d)
            result.parts(i, d) = row.scale() * result.query[d] * result.keys(i, d);
    }
    return result;
}

} // namespace headscope
