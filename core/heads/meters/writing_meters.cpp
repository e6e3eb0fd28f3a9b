#include "core/heads/meters/writing_meters.h"

#include "core/circuits/copying.h"
#include "core/circuits/folded_weights.h"
#include "core/engine/attention.h"
#include "core/heads/sequences.h"
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

/// What was found of one head, as means over tokens.
struct Copied {
    double share = 0.0;
    double above = 0.0; ///< share of the other tokens that are raised less than the token itself
};

/// The share is among so many tokens (Olsson et al. 2022).
constexpr double kSharedBy = 25.0;

/// raised [source token, token], both in the same order; from `noise` [source token] downwards it
/// is rounding.
Copied copiedOf(MatrixView raised, std::span<const double> noise) {
    Copied copied;
    for (std::size_t source = 0; source < raised.rows; ++source) {
        const std::span<const float> row{raised.row(source), raised.cols};
        const auto own = static_cast<double>(row[source]);
        double others = 0.0;
        double below = 0.0;
        for (std::size_t token = 0; token < raised.cols; ++token) {
            const auto value = static_cast<double>(row[token]);
            if (std::isnan(value))
                return {kUndefinedReading, kUndefinedReading};
            if (token != source && value > noise[source])
                others += value;
            below += value < own ? 1.0 : 0.0;
        }
        if (!(own > noise[source]))
            continue;
        const auto count = static_cast<double>(raised.cols - 1);
        copied.share += own / (own + (kSharedBy - 1.0) * others / count);
        copied.above += below / count;
    }
    const auto sources = static_cast<double>(raised.rows);
    return {copied.share / sources, copied.above / sources};
}

/// The rounding error of each row of v · (directions · W_Oᵀ)ᵀ: the rounding of the inner product,
/// of d_model terms, reaches the outer one times ‖v‖, and that of the outer one, of d_head terms,
/// is a share of ‖v‖ and of what the inner one is at most, ‖W_O‖ · ‖direction‖.
std::vector<double> noiseOf(MatrixView v, MatrixView W_O, MatrixView directions) {
    const double share = roundingShare(W_O.cols) + roundingShare(W_O.rows);
    double direction = 0.0; // the longest
    for (std::size_t token = 0; token < directions.rows; ++token)
        direction = std::max(direction, frobeniusNorm(directions.rowRange(token, 1)));
    std::vector<double> noise;
    noise.reserve(v.rows);
    for (std::size_t source = 0; source < v.rows; ++source)
        noise.push_back(share * frobeniusNorm(v.rowRange(source, 1)) * frobeniusNorm(W_O) *
                        direction);
    return noise;
}

class CopyingMeter : public Meter {
public:
    /// `sign`: 1 of what is raised, −1 of what is lowered.
    CopyingMeter(std::shared_ptr<const Model> model, std::size_t first, Tensor directions,
                 float sign)
        : model_(std::move(model)), first_(first), directions_(std::move(directions)), sign_(sign),
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
            found.heads[head] = {rows, copied_[head].share, 1.0 / kSharedBy, copied_[head].above};
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
        multiplyTransposed(sign_, sources, reads.matrix(), raised.matrix());
        return copiedOf(raised.matrix(), noiseOf(sources, *W_O, directions_.matrix()));
    }

    std::shared_ptr<const Model> model_;
    std::size_t first_; ///< position of the first token
    Tensor directions_; ///< [token, d_model]
    float sign_;
    PerHead<Copied> copied_;
};

std::unique_ptr<Meter> meterOfSign(const std::shared_ptr<const Model>& model,
                                   const InputSequence& sequence, float sign) {
    if (!sequence.period || model->spec.output != OutputHead::Unembed ||
        !model->spec.predictsTokens() || model->weights.unembedding().empty())
        return nullptr;
    const std::size_t first = sequence.firstContent();
    return std::make_unique<CopyingMeter>(
        model, first,
        centredUnembedding(*model, std::span(sequence.ids).subspan(first, *sequence.period)), sign);
}

} // namespace

std::unique_ptr<Meter> copyingMeter(const std::shared_ptr<const Model>& model,
                                    const InputSequence& sequence) {
    return meterOfSign(model, sequence, 1.0f);
}

std::unique_ptr<Meter> copySuppressionMeter(const std::shared_ptr<const Model>& model,
                                            const InputSequence& sequence) {
    return meterOfSign(model, sequence, -1.0f);
}

namespace {

/// Which word of a series a head raises most.
struct Raised {
    double most = kUndefinedReading; ///< 1: one of those asked for, 0: another or none
    double above =
        kUndefinedReading; ///< share of the words that are raised less than the successor
};

class OrdinalMeter : public Meter {
public:
    /// `places` of the words that are asked for, in the series of the task.
    OrdinalMeter(std::shared_ptr<const Model> model, const InputSequence& sequence,
                 std::vector<std::size_t> places)
        : model_(std::move(model)), position_(sequence.ids.size() - 1), task_(sequence.ordinal),
          places_(std::move(places)), raised_(headIndex(model_->spec)) {}

    void watch(HookSet& hooks) override {
        readFirstBlock(hooks, model_->spec, position_);
        hooks.observe(HookKind::V, [this](HookPoint point, const TensorView& v) {
            const ModelSpec& spec = model_->spec;
            const Tensor values = copyOf(v);
            parallelFor(spec.headsIn(point.layer), [&](std::size_t place, std::size_t) {
                const LayerHead head = spec.headAt(point.layer, place);
                raised_[head] =
                    raisedBy(head, headMatrix(values, spec.kvPlace(head)).rowRange(position_, 1));
            });
        });
    }

    void observe(const PatternBlock&) override {}

    Measurement measurement() const override {
        Measurement found{1.0, PerHead<Reading>(raised_.heads())};
        const double chance =
            static_cast<double>(places_.size()) / static_cast<double>(task_->directions->dim(0));
        for (const LayerHead head : raised_.heads())
            found.heads[head] = {1.0, raised_[head].most, chance, raised_[head].above};
        return found;
    }

private:
    /// v [1, d_head_v]
    Raised raisedBy(LayerHead head, MatrixView v) const {
        const std::size_t d_head = model_->spec.valueDim();
        const MatrixView directions = task_->directions->matrix();
        const WidenedMatrix W_O(model_->weights.layers[head.layer].attn.W_O.matrix().rowRange(
            model_->spec.headPlace(head) * d_head, d_head));
        Tensor written = Tensor::uninitialised({1, W_O->cols});
        multiply(v, *W_O, written.matrix());
        Tensor logits = Tensor::uninitialised({1, directions.rows});
        multiplyTransposed(1.0f, std::as_const(written).matrix(), directions, logits.matrix());
        return raisedOf(logits.values(), noiseOf(v, *W_O, directions).front());
    }

    /// Words that rounding cannot tell from the largest are raised as much.
    Raised raisedOf(std::span<const float> logits, double noise) const {
        const auto most = std::ranges::max_element(logits);
        const auto isBelow = [noise](double than) {
            return [=](float logit) { return static_cast<double>(logit) < than - noise; };
        };
        const auto others = static_cast<std::ptrdiff_t>(logits.size()) - 1;
        const bool is_alone =
            std::ranges::count_if(logits, isBelow(static_cast<double>(*most))) == others;
        const auto place = static_cast<std::size_t>(most - logits.begin());
        const bool is_asked_for = std::ranges::find(places_, place) != places_.end();
        const auto below = static_cast<double>(
            std::ranges::count_if(logits, isBelow(static_cast<double>(logits[task_->place + 1]))));
        return {is_alone && is_asked_for ? 1.0 : 0.0, below / static_cast<double>(others)};
    }

    std::shared_ptr<const Model> model_;
    std::size_t position_;
    std::shared_ptr<const OrdinalTask> task_;
    std::vector<std::size_t> places_;
    PerHead<Raised> raised_;
};

} // namespace

std::unique_ptr<Meter> successorMeter(const std::shared_ptr<const Model>& model,
                                      const InputSequence& sequence) {
    if (!sequence.ordinal)
        return nullptr;
    return std::make_unique<OrdinalMeter>(model, sequence,
                                          std::vector{sequence.ordinal->place + 1});
}

std::unique_ptr<Meter> nearSuccessorMeter(const std::shared_ptr<const Model>& model,
                                          const InputSequence& sequence) {
    if (!sequence.ordinal)
        return nullptr;
    const OrdinalTask& task = *sequence.ordinal;
    std::vector places{task.place};
    if (task.has_predecessor)
        places.push_back(task.place - 1);
    if (task.has_second)
        places.push_back(task.place + 2);
    return std::make_unique<OrdinalMeter>(model, sequence, std::move(places));
}

namespace {

/// ‖z W_O‖ over the positions of a text.
struct OutputNorms {
    double mean = kUndefinedReading;
    double largest = kUndefinedReading;
};

/// ‖x‖², 0 where that is rounding of a product whose norm could be `bound`.
double squareOf(std::span<const float> x, double bound, std::size_t terms) {
    const auto square = static_cast<double>(dot(x, x));
    const double noise = roundingShare(terms) * bound;
    return square <= noise * noise ? 0.0 : square;
}

/// ‖z W_O‖² at every position. z [position, d_head], W_O [d_head, d_model], norm ‖W_O‖.
std::vector<double> outputSquares(MatrixView z, MatrixView W_O, double norm) {
    Tensor written = Tensor::uninitialised({z.rows, W_O.cols});
    multiply(z, W_O, written.matrix());
    std::vector<double> squares;
    squares.reserve(z.rows);
    for (std::size_t position = 0; position < z.rows; ++position)
        squares.push_back(squareOf({std::as_const(written).matrix().row(position), W_O.cols},
                                   norm * frobeniusNorm(z.rowRange(position, 1)), W_O.rows));
    return squares;
}

/// The same through the small W_O W_Oᵀ, because ‖z W_O‖² = z (W_O W_Oᵀ) zᵀ. Rows that this is too
/// rough for, since a square loses half of the digits, are multiplied out.
std::vector<double> outputSquaresThroughGram(MatrixView z, MatrixView W_O, double norm) {
    Tensor gram = Tensor::uninitialised({W_O.rows, W_O.rows});
    multiplyTransposed(1.0f, W_O, W_O, gram.matrix());
    Tensor product = Tensor::uninitialised({z.rows, W_O.rows});
    multiply(z, std::as_const(gram).matrix(), product.matrix());
    // A square that is a hundred times its rounding is right to a percent.
    const double rough = 100.0 * (roundingShare(W_O.cols) + roundingShare(W_O.rows)) * norm * norm;
    std::vector<double> squares;
    squares.reserve(z.rows);
    for (std::size_t position = 0; position < z.rows; ++position) {
        const std::span<const float> row{z.row(position), z.cols};
        const auto square = static_cast<double>(
            dot(row, {std::as_const(product).matrix().row(position), W_O.rows}));
        const bool is_rough = square <= rough * static_cast<double>(dot(row, row));
        squares.push_back(is_rough ? outputSquares(z.rowRange(position, 1), W_O, norm).front()
                                   : square);
    }
    return squares;
}

OutputNorms outputNorms(MatrixView z, MatrixView W_O) {
    const double norm = frobeniusNorm(W_O);
    const std::vector<double> squares =
        z.rows > W_O.rows ? outputSquaresThroughGram(z, W_O, norm) : outputSquares(z, W_O, norm);
    OutputNorms norms{0.0, 0.0};
    for (const double square : squares) {
        const double output = std::sqrt(square);
        norms.mean += output / static_cast<double>(z.rows);
        norms.largest = std::isnan(output) ? output : std::max(output, norms.largest);
    }
    return norms;
}

/// 1 − norm / mean norm of the layer, at least 0.
double belowLayer(std::span<const OutputNorms> layer, const OutputNorms& head,
                  double OutputNorms::*norm) {
    if (head.*norm == 0.0)
        return 1.0;
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
                norms_[spec.headAt(point.layer, place)] = outputNorms(
                    of_head, *WidenedMatrix(W_O.matrix().rowRange(place * d_head, d_head)));
            });
        });
    }

    void observe(const PatternBlock&) override {}

    Measurement measurement() const override {
        const auto rows = static_cast<double>(positions_);
        Measurement found{rows, PerHead<Reading>(norms_.heads())};
        for (const LayerHead head : norms_.heads()) {
            const auto layer = norms_.layer(head.layer);
            found.heads[head] = {rows, belowLayer(layer, norms_[head], &OutputNorms::mean), 0.0,
                                 belowLayer(layer, norms_[head], &OutputNorms::largest)};
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
