#include "core/pruning/scores/moment_scores.h"

#include "core/model/model.h"
#include "core/pruning/compensation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace headscope {

namespace {

/// Divides the scores of each layer by their mean, unless that is 0.
PerHead<double> overLayerMean(PerHead<double> scores) {
    for (std::size_t layer = 0; layer < scores.heads().layers(); ++layer) {
        double sum = 0.0;
        for (const double score : scores.layer(layer))
            sum += score;
        const double mean = sum / static_cast<double>(scores.layer(layer).size());
        for (double& score : scores.layer(layer))
            score = sum > 0.0 ? score / mean : 0.0;
    }
    return scores;
}

/// W_O of one layer as doubles, [n_heads·d_head_v, d_model].
DoubleMatrix outputWeightsOf(const Model& model, std::size_t layer) {
    return DoubleMatrix(model.weights.layers[layer].attn.W_O.matrix());
}

/// W_O^h W_O^hᵀ, [d_head_v, d_head_v]
DoubleMatrix outputMetric(const DoubleMatrix& W_O, const std::vector<std::size_t>& rows) {
    DoubleMatrix part(rows.size(), W_O.cols);
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t c = 0; c < W_O.cols; ++c)
            part(r, c) = W_O(rows[r], c);
    return productTransposed(part, part);
}

/// What the moments of one layer say of its heads, one after another.
struct LayerView {
    DoubleMatrix W_O;
    DoubleMatrix C;                                ///< covariance of z
    std::vector<std::vector<std::size_t>> columns; ///< of z, by the place of a head
};

LayerView viewOf(const Model& model, const HeadStatistics& statistics, std::size_t layer) {
    LayerView view{
        outputWeightsOf(model, layer), statistics.all(layer).covariance(model.spec.valueDim()), {}};
    for (std::size_t place = 0; place < model.spec.headsIn(layer); ++place)
        view.columns.push_back(columnsOf({place}, model.spec.valueDim()));
    return view;
}

/// Mean square of what a head adds around its mean.
double energy(const LayerView& view, std::size_t place) {
    const auto& columns = view.columns[place];
    return innerProduct(submatrix(view.C, columns, columns), outputMetric(view.W_O, columns));
}

} // namespace

PerHead<double> weightNorms(const Model& model) {
    const ModelSpec& spec = model.spec;
    PerHead<double> norms(headIndex(spec));
    for (const LayerHead head : norms.heads()) {
        const AttentionWeights& attn = model.weights.layers[head.layer].attn;
        const std::size_t width = spec.valueDim();
        const std::size_t first = spec.queryWidth(head.layer) + spec.keyWidth(head.layer);
        const DoubleMatrix W_V(
            attn.W_QKV.matrix().colRange(first + spec.kvPlace(head) * width, width));
        const DoubleMatrix W_O(attn.W_O.matrix().rowRange(spec.headPlace(head) * width, width));
        const DoubleMatrix W_OV = product(W_V, W_O);
        norms[head] = std::sqrt(innerProduct(W_OV, W_OV));
    }
    return norms;
}

PerHead<double> outputNorms(const HeadStatistics& statistics) {
    return overLayerMean(statistics.output_norm);
}

PerHead<double> fluctuations(const Model& model, const HeadStatistics& statistics) {
    PerHead<double> scores(headIndex(model.spec));
    for (std::size_t layer = 0; layer < model.spec.n_layers; ++layer) {
        const LayerView view = viewOf(model, statistics, layer);
        const std::span<double> of_layer = scores.layer(layer);
        for (std::size_t place = 0; place < of_layer.size(); ++place)
            for (const std::size_t d : view.columns[place])
                for (std::size_t i = 0; i < view.W_O.cols; ++i)
                    of_layer[place] += view.C(d, d) * view.W_O(d, i) * view.W_O(d, i);
    }
    return overLayerMean(std::move(scores));
}

PerHead<double> weightsTimesInputs(const Model& model, const HeadStatistics& statistics) {
    PerHead<double> scores(headIndex(model.spec));
    for (std::size_t layer = 0; layer < model.spec.n_layers; ++layer) {
        const HeadMoments all = statistics.all(layer);
        const DoubleMatrix W_O = outputWeightsOf(model, layer);
        const std::span<double> of_layer = scores.layer(layer);
        for (std::size_t place = 0; place < of_layer.size(); ++place)
            for (const std::size_t d : columnsOf({place}, model.spec.valueDim()))
                for (std::size_t i = 0; i < W_O.cols; ++i)
                    of_layer[place] += std::sqrt(all.gram(d, d)) * std::abs(W_O(d, i));
    }
    return overLayerMean(std::move(scores));
}

/// What least squares leave of one block of z is the inverse of that block of the inverse of C (its
/// Schur complement).
PerHead<double> reconstructionErrors(const Model& model, const HeadStatistics& statistics) {
    constexpr double kRidge = 1e-6;
    PerHead<double> errors(headIndex(model.spec));
    for (std::size_t layer = 0; layer < model.spec.n_layers; ++layer) {
        LayerView view = viewOf(model, statistics, layer);
        const double of_layer = innerProduct(product(view.C, view.W_O), view.W_O);
        const double ridge =
            kRidge * trace(view.C) / static_cast<double>(std::max<std::size_t>(1, view.C.rows));
        DoubleMatrix identity(view.C.rows, view.C.rows);
        for (std::size_t i = 0; i < view.C.rows; ++i) {
            identity(i, i) = 1.0;
            view.C(i, i) += ridge;
        }
        const auto inverse = solvePositive(view.C, identity);
        if (!inverse || !(of_layer > 0.0))
            continue; // nothing is added in this layer
        for (std::size_t place = 0; place < view.columns.size(); ++place) {
            const auto& columns = view.columns[place];
            auto left = solvePositive(submatrix(*inverse, columns, columns),
                                      submatrix(identity, columns, columns));
            if (!left)
                continue;
            for (std::size_t i = 0; i < columns.size(); ++i)
                (*left)(i, i) -= ridge;
            errors.layer(layer)[place] =
                std::max(0.0, innerProduct(*left, outputMetric(view.W_O, columns)) / of_layer);
        }
    }
    return errors;
}

PerHead<double> redundancyRanks(const Model& model, const HeadStatistics& statistics) {
    struct Pair {
        double alike;
        LayerHead a;
        LayerHead b;
    };
    PerHead<double> energies(headIndex(model.spec));
    std::vector<Pair> pairs;
    for (std::size_t layer = 0; layer < model.spec.n_layers; ++layer) {
        const LayerView view = viewOf(model, statistics, layer);
        const auto squared = [&](std::size_t a, std::size_t b) {
            const DoubleMatrix block = submatrix(view.C, view.columns[a], view.columns[b]);
            return innerProduct(block, block);
        };
        for (std::size_t a = 0; a < view.columns.size(); ++a) {
            energies.layer(layer)[a] = energy(view, a);
            for (std::size_t b = 0; b < a; ++b) {
                const double norms = std::sqrt(squared(a, a) * squared(b, b));
                pairs.push_back({norms > 0.0 ? squared(a, b) / norms : 1.0,
                                 model.spec.headAt(layer, a), model.spec.headAt(layer, b)});
            }
        }
    }
    std::ranges::stable_sort(pairs, std::greater(), &Pair::alike);
    constexpr double kStays = std::numeric_limits<double>::infinity();
    PerHead<double> ranks(headIndex(model.spec), kStays);
    double next = 0.0;
    for (const LayerHead head : ranks.heads())
        if (energies[head] <= 0.0)
            ranks[head] = next++;
    for (const Pair& pair : pairs)
        if (ranks[pair.a] == kStays && ranks[pair.b] == kStays)
            ranks[energies[pair.a] < energies[pair.b] ? pair.a : pair.b] = next++;
    std::vector<LayerHead> rest; // one of each layer
    for (const LayerHead head : ranks.heads())
        if (ranks[head] == kStays)
            rest.push_back(head);
    std::ranges::sort(rest, {}, [&](LayerHead head) { return energies[head]; });
    for (const LayerHead head : rest)
        ranks[head] = next++;
    return ranks;
}

} // namespace headscope
