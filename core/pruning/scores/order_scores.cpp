#include "core/pruning/scores/order_scores.h"

#include "core/base/random.h"
#include "core/engine/backward.h"
#include "core/heads/head_type.h"
#include "core/heads/score_heads.h"
#include "core/model/head_columns.h"
#include "core/model/model.h"
#include "core/pruning/compensation.h"
#include "core/tensor/nonlinear.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// Which token of each target the gradient is taken of; probabilities [d_vocab].
using ChooseToken = std::function<TokenId(const Target&, std::span<const float> probabilities)>;

/// d Σ −ln p(token) / d logits = p − 1[token] at every target, times `scale`; else zeros.
Tensor surprisalGradient(const Tensor& logits, const Passage& passage, double scale,
                         const ChooseToken& choose) {
    Tensor gradient(logits.shape());
    for (const Target& target : passage.targets) {
        const std::span<float> row{gradient.matrix().row(target.position), logits.dim(1)};
        std::copy_n(logits.matrix().row(target.position), row.size(), row.begin());
        softmaxInPlace(row);
        const TokenId token = choose(target, row);
        row[static_cast<std::size_t>(token)] -= 1.0f;
        for (float& value : row)
            value *= static_cast<float>(scale);
    }
    return gradient;
}

/// y ~ p by inversion.
TokenId drawn(std::span<const float> probabilities, Random& random) {
    constexpr std::size_t kSteps = std::size_t{1} << 53;
    double left = static_cast<double>(random.below(kSteps)) / static_cast<double>(kSteps);
    for (std::size_t id = 0; id < probabilities.size(); ++id) {
        left -= double{probabilities[id]};
        if (left < 0.0)
            return static_cast<TokenId>(id);
    }
    return static_cast<TokenId>(std::ranges::max_element(probabilities) - probabilities.begin());
}

/// Shows the gates' gradients of Σ −ln p over the targets of each passage, times what `scale` says.
Result<void> eachPassage(const std::shared_ptr<const Model>& model, const PassageSet& text,
                         const std::function<double(const Passage&)>& scale,
                         const ChooseToken& choose,
                         const std::function<void(LayerHead, double)>& show,
                         const std::stop_token& stop) {
    for (const Passage& passage : text.passages) {
        const auto slope = [&](const Tensor& logits) {
            return surprisalGradient(logits, passage, scale(passage), choose);
        };
        const auto gradients = runBackward(model, passage.ids, slope, {}, stop);
        if (!gradients)
            return gradients.error();
        for (const LayerHead head : headIndex(model->spec))
            show(head, static_cast<double>(gradients->gates[head]));
    }
    return {};
}

} // namespace

Tensor lossGradient(const Tensor& logits, const Passage& passage, double scale) {
    return surprisalGradient(
        logits, passage, scale,
        [](const Target& target, std::span<const float>) { return target.token; });
}

Result<PerHead<double>> gateGradients(const std::shared_ptr<const Model>& model,
                                      const PassageSet& text, const Progress& progress,
                                      const std::stop_token& stop) {
    report(progress, 0.0, "gradients of the gates");
    PerHead<double> scores(headIndex(model->spec));
    const auto passages = static_cast<double>(text.passages.size());
    const auto done = eachPassage(
        model, text,
        [](const Passage& passage) { return 1.0 / static_cast<double>(passage.targets.size()); },
        [](const Target& target, std::span<const float>) { return target.token; },
        [&](LayerHead head, double gate) { scores[head] += std::abs(gate) / passages; }, stop);
    if (!done)
        return done.error();
    return scores;
}

Result<PerHead<double>> gateDivergences(const std::shared_ptr<const Model>& model,
                                        const PassageSet& text, std::uint64_t seed,
                                        const Progress& progress, const std::stop_token& stop) {
    constexpr std::size_t kDraws = 4;
    Random random(seed);
    PerHead<double> scores(headIndex(model->spec));
    const double share = 0.5 / static_cast<double>(kDraws * text.targets);
    for (std::size_t draw = 0; draw < kDraws; ++draw) {
        report(progress, static_cast<double>(draw) / static_cast<double>(kDraws),
               "gradients of the KL");
        const auto done = eachPassage(
            model, text, [](const Passage&) { return 1.0; },
            [&](const Target&, std::span<const float> p) { return drawn(p, random); },
            [&](LayerHead head, double gate) { scores[head] += share * gate * gate; }, stop);
        if (!done)
            return done.error();
    }
    return scores;
}

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

/// The ridge of each column of z: `share` times the mean variance of its head's columns, so that
/// the scale of z in a head plays no part, or of the layer's if the head is constant.
std::vector<double> ridgeOf(const LayerView& view, double share) {
    const auto meanVariance = [&](const std::vector<std::size_t>& columns) {
        double sum = 0.0;
        for (const std::size_t i : columns)
            sum += view.C(i, i);
        return sum / static_cast<double>(std::max<std::size_t>(1, columns.size()));
    };
    const double of_layer =
        trace(view.C) / static_cast<double>(std::max<std::size_t>(1, view.C.rows));
    std::vector<double> ridge(view.C.rows);
    for (const auto& columns : view.columns) {
        const double of_head = meanVariance(columns);
        for (const std::size_t i : columns)
            ridge[i] = share * (of_head > 0.0 ? of_head : of_layer);
    }
    return ridge;
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
        const Tensor values =
            headColumns(spec, model.weights, head.layer, HeadRead::Value, spec.kvPlace(head)).W;
        const DoubleMatrix W_V(values.matrix());
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
        const std::vector<double> ridge = ridgeOf(view, kRidge);
        DoubleMatrix identity(view.C.rows, view.C.rows);
        for (std::size_t i = 0; i < view.C.rows; ++i) {
            identity(i, i) = 1.0;
            view.C(i, i) += ridge[i];
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
                (*left)(i, i) -= ridge[columns[i]];
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

namespace {

/// All but those that say how a head spreads, what its weights could do, or that it writes little.
std::vector<HeadTypeId> typesThatSayWhatItDoes() {
    std::vector<HeadTypeId> types;
    for (const HeadType& type : headTypes())
        if (type.id != HeadTypeId::Dormant &&
            (type.group == TypeGroup::Position || type.group == TypeGroup::Words ||
             type.group == TypeGroup::Task))
            types.push_back(type.id);
    return types;
}

} // namespace

Result<PerHead<double>> typeScores(const std::shared_ptr<const Model>& model,
                                   const Progress& progress, const std::stop_token& stop) {
    const auto scores = scoreTypes(model, typesThatSayWhatItDoes(), {}, progress, stop);
    if (!scores)
        return scores.error();
    PerHead<double> strengths(scores->heads);
    for (const LayerHead head : scores->heads) {
        double strongest = 0.0;
        for (const HeadTypeId type : scores->types) {
            const double above = scores->at(type, head).aboveBaseline();
            if (type != HeadTypeId::WritesNothing && std::isfinite(above))
                strongest = std::max(strongest, std::min(above, 1.0));
        }
        const auto found = labels(*scores, head, {});
        const bool writes = std::ranges::count(found, HeadTypeId::WritesNothing) == 0;
        strengths[head] = writes ? strongest + (found.empty() ? 0.0 : 1.0) : -1.0;
    }
    return strengths;
}

} // namespace headscope
