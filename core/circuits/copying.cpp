#include "core/circuits/copying.h"

#include "core/model/model.h"
#include "core/tensor/gemm.h"
#include "core/tensor/linear_algebra.h"
#include "core/tensor/parallel.h"
#include "core/tensor/rounding.h"

#include <algorithm>
#include <string>

namespace headscope {

namespace {

Result<void> checkLogits(const FoldedWeights& weights) {
    if (!weights.hasVocabulary())
        return Error{ErrorCode::Unsupported, "This model has no unembedding or no embedding, so "
                                             "its heads have no full OV circuit."};
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

} // namespace headscope
