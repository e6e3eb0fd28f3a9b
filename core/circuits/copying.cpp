#include "core/circuits/copying.h"

#include "core/engine/engine.h"
#include "core/model/model.h"
#include "core/tensor/gemm.h"
#include "core/tensor/linear_algebra.h"
#include "core/tensor/parallel.h"
#include "core/tensor/rounding.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <utility>

namespace headscope {

namespace {

Result<void> checkLogits(const FoldedWeights& weights) {
    if (!weights.hasVocabulary())
        return Error{ErrorCode::Unsupported, "This model has no " + weights.vocabularyGap() +
                                                 ", so its heads have no full OV circuit."};
    if (!weights.spec().predictsTokens())
        return Error{ErrorCode::Unsupported,
                     "The logits of this model are of classes and not of its tokens, so its heads "
                     "have no full OV circuit from tokens to tokens."};
    return {};
}

Error copyingStopped() {
    return {ErrorCode::Cancelled, "The copying scores were stopped."};
}

/// G = W_U · W_E [d_model, d_model], over the vocabulary in steps. Empty when stopped.
Tensor throughVocabulary(const FoldedWeights& weights, const Progress& progress,
                         const std::stop_token& stop) {
    constexpr std::size_t kRowsPerStep = 1024;
    const MatrixView W_U = weights.W_U.matrix();
    const MatrixView W_E = weights.W_E.matrix();
    Tensor G({W_U.cols, W_E.cols});
    for (std::size_t begin = 0; begin < W_E.rows; begin += kRowsPerStep) {
        if (stop.stop_requested())
            return {};
        const std::size_t count = std::min(kRowsPerStep, W_E.rows - begin);
        transposedMultiplyAdd(W_U.rowRange(begin, count), W_E.rowRange(begin, count), G.matrix());
        report(progress, 0.5 * static_cast<double>(begin) / static_cast<double>(W_E.rows),
               "embedding and unembedding");
    }
    return G;
}

/// What rounding leaves of ‖W_O · G · W_V‖_F, two sums of d_model products, where that is 0.
double noiseOf(MatrixView W_O, double G_norm, MatrixView W_V) {
    return 2.0 * roundingShare(W_V.rows) * frobeniusNorm(W_O) * G_norm * frobeniusNorm(W_V);
}

/// `W_O_G` [n_heads·d_head_v, d_model] is W_O · G of the head's layer.
HeadCopying copyingOf(const FoldedWeights& weights, LayerHead head, MatrixView W_O_G,
                      double G_norm) {
    const std::size_t d_head = weights.spec().valueDim();
    const Tensor W_V = weights.valueWeights(head);
    Tensor small = Tensor::uninitialised({d_head, d_head});
    multiply(W_O_G.rowRange(weights.spec().headPlace(head) * d_head, d_head), W_V.matrix(),
             small.matrix());
    if (frobeniusNorm(small.matrix()) <=
        noiseOf(weights.outputWeights(head).matrix(), G_norm, W_V.matrix()))
        small = Tensor(small.shape());
    HeadCopying copying;
    copying.head = head;
    if (auto lambda = eigenvalues(small.matrix()))
        copying.eigenvalues = *std::move(lambda);
    copying.score = copyingScore(copying.eigenvalues);
    return copying;
}

} // namespace

double copyingScore(std::span<const std::complex<double>> eigenvalues) {
    double real = 0.0;
    double size = 0.0;
    for (const std::complex<double> lambda : eigenvalues) {
        real += lambda.real();
        size += std::abs(lambda);
    }
    return real / size;
}

Result<std::vector<HeadCopying>>
copyingScores(const FoldedWeights& weights, const Progress& progress, const std::stop_token& stop) {
    if (auto checked = checkLogits(weights); !checked)
        return checked.error();
    const ModelSpec& spec = weights.spec();
    const Tensor G = throughVocabulary(weights, progress, stop);
    if (G.empty())
        return copyingStopped();
    const double G_norm = frobeniusNorm(G.matrix());
    const HeadIndex index = headIndex(spec);
    std::vector<HeadCopying> heads(index.size());
    Tensor W_O_G = Tensor::uninitialised({spec.zWidth(), spec.d_model});
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        if (stop.stop_requested())
            return copyingStopped();
        const MutableMatrixView of_layer = W_O_G.matrix().rowRange(0, spec.zWidth(layer));
        if (spec.headsIn(layer) > 0)
            multiply(weights.outputWeights(layer).matrix(), G.matrix(), of_layer);
        parallelFor(spec.headsIn(layer), [&](std::size_t place, std::size_t) {
            const LayerHead head = spec.headAt(layer, place);
            heads[index.placeOf(head)] = copyingOf(weights, head, of_layer, G_norm);
        });
        report(progress,
               0.5 + 0.5 * static_cast<double>(layer + 1) / static_cast<double>(spec.n_layers),
               "eigenvalues of layer " + std::to_string(layer));
    }
    return heads;
}

Result<MatchAccuracy> ovCopyingAccuracy(const FoldedWeights& weights,
                                        std::span<const LayerHead> heads,
                                        const VocabularySample& sample,
                                        const std::stop_token& stop) {
    if (auto checked = checkLogits(weights); !checked)
        return checked.error();
    const Tensor embedded = rowsOf(weights.W_E, sample.rows);
    Tensor written({sample.rows.size(), weights.spec().d_model});
    Tensor z = Tensor::uninitialised({sample.rows.size(), weights.spec().valueDim()});
    for (const LayerHead head : heads) {
        multiply(embedded.matrix(), weights.valueWeights(head).matrix(), z.matrix());
        multiplyAdd(z.matrix(), weights.outputWeights(head).matrix(), written.matrix());
    }
    return matchAccuracy(written.matrix(), weights.W_U.matrix(), sample.rows, stop);
}

namespace {

constexpr std::size_t kSampledRows = 1000;

void keepHighest(std::vector<HeadCopying>& heads, std::size_t most) {
    constexpr double kBelowAll = -2.0; // scores are from -1 to 1
    const auto rank = [](const HeadCopying& head) {
        return std::isnan(head.score) ? kBelowAll : head.score;
    };
    std::ranges::stable_sort(heads, std::greater<>(), rank);
    heads.resize(std::min(most, heads.size()));
}

} // namespace

Result<MeasuredCopying> measureCopying(const FoldedWeights& weights, std::size_t most,
                                       const Progress& progress, const std::stop_token& stop) {
    auto heads = copyingScores(weights, progress, stop);
    if (!heads)
        return heads.error();
    keepHighest(*heads, most);
    MeasuredCopying measured{
        *std::move(heads), {}, sampleVocabulary(weights.spec().d_vocab, kSampledRows)};
    measured.accuracies.reserve(measured.heads.size());
    for (const HeadCopying& copying : measured.heads) {
        const auto accuracy = ovCopyingAccuracy(weights, {&copying.head, 1}, measured.sample, stop);
        if (!accuracy)
            return accuracy.error();
        measured.accuracies.push_back(*accuracy);
        report(progress,
               static_cast<double>(measured.accuracies.size()) /
                   static_cast<double>(measured.heads.size()),
               "copying accuracy");
    }
    return measured;
}

namespace {

/// What every head writes for one token [place of head, d_model], when all layers but the
/// first read what the first block left.
Result<Tensor> writtenForToken(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                               std::size_t position, const std::stop_token& stop) {
    const ModelSpec& spec = model->spec;
    const HeadIndex heads = headIndex(spec);
    Tensor written({heads.size(), spec.d_model});
    HookSet hooks;
    readFirstBlock(hooks, spec, position);
    hooks.observe(HookKind::V, [&](HookPoint point, const TensorView& v) {
        const WeightMatrix W_O = model->weights.layers[point.layer].attn.W_O.matrix();
        for (std::size_t place = 0; place < spec.headsIn(point.layer); ++place) {
            const LayerHead head = spec.headAt(point.layer, place);
            const float* const value =
                v.data + position * v.strides[0] + spec.kvPlace(head) * v.strides[1];
            multiply({value, 1, spec.valueDim(), spec.valueDim()},
                     W_O.rowRange(place * spec.valueDim(), spec.valueDim()),
                     written.matrix().rowRange(heads.placeOf(head), 1));
        }
    });
    Request request;
    request.logits = false;
    request.keep_attention = false;
    const auto run = runModel(model, ids, request, hooks, stop);
    if (!run)
        return run.error();
    return written;
}

/// The logits that final norm and unembedding make of residual streams [row, d_model]; as many rows
/// as the context has positions, at most.
Result<Tensor> unembedded(const std::shared_ptr<const Model>& model, Tensor rows,
                          const std::stop_token& stop) {
    RunItem item;
    item.ids.assign(rows.dim(0), 0); // what they are is not read
    item.resid_pre = std::make_shared<const Tensor>(std::move(rows));
    Request request;
    request.first_layer = model->spec.n_layers;
    request.keep_attention = false;
    auto runs = runBatch(model, {&item, 1}, request, stop);
    if (!runs)
        return runs.error();
    return runs->front()->logits;
}

CopiedRank ranksOf(std::size_t token, std::span<const float> logits,
                   std::span<const float> of_nothing) {
    // Behind a norm logits are linear: those of −x are 2 · those of 0 − those of x.
    const auto negated = [&](std::size_t id) { return 2.0f * of_nothing[id] - logits[id]; };
    CopiedRank rank{0, 0};
    for (std::size_t id = 0; id < logits.size(); ++id) { // the token itself counts
        rank.written += logits[id] >= logits[token] ? 1 : 0;
        rank.negated += negated(id) >= negated(token) ? 1 : 0;
    }
    return rank;
}

} // namespace

Result<void> checkCopies(const ModelSpec& spec) {
    if (spec.output == OutputHead::None)
        return Error{ErrorCode::Unsupported,
                     "This model has no unembedding, so its heads copy no token."};
    if (!spec.predictsTokens())
        return Error{ErrorCode::Unsupported,
                     "The logits of this model are of classes, so its heads copy no token."};
    return {};
}

Result<void> checkDirectLogits(const Model& model) {
    if (auto checked = checkCopies(model.spec); !checked)
        return checked.error();
    if (model.spec.output != OutputHead::Unembed || model.weights.unembedding().empty())
        return Error{ErrorCode::Unsupported,
                     "The masked-LM head of this model is not linear, so no "
                     "part of its logits is that of a head."};
    return {};
}

void readFirstBlock(HookSet& hooks, const ModelSpec& spec, std::size_t position) {
    const auto left = std::make_shared<std::vector<float>>(spec.d_model);
    for (std::size_t layer = 1; layer < spec.n_layers; ++layer)
        hooks.edit(HookPoint{HookKind::ResidPre, layer},
                   [left, position](HookPoint point, const MutableTensorView& stream) {
                       for (std::size_t i = 0; i < left->size(); ++i) {
                           if (point.layer == 1)
                               (*left)[i] = stream(position, i);
                           else
                               stream(position, i) = (*left)[i];
                       }
                   });
}

Result<PerHead<CopiedRank>> copiedRanks(const std::shared_ptr<const Model>& model,
                                        const TokenIds& ids, std::size_t position,
                                        const std::stop_token& stop) {
    const ModelSpec& spec = model->spec;
    if (auto checked = checkCopies(spec); !checked)
        return checked.error();
    const auto written = writtenForToken(model, ids, position, stop);
    if (!written)
        return written.error();
    const auto of_nothing = unembedded(model, Tensor({1, spec.d_model}), stop);
    if (!of_nothing)
        return of_nothing.error();

    const auto token = static_cast<std::size_t>(ids[position]);
    const std::size_t heads = written->dim(0);
    std::vector<CopiedRank> ranks;
    ranks.reserve(heads);
    for (std::size_t begin = 0; begin < heads; begin += spec.n_ctx) {
        const std::size_t count = std::min(spec.n_ctx, heads - begin);
        Tensor rows = Tensor::uninitialised({count, spec.d_model});
        std::copy_n(written->matrix().row(begin), rows.size(), rows.data());
        const auto logits = unembedded(model, std::move(rows), stop);
        if (!logits)
            return logits.error();
        for (std::size_t row = 0; row < count; ++row)
            ranks.push_back(ranksOf(token, {logits->matrix().row(row), spec.d_vocab},
                                    {of_nothing->matrix().row(0), spec.d_vocab}));
    }
    return PerHead(headIndex(spec), std::move(ranks));
}

} // namespace headscope
