#include "core/attribution/parts/head_reader.h"

#include "core/attribution/parts/norm_columns.h"
#include "core/engine/block_plan.h"
#include "core/tensor/norm.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace headscope {

namespace {

Tensor columnsOf(MatrixView matrix) {
    Tensor copy = Tensor::uninitialised({matrix.rows, matrix.cols});
    for (std::size_t r = 0; r < matrix.rows; ++r)
        std::copy_n(matrix.row(r), matrix.cols, copy.matrix().row(r));
    return copy;
}

void centre(std::vector<double>& values) {
    const double mean =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    for (double& value : values)
        value -= mean;
}

} // namespace

HeadReader::HeadReader(const StreamRun& run, LayerHead head, ScoreSide side)
    : run_(run), spec_(run.spec()), head_(head), of_query_(side == ScoreSide::Query),
      place_(of_query_ ? spec_.headPlace(head) : spec_.kvPlace(head)) {
    takeWeights();
    foldInputNorm();
    foldHeadNorm();
    if (const RotarySpec* rotary = spec_.rotaryIn(head.layer))
        rotary_ = rotaryTable(*rotary, run.positions());
}

/// Of all heads where a norm reads them as one vector, and then of this one.
void HeadReader::takeWeights() {
    const AttentionWeights& weights = run_.model().weights.layers[head_.layer].attn;
    const std::size_t width =
        of_query_ ? spec_.queryWidth(head_.layer) : spec_.keyWidth(head_.layer);
    const std::size_t first = of_query_ ? 0 : spec_.queryWidth(head_.layer);
    Tensor all = columnsOf(weights.W_QKV.matrix().colRange(first, width));
    own_.assign(width, 0.0);
    if (!weights.b_QKV.empty())
        std::ranges::copy(weights.b_QKV.values().subspan(first, width), own_.begin());
    if (spec_.qk_norm == QkNorm::AllHeads && spec_.norm.kind == NormKind::LayerNorm) {
        centreRows(all.matrix());
        centre(own_);
    }
    behind_norm_ = columnsOf(all.matrix().colRange(place_ * spec_.d_head, spec_.d_head));
    const auto begin = own_.begin() + static_cast<std::ptrdiff_t>(place_ * spec_.d_head);
    own_ = std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(spec_.d_head));
    if (spec_.qk_norm == QkNorm::PerHead && spec_.norm.kind == NormKind::LayerNorm) {
        centreRows(behind_norm_.matrix());
        centre(own_);
    }
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
    for (std::size_t i = 0; i < own_.size(); ++i)
        own_[i] += bias[i];
    input_scale_ = HookPoint{norm->hooks.front(), head_.layer};
}

void HeadReader::foldHeadNorm() {
    norm_bias_.assign(spec_.d_head, 0.0);
    if (spec_.qk_norm == QkNorm::None)
        return;
    const AttentionWeights& weights = run_.model().weights.layers[head_.layer].attn;
    const NormWeights& norm = of_query_ ? weights.q_norm : weights.k_norm;
    const std::size_t first = spec_.qk_norm == QkNorm::AllHeads ? place_ * spec_.d_head : 0;
    if (!norm.bias.empty())
        std::ranges::copy(norm.bias.values().subspan(first, spec_.d_head), norm_bias_.begin());
    if (norm.weight.empty())
        return;
    const std::span<const float> gain = norm.weight.values().subspan(first, spec_.d_head);
    scaleAndShift(readout_.matrix(), gain, {});
    scaleAndShift(behind_norm_.matrix(), gain, {});
    for (std::size_t i = 0; i < own_.size(); ++i)
        own_[i] *= static_cast<double>(gain[i]);
}

double HeadReader::headNormScale(std::size_t position) const {
    if (spec_.qk_norm == QkNorm::None)
        return 1.0;
    const HookKind kind = of_query_ ? HookKind::QNormScale : HookKind::KNormScale;
    const Tensor& scales = run_.at({kind, head_.layer});
    return static_cast<double>(spec_.qk_norm == QkNorm::PerHead ? scales(position, place_, 0u)
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
    if (spec_.positions != PositionKind::Shortformer)
        return {};
    const Tensor& positions = run_.at({HookKind::PosEmbed, 0}); // [position, d_model]
    std::vector<double> read(spec_.d_head, 0.0);
    for (std::size_t i = 0; i < spec_.d_model; ++i)
        for (std::size_t c = 0; c < spec_.d_head; ++c)
            read[c] += static_cast<double>(positions(position, i)) *
                       static_cast<double>(behind_norm_(i, c));
    for (double& value : read)
        value /= headNormScale(position);
    return read;
}

void HeadReader::turn(MutableMatrixView rows, std::size_t position) const {
    for (std::size_t r = 0; rotary_ && r < rows.rows; ++r)
        applyRotary(*rotary_, 1, position, rows.rowRange(r, 1));
}

} // namespace headscope
