#include "core/heads/meters/dormant_meter.h"

#include "core/model/model.h"
#include "core/tensor/gemm.h"
#include "core/tensor/parallel.h"
#include "core/tensor/rounding.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace headscope {

namespace {

/// Mean over positions of ‖z‖. z [position, d_head].
double meanNorm(MatrixView z) {
    double sum = 0.0;
    for (std::size_t position = 0; position < z.rows; ++position)
        sum += frobeniusNorm(z.rowRange(position, 1));
    return sum / static_cast<double>(z.rows);
}

/// Mean over positions of ‖z W_O‖. z [position, d_head], W_O [d_head, d_model]. Of a prompt longer
/// than d_head through the small W_O W_Oᵀ, because ‖z W_O‖² = z (W_O W_Oᵀ) zᵀ.
double meanOutputNorm(MatrixView z, MatrixView W_O) {
    const bool through_gram = z.rows > W_O.rows;
    Tensor gram;
    if (through_gram) {
        gram = Tensor::uninitialised({W_O.rows, W_O.rows});
        multiplyTransposed(1.0f, W_O, W_O, gram.matrix());
    }
    const MatrixView right = through_gram ? std::as_const(gram).matrix() : W_O;
    Tensor product = Tensor::uninitialised({z.rows, right.cols});
    multiply(z, right, product.matrix());
    double sum = 0.0;
    for (std::size_t position = 0; position < z.rows; ++position) {
        const std::span<const float> row{std::as_const(product).matrix().row(position), right.cols};
        const float square = dot(through_gram ? std::span(z.row(position), z.cols) : row, row);
        sum +=
            std::sqrt(std::max(static_cast<double>(square), 0.0)); // rounding can leave it below 0
    }
    return sum / static_cast<double>(z.rows);
}

/// Means over positions.
struct OutputNorms {
    double z = kUndefinedReading;      ///< ‖z‖
    double stream = kUndefinedReading; ///< ‖z W_O‖
};

/// 1 − norm / mean norm of the layer, at least 0.
double belowLayer(std::span<const OutputNorms> layer, const OutputNorms& head,
                  double OutputNorms::*norm) {
    double sum = 0.0;
    for (const OutputNorms& each : layer)
        sum += each.*norm;
    const double mean = sum / static_cast<double>(layer.size());
    if (layer.size() < 2 || !(mean > 0.0))
        return kUndefinedReading;
    return std::max(1.0 - head.*norm / mean, 0.0);
}

class DormantMeter : public Meter {
public:
    DormantMeter(std::shared_ptr<const Model> model, std::size_t positions)
        : model_(std::move(model)), positions_(positions), norms_(headIndex(model_->spec)) {}

    void watch(HookSet& hooks) override {
        hooks.observe(HookKind::Z, [this](HookPoint point, TensorView z) {
            const ModelSpec& spec = model_->spec;
            const WeightTensor& W_O = model_->weights.layers[point.layer].attn.W_O;
            parallelFor(spec.headsIn(point.layer), [&](std::size_t place, std::size_t) {
                const std::size_t d_head = z.shape[2];
                const MatrixView of_head{z.data + place * z.strides[1], z.shape[0], d_head,
                                         z.strides[0]};
                norms_[spec.headAt(point.layer, place)] = {
                    meanNorm(of_head),
                    meanOutputNorm(of_head,
                                   *WidenedMatrix(W_O.matrix().rowRange(place * d_head, d_head)))};
            });
        });
    }

    void observe(const PatternBlock&) override {}

    Measurement measurement() const override {
        const auto rows = static_cast<double>(positions_);
        Measurement found{rows, PerHead<Reading>(norms_.heads())};
        for (const LayerHead head : norms_.heads()) {
            const auto layer = norms_.layer(head.layer);
            found.heads[head] = {rows, belowLayer(layer, norms_[head], &OutputNorms::z), 0.0,
                                 belowLayer(layer, norms_[head], &OutputNorms::stream)};
        }
        return found;
    }

private:
    std::shared_ptr<const Model> model_;
    std::size_t positions_;
    PerHead<OutputNorms> norms_;
};

} // namespace

std::unique_ptr<Meter> dormantMeter(const std::shared_ptr<const Model>& model,
                                    const InputSequence& sequence) {
    return std::make_unique<DormantMeter>(model, sequence.ids.size());
}

} // namespace headscope
