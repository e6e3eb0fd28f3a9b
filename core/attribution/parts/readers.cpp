#include "core/attribution/parts/readers.h"

#include "core/attribution/frozen_norm.h"
#include "core/engine/block_plan.h"
#include "core/model/head_columns.h"
#include "core/tensor/nonlinear.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

namespace headscope {

LogitDirection logitDirection(const Model& model, TokenId token, std::optional<TokenId> against) {
    const WeightMatrix W_U = model.weights.unembedding().matrix();
    const std::span<const float> b_U = model.weights.b_U.values();
    LogitDirection logit{std::vector<double>(W_U.cols, 0.0), 0.0};
    const auto addToken = [&](TokenId named, double sign) {
        const auto id = static_cast<std::size_t>(named);
        for (std::size_t i = 0; i < W_U.cols; ++i)
            logit.direction[i] += sign * static_cast<double>(W_U(id, i));
        logit.bias += b_U.empty() ? 0.0 : sign * static_cast<double>(b_U[id]);
    };
    addToken(token, 1.0);
    if (against)
        addToken(*against, -1.0);
    if (model.spec.projectsParts())
        logit.direction =
            timesColumn(*WidenedMatrix(model.weights.W_project_out.matrix()), logit.direction);
    return logit;
}

std::vector<double> timesColumn(MatrixView W, std::span<const double> x) {
    std::vector<double> product(W.rows, 0.0);
    for (std::size_t r = 0; r < W.rows; ++r)
        for (std::size_t c = 0; c < W.cols; ++c)
            product[r] += static_cast<double>(W(r, c)) * x[c];
    return product;
}

namespace {

double sumOf(std::span<const float> values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

HeadRead readOf(HeadSide side) {
    return side == HeadSide::Query ? HeadRead::Query
           : side == HeadSide::Key ? HeadRead::Key
                                   : HeadRead::Value;
}

} // namespace

HeadReader::HeadReader(const StreamRun& run, LayerHead head, HeadSide side)
    : run_(run), spec_(run.spec()), head_(head), side_(side),
      width_(side == HeadSide::Value ? spec_.valueDim() : spec_.d_head),
      place_(side == HeadSide::Query ? spec_.headPlace(head) : spec_.kvPlace(head)),
      norm_(side == HeadSide::Value ? QkNorm::None : spec_.qk_norm) {
    takeWeights();
    foldInputNorm();
    foldHeadNorm();
    const RotarySpec* const rotary = spec_.rotaryIn(head.layer);
    if (rotary && side != HeadSide::Value)
        rotary_ = rotaryTable(*rotary, run.positions());
}

void HeadReader::takeWeights() {
    const auto [W, b] =
        headColumns(spec_, run_.model().weights, head_.layer, readOf(side_), place_);
    behind_norm_ = W;
    own_.assign(width_, 0.0);
    std::ranges::copy(b.values(), own_.begin());
    if (norm_ != QkNorm::None && spec_.norm.kind == NormKind::LayerNorm)
        centreOfAllHeads();
}

/// A LayerNorm of queries or keys subtracts the mean: that of the head, or that of all heads if it
/// reads them as one vector.
void HeadReader::centreOfAllHeads() {
    const Weights& weights = run_.model().weights;
    std::vector<std::size_t> places{place_};
    if (norm_ == QkNorm::AllHeads) {
        places.resize(side_ == HeadSide::Query ? spec_.headsIn(head_.layer)
                                               : spec_.kvHeadsIn(head_.layer));
        std::iota(places.begin(), places.end(), std::size_t{0});
    }
    const auto numbers = static_cast<double>(places.size() * width_);
    std::vector<double> sums(behind_norm_.dim(0), 0.0);
    double sum_of_biases = 0.0;
    for (const std::size_t place : places) {
        const auto [W, b] = headColumns(spec_, weights, head_.layer, readOf(side_), place);
        for (std::size_t r = 0; r < sums.size(); ++r)
            sums[r] += sumOf({W.matrix().row(r), width_});
        sum_of_biases += sumOf(b.values());
    }
    for (std::size_t r = 0; r < sums.size(); ++r)
        for (std::size_t c = 0; c < width_; ++c)
            behind_norm_(r, c) =
                static_cast<float>(static_cast<double>(behind_norm_(r, c)) - sums[r] / numbers);
    for (double& value : own_)
        value -= sum_of_biases / numbers;
}

void HeadReader::foldInputNorm() {
    readout_ = behind_norm_;
    const BlockPlan plan = blockPlan(spec_, head_.layer);
    const BlockStep* const norm = plan.norm(Branch::Attention, BlockValue::Input);
    if (!norm)
        return;
    const NormWeights& weights = run_.model().weights.layers[head_.layer].*norm->norm;
    const std::vector<double> bias =
        throughNormWeights(spec_.norm.kind, weights, readout_.matrix());
    std::ranges::transform(own_, bias, own_.begin(), std::plus());
    input_scale_ = HookPoint{norm->hooks.front(), head_.layer};
}

void HeadReader::foldHeadNorm() {
    norm_bias_.assign(width_, 0.0);
    if (norm_ == QkNorm::None)
        return;
    const AttentionWeights& weights = run_.model().weights.layers[head_.layer].attn;
    const NormWeights& norm = side_ == HeadSide::Query ? weights.q_norm : weights.k_norm;
    const std::size_t first = spec_.hasQkGainsByHead() ? place_ * width_ : 0;
    if (!norm.bias.empty())
        std::ranges::copy(norm.bias.values().subspan(first, width_), norm_bias_.begin());
    if (norm.weight.empty())
        return;
    const std::span<const float> gain = norm.weight.values().subspan(first, width_);
    if (spec_.qk_norm_after_rotary) {
        gain_behind_.assign(gain.begin(), gain.end());
        return;
    }
    scaleAndShift(readout_.matrix(), gain, {});
    scaleAndShift(behind_norm_.matrix(), gain, {});
    for (std::size_t i = 0; i < own_.size(); ++i)
        own_[i] *= static_cast<double>(gain[i]);
}

/// Of the latent that this side is made of, where there is one.
std::optional<HookKind> HeadReader::latentScale() const {
    if (!spec_.latent || (side_ == HeadSide::Query && spec_.latent->d_queries == 0))
        return std::nullopt;
    return side_ == HeadSide::Query ? HookKind::QLatentScale : HookKind::KvLatentScale;
}

double HeadReader::headNormScale(std::size_t position) const {
    if (const auto latent = latentScale())
        return run_.scale({*latent, head_.layer}, position);
    if (norm_ == QkNorm::None)
        return 1.0;
    const HookKind kind = side_ == HeadSide::Query ? HookKind::QNormScale : HookKind::KNormScale;
    const Tensor& scales = run_.at({kind, head_.layer});
    return static_cast<double>(norm_ == QkNorm::PerHead ? scales(position, place_, 0u)
                                                        : scales(position, 0u));
}

double HeadReader::factor(std::size_t position) const {
    const double input = input_scale_ ? run_.scale(*input_scale_, position) : 1.0;
    return 1.0 / (input * headNormScale(position));
}

std::vector<double> HeadReader::biases(std::size_t position) const {
    std::vector<double> biases = norm_bias_;
    for (std::size_t i = 0; i < biases.size(); ++i)
        biases[i] += own_[i] / headNormScale(position);
    return biases;
}

std::vector<double> HeadReader::positionsBehindNorm(std::size_t position) const {
    if (spec_.positions != PositionKind::Shortformer || side_ == HeadSide::Value)
        return {};
    const Tensor& positions = run_.at({HookKind::PosEmbed, 0}); // [position, d_model]
    std::vector<double> read(width_, 0.0);
    for (std::size_t i = 0; i < spec_.d_model; ++i)
        for (std::size_t c = 0; c < width_; ++c)
            read[c] += static_cast<double>(positions(position, i)) *
                       static_cast<double>(behind_norm_(i, c));
    for (double& value : read)
        value /= headNormScale(position);
    return read;
}

void HeadReader::turn(MutableMatrixView rows, std::size_t position) const {
    if (spec_.latent && side_ == HeadSide::Key)
        for (std::size_t r = 0; r < rows.rows; ++r)
            for (float& value : std::span(rows.row(r), spec_.latent->d_shared))
                value *= static_cast<float>(headNormScale(position));
    for (std::size_t r = 0; rotary_ && r < rows.rows; ++r)
        applyRotary(*rotary_, 1, position, rows.rowRange(r, 1));
    const double growth = side_ == HeadSide::Query ? spec_.queryGrowth(position) : 1.0;
    for (std::size_t r = 0; growth != 1.0 && r < rows.rows; ++r)
        for (float& value : std::span(rows.row(r), rows.cols))
            value *= static_cast<float>(growth);
    if (!gain_behind_.empty())
        scaleAndShift(rows, gain_behind_, {});
}

std::vector<double> HeadReader::readoutAlong(std::span<const double> direction,
                                             std::size_t position) const {
    Tensor units({width_, width_}); // row i becomes where dimension i goes
    for (std::size_t i = 0; i < width_; ++i)
        units(i, i) = 1.0f;
    turn(units.matrix(), position);
    std::vector<double> before(width_, 0.0);
    for (std::size_t i = 0; i < width_; ++i)
        for (std::size_t c = 0; c < width_; ++c)
            before[i] += static_cast<double>(units(i, c)) * direction[c];
    std::vector<double> along = timesColumn(readout_.matrix(), before);
    for (double& value : along)
        value *= factor(position);
    return along;
}

} // namespace headscope
