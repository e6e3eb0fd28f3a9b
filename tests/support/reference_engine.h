#pragma once

#include "core/base/layer_head.h"
#include "core/base/token_id.h"
#include "core/model/model.h"
#include "tests/support/reference_math.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace headscope::test {

/// Where the positions went in one layer with experts.
struct Routing {
    std::size_t layer = 0;
    Matrix logits;                                ///< [position, expert]
    std::vector<std::vector<std::size_t>> chosen; ///< [position][choice], best first
    std::vector<std::vector<double>> weights;     ///< [position][choice]
};

/// What one float64 forward pass computed.
struct ReferenceRun {
    /// [layer + 1] of [position, d_model]: what each block reads, and what the last one leaves.
    std::vector<Matrix> residuals;
    std::vector<std::vector<Matrix>> patterns; ///< [layer][head] of [query, key]
    Matrix logits;                             ///< [position, d_vocab]; empty without a vocabulary
    std::vector<Routing> routings;             ///< of the layers with experts
};

/// Called with z [position, d_head] of each head before W_O reads it, and may change it.
using EditZ = std::function<void(LayerHead head, Matrix& z)>;

/// The forward pass in float64 and plain loops, written from the papers and from what ModelSpec
/// says, against which the engine is judged. Slow, and it checks nothing: `ids` must be within
/// vocabulary and context. It shares with the engine only the angular frequencies of rotary
/// positions, which are float64 there too and have a test of their own.
ReferenceRun referenceRun(const Model& model, const TokenIds& ids, const EditZ& edit_z = {});

} // namespace headscope::test
