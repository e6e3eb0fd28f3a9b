#include "core/circuits/factors/head_circuits.h"

#include "core/engine/rotary.h"
#include "core/tensor/gemm.h"
#include "core/tensor/tensor.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

namespace headscope {

namespace {

Tensor transposed(MatrixView w) {
    Tensor result = Tensor::uninitialised({w.cols, w.rows});
    transposeInto(w, result.matrix());
    return result;
}

} // namespace

Result<FactoredMatrix> qkCircuit(const FoldedWeights& weights, LayerHead head,
                                 std::optional<Offset> offset) {
    if (auto checked = checkOffset(weights.spec(), offset); !checked)
        return checked.error();
    const Tensor W_Q = weights.queryWeights(head);
    FactoredMatrix qk{W_Q, transposed(weights.keyWeights(head).matrix())};
    if (weights.spec().rotaryIn(head.layer))
        multiply(W_Q.matrix(), rotation(weights.spec(), head.layer, *offset).matrix(),
                 qk.left.matrix());
    return qk;
}

Tensor rotation(const ModelSpec& spec, std::size_t layer, Offset offset) {
    const RotarySpec* const rotary = spec.rotaryIn(layer);
    if (!rotary)
        return {};
    const std::size_t d_head = spec.d_head;
    const auto distance = static_cast<std::size_t>(std::abs(offset));
    const RotaryTable table = rotaryTable(*rotary, distance + 1);
    Tensor r({d_head, d_head});
    for (std::size_t i = 0; i < d_head; ++i)
        r(i, i) = 1.0f;
    // Every unit vector is taken as a head of its own at one position. Position 0 turns nothing but
    // brings the key's share of the amplitude.
    const MutableMatrixView one_position{r.data(), 1, r.size(), r.size()};
    applyRotary(table, d_head, distance, one_position);
    applyRotary(table, d_head, 0, one_position);
    return offset < 0 ? transposed(r.matrix()) : r;
}

Result<void> checkOffset(const ModelSpec& spec, std::optional<Offset> offset) {
    if (spec.positions != PositionKind::Rotary)
        return {};
    if (!offset)
        return Error{ErrorCode::InvalidArgument,
                     "The QK circuit of a model with rotary positions is not defined without an "
                     "offset between query and key; choose one."};
    if (static_cast<std::size_t>(std::abs(*offset)) >= spec.n_ctx)
        return Error{ErrorCode::InvalidArgument, "An offset of " + std::to_string(*offset) +
                                                     " is beyond the context of " +
                                                     std::to_string(spec.n_ctx) + " tokens."};
    return {};
}

Tensor columnGram(MatrixView w) {
    Tensor gram({w.cols, w.cols});
    transposedMultiplyAdd(w, w, gram.matrix());
    return gram;
}

Tensor rowGram(MatrixView w) {
    Tensor gram = Tensor::uninitialised({w.rows, w.rows});
    multiplyTransposed(1.0f, w, w, gram.matrix());
    return gram;
}

double elementwiseSum(MatrixView a, MatrixView b) {
    double sum = 0.0;
    for (std::size_t r = 0; r < a.rows; ++r)
        for (std::size_t c = 0; c < a.cols; ++c)
            sum += static_cast<double>(a(r, c)) * static_cast<double>(b(r, c));
    return sum;
}

double frobeniusNorm(const FactoredMatrix& matrix) {
    const double square = elementwiseSum(columnGram(matrix.left.matrix()).matrix(),
                                         rowGram(matrix.right.matrix()).matrix());
    return square < 0.0 ? 0.0 : std::sqrt(square); // rounding may leave less than nothing
}

} // namespace headscope
