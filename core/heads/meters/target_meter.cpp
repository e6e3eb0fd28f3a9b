#include "core/heads/meters/target_meter.h"

#include "core/engine/attention.h"
#include "core/heads/meters/content.h"
#include "core/model/model.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace headscope {

namespace {

/// Sums over the scored rows of one head, or of a head that attends evenly.
struct TargetSums {
    double targets = 0.0;
    double targets_from_row_2 = 0.0;
    double content = 0.0; ///< all but position 0; of TargetShare::OfContent

    void add(std::size_t query, double on_targets, double on_content) {
        targets += on_targets;
        content += on_content;
        if (query >= 2)
            targets_from_row_2 += on_targets;
    }
};

class TargetMeter : public Meter {
public:
    TargetMeter(ModelSpec spec, std::size_t positions, TargetKeys keys, TargetShare share)
        : spec_(std::move(spec)), positions_(positions), keys_(std::move(keys)), share_(share),
          sums_(headIndex(spec_)) {}

    void observe(const PatternBlock& block) override {
        TargetSums& sums = sums_[block.head];
        const PositionRange scored = keys_.within(block.queries);
        for (std::size_t i = scored.begin; i < scored.end; ++i) {
            const std::size_t query = keys_.queries()[i];
            const float* const row = block.weights.row(query - block.queries.begin);
            double on_targets = 0.0;
            for (const std::size_t key : keys_.of(i))
                if (block.keys.contains(key))
                    on_targets += static_cast<double>(row[key - block.keys.begin]);
            const bool of_row = share_ == TargetShare::OfRow;
            sums.add(query, on_targets, of_row ? 0.0 : contentOfRow(row, block.keys));
        }
    }

    Measurement measurement() const override {
        const auto rows = static_cast<double>(keys_.queries().size());
        Measurement found{rows, PerHead<Reading>(sums_.heads())};
        for (std::size_t layer = 0; layer < spec_.n_layers; ++layer) {
            const double baseline = score(evenHead(layer));
            for (const LayerHead head : sums_.heads().in(layer)) {
                const TargetSums& sums = sums_[head];
                const bool of_row = share_ == TargetShare::OfRow;
                found.heads[head] = {of_row ? rows : sums.content, score(sums), baseline,
                                     of_row ? fromRow2(sums) : sums.targets / rows};
            }
        }
        return found;
    }

private:
    TargetSums evenHead(std::size_t layer) const {
        const KeyMask mask = keyMask(spec_, layer);
        TargetSums sums;
        for (std::size_t i = 0; i < keys_.queries().size(); ++i) {
            const std::size_t query = keys_.queries()[i];
            const PositionRange visible = mask.visibleKeys(query, positions_);
            const auto each = 1.0 / static_cast<double>(visible.size());
            const auto seen = std::ranges::count_if(
                keys_.of(i), [&](std::uint32_t key) { return visible.contains(key); });
            sums.add(query, static_cast<double>(seen) * each,
                     1.0 - (visible.contains(0) ? each : 0.0));
        }
        return sums;
    }

    double score(const TargetSums& sums) const {
        const auto rows = static_cast<double>(keys_.queries().size());
        if (share_ == TargetShare::OfRow)
            return sums.targets / rows;
        return isRoundingOfRows(sums.content, rows, positions_) ? 0.0 : sums.targets / sums.content;
    }

    double fromRow2(const TargetSums& sums) const {
        const auto queries = keys_.queries();
        const auto rows = queries.end() - std::ranges::lower_bound(queries, std::size_t{2});
        return rows == 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sums.targets_from_row_2 / static_cast<double>(rows);
    }

    ModelSpec spec_;
    std::size_t positions_;
    TargetKeys keys_;
    TargetShare share_;
    PerHead<TargetSums> sums_;
};

} // namespace

TargetKeys::TargetKeys(const InputSequence& sequence, const Targets& targets) {
    for (std::size_t query = 0; query < sequence.ids.size(); ++query) {
        const auto keys = targets(sequence, query);
        if (keys.empty())
            continue;
        queries_.push_back(query);
        begins_.push_back(keys_.size());
        for (const std::size_t key : keys)
            keys_.push_back(static_cast<std::uint32_t>(key));
    }
    begins_.push_back(keys_.size());
}

PositionRange TargetKeys::within(PositionRange positions) const {
    const auto begin = std::ranges::lower_bound(queries_, positions.begin);
    const auto end = std::lower_bound(begin, queries_.end(), positions.end);
    return {static_cast<std::size_t>(begin - queries_.begin()),
            static_cast<std::size_t>(end - queries_.begin())};
}

std::vector<std::size_t> firstPosition(const InputSequence&, std::size_t q) {
    return q == 0 ? std::vector<std::size_t>{} : std::vector{std::size_t{0}};
}

std::unique_ptr<Meter> targetMeter(const ModelSpec& spec, const InputSequence& sequence,
                                   const Targets& targets, TargetShare share) {
    TargetKeys keys(sequence, targets);
    if (keys.queries().empty())
        return nullptr;
    return std::make_unique<TargetMeter>(spec, sequence.ids.size(), std::move(keys), share);
}

} // namespace headscope
