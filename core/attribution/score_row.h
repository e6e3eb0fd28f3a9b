#pragma once

#include "core/attribution/score_parts.h"
#include "core/attribution/stream_parts.h"
#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/engine/attention.h"
#include "core/engine/position_range.h"
#include "core/tensor/linear_algebra.h"

#include <cstddef>
#include <span>
#include <vector>

namespace headscope {

/// A key and how much of it a difference of scores holds: the key that is asked about with 1, those
/// it is compared with by their negative shares.
struct KeyShare {
    std::size_t key = 0;
    double share = 0.0;      ///< of the score
    double of_product = 0.0; ///< of q · k, which a soft-cap bends: share · score / (scale q · k)
};

/// Some scores of one query of one head, from the queries and keys that the run kept.
class ScoreRow {
public:
    ScoreRow(const StreamRun& run, LayerHead head, std::size_t query);

    PositionRange visible() const { return visible_; }
    std::span<const float> query() const { return {q_, spec_.d_head}; } ///< [d_head]
    std::span<const float> key(std::size_t key) const;                  ///< [d_head]
    double scale() const { return static_cast<double>(rule_.scale); }
    bool caps() const { return rule_.softcap != 0.0f; }

    /// scale · q · k
    double product(std::size_t key) const;
    /// What a soft-cap makes of scale · q · k; the same without one.
    double cap(double product) const;
    /// The score as the softmax reads it, without the bias by distance.
    double capped(std::size_t key) const { return cap(product(key)); }
    /// DistanceBias, such as ALiBi's.
    double distance(std::size_t key) const;
    double score(std::size_t key) const { return capped(key) + distance(key); }
    /// ScoreRule::sink
    double sink() const { return static_cast<double>(rule_.sink); }

    /// The keys that the difference asked for is made of; the one asked about comes first.
    std::vector<KeyShare> shares(const ScoreQuestion& question) const;
    /// What the score of the first of these keys is compared with: the mean of the others, and that
    /// very score where the two differ by rounding alone. 0 where there are no others.
    double reference(std::span<const KeyShare> shares) const;
    /// What DistanceBias adds to the difference.
    double distance(std::span<const KeyShare> shares) const;

private:
    void addOthers(std::size_t key, std::vector<KeyShare>& shares) const;

    const StreamRun& run_;
    const ModelSpec& spec_;
    LayerHead head_;
    std::size_t query_;
    ScoreRule rule_;
    PositionRange visible_;
    const float* q_;
};

/// Fails for what is not there or hidden, and where the network clipped the query or a key that it
/// sees, which are then no sum of what the writers of the stream give.
Result<void> checkScore(const StreamRun& run, const ScoreQuestion& question);

/// The same of one side of a head at some positions.
Result<void> checkUnclipped(const StreamRun& run, LayerHead head, HeadSide side,
                            PositionRange positions);

/// One query of a head against all keys that it sees, dimension by dimension: the view of neurons
/// that BertViz has (Vig 2019).
struct QueryDimensions {
    LayerHead head;
    std::size_t query_position = 0;
    PositionRange positions;          ///< of the keys
    std::vector<double> query_before; ///< [d_head], after its norm and before rotary
    std::vector<double> query;        ///< [d_head], as the scores are made of it
    DoubleMatrix keys_before;         ///< [key, d_head]
    DoubleMatrix keys;                ///< [key, d_head]
    /// [key, d_head], scale · query · key: each row adds up to its score, but for soft-cap and
    /// biases by distance.
    DoubleMatrix parts;
    /// Whether rotary positions turn queries and keys of this layer, and no norm follows that.
    bool turned = false;
};

/// Fails for heads and queries that are not there.
Result<QueryDimensions> queryDimensions(const StreamRun& run, LayerHead head, std::size_t query);

} // namespace headscope
