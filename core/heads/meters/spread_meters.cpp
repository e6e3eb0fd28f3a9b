#include "core/heads/meters/spread_meters.h"

#include "core/engine/attention.h"
#include "core/heads/meters/meter.h"
#include "core/heads/meters/target_meters.h"
#include "core/model/model.h"
#include "core/tensor/kernels.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace headscope {

namespace {

/// Calls `work(query, visible keys, attention of the query on them)` for the rows of a block that
/// are read.
template <class Work>
void forEachRow(const ModelSpec& spec, std::size_t positions, const PatternBlock& block,
                const Work& work) {
    const KeyMask mask = keyMask(spec, block.head.layer);
    for (std::size_t query = block.queries.begin; query < block.queries.end; ++query) {
        if (!isSampled(query, positions))
            continue;
        const PositionRange visible = mask.visibleKeys(query, positions);
        work(query, visible,
             block.weights.row(query - block.queries.begin) + (visible.begin - block.keys.begin));
    }
}

/// A sum of terms and of what they are divided by.
struct Ratio {
    double over = 0.0;
    double under = 0.0;

    double value() const { return under > 0.0 ? over / under : kUndefinedReading; }
};

/// −Σ a ln a / ln n of n weights that sum to `total`, scaled to sum to 1; n ≥ 2.
double evenness(const float* weights, std::size_t n, double total) {
    double entropy = 0.0;
    for (std::size_t i = 0; i < n; ++i)
        if (weights[i] != 0.0f) {
            const double share = static_cast<double>(weights[i]) / total;
            entropy -= share * std::log(share);
        }
    return entropy / std::log(static_cast<double>(n));
}

class EntropyMeter : public Meter {
public:
    EntropyMeter(ModelSpec spec, std::size_t positions)
        : spec_(std::move(spec)), positions_(positions), spread_(headIndex(spec_)) {}

    void observe(const PatternBlock& block) override {
        Spread& spread = spread_[block.head];
        forEachRow(spec_, positions_, block,
                   [&](std::size_t, PositionRange visible, const float* weights) {
                       add(spread, visible, weights);
                   });
    }

    Measurement measurement() const override {
        const auto rows = static_cast<double>(positions_);
        Measurement found{rows, PerHead<Reading>(spread_.heads())};
        for (const LayerHead head : spread_.heads()) {
            const Ratio& content = spread_[head].content;
            const bool rests = isRoundingOfRows(content.under, rows, positions_);
            found.heads[head] = {rows, spread_[head].all.value(), 0.0,
                                 rests ? kUndefinedReading : content.value()};
        }
        return found;
    }

private:
    struct Spread {
        Ratio all;
        Ratio content; ///< off position 0
    };

    void add(Spread& spread, PositionRange visible, const float* weights) const {
        if (visible.size() < 2)
            return;
        // A learned sink takes the rest of a row, which counts by what it leaves, too.
        const double row = spec_.learned_sinks ? kernels().sum(weights, visible.size()) : 1.0;
        if (row > 0.0)
            spread.all.over += row * evenness(weights, visible.size(), row);
        spread.all.under += row;
        const std::size_t first = visible.contains(0) ? 1 : 0;
        const double content = contentOfRow(weights, visible);
        const std::size_t keys = visible.size() - first;
        if (keys < 2 || !(content > 0.0))
            return;
        // A row that rests on position 0 says little of how it spreads the remainder.
        spread.content.over += content * evenness(weights + first, keys, content);
        spread.content.under += content;
    }

    ModelSpec spec_;
    std::size_t positions_;
    PerHead<Spread> spread_;
};

/// Queries count only if they see a key at least this far away.
constexpr std::size_t kFar = 32;

/// Σ A·|q − k| over Σ A·d of one head, or of a head that attends evenly.
struct DistanceSums {
    Ratio all;
    Ratio content;     ///< off position 0
    double mass = 0.0; ///< Σ A off position 0
    double rows = 0.0; ///< queries that see far

    /// `attention(k)` of `query`.
    template <class Attention>
    void add(std::size_t query, PositionRange visible, const Attention& attention) {
        const std::size_t nearest_end = std::max<std::size_t>(visible.begin, 1);
        const std::size_t farthest =
            std::max(query - std::min(query, nearest_end), visible.end - 1 - query);
        if (query == 0 || farthest < kFar)
            return;
        rows += 1.0;
        for (std::size_t key = visible.begin; key < visible.end; ++key) {
            const double weight = attention(key);
            const auto distance = static_cast<double>(key < query ? query - key : key - query);
            all.over += weight * distance;
            all.under += weight * static_cast<double>(farthest);
            if (key == 0)
                continue;
            content.over += weight * distance;
            content.under += weight * static_cast<double>(farthest);
            mass += weight;
        }
    }
};

class DistanceMeter : public Meter {
public:
    DistanceMeter(ModelSpec spec, std::size_t positions)
        : spec_(std::move(spec)), positions_(positions), sums_(headIndex(spec_)) {}

    void observe(const PatternBlock& block) override {
        DistanceSums& sums = sums_[block.head];
        forEachRow(spec_, positions_, block,
                   [&](std::size_t query, PositionRange visible, const float* weights) {
                       sums.add(query, visible, [&](std::size_t key) {
                           return static_cast<double>(weights[key - visible.begin]);
                       });
                   });
    }

    Measurement measurement() const override {
        Measurement found{0.0, PerHead<Reading>(sums_.heads())};
        for (std::size_t layer = 0; layer < spec_.n_layers; ++layer) {
            const DistanceSums even = evenHead(layer);
            found.rows = std::max(found.rows, even.rows);
            for (const LayerHead head : sums_.heads().in(layer)) {
                const DistanceSums& sums = sums_[head];
                if (even.rows == 0.0) { // a window ends before
                    found.heads[head] = {0.0, 0.0, 0.0, kUndefinedReading};
                    continue;
                }
                const bool rests = isRoundingOfRows(sums.mass, even.rows, positions_);
                found.heads[head] = {sums.mass, rests ? 0.0 : sums.content.value(),
                                     even.content.value(), sums.all.value()};
            }
        }
        return found;
    }

private:
    DistanceSums evenHead(std::size_t layer) const {
        const KeyMask mask = keyMask(spec_, layer);
        DistanceSums sums;
        for (std::size_t query = 0; query < positions_; ++query) {
            if (!isSampled(query, positions_))
                continue;
            const PositionRange visible = mask.visibleKeys(query, positions_);
            sums.add(query, visible,
                     [&](std::size_t) { return 1.0 / static_cast<double>(visible.size()); });
        }
        return sums;
    }

    ModelSpec spec_;
    std::size_t positions_;
    PerHead<DistanceSums> sums_;
};

} // namespace

std::unique_ptr<Meter> entropyMeter(const ModelSpec& spec, const InputSequence& sequence) {
    if (sequence.ids.size() < 2)
        return nullptr;
    return std::make_unique<EntropyMeter>(spec, sequence.ids.size());
}

std::unique_ptr<Meter> distanceMeter(const ModelSpec& spec, const InputSequence& sequence) {
    if (sequence.ids.size() < kFar + 2)
        return nullptr;
    return std::make_unique<DistanceMeter>(spec, sequence.ids.size());
}

} // namespace headscope
