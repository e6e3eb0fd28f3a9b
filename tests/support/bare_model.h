#pragma once

#include "core/base/layer_head.h"
#include "core/circuits/factors/head_circuits.h"
#include "core/circuits/folded_weights.h"
#include "core/model/model.h"

namespace headscope::test {

struct BareShape {
    std::size_t n_layers = 1;
    std::size_t n_heads = 1;
    std::size_t n_kv_heads = 1;
    std::size_t d_head = 2;
    std::size_t d_model = 4;
};

/// A network of attention layers only, without norms, whose tokens are the unit vectors: W_E and
/// W_U are the identity, W_pos and all of attention are 0.
Model bareModel(const BareShape& shape);

/// The weights of one head to write to; heads of a KV group share W_K and W_V.
MutableMatrixView queryWeights(Model& model, LayerHead head);  ///< [d_model, d_head]
MutableMatrixView keyWeights(Model& model, LayerHead head);    ///< [d_model, d_head]
MutableMatrixView valueWeights(Model& model, LayerHead head);  ///< [d_model, d_head]
MutableMatrixView outputWeights(Model& model, LayerHead head); ///< [d_head, d_model]

/// Ones on the diagonal that begins at `row` and `col`, times `scale`; the rest stays.
void addDiagonal(MutableMatrixView matrix, std::size_t row, std::size_t col, float scale = 1.0f);

/// Of a copy of the network.
FoldedWeights foldWeights(const Model& model);

/// W_OV = W_V · W_O (Elhage et al. 2021).
FactoredMatrix ovCircuit(const FoldedWeights& weights, LayerHead head);

/// The whole matrix [d_model, d_model] in plain loops.
Tensor multipliedOut(const FactoredMatrix& matrix);

} // namespace headscope::test
