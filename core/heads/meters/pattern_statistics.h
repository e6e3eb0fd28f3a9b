#pragma once

#include "core/base/per_head.h"
#include "core/engine/pattern_observer.h"
#include "core/model/model_spec.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <vector>

namespace headscope {

/// What the pattern A [query, key] of one head says, row by row and as a whole. T is the number of
/// positions.
struct PatternSummary {
    struct TopKey {
        std::size_t key = 0;
        float weight = 0.0f;
    };

    std::vector<double> offset_mass; ///< [2T − 1], at T − 1 + q − k: Σ A[q, k] along a diagonal
    std::vector<double> key_mass;    ///< [T], Σ_q A[q, k]
    std::vector<double> entropy;     ///< [T], −Σ_k A ln A of each query, nats
    std::vector<double> distance;    ///< [T], Σ_k A·|q − k| of each query
    std::vector<std::size_t> argmax; ///< [T], the key with the largest weight, the first of equals
    std::vector<std::vector<TopKey>> top; ///< [T], the keys with the largest weights, largest first

    /// Σ A[q, q − offset]; negative offsets look ahead.
    double offsetMass(std::ptrdiff_t offset) const;
};

/// Gathers them for all heads while a run computes its patterns. Memory grows with T, not with T².
class PatternStatistics : public PatternObserver {
public:
    PatternStatistics(const ModelSpec& spec, std::size_t positions, std::size_t top_keys = 4);

    void observe(const PatternBlock& block) override;

    const PatternSummary& of(LayerHead head) const { return heads_[head]; }

private:
    std::size_t top_keys_;
    PerHead<PatternSummary> heads_;
};

} // namespace headscope
