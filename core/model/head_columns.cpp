#include "core/model/head_columns.h"

#include "core/tensor/gemm.h"
#include "core/tensor/nonlinear.h"

#include <algorithm>
#include <span>
#include <utility>

namespace headscope {

namespace {

/// Some columns of W_QKV, and of b_QKV.
HeadColumns fusedColumns(const AttentionWeights& weights, std::size_t first, std::size_t count) {
    HeadColumns columns{widened(weights.W_QKV.matrix().colRange(first, count)), {}};
    if (weights.b_QKV.empty())
        return columns;
    columns.b = Tensor({count});
    std::ranges::copy(weights.b_QKV.values().subspan(first, count), columns.b.data());
    return columns;
}

HeadColumns fusedColumnsOf(const ModelSpec& spec, const AttentionWeights& weights,
                           std::size_t layer, HeadRead read, std::size_t place) {
    const std::size_t width = read == HeadRead::Value ? spec.valueDim() : spec.d_head;
    std::size_t first = place * width;
    if (read != HeadRead::Query)
        first += spec.queryWidth(layer);
    if (read == HeadRead::Value)
        first += spec.keyWidth(layer);
    return fusedColumns(weights, first, width);
}

/// (x W_down + b) ⊙ gain · up
HeadColumns throughLatent(const WeightTensor& W_down, const Tensor& b_down, const NormWeights& norm,
                          const WeightMatrix& up) {
    Tensor down = W_down.widened();
    scaleAndShift(down.matrix(), norm.weight.values(), {});
    HeadColumns columns{Tensor::uninitialised({down.dim(0), up.cols}), {}};
    multiply(down.matrix(), up, columns.W.matrix());
    if (b_down.empty())
        return columns;
    Tensor b = b_down;
    const MutableMatrixView row{b.data(), 1, b.size(), b.size()};
    scaleAndShift(row, norm.weight.values(), {});
    columns.b = Tensor({up.cols});
    multiply(row, up, MutableMatrixView{columns.b.data(), 1, up.cols, up.cols});
    return columns;
}

/// The columns of the part that all heads share before those of a head's own.
HeadColumns behindShared(const LatentWeights& weights, const HeadColumns& own) {
    const std::size_t shared = weights.W_KR.dim(1);
    const std::size_t width = shared + own.W.dim(1);
    HeadColumns columns{Tensor({own.W.dim(0), width}), {}};
    const Tensor W_KR = weights.W_KR.widened();
    for (std::size_t r = 0; r < own.W.dim(0); ++r) {
        std::copy_n(W_KR.matrix().row(r), shared, columns.W.matrix().row(r));
        std::copy_n(own.W.matrix().row(r), own.W.dim(1), columns.W.matrix().row(r) + shared);
    }
    if (own.b.empty())
        return columns;
    columns.b = Tensor({width});
    std::ranges::copy(weights.b_KR.values(), columns.b.data());
    std::ranges::copy(own.b.values(), columns.b.data() + shared);
    return columns;
}

/// Some columns of the queries of all heads.
HeadColumns latentQueries(const LatentWeights& weights, std::size_t first, std::size_t count) {
    const WeightMatrix up = weights.W_UQ.matrix().colRange(first, count);
    if (weights.W_DQ.empty())
        return {widened(up), {}};
    return throughLatent(weights.W_DQ, weights.b_DQ, weights.q_norm, up);
}

HeadColumns latentColumns(const ModelSpec& spec, const LatentWeights& weights, HeadRead read,
                          std::size_t place) {
    const auto ofHead = [place](const WeightTensor& up, std::size_t width) {
        return up.matrix().colRange(place * width, width);
    };
    if (read == HeadRead::Query)
        return latentQueries(weights, place * spec.d_head, spec.d_head);
    if (read == HeadRead::Value)
        return throughLatent(weights.W_DKV, weights.b_DKV, weights.kv_norm,
                             ofHead(weights.W_UV, spec.valueDim()));
    return behindShared(weights, throughLatent(weights.W_DKV, weights.b_DKV, weights.kv_norm,
                                               ofHead(weights.W_UK, spec.ownKeyDim())));
}

} // namespace

HeadColumns headColumns(const ModelSpec& spec, const Weights& weights, std::size_t layer,
                        HeadRead read, std::size_t place) {
    const AttentionWeights& attention = weights.layers[layer].attn;
    return spec.latent ? latentColumns(spec, attention.latent, read, place)
                       : fusedColumnsOf(spec, attention, layer, read, place);
}

HeadColumns queryColumn(const ModelSpec& spec, const Weights& weights, std::size_t layer,
                        std::size_t place, std::size_t index) {
    const AttentionWeights& attention = weights.layers[layer].attn;
    const std::size_t column = place * spec.d_head + index;
    return spec.latent ? latentQueries(attention.latent, column, 1)
                       : fusedColumns(attention, column, 1);
}

Tensor allHeadColumns(const ModelSpec& spec, const Weights& weights, std::size_t layer) {
    const AttentionWeights& attention = weights.layers[layer].attn;
    if (!spec.latent)
        return attention.W_QKV.empty() ? Tensor() : attention.W_QKV.widened();
    if (spec.headsIn(layer) == 0)
        return {};
    Tensor all({spec.d_model, spec.qkvWidth(layer)});
    std::size_t first = 0;
    for (const HeadRead read : {HeadRead::Query, HeadRead::Key, HeadRead::Value})
        for (std::size_t place = 0; place < spec.headsIn(layer); ++place) {
            const Tensor columns = headColumns(spec, weights, layer, read, place).W;
            for (std::size_t r = 0; r < spec.d_model; ++r)
                std::copy_n(columns.matrix().row(r), columns.dim(1), all.matrix().row(r) + first);
            first += columns.dim(1);
        }
    return all;
}

} // namespace headscope
