#pragma once

#include "core/base/per_head.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/heads/corpus_scan.h"
#include "core/heads/example_choice.h"
#include "core/heads/input_sequence.h"
#include "core/model/model.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace headscope {

struct ExampleOptions {
    std::size_t per_interval = 5;   ///< examples of each part, at most
    std::size_t keys_per_query = 8; ///< the largest weights of a row that are kept
    float least_weight = 0.005f;    ///< and of these, those from here on
};

/// One weight of a pattern.
struct ShownWeight {
    std::uint32_t query = 0;
    std::uint32_t key = 0;
    float weight = 0.0f;
};

/// One sequence as one head sees it.
struct AttentionExample {
    std::size_t sequence = 0;         ///< its index among those given
    std::size_t interval = 0;         ///< 1 to kExampleIntervals, the last is the strongest
    std::vector<ShownWeight> entries; ///< by query, the largest first
};

/// What one head does on a set of sequences.
struct HeadExamples {
    AttentionMeans means;
    /// [sequence], its largest weight off position 0 (row and column) and the diagonal.
    std::vector<float> strongest;
    std::vector<AttentionExample> examples; ///< strongest first
};

/// What each head does on these sequences, and examples from the whole range of how
/// strongly it looks, because the strongest alone show one side of a head. The sequences are run
/// twice; memory grows with the examples, and with sequences only by a number for each head.
Result<PerHead<HeadExamples>> attentionExamples(const std::shared_ptr<const Model>& model,
                                                std::span<const InputSequence> sequences,
                                                const ExampleOptions& options = {},
                                                const Progress& progress = {},
                                                const std::stop_token& stop = {});

} // namespace headscope
