#pragma once

#include "core/base/result.h"
#include "core/circuits/folded_weights.h"

#include <cstddef>
#include <optional>

namespace headscope {

/// A matrix [d_model, d_model] of rank at most d_head, as the product left · right.
struct FactoredMatrix {
    Tensor left;  ///< [d_model, d_head]
    Tensor right; ///< [d_head, d_model]
};

/// Query position minus key position, for rotary models.
using Offset = std::ptrdiff_t;

/// W_QK = W_Q · W_Kᵀ (Elhage et al. 2021), before the attention scale: query · W_QK · keyᵀ. With
/// rotary positions it is W_Q · R · W_Kᵀ, where R turns by the offset, and fails without one or for
/// one beyond the context. Others ignore the offset.
Result<FactoredMatrix> qkCircuit(const FoldedWeights& weights, LayerHead head,
                                 std::optional<Offset> offset = std::nullopt);

/// R [d_head, d_head] with q_rotated · k_rotated = q · R · kᵀ, where the query is `offset`
/// positions after the key, in a prompt just long enough for it. Empty for layers that turn
/// nothing.
Tensor rotation(const ModelSpec& spec, std::size_t layer, Offset offset);

/// Fails where W_QK is not defined: rotary positions without an offset, or one beyond the context.
Result<void> checkOffset(const ModelSpec& spec, std::optional<Offset> offset);

/// Wᵀ · W [cols, cols]
Tensor columnGram(MatrixView w);
/// W · Wᵀ [rows, rows]
Tensor rowGram(MatrixView w);

/// Σ a ⊙ b, summed in double; both of one shape. Of Wᵀ·W and V·Vᵀ it is ‖W · V‖²_F.
double elementwiseSum(MatrixView a, MatrixView b);

/// ‖left · right‖_F from the Gram matrices of the factors, without forming the product.
double frobeniusNorm(const FactoredMatrix& matrix);

} // namespace headscope
