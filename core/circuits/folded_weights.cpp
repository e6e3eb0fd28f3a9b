#include "core/circuits/folded_weights.h"

#include "core/base/text.h"
#include "core/engine/block_plan.h"
#include "core/tensor/gemm.h"
#include "core/tensor/norm.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// Whether attention's output is normalised, in all layers or in none.
bool normsOutput(const ModelSpec& spec) {
    return blockPlan(spec, 0).norm(Branch::Attention, BlockValue::Output) != nullptr;
}

std::size_t normedInputs(const ModelSpec& spec) {
    std::size_t layers = 0;
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        layers += spec.normsAttentionInput(layer) ? 1 : 0;
    return layers;
}

/// Whether the mean of what is written to the residual stream is seen by nobody.
bool streamIsCentred(const ModelSpec& spec) {
    return spec.norm.kind == NormKind::LayerNorm && normedInputs(spec) == spec.n_layers &&
           !normsOutput(spec) && spec.final_norm && spec.finalNorm().kind == NormKind::LayerNorm;
}

/// Whether W_pos is added behind a norm that is folded into what reads the sum.
bool addsPositionsBehindNorm(const ModelSpec& spec) {
    return spec.positions == PositionKind::Shortformer && normedInputs(spec) != 0;
}

bool foldsUnembedding(const ModelSpec& spec) {
    return spec.output == OutputHead::Unembed && spec.final_norm;
}

/// A layer without heads has no rows, and a norm may have no gain.
void scaleRows(std::span<const float> gain, MutableMatrixView w) {
    for (std::size_t r = 0; r < std::min(gain.size(), w.rows); ++r)
        for (std::size_t c = 0; c < w.cols; ++c)
            w(r, c) *= gain[r];
}

std::vector<double> meanOfRows(MatrixView w) {
    std::vector<double> mean(w.cols, 0.0);
    for (std::size_t r = 0; r < w.rows; ++r)
        for (std::size_t c = 0; c < w.cols; ++c)
            mean[c] += static_cast<double>(w(r, c)) / static_cast<double>(w.rows);
    return mean;
}

void centreColumns(MutableMatrixView w) {
    const std::vector<double> mean = meanOfRows(w);
    for (std::size_t r = 0; r < w.rows; ++r)
        for (std::size_t c = 0; c < w.cols; ++c)
            w(r, c) = static_cast<float>(static_cast<double>(w(r, c)) - mean[c]);
}

FoldedLayer foldLayer(const Weights& weights, const ModelSpec& spec, std::size_t layer) {
    const AttentionWeights& attention = weights.layers[layer].attn;
    FoldedLayer folded{attention.W_QKV, attention.W_O};
    if (const BlockPlan plan = blockPlan(spec, layer);
        const BlockStep* norm = plan.norm(Branch::Attention, BlockValue::Input)) {
        scaleRows((weights.layers[layer].*norm->norm).weight.values(), folded.W_QKV.matrix());
        if (spec.norm.kind == NormKind::LayerNorm)
            centreColumns(folded.W_QKV.matrix());
    }
    if (streamIsCentred(spec))
        centreRows(folded.W_O.matrix());
    return folded;
}

Tensor embedding(const Weights& weights, const ModelSpec& spec) {
    if (weights.W_E.empty() || (spec.d_embed != 0 && weights.W_project_in.empty()))
        return {};
    Tensor W_E = weights.W_E;
    if (spec.d_embed != 0) {
        W_E = Tensor::uninitialised({spec.d_vocab, spec.d_model});
        multiply(weights.W_E.matrix(), weights.W_project_in.matrix(), W_E.matrix());
    }
    if (spec.embedding_scale != 1.0)
        for (float& value : W_E.values())
            value *= static_cast<float>(spec.embedding_scale);
    return W_E;
}

Tensor positionEmbedding(const Weights& weights, const ModelSpec& spec) {
    if (!spec.hasPositionTable() || addsPositionsBehindNorm(spec) || weights.W_pos.empty())
        return {};
    Tensor W_pos = Tensor::uninitialised({spec.n_ctx, spec.d_model});
    std::copy_n(weights.W_pos.matrix().row(spec.position_offset), W_pos.size(), W_pos.data());
    return W_pos;
}

/// Rows of the unembedding [token, d_model or d_embed] with the projection before them and the
/// final norm.
Tensor foldedUnembedding(Tensor rows, const Weights& weights, const ModelSpec& spec) {
    if (spec.d_embed != 0) {
        Tensor projected = Tensor::uninitialised({rows.dim(0), spec.d_model});
        multiplyTransposed(1.0f, rows.matrix(), weights.W_project_out.matrix(), projected.matrix());
        rows = std::move(projected);
    }
    if (!foldsUnembedding(spec))
        return rows;
    scaleAndShift(rows.matrix(), weights.ln_final.weight.values(), {});
    if (spec.finalNorm().kind == NormKind::LayerNorm)
        centreRows(rows.matrix());
    return rows;
}

std::vector<std::string> foldedParts(const ModelSpec& spec) {
    std::vector<std::string> parts;
    const auto nameOf = [](const NormSpec& norm) {
        return std::string(norm.kind == NormKind::LayerNorm ? "LayerNorm" : "RMSNorm");
    };
    if (normedInputs(spec) != 0)
        parts.push_back(nameOf(spec.norm) + " before attention into W_Q, W_K and W_V");
    if (foldsUnembedding(spec))
        parts.push_back("final " + nameOf(spec.finalNorm()) + " into W_U");
    if (streamIsCentred(spec))
        parts.emplace_back(spec.norm_after_embedding ? "mean taken out of W_O"
                                                     : "mean taken out of W_E, W_pos and W_O");
    return parts;
}

std::vector<std::string> leftParts(const ModelSpec& spec) {
    std::vector<std::string> parts;
    if (spec.norm_after_embedding)
        parts.emplace_back("norm after the embedding");
    if (blockPlan(spec, 0).normsStream())
        parts.emplace_back("norms of the residual stream itself (post-norm)");
    if (normsOutput(spec))
        parts.emplace_back("norm of attention's output");
    if (addsPositionsBehindNorm(spec))
        parts.emplace_back("positions added to what queries and keys read");
    if (spec.qk_norm != QkNorm::None)
        parts.emplace_back("norms of queries and keys");
    if (spec.output == OutputHead::MaskedLm)
        parts.emplace_back("layer between the residual stream and W_U (masked-LM head)");
    return parts;
}

std::string noteOf(const ModelSpec& spec) {
    const std::vector<std::string> folded = foldedParts(spec);
    const std::vector<std::string> left = leftParts(spec);
    if (folded.empty() && left.empty())
        return "There are no norms to fold.";
    std::string note = folded.empty() ? "No norm is folded" : "Folded: " + join(folded, ", ");
    if (!left.empty())
        note += "; what cannot be folded and is left out: " + join(left, ", ");
    return note + ".";
}

} // namespace

bool foldsExactly(const ModelSpec& spec) {
    return leftParts(spec).empty();
}

FoldedWeights foldWeights(const Model& model) {
    const ModelSpec& spec = model.spec;
    FoldedWeights folded;
    folded.spec = spec;
    folded.layers.resize(spec.n_layers);
    parallelFor(spec.n_layers, [&](std::size_t layer, std::size_t) {
        folded.layers[layer] = foldLayer(model.weights, spec, layer);
    });
    folded.W_E = embedding(model.weights, spec);
    folded.W_pos = positionEmbedding(model.weights, spec);
    folded.W_rel_pos = model.weights.W_rel_pos;
    if (spec.output != OutputHead::None)
        folded.W_U = foldedUnembedding(model.weights.unembedding(), model.weights, spec);
    if (streamIsCentred(spec) && !spec.norm_after_embedding)
        for (Tensor* const table : {&folded.W_E, &folded.W_pos})
            if (!table->empty())
                centreRows(table->matrix());
    folded.folded = !foldedParts(spec).empty();
    folded.exact = foldsExactly(spec);
    folded.note = noteOf(spec);
    return folded;
}

Tensor centredUnembedding(const Model& model, std::span<const TokenId> tokens) {
    const MatrixView all = model.weights.unembedding().matrix();
    const std::vector<double> mean = meanOfRows(all);
    Tensor rows = Tensor::uninitialised({tokens.size(), all.cols});
    for (std::size_t r = 0; r < tokens.size(); ++r)
        for (std::size_t c = 0; c < all.cols; ++c)
            rows(r, c) = static_cast<float>(
                static_cast<double>(all(static_cast<std::size_t>(tokens[r]), c)) - mean[c]);
    return foldedUnembedding(std::move(rows), model.weights, model.spec);
}

MatrixView FoldedWeights::queryWeights(LayerHead head) const {
    return layers[head.layer].W_QKV.matrix().colRange(spec.headPlace(head) * spec.d_head,
                                                      spec.d_head);
}

MatrixView FoldedWeights::keyWeights(LayerHead head) const {
    const std::size_t column = spec.queryWidth(head.layer) + spec.kvPlace(head) * spec.d_head;
    return layers[head.layer].W_QKV.matrix().colRange(column, spec.d_head);
}

MatrixView FoldedWeights::valueWeights(LayerHead head) const {
    const std::size_t column = spec.queryWidth(head.layer) + spec.keyWidth(head.layer) +
                               spec.kvPlace(head) * spec.valueDim();
    return layers[head.layer].W_QKV.matrix().colRange(column, spec.valueDim());
}

MatrixView FoldedWeights::outputWeights(LayerHead head) const {
    return layers[head.layer].W_O.matrix().rowRange(spec.headPlace(head) * spec.valueDim(),
                                                    spec.valueDim());
}

} // namespace headscope
