#pragma once

#include "core/engine/position_range.h"
#include "core/heads/input_sequence.h"
#include "core/heads/meters/meter.h"
#include "core/model/model_spec.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace headscope {

// Heads rest on position 0 where there is nothing to find. What a query attends to besides is its
// content, and some scores are shares of that.

/// Σ_{k≥1} A[q, k] of the weights of one query on `keys`. It is summed: of 1 − A[q, 0] only
/// rounding is left in a head that rests on position 0 wholly.
double contentOfRow(const float* weights, PositionRange keys);

/// Whether a sum over `rows` rows of `keys` weights each is no more than their rounding, and so
/// nothing to take shares of. NaN is more.
bool isRoundingOfRows(double sum, double rows, std::size_t keys);

/// The targets of all queries of one sequence.
class TargetKeys {
public:
    TargetKeys(const InputSequence& sequence, const Targets& targets);

    /// The scored queries, ascending.
    std::span<const std::size_t> queries() const { return queries_; }
    /// The targets of the query at `index` of queries().
    std::span<const std::uint32_t> of(std::size_t index) const {
        return std::span(keys_).subspan(begins_[index], begins_[index + 1] - begins_[index]);
    }
    /// The indices of the scored queries within `positions`.
    PositionRange within(PositionRange positions) const;

private:
    std::vector<std::size_t> queries_;
    std::vector<std::size_t> begins_; ///< of each query's keys; one more than queries
    std::vector<std::uint32_t> keys_; ///< of all queries, one after the other
};

/// What the attention on the targets is divided by.
enum class TargetShare {
    /// One per query: score = mean_q Σ A[q, target]. Second reading: the same over q ≥ 2, because
    /// row 1 of a causal model sees only positions 0 and 1, where types coincide.
    OfRow,
    /// What the query leaves off position 0, where heads rest: score = Σ_q Σ A[q, target] /
    /// Σ_q Σ_{k≥1} A[q, k]. A head counts by what it leaves. Second reading: with position 0, as
    /// OfRow.
    OfContent,
};

/// Position 0 as the target of every other query.
std::vector<std::size_t> firstPosition(const InputSequence& sequence, std::size_t q);

/// The attention that every head puts on the targets of a type. Null when no query has one, such as
/// for induction without a repeat.
std::unique_ptr<Meter> targetMeter(const ModelSpec& spec, const InputSequence& sequence,
                                   const Targets& targets, TargetShare share = TargetShare::OfRow);

// With more than 128 positions, only every second, third, … query is read (kMostSampledRows).

/// Among which keys the largest weight is looked for.
enum class ArgmaxOver { Content, All }; ///< off position 0; with it

/// The share of scored queries whose largest weight is on a target (Voita et al. 2019, Clark et al.
/// 2019). Baseline: that of a largest weight at a random key off position 0. Second reading: among
/// the other keys. Null when no query has a target.
std::unique_ptr<Meter> argmaxMeter(const ModelSpec& spec, const InputSequence& sequence,
                                   const Targets& targets, ArgmaxOver over = ArgmaxOver::Content);

/// For each offset k − q ≠ 0, the share of queries whose largest weight is at that offset; the
/// score is the largest of these shares (Voita et al. 2019, "positional"). An offset is counted
/// over the queries that see a key there, without those whose key holds the query's token or
/// follows it, because heads that compare tokens look there, too. Offsets that fewer than a quarter
/// of all queries see, or fewer than four, are not read. Baseline: the share at offset −1 of a head
/// whose largest weight is at a random key in sight. Second reading: the offset of the score. Null
/// where no offset is read.
std::unique_ptr<Meter> offsetMeter(const ModelSpec& spec, const InputSequence& sequence);

} // namespace headscope
