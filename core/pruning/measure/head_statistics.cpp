#include "core/pruning/measure/head_statistics.h"

#include "core/engine/engine.h"
#include "core/model/model.h"
#include "core/pruning/measure/passage_groups.h"
#include "core/tensor/gemm.h"
#include "core/tensor/parallel.h"
#include "core/tensor/rounding.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace headscope {

namespace {

constexpr std::size_t kHeldOutStep = 4; ///< every fourth passage

/// Σ over positions of ‖z W_O‖ = √(z (W_O W_Oᵀ) zᵀ). z [position, d_head], gram [d_head, d_head].
double sumOfNorms(MatrixView z, MatrixView gram) {
    Tensor product = Tensor::uninitialised({z.rows, z.cols});
    multiply(z, gram, product.matrix());
    double sum = 0.0;
    for (std::size_t t = 0; t < z.rows; ++t) {
        const double square = dot({z.row(t), z.cols}, {product.matrix().row(t), z.cols});
        sum += std::sqrt(std::max(square, 0.0)); // rounding can leave it below 0
    }
    return sum;
}

class Collector {
public:
    Collector(const Model& model, HeadStatistics& statistics)
        : model_(model), statistics_(statistics) {
        const ModelSpec& spec = model.spec;
        statistics.output_norm = PerHead<double>(headIndex(spec));
        for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
            const std::size_t width = spec.zWidth(layer);
            const HeadMoments none = HeadMoments::ofWidth(width);
            statistics.fitted.push_back(none);
            statistics.held_out.push_back(none);
            Tensor& grams =
                grams_.emplace_back(Shape{spec.headsIn(layer), spec.valueDim(), spec.valueDim()});
            for (std::size_t place = 0; place < spec.headsIn(layer); ++place) {
                const WidenedMatrix W_O(outputRows(layer, place));
                multiplyTransposed(
                    1.0f, *W_O, *W_O,
                    grams.matrix().rowRange(place * spec.valueDim(), spec.valueDim()));
            }
        }
    }

    /// z [position, head, d_head]
    void add(std::size_t layer, const TensorView& z, bool held_out) {
        const ModelSpec& spec = model_.spec;
        const MatrixView rows{z.data, z.shape[0], spec.zWidth(layer), z.strides[0]};
        (held_out ? statistics_.held_out : statistics_.fitted)[layer].add(rows);
        parallelFor(spec.headsIn(layer), [&](std::size_t place, std::size_t) {
            statistics_.output_norm.layer(layer)[place] +=
                sumOfNorms(rows.colRange(place * spec.valueDim(), spec.valueDim()),
                           std::as_const(grams_[layer])
                               .matrix()
                               .rowRange(place * spec.valueDim(), spec.valueDim()));
        });
    }

private:
    WeightMatrix outputRows(std::size_t layer, std::size_t place) const {
        const std::size_t d_head = model_.spec.valueDim();
        return model_.weights.layers[layer].attn.W_O.matrix().rowRange(place * d_head, d_head);
    }

    const Model& model_;
    HeadStatistics& statistics_;
    std::vector<Tensor> grams_; ///< [layer] of [head, d_head, d_head], W_O W_Oᵀ
};

} // namespace

void HeadMoments::add(MatrixView z) {
    positions += z.rows;
    for (std::size_t t = 0; t < z.rows; ++t)
        for (std::size_t i = 0; i < z.cols; ++i)
            sum[i] += static_cast<double>(z(t, i));
    addGram(z, gram);
}

void HeadMoments::add(const HeadMoments& other) {
    positions += other.positions;
    for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] += other.sum[i];
    for (std::size_t i = 0; i < gram.values.size(); ++i)
        gram.values[i] += other.gram.values[i];
}

std::vector<double> HeadMoments::mean() const {
    std::vector<double> mean = sum;
    for (double& value : mean)
        value /= static_cast<double>(positions);
    return mean;
}

DoubleMatrix HeadMoments::momentsAbout(const std::vector<double>& about) const {
    const std::vector<double> own = mean();
    DoubleMatrix moments = gram;
    for (std::size_t r = 0; r < moments.rows; ++r)
        for (std::size_t c = 0; c < moments.cols; ++c)
            moments(r, c) = moments(r, c) / static_cast<double>(positions) - about[r] * own[c] -
                            own[r] * about[c] + about[r] * about[c];
    return moments;
}

/// z is a sum over no more keys than there are positions, of values that are sums of about as many
/// products as z is wide. A head that always attends to one and the same value varies by their
/// rounding.
DoubleMatrix HeadMoments::covariance(std::size_t d_head) const {
    DoubleMatrix C = momentsAbout(mean());
    const double share = roundingShare(positions + C.rows);
    for (std::size_t first = 0; first < C.rows; first += d_head) {
        double variance = 0.0;
        double size = 0.0;
        for (std::size_t i = first; i < first + d_head; ++i) {
            variance += C(i, i);
            size += gram(i, i) / static_cast<double>(positions);
        }
        if (!(variance <= share * share * size))
            continue;
        for (std::size_t i = first; i < first + d_head; ++i)
            for (std::size_t j = 0; j < C.rows; ++j)
                C(i, j) = C(j, i) = 0.0;
    }
    return C;
}

HeadMoments HeadStatistics::all(std::size_t layer) const {
    HeadMoments sum = fitted[layer];
    sum.add(held_out[layer]);
    return sum;
}

Result<HeadStatistics> headStatistics(const std::shared_ptr<const Model>& model,
                                      const PassageSet& text, const Progress& progress,
                                      const std::stop_token& stop) {
    HeadStatistics statistics;
    Collector collector(*model, statistics);
    Request request;
    request.logits = false;
    request.keep_attention = false;
    for (const PassageBatch batch : passageBatches(text.passages)) {
        report(progress, static_cast<double>(batch.begin) / static_cast<double>(batch.total),
               "statistics of all heads");
        std::vector<RunItem> items(batch.size());
        for (std::size_t i = 0; i < items.size(); ++i) {
            const std::size_t passage = batch.begin + i;
            items[i].ids = text.passages[passage].ids;
            items[i].hooks.observe(
                HookKind::Z, [&collector, passage](HookPoint point, const TensorView& z) {
                    collector.add(point.layer, z, passage % kHeldOutStep == kHeldOutStep - 1);
                });
        }
        if (const auto runs = runBatch(model, items, request, stop); !runs)
            return runs.error();
    }
    for (const LayerHead head : statistics.output_norm.heads())
        statistics.output_norm[head] /= static_cast<double>(statistics.positions(head.layer));
    return statistics;
}

} // namespace headscope
