#include "core/heads/meters/copying_meter.h"

#include "core/circuits/folded_weights.h"
#include "core/engine/attention.h"
#include "core/model/model.h"
#include "core/tensor/gemm.h"
#include "core/tensor/parallel.h"
#include "core/tensor/rounding.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// Of one head.
struct Copied {
    double share = 0.0;
    double best = 0.0; ///< share of tokens that are raised most by themselves
};

/// raised [source token, token], both in the same order; from `noise` [source token] downwards it
/// is rounding.
Copied copiedOf(MatrixView raised, std::span<const double> noise) {
    Copied copied;
    for (std::size_t source = 0; source < raised.rows; ++source) {
        const std::span<const float> row{raised.row(source), raised.cols};
        double sum = 0.0;
        for (const float value : row) {
            if (std::isnan(value))
                return {kUndefinedReading, kUndefinedReading};
            if (static_cast<double>(value) > noise[source])
                sum += static_cast<double>(value);
        }
        const auto own = static_cast<double>(row[source]);
        if (!(own > noise[source]))
            continue;
        copied.share += own / sum;
        if (row[source] == *std::ranges::max_element(row))
            copied.best += 1.0;
    }
    const auto sources = static_cast<double>(raised.rows);
    return {copied.share / sources, copied.best / sources};
}

class CopyingMeter : public Meter {
public:
    CopyingMeter(std::shared_ptr<const Model> model, std::size_t first, Tensor directions)
        : model_(std::move(model)), first_(first), directions_(std::move(directions)),
          copied_(headIndex(model_->spec)) {}

    void watch(HookSet& hooks) override {
        hooks.observe(HookKind::V, [this](HookPoint point, const TensorView& v) {
            const ModelSpec& spec = model_->spec;
            const Tensor values = copyOf(v);
            parallelFor(spec.headsIn(point.layer), [&](std::size_t place, std::size_t) {
                const LayerHead head = spec.headAt(point.layer, place);
                copied_[head] = copiedBy(head, headMatrix(values, spec.kvPlace(head)));
            });
        });
    }

    void observe(const PatternBlock&) override {}

    Measurement measurement() const override {
        const auto rows = static_cast<double>(directions_.dim(0));
        Measurement found{rows, PerHead<Reading>(copied_.heads())};
        for (const LayerHead head : copied_.heads())
            found.heads[head] = {rows, copied_[head].share, 1.0 / rows, copied_[head].best};
        return found;
    }

private:
    /// v [position, d_head_v]
    Copied copiedBy(LayerHead head, MatrixView v) const {
        const std::size_t tokens = directions_.dim(0);
        const std::size_t d_head = model_->spec.valueDim();
        const WidenedMatrix W_O(model_->weights.layers[head.layer].attn.W_O.matrix().rowRange(
            model_->spec.headPlace(head) * d_head, d_head));
        Tensor reads = Tensor::uninitialised({tokens, d_head}); // directions · W_Oᵀ
        multiplyTransposed(1.0f, directions_.matrix(), *W_O, reads.matrix());
        Tensor raised = Tensor::uninitialised({tokens, tokens});
        const MatrixView sources = v.rowRange(first_, tokens);
        multiplyTransposed(1.0f, sources, reads.matrix(), raised.matrix());
        return copiedOf(raised.matrix(), noiseOf(sources, *W_O));
    }

    /// Of each row of v · (directions · W_Oᵀ)ᵀ: the rounding of the inner product, of d_model
    /// terms, reaches the outer one times ‖v‖, and that of the outer one, of d_head terms, is a
    /// share of ‖v‖ and of what the inner one is at most, ‖W_O‖ · ‖direction‖.
    std::vector<double> noiseOf(MatrixView v, MatrixView W_O) const {
        const double share = roundingShare(W_O.cols) + roundingShare(W_O.rows);
        double direction = 0.0; // the longest
        for (std::size_t token = 0; token < directions_.dim(0); ++token)
            direction = std::max(direction, frobeniusNorm(directions_.matrix().rowRange(token, 1)));
        std::vector<double> noise;
        noise.reserve(v.rows);
        for (std::size_t source = 0; source < v.rows; ++source)
            noise.push_back(share * frobeniusNorm(v.rowRange(source, 1)) * frobeniusNorm(W_O) *
                            direction);
        return noise;
    }

    std::shared_ptr<const Model> model_;
    std::size_t first_; ///< position of the first token
    Tensor directions_; ///< [token, d_model]
    PerHead<Copied> copied_;
};

} // namespace

std::unique_ptr<Meter> copyingMeter(const std::shared_ptr<const Model>& model,
                                    const InputSequence& sequence) {
    if (!sequence.period || model->spec.output != OutputHead::Unembed ||
        !model->spec.predictsTokens() || model->weights.unembedding().empty())
        return nullptr;
    const std::size_t first = sequence.firstContent();
    return std::make_unique<CopyingMeter>(
        model, first,
        centredUnembedding(*model, std::span(sequence.ids).subspan(first, *sequence.period)));
}

} // namespace headscope
