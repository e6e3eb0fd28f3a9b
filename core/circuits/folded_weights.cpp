#include "core/circuits/folded_weights.h"

#include "core/base/text.h"
#include "core/engine/block_plan.h"
#include "core/model/head_columns.h"
#include "core/tensor/gemm.h"
#include "core/tensor/nonlinear.h"
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

/// Whether the norm before a layer's attention becomes a part of what it reads by.
bool foldsInput(const ModelSpec& spec, std::size_t layer) {
    return spec.normsAttentionInput(layer) && !spec.absent.hasLn1(layer);
}

bool foldsInputs(const ModelSpec& spec) {
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        if (foldsInput(spec, layer) && !spec.absent.hasAttention(layer))
            return true;
    return false;
}

/// Whether the mean of what is written to the residual stream is seen by nobody.
bool streamIsCentred(const ModelSpec& spec) {
    return spec.norm.kind == NormKind::LayerNorm && normedInputs(spec) == spec.n_layers &&
           !normsOutput(spec) && (spec.final_norm || spec.absent.final_norm) &&
           spec.finalNorm().kind == NormKind::LayerNorm;
}

/// Whether W_pos is added after a norm that is folded into what reads the sum.
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

void centreColumns(MutableMatrixView w) {
    const std::vector<double> mean = columnMeans(MatrixView(w));
    for (std::size_t r = 0; r < w.rows; ++r)
        for (std::size_t c = 0; c < w.cols; ++c)
            w(r, c) = static_cast<float>(static_cast<double>(w(r, c)) - mean[c]);
}

/// Columns whose rows read the residual stream.
Tensor foldedInput(const Model& model, std::size_t layer, Tensor folded) {
    const ModelSpec& spec = model.spec;
    if (foldsInput(spec, layer)) {
        const BlockPlan plan = blockPlan(spec, layer);
        const BlockStep* norm = plan.norm(Branch::Attention, BlockValue::Input);
        scaleRows((model.weights.layers[layer].*norm->norm).weight.values(), folded.matrix());
        if (spec.norm.kind == NormKind::LayerNorm)
            centreColumns(folded.matrix());
    }
    return folded;
}

Tensor foldedHead(const Model& model, std::size_t layer, HeadRead read, std::size_t place) {
    return foldedInput(model, layer, headColumns(model.spec, model.weights, layer, read, place).W);
}

/// Rows of W_O, whose columns write to the residual stream.
Tensor foldedOutput(const ModelSpec& spec, const WeightMatrix& rows) {
    Tensor folded = widened(rows);
    if (streamIsCentred(spec))
        centreRows(folded.matrix());
    return folded;
}

/// Rows [d_embed] as the residual stream has them.
Tensor projectedIn(const Tensor& rows, const Weights& weights) {
    Tensor projected = Tensor::uninitialised({rows.dim(0), weights.W_project_in.dim(1)});
    multiply(rows.matrix(), weights.W_project_in.matrix(), projected.matrix());
    return projected;
}

Tensor embedding(const Weights& weights, const ModelSpec& spec) {
    if (weights.W_E.empty() || (spec.d_embed != 0 && weights.W_project_in.empty()))
        return {};
    Tensor W_E = weights.W_E.widened();
    if (spec.d_embed != 0)
        W_E = projectedIn(W_E, weights);
    if (spec.embedding_scale != 1.0)
        for (float& value : W_E.values())
            value *= static_cast<float>(spec.embedding_scale);
    return W_E;
}

Tensor positionEmbedding(const Weights& weights, const ModelSpec& spec) {
    if (!spec.hasPositionTable() || addsPositionsBehindNorm(spec) || weights.W_pos.empty() ||
        (spec.narrow_embedding && weights.W_project_in.empty()))
        return {};
    const Tensor W_pos = widened(weights.W_pos.matrix().rowRange(spec.position_offset, spec.n_ctx));
    return spec.narrow_embedding ? projectedIn(W_pos, weights) : W_pos;
}

/// Rows of the unembedding [token, d_model or d_embed] with the projection before them and the
/// final norm.
Tensor foldedUnembedding(Tensor rows, const Weights& weights, const ModelSpec& spec) {
    if (spec.projectsParts()) {
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
    if (foldsInputs(spec))
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
    if (!spec.absent.ln1.empty())
        parts.push_back("norm before attention of " + layersText(spec.absent.ln1) +
                        ", which the file lacks");
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
    if (spec.latent)
        parts.emplace_back("division by the scale of the latent vectors' norms");
    if (spec.qkv_clip != 0.0)
        parts.emplace_back("the limit of queries, keys and values");
    if (spec.output == OutputHead::MaskedLm)
        parts.emplace_back("layer between the residual stream and W_U (masked-LM head)");
    return parts;
}

} // namespace

bool foldsExactly(const ModelSpec& spec) {
    return leftParts(spec).empty();
}

std::string foldingNote(const ModelSpec& spec) {
    const std::vector<std::string> folded = foldedParts(spec);
    const std::vector<std::string> left = leftParts(spec);
    if (folded.empty() && left.empty())
        return "There are no norms to fold.";
    std::string note = folded.empty() ? "No norm is folded" : "Folded: " + join(folded, ", ");
    if (!left.empty())
        note += "; what cannot be folded and is left out: " + join(left, ", ");
    return note + ".";
}

FoldedWeights foldWeights(std::shared_ptr<const Model> model) {
    const ModelSpec& spec = model->spec;
    FoldedWeights folded;
    folded.W_E = embedding(model->weights, spec);
    folded.W_pos = positionEmbedding(model->weights, spec);
    if (spec.output != OutputHead::None && !spec.narrow_embedding)
        folded.W_U =
            foldedUnembedding(model->weights.unembedding().widened(), model->weights, spec);
    if (streamIsCentred(spec) && !spec.norm_after_embedding)
        for (Tensor* const table : {&folded.W_E, &folded.W_pos})
            if (!table->empty())
                centreRows(table->matrix());
    folded.folded = !foldedParts(spec).empty();
    folded.exact = foldsExactly(spec);
    folded.note = foldingNote(spec);
    folded.model = std::move(model);
    return folded;
}

Tensor centredUnembedding(const Model& model, std::span<const TokenId> tokens) {
    const WeightMatrix all = model.weights.unembedding().matrix();
    const std::vector<double> mean = columnMeans(all);
    Tensor rows = Tensor::uninitialised({tokens.size(), all.cols});
    for (std::size_t r = 0; r < tokens.size(); ++r)
        for (std::size_t c = 0; c < all.cols; ++c)
            rows(r, c) = static_cast<float>(
                static_cast<double>(all(static_cast<std::size_t>(tokens[r]), c)) - mean[c]);
    return foldedUnembedding(std::move(rows), model.weights, model.spec);
}

std::string FoldedWeights::vocabularyGap() const {
    if (hasVocabulary())
        return {};
    std::string of_logits = spec().absent.final_norm ? "final norm" : "unembedding";
    if (spec().output != OutputHead::None && spec().narrow_embedding)
        of_logits += " as wide as its residual stream";
    if (!W_E.empty())
        return of_logits;
    return W_U.empty() ? "embedding and no " + of_logits : "embedding";
}

Tensor FoldedWeights::queryWeights(LayerHead head) const {
    return foldedHead(*model, head.layer, HeadRead::Query, model->spec.headPlace(head));
}

Tensor FoldedWeights::keyWeights(LayerHead head) const {
    return foldedHead(*model, head.layer, HeadRead::Key, model->spec.kvPlace(head));
}

Tensor FoldedWeights::valueWeights(LayerHead head) const {
    return foldedHead(*model, head.layer, HeadRead::Value, model->spec.kvPlace(head));
}

Tensor FoldedWeights::outputWeights(LayerHead head) const {
    return foldedOutput(model->spec, model->weights.layers[head.layer].attn.W_O.matrix().rowRange(
                                         model->spec.headPlace(head) * model->spec.valueDim(),
                                         model->spec.valueDim()));
}

Tensor FoldedWeights::inputWeights(std::size_t layer) const {
    Tensor columns = allHeadColumns(model->spec, model->weights, layer);
    return columns.empty() ? Tensor() : foldedInput(*model, layer, std::move(columns));
}

Tensor FoldedWeights::outputWeights(std::size_t layer) const {
    const WeightTensor& W_O = model->weights.layers[layer].attn.W_O;
    return W_O.empty() ? Tensor() : foldedOutput(model->spec, W_O.matrix());
}

} // namespace headscope
