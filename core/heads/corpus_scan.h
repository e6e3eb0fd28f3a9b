#pragma once

#include "core/base/per_head.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/heads/input_sequence.h"
#include "core/model/model.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace headscope {

struct PatternSummary;

/// Means over all queries of all sequences, row 0 included, as HeadVis defines them; NaN where no
/// sequence has such queries. What a learned sink takes counts as attention at a distance of 0, and
/// has no part in the entropy.
struct AttentionMeans {
    double self = 0.0;              ///< A[q, q]
    double previous = 0.0;          ///< A[q, q − 1], q ≥ 1
    double entropy = 0.0;           ///< −Σ A ln A, nats
    double distance = 0.0;          ///< Σ A·|q − k|, tokens
    double distance_variance = 0.0; ///< Σ A·|q − k|² less the square of the mean, tokens²
};

/// The sums of which AttentionMeans are the means.
struct AttentionSums {
    double rows = 0.0;
    double rows_from_1 = 0.0;
    double self = 0.0;
    double previous = 0.0;
    double entropy = 0.0;
    double distance = 0.0;
    double squared_distance = 0.0;

    void add(const PatternSummary& pattern);
    void add(const AttentionSums& others);
    AttentionMeans means() const;
    bool operator==(const AttentionSums&) const = default;
};

/// The row of a sequence's pattern in which a head looks most strongly at another token than itself
/// and the first one, where attention rests when there is nothing to look at.
struct StrongestRow {
    struct Key {
        std::uint32_t key = 0;
        float weight = 0.0f;

        bool operator==(const Key&) const = default;
    };

    std::uint32_t query = 0;
    float weight = 0.0f; ///< the largest off position 0 and the diagonal; 0: there is none
    /// The largest weights of the row, those included, largest first.
    std::array<Key, 4> keys{};

    bool operator==(const StrongestRow&) const = default;
};

/// What one head does on a text that was cut into sequences.
struct HeadScan {
    AttentionSums sums;
    std::vector<StrongestRow> rows; ///< [sequence]

    bool operator==(const HeadScan&) const = default;
};
/// The scans of all heads; empty before anything was scanned.
using CorpusScan = PerHead<HeadScan>;

/// How many sequences were scanned.
std::size_t scannedSequences(const CorpusScan& scan);
/// Adds what later sequences gave.
void append(CorpusScan& scan, const CorpusScan& later);

/// Hears of what the next sequences gave; an error ends the scan.
using PublishScan = std::function<Result<void>(const CorpusScan& part)>;

/// Runs the sequences, some at a time, and keeps of every pattern its strongest row: some 40 bytes
/// for each head and sequence. Goes on after the sequences that `begun` holds; the result is then
/// the same as of one scan. Fails as runBatch() and `publish` do, for no sequence, and with
/// ErrorCode::Cancelled on a stop request.
Result<CorpusScan> scanCorpus(const std::shared_ptr<const Model>& model,
                              std::span<const InputSequence> sequences, CorpusScan begun = {},
                              const Progress& progress = {}, const std::stop_token& stop = {},
                              const PublishScan& publish = {});

} // namespace headscope
