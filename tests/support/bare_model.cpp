#include "tests/support/bare_model.h"

#include <algorithm>
#include <memory>

namespace headscope::test {

namespace {

MutableMatrixView qkvColumns(Model& model, LayerHead head, std::size_t first_column) {
    const std::size_t d_head = model.spec.d_head;
    return model.weights.layers[head.layer].attn.W_QKV.floats().matrix().colRange(first_column,
                                                                                  d_head);
}

} // namespace

Model bareModel(const BareShape& shape) {
    Model model;
    ModelSpec& spec = model.spec;
    spec.n_layers = shape.n_layers;
    spec.n_heads = shape.n_heads;
    spec.n_kv_heads = shape.n_kv_heads;
    spec.d_head = shape.d_head;
    spec.d_model = spec.d_vocab = spec.n_ctx = shape.d_model;
    spec.norm_placement = NormPlacement::None;
    spec.final_norm = false;
    spec.mlp = MlpKind::None;
    spec.attention_scale.assign(shape.n_layers, 1.0);
    model.weights.W_E = Tensor({spec.d_vocab, spec.d_model});
    addDiagonal(model.weights.W_E.floats().matrix(), 0, 0);
    model.weights.W_U = model.weights.W_E;
    model.weights.W_pos = Tensor({spec.n_ctx, spec.d_model});
    model.weights.layers.resize(shape.n_layers);
    for (LayerWeights& layer : model.weights.layers) {
        layer.attn.W_QKV = Tensor({spec.d_model, spec.qkvWidth()});
        layer.attn.W_O = Tensor({spec.queryWidth(), spec.d_model});
    }
    return model;
}

MutableMatrixView queryWeights(Model& model, LayerHead head) {
    return qkvColumns(model, head, head.head * model.spec.d_head);
}

MutableMatrixView keyWeights(Model& model, LayerHead head) {
    const ModelSpec& spec = model.spec;
    return qkvColumns(model, head, spec.queryWidth() + spec.kvPlace(head) * spec.d_head);
}

MutableMatrixView valueWeights(Model& model, LayerHead head) {
    const ModelSpec& spec = model.spec;
    return qkvColumns(model, head,
                      spec.queryWidth() + spec.keyWidth() + spec.kvPlace(head) * spec.d_head);
}

MutableMatrixView outputWeights(Model& model, LayerHead head) {
    const std::size_t d_head = model.spec.d_head;
    return model.weights.layers[head.layer].attn.W_O.floats().matrix().rowRange(head.head * d_head,
                                                                                d_head);
}

void addDiagonal(MutableMatrixView matrix, std::size_t row, std::size_t col, float scale) {
    const std::size_t length = std::min(matrix.rows - row, matrix.cols - col);
    for (std::size_t i = 0; i < length; ++i)
        matrix(row + i, col + i) += scale;
}

FoldedWeights foldWeights(const Model& model) {
    return headscope::foldWeights(std::make_shared<const Model>(model));
}

FactoredMatrix ovCircuit(const FoldedWeights& weights, LayerHead head) {
    return {weights.valueWeights(head), weights.outputWeights(head)};
}

Tensor multipliedOut(const FactoredMatrix& matrix) {
    Tensor whole({matrix.left.dim(0), matrix.right.dim(1)});
    for (std::size_t r = 0; r < whole.dim(0); ++r)
        for (std::size_t i = 0; i < matrix.left.dim(1); ++i)
            for (std::size_t c = 0; c < whole.dim(1); ++c)
                whole(r, c) += matrix.left(r, i) * matrix.right(i, c);
    return whole;
}

} // namespace headscope::test
