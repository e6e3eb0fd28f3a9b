#include "core/pruning/compensation.h"

#include "core/base/names.h"
#include "core/tensor/linear_algebra.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace headscope {

namespace {

constexpr Names<Replacement, 3> kReplacementNames{{
    {Replacement::Zero, "zero"},
    {Replacement::Mean, "mean"},
    {Replacement::Resample, "resample"},
}};

} // namespace

std::string_view replacementName(Replacement replacement) {
    return nameOf(kReplacementNames, replacement);
}

std::optional<Replacement> replacementNamed(std::string_view name) {
    return valueNamed(kReplacementNames, name);
}

namespace {

constexpr Names<Compensation, 4> kCompensationNames{{
    {Compensation::None, "none"},
    {Compensation::Bias, "bias"},
    {Compensation::Ridge, "ridge"},
    {Compensation::Rotation, "rotation"},
}};

/// What is known of one layer of which some heads go.
struct LayerSplit {
    std::vector<std::size_t> stay; ///< columns of z
    std::vector<std::size_t> go;
    DoubleMatrix metric; ///< W_R W_Rᵀ, [go, go], of the rows of W_O that go
};

DoubleMatrix rowsOf(const WeightTensor& W_O, const std::vector<std::size_t>& rows) {
    DoubleMatrix part(rows.size(), W_O.dim(1));
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t c = 0; c < part.cols; ++c)
            part(r, c) = W_O(rows[r], c);
    return part;
}

/// (C_KK + λ·tr(C_KK)/|K|·I)⁻¹ C_KR
Result<DoubleMatrix> ridgeMap(const DoubleMatrix& C, const LayerSplit& split, double lambda) {
    DoubleMatrix C_KK = submatrix(C, split.stay, split.stay);
    const double ridge = lambda * trace(C_KK) / static_cast<double>(split.stay.size());
    for (std::size_t i = 0; i < C_KK.rows; ++i)
        C_KK(i, i) += ridge;
    return solvePositive(std::move(C_KK), submatrix(C, split.stay, split.go));
}

/// Mean square of what is left of (z_R − z_K A) W_R with the moments M of z.
double remainder(const DoubleMatrix& M, const LayerSplit& split, const DoubleMatrix& A) {
    DoubleMatrix left = submatrix(M, split.go, split.go);
    const DoubleMatrix cross = transposedProduct(A, submatrix(M, split.stay, split.go));
    const DoubleMatrix taken =
        transposedProduct(A, product(submatrix(M, split.stay, split.stay), A));
    for (std::size_t r = 0; r < left.rows; ++r)
        for (std::size_t c = 0; c < left.cols; ++c)
            left(r, c) += taken(r, c) - cross(r, c) - cross(c, r);
    return innerProduct(left, split.metric);
}

DoubleMatrix chosenRidge(const HeadStatistics& statistics, std::size_t layer,
                         const LayerSplit& split, std::size_t d_head) {
    constexpr std::array kLambdas{1e-5, 1e-4, 1e-3, 1e-2, 1e-1};
    constexpr double kWithoutHeldOut = 1e-2;
    const DoubleMatrix nothing(split.stay.size(), split.go.size());
    const HeadMoments& fitted = statistics.fitted[layer];
    const HeadMoments& held_out = statistics.held_out[layer];
    double best = kWithoutHeldOut;
    if (held_out.positions > 0) {
        const DoubleMatrix C = fitted.covariance(d_head);
        const DoubleMatrix M = held_out.momentsAbout(fitted.mean());
        best = std::numeric_limits<double>::infinity();
        double least = remainder(M, split, nothing);
        for (const double lambda : kLambdas)
            if (const auto A = ridgeMap(C, split, lambda))
                if (const double left = remainder(M, split, *A); left < least) {
                    least = left;
                    best = lambda;
                }
    }
    if (best == std::numeric_limits<double>::infinity())
        return nothing;
    auto A = ridgeMap(statistics.all(layer).covariance(d_head), split, best);
    return A ? *std::move(A) : nothing;
}

/// A scaled rotation from one head to another, and the variance that it explains.
struct Turn {
    double explained = 0.0;
    double scale = 0.0;
    ThinSvd svd;
};

/// ‖z_R − s z_K Q‖² is least for Q = U Vᵀ and s = tr(S) / tr(C_KK), with C_KR = U S Vᵀ.
Turn turnBetween(const DoubleMatrix& C, const std::vector<std::size_t>& from,
                 const std::vector<std::size_t>& to) {
    const DoubleMatrix C_KR = submatrix(C, from, to);
    Tensor narrow({C_KR.rows, C_KR.cols});
    std::ranges::transform(C_KR.values, narrow.data(),
                           [](double value) { return static_cast<float>(value); });
    auto svd = thinSvd(std::as_const(narrow).matrix());
    const double variance = trace(submatrix(C, from, from));
    if (!svd || !(variance > 0.0))
        return {};
    double sum = 0.0;
    for (const double s : svd->S)
        sum += s;
    return {sum * sum / variance, sum / variance, *std::move(svd)};
}

DoubleMatrix closestRotations(const HeadStatistics& statistics, std::size_t layer,
                              const LayerSplit& split, std::size_t d_head) {
    const DoubleMatrix C = statistics.all(layer).covariance(d_head);
    DoubleMatrix A(split.stay.size(), split.go.size());
    const auto block = [d_head](const std::vector<std::size_t>& columns, std::size_t begin) {
        const auto first = columns.begin() + static_cast<std::ptrdiff_t>(begin);
        return std::vector<std::size_t>(first, first + static_cast<std::ptrdiff_t>(d_head));
    };
    for (std::size_t go = 0; go < split.go.size(); go += d_head) {
        Turn best;
        std::size_t taken_by = 0;
        for (std::size_t stay = 0; stay < split.stay.size(); stay += d_head) {
            Turn turn = turnBetween(C, block(split.stay, stay), block(split.go, go));
            if (turn.explained > best.explained) {
                best = std::move(turn);
                taken_by = stay;
            }
        }
        if (best.explained == 0.0)
            continue;
        for (std::size_t r = 0; r < d_head; ++r)
            for (std::size_t c = 0; c < d_head; ++c)
                for (std::size_t i = 0; i < d_head; ++i)
                    A(taken_by + r, go + c) +=
                        best.scale * double{best.svd.U(r, i)} * best.svd.Vt(i, c);
    }
    return A;
}

} // namespace

std::string_view compensationName(Compensation compensation) {
    return nameOf(kCompensationNames, compensation);
}

std::optional<Compensation> compensationNamed(std::string_view name) {
    return valueNamed(kCompensationNames, name);
}

std::vector<std::size_t> columnsOf(const std::vector<std::size_t>& places, std::size_t d_head) {
    std::vector<std::size_t> columns;
    for (const std::size_t place : places)
        for (std::size_t d = 0; d < d_head; ++d)
            columns.push_back(place * d_head + d);
    return columns;
}

OutputRepair repairWith(const AttentionWeights& weights, const std::vector<double>& mean,
                        const std::vector<std::size_t>& stay, const std::vector<std::size_t>& go,
                        const DoubleMatrix& A) {
    const DoubleMatrix W_R = rowsOf(weights.W_O, go);
    const DoubleMatrix added = product(A, W_R);
    OutputRepair repair;
    repair.W_O = Tensor({stay.size(), W_R.cols});
    for (std::size_t r = 0; r < stay.size(); ++r)
        for (std::size_t c = 0; c < W_R.cols; ++c)
            repair.W_O(r, c) = static_cast<float>(weights.W_O(stay[r], c) + added(r, c));
    std::vector<double> bias(W_R.cols);
    for (std::size_t r = 0; r < go.size(); ++r)
        for (std::size_t c = 0; c < bias.size(); ++c)
            bias[c] += mean[go[r]] * W_R(r, c);
    for (std::size_t r = 0; r < stay.size(); ++r)
        for (std::size_t c = 0; c < bias.size(); ++c)
            bias[c] -= mean[stay[r]] * added(r, c);
    repair.b_O = Tensor({bias.size()});
    for (std::size_t c = 0; c < bias.size(); ++c)
        repair.b_O(c) =
            static_cast<float>(bias[c] + (weights.b_O.empty() ? 0.0 : double{weights.b_O(c)}));
    return repair;
}

Compensator::Compensator(std::shared_ptr<const Model> model,
                         std::shared_ptr<const HeadStatistics> statistics,
                         Compensation compensation)
    : model_(std::move(model)), statistics_(std::move(statistics)), compensation_(compensation) {}

std::shared_ptr<const OutputRepair>
Compensator::repair(std::size_t layer, const std::vector<std::size_t>& left) const {
    const ModelSpec& spec = model_->spec;
    const AttentionWeights& weights = model_->weights.layers[layer].attn;
    std::vector<std::size_t> gone;
    for (std::size_t place = 0; place < spec.headsIn(layer); ++place)
        if (!std::ranges::binary_search(left, place))
            gone.push_back(place);
    LayerSplit split{columnsOf(left, spec.valueDim()), columnsOf(gone, spec.valueDim()), {}};
    const DoubleMatrix W_R = rowsOf(weights.W_O, split.go);
    split.metric = productTransposed(W_R, W_R);
    DoubleMatrix A(split.stay.size(), split.go.size());
    if (!left.empty() && compensation_ == Compensation::Ridge)
        A = chosenRidge(*statistics_, layer, split, spec.valueDim());
    if (!left.empty() && compensation_ == Compensation::Rotation)
        A = closestRotations(*statistics_, layer, split, spec.valueDim());
    return std::make_shared<const OutputRepair>(
        repairWith(weights, statistics_->all(layer).mean(), split.stay, split.go, A));
}

Cut Compensator::cut(const HeadSet& removed) {
    constexpr std::size_t kMostKnown = 64;
    Cut cut{removed, {}};
    if (compensation_ == Compensation::None)
        return cut;
    std::vector<Known> missing;
    for (std::size_t layer = 0; layer < model_->spec.n_layers; ++layer) {
        const auto left = placesLeft(model_->spec, removed, layer);
        if (left.size() == model_->spec.headsIn(layer))
            continue;
        const auto found = std::ranges::find_if(
            known_, [&](const Known& known) { return known.layer == layer && known.left == left; });
        if (found == known_.end()) {
            missing.push_back({layer, left, nullptr});
            continue;
        }
        cut.repairs[layer] = found->repair;
        known_.splice(known_.begin(), known_, found);
    }
    parallelFor(missing.size(), [&](std::size_t i, std::size_t) {
        missing[i].repair = repair(missing[i].layer, missing[i].left);
    });
    for (Known& known : missing) {
        cut.repairs[known.layer] = known.repair;
        known_.push_front(std::move(known));
    }
    if (known_.size() > kMostKnown)
        known_.resize(kMostKnown);
    return cut;
}

ModelCost costWithout(const Model& model, const HeadSet& removed, Compensation compensation) {
    Cut cut{removed, {}};
    if (compensation != Compensation::None)
        for (const LayerHead head : removed)
            if (!cut.repairs.contains(head.layer))
                cut.repairs[head.layer] = std::make_shared<const OutputRepair>(
                    OutputRepair{{}, Tensor({model.spec.d_model})});
    return costAfter(model, cut);
}

} // namespace headscope
