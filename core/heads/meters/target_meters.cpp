#include "core/heads/meters/target_meters.h"

#include "core/engine/attention.h"
#include "core/heads/meters/meter.h"
#include "core/model/model.h"
#include "core/tensor/kernels.h"
#include "core/tensor/rounding.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace headscope {

double contentOfRow(const float* weights, PositionRange keys) {
    const std::size_t first = keys.contains(0) ? 1 : 0;
    return kernels().sum(weights + first, keys.size() - first);
}

bool isRoundingOfRows(double sum, double rows, std::size_t keys) {
    return sum <= rows * roundingShare(keys);
}

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

namespace {

/// The key with the largest weight, the first of equals, among those from `least` on; nothing where
/// there is none or a weight is NaN.
std::optional<std::size_t> largestKey(const PatternBlock& block, std::size_t query,
                                      PositionRange visible, std::size_t least) {
    const std::size_t begin = std::max(visible.begin, least);
    if (begin >= visible.end)
        return std::nullopt;
    const float* const row = block.weights.row(query - block.queries.begin);
    const float* const first = row + (begin - block.keys.begin);
    const float* const end = row + (visible.end - block.keys.begin);
    if (std::any_of(first, end, [](float weight) { return std::isnan(weight); }))
        return std::nullopt;
    return begin + static_cast<std::size_t>(std::max_element(first, end) - first);
}

class ArgmaxMeter : public Meter {
public:
    ArgmaxMeter(ModelSpec spec, std::size_t positions, TargetKeys keys, ArgmaxOver over)
        : spec_(std::move(spec)), positions_(positions), keys_(std::move(keys)), over_(over),
          counts_(headIndex(spec_)) {}

    void observe(const PatternBlock& block) override {
        const KeyMask mask = keyMask(spec_, block.head.layer);
        Counts& counts = counts_[block.head];
        const PositionRange scored = keys_.within(block.queries);
        for (std::size_t i = scored.begin; i < scored.end; ++i) {
            const std::size_t query = keys_.queries()[i];
            const PositionRange visible = mask.visibleKeys(query, positions_);
            counts.content.add(largestKey(block, query, visible, 1), keys_.of(i));
            counts.all.add(largestKey(block, query, visible, 0), keys_.of(i));
        }
    }

    Measurement measurement() const override {
        const auto rows = static_cast<double>(keys_.queries().size());
        Measurement found{rows, PerHead<Reading>(counts_.heads())};
        for (std::size_t layer = 0; layer < spec_.n_layers; ++layer) {
            const double baseline = baselineIn(layer);
            for (const LayerHead head : counts_.heads().in(layer)) {
                const double content = counts_[head].content.share();
                const double all = counts_[head].all.share();
                const bool of_all = over_ == ArgmaxOver::All;
                found.heads[head] = {rows, of_all ? all : content, baseline,
                                     of_all ? content : all};
            }
        }
        return found;
    }

private:
    struct Hits {
        std::size_t hits = 0;
        std::size_t queries = 0;

        void add(std::optional<std::size_t> key, std::span<const std::uint32_t> targets) {
            if (!key)
                return;
            queries += 1;
            hits += std::ranges::find(targets, *key) != targets.end() ? 1 : 0;
        }
        double share() const {
            return queries == 0 ? std::numeric_limits<double>::quiet_NaN()
                                : static_cast<double>(hits) / static_cast<double>(queries);
        }
    };
    struct Counts {
        Hits content; ///< off position 0
        Hits all;
    };

    double baselineIn(std::size_t layer) const {
        const KeyMask mask = keyMask(spec_, layer);
        double sum = 0.0;
        for (std::size_t i = 0; i < keys_.queries().size(); ++i) {
            const PositionRange visible =
                intersection(mask.visibleKeys(keys_.queries()[i], positions_), {1, positions_});
            const auto seen = std::ranges::count_if(
                keys_.of(i), [&](std::uint32_t key) { return visible.contains(key); });
            if (visible.size() > 0)
                sum += static_cast<double>(seen) / static_cast<double>(visible.size());
        }
        return sum / static_cast<double>(keys_.queries().size());
    }

    ModelSpec spec_;
    std::size_t positions_;
    TargetKeys keys_;
    ArgmaxOver over_;
    PerHead<Counts> counts_;
};

class OffsetMeter : public Meter {
public:
    OffsetMeter(ModelSpec spec, TokenIds ids)
        : spec_(std::move(spec)), ids_(std::move(ids)), heads_(headIndex(spec_)) {
        for (Head& head : heads_)
            head.at_offset.assign(2 * ids_.size() - 1, 0);
    }

    void observe(const PatternBlock& block) override {
        const KeyMask mask = keyMask(spec_, block.head.layer);
        Head& head = heads_[block.head];
        for (std::size_t query = block.queries.begin; query < block.queries.end; ++query) {
            const PositionRange visible = mask.visibleKeys(query, ids_.size());
            if (visible.size() < 2 || !isSampled(query, ids_.size()))
                continue;
            if (const auto key = largestKey(block, query, visible, 0)) {
                head.is_read = true;
                head.at_offset[placeOf(query, *key)] += tokensMatch(query, *key) ? 0 : 1;
            }
        }
    }

    Measurement measurement() const override {
        const auto rows = static_cast<double>(ids_.size());
        Measurement found{rows, PerHead<Reading>(heads_.heads())};
        for (std::size_t layer = 0; layer < spec_.n_layers; ++layer) {
            const Reach reach = reachIn(layer);
            for (const LayerHead head : heads_.heads().in(layer))
                found.heads[head] = readingOf(heads_[head], reach, rows);
        }
        return found;
    }

    bool readsAny() const {
        for (std::size_t layer = 0; layer < spec_.n_layers; ++layer)
            if (readsAny(reachIn(layer)))
                return true;
        return false;
    }

private:
    struct Head {
        bool is_read = false;
        std::vector<std::uint32_t> at_offset; ///< by placeOf()
    };

    /// The queries of a layer that an offset can be read from.
    struct Reach {
        std::vector<std::uint32_t> queries; ///< by placeOf(): those that see a key there
        std::uint32_t least = 0;            ///< offsets in sight of fewer are not read
        double baseline = 0.0;
    };

    /// The place of the offset k − q, in [0, 2T − 1).
    std::size_t placeOf(std::size_t query, std::size_t key) const {
        return ids_.size() - 1 + key - query;
    }

    /// Whether a head that compares tokens would look from this query at this key, too: it holds
    /// the same token, or follows one.
    bool tokensMatch(std::size_t query, std::size_t key) const {
        const auto isAnother = [&](std::size_t at) {
            return at != query && ids_[at] == ids_[query];
        };
        return isAnother(key) || (key > 0 && isAnother(key - 1));
    }

    /// The baseline is that of offset −1, which the most queries see.
    Reach reachIn(std::size_t layer) const {
        constexpr std::uint32_t kFewest = 4;
        const KeyMask mask = keyMask(spec_, layer);
        Reach reach{std::vector<std::uint32_t>(2 * ids_.size() - 1, 0)};
        std::uint32_t queries = 0;
        double one_back = 0.0;
        for (std::size_t query = 0; query < ids_.size(); ++query) {
            const PositionRange visible = mask.visibleKeys(query, ids_.size());
            if (visible.size() < 2 || !isSampled(query, ids_.size()))
                continue;
            queries += 1;
            for (std::size_t key = visible.begin; key < visible.end; ++key)
                reach.queries[placeOf(query, key)] += tokensMatch(query, key) ? 0 : 1;
            if (query > 0 && visible.contains(query - 1) && !tokensMatch(query, query - 1))
                one_back += 1.0 / static_cast<double>(visible.size());
        }
        if (const std::uint32_t nearest = reach.queries[ids_.size() - 2]; nearest > 0)
            reach.baseline = one_back / static_cast<double>(nearest);
        reach.least = std::max({std::min(kFewest, queries), (queries + 3) / 4, 1U});
        return reach;
    }

    /// Offset 0 is another type.
    bool isReadAt(const Reach& reach, std::size_t place) const {
        return place != ids_.size() - 1 && reach.queries[place] >= reach.least;
    }
    bool readsAny(const Reach& reach) const {
        for (std::size_t place = 0; place < reach.queries.size(); ++place)
            if (isReadAt(reach, place))
                return true;
        return false;
    }

    /// Without weight where the sequence says nothing of the layer; undefined for a head whose
    /// attention is no number.
    Reading readingOf(const Head& head, const Reach& reach, double rows) const {
        if (!readsAny(reach))
            return {0.0, 0.0, 0.0, kUndefinedReading};
        Reading reading{rows, kUndefinedReading, reach.baseline, kUndefinedReading};
        if (!head.is_read)
            return reading;
        const std::size_t own = ids_.size() - 1;
        for (std::size_t place = 0; place < reach.queries.size(); ++place) {
            if (!isReadAt(reach, place))
                continue;
            const double share = static_cast<double>(head.at_offset[place]) /
                                 static_cast<double>(reach.queries[place]);
            if (std::isnan(reading.score) || share > reading.score) {
                reading.score = share;
                reading.variant = static_cast<double>(place) - static_cast<double>(own);
            }
        }
        return reading;
    }

    ModelSpec spec_;
    TokenIds ids_;
    PerHead<Head> heads_;
};

} // namespace

std::unique_ptr<Meter> argmaxMeter(const ModelSpec& spec, const InputSequence& sequence,
                                   const Targets& targets, ArgmaxOver over) {
    TargetKeys keys(sequence, [&](const InputSequence& of, std::size_t q) {
        return isSampled(q, of.ids.size()) ? targets(of, q) : std::vector<std::size_t>{};
    });
    if (keys.queries().empty())
        return nullptr;
    return std::make_unique<ArgmaxMeter>(spec, sequence.ids.size(), std::move(keys), over);
}

std::unique_ptr<Meter> offsetMeter(const ModelSpec& spec, const InputSequence& sequence) {
    if (sequence.ids.size() < 3)
        return nullptr;
    auto meter = std::make_unique<OffsetMeter>(spec, sequence.ids);
    return meter->readsAny() ? std::move(meter) : nullptr;
}

} // namespace headscope
