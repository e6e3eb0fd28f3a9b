#include "core/attribution/stream_parts.h"

#include "core/attribution/frozen_norm.h"
#include "core/base/text.h"
#include "core/engine/attention.h"
#include "core/engine/block_plan.h"
#include "core/engine/engine.h"
#include "core/tensor/gemm.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace headscope {

namespace {

constexpr std::array kKeptKinds{
    HookKind::Embed,      HookKind::PosEmbed,     HookKind::TokenTypeEmbed,
    HookKind::Ln1Scale,   HookKind::Ln1PostScale, HookKind::EmbedNormScale,
    HookKind::Ln2Scale,   HookKind::QLatentScale, HookKind::KvLatentScale,
    HookKind::QNormScale, HookKind::KNormScale,   HookKind::V,
    HookKind::Z,          HookKind::MlpOut,       HookKind::LnFinalScale,
};

/// Whether it is kept: what tells where the network clips queries and keys, too.
bool isKept(const ModelSpec& spec, HookKind kind) {
    const bool normed = spec.qk_norm != QkNorm::None;
    const bool is_clipped = kind == (normed ? HookKind::QNormOut : HookKind::Q) ||
                            kind == (normed ? HookKind::KNormOut : HookKind::K);
    return (spec.qkv_clip != 0.0 && is_clipped) ||
           std::ranges::find(kKeptKinds, kind) != kKeptKinds.end();
}

/// Goes from a readout back through the network to the tokens and notes what each writer adds.
class StreamWalk {
public:
    StreamWalk(const StreamRun& run, std::size_t depth, Tensor readout, PositionRange positions)
        : run_(run), spec_(run.spec()), plans_(spec_), depth_(depth), readout_(std::move(readout)),
          held_(positions.size(), 1.0) {
        parts_.writers = streamWriters(spec_, depth);
        parts_.positions = positions;
        parts_.values = Tensor({parts_.writers.size(), positions.size(), readout_.dim(1)});
    }

    StreamParts operator()() && {
        for (std::size_t layer = depth_; layer-- > 0;)
            block(layer);
        embedding();
        return std::move(parts_);
    }

    /// Goes only as far as one head: what reads its z, at the one position.
    Tensor ofZ(LayerHead head) && {
        asked_ = head;
        for (std::size_t layer = depth_; layer-- > head.layer;)
            block(layer);
        return std::move(of_z_);
    }

private:
    /// One reading of the stream or of what a branch adds: readout / held[p] at each position.
    struct Reading {
        Tensor& readout;
        std::vector<double>& held;
    };

    void block(std::size_t layer) {
        const BlockPlan& plan = plans_[layer];
        Tensor branch; // reads attention's output
        std::vector<double> branch_held;
        for (auto step = plan.steps.rbegin(); step != plan.steps.rend(); ++step) {
            const bool of_attention = step->branch == Branch::Attention;
            if (step->kind == BlockStepKind::Norm && step->on == BlockValue::Stream)
                through(layer, *step, {readout_, held_});
            if (step->kind == BlockStepKind::Add && of_attention) {
                branch = readout_;
                branch_held = held_;
            }
            if (step->kind == BlockStepKind::Add && !of_attention)
                addRows({WriterKind::Mlp, {layer, 0}}, run_.at({HookKind::MlpOut, layer}));
            if (step->kind == BlockStepKind::Norm && step->on == BlockValue::Output && of_attention)
                through(layer, *step, {branch, branch_held});
            if (step->kind == BlockStepKind::Attention)
                attention(layer, {branch, branch_held});
        }
    }

    void through(std::size_t layer, const BlockStep& norm, Reading reading) {
        through(run_.model().weights.layers[layer].*norm.norm, {norm.hooks.front(), layer},
                reading);
    }

    void through(const NormWeights& norm, HookPoint scale, Reading reading) {
        addBiases(throughNormWeights(spec_.norm.kind, norm, reading.readout.matrix()),
                  reading.held);
        for (std::size_t p = 0; p < held_.size(); ++p)
            reading.held[p] *= run_.scale(scale, parts_.positions.begin + p);
    }

    void attention(std::size_t layer, Reading reading) {
        const AttentionWeights& weights = run_.model().weights.layers[layer].attn;
        if (!weights.b_O.empty()) {
            Tensor bias({1, readout_.dim(1)});
            multiply({weights.b_O.data(), 1, spec_.d_model, spec_.d_model},
                     reading.readout.matrix(), bias.matrix());
            addBiases({bias.values().begin(), bias.values().end()}, reading.held);
        }
        if (asked_ && asked_->layer == layer)
            readZ(reading);
        if (asked_ || spec_.headsIn(layer) == 0)
            return;
        const Tensor& z = run_.at({HookKind::Z, layer}); // [position, head, d_head_v]
        for (std::size_t place = 0; place < spec_.headsIn(layer); ++place)
            addHead(spec_.headAt(layer, place), rowsOf(headMatrix(z, place)), reading);
    }

    WeightMatrix outputOf(LayerHead head) const {
        return run_.model().weights.layers[head.layer].attn.W_O.matrix().rowRange(
            spec_.headPlace(head) * spec_.valueDim(), spec_.valueDim());
    }

    void readZ(Reading reading) {
        of_z_ = Tensor::uninitialised({spec_.valueDim(), readout_.dim(1)});
        multiply(outputOf(*asked_), std::as_const(reading.readout).matrix(), of_z_.matrix());
        for (float& value : of_z_.values())
            value = static_cast<float>(static_cast<double>(value) / reading.held.front());
    }

    /// z [position of the range, d_head_v]. The product of three matrices begins at the end that
    /// takes fewer multiplications.
    void addHead(LayerHead head, MatrixView z, Reading reading) {
        const WeightMatrix W_O = outputOf(head);
        const MutableMatrixView values = valuesOf({WriterKind::Head, head});
        const std::size_t columns = values.cols;
        if (z.rows * (z.cols + columns) * W_O.cols < z.cols * columns * (W_O.cols + z.rows)) {
            Tensor written = Tensor::uninitialised({z.rows, W_O.cols});
            multiply(z, W_O, written.matrix());
            multiply(std::as_const(written).matrix(), reading.readout.matrix(), values);
        } else {
            Tensor read = Tensor::uninitialised({z.cols, columns});
            multiply(W_O, reading.readout.matrix(), read.matrix());
            multiply(z, std::as_const(read).matrix(), values);
        }
        divide(values, reading.held);
    }

    void embedding() {
        if (spec_.narrow_embedding)
            throughProjection();
        if (spec_.norm_after_embedding)
            through(run_.model().weights.ln_embed, {HookKind::EmbedNormScale, 0},
                    {readout_, held_});
        addRows({WriterKind::Embedding}, run_.at({HookKind::Embed, 0}));
        if (spec_.positions == PositionKind::Learned)
            addRows({WriterKind::Positions}, run_.at({HookKind::PosEmbed, 0}));
        if (spec_.n_token_types > 0)
            addRows({WriterKind::TokenTypes}, run_.at({HookKind::TokenTypeEmbed, 0}));
    }

    /// From what is read of the stream to what is read of the narrower sum that it begins with.
    void throughProjection() {
        const Weights& weights = run_.model().weights;
        Tensor bias({1, readout_.dim(1)});
        multiply({weights.b_project_in.data(), 1, spec_.d_model, spec_.d_model},
                 std::as_const(readout_).matrix(), bias.matrix());
        addBiases({bias.values().begin(), bias.values().end()}, held_);
        Tensor narrow = Tensor::uninitialised({spec_.d_embed, readout_.dim(1)});
        multiply(weights.W_project_in.matrix(), std::as_const(readout_).matrix(), narrow.matrix());
        readout_ = std::move(narrow);
    }

    /// `written` [position, d_model], straight into the stream.
    void addRows(StreamWriter writer, const Tensor& written) {
        const MutableMatrixView values = valuesOf(writer);
        multiply(rowsOf(written.matrix()), std::as_const(readout_).matrix(), values);
        divide(values, held_);
    }

    void addBiases(const std::vector<double>& bias, const std::vector<double>& held) {
        const MutableMatrixView values = valuesOf({WriterKind::Biases});
        for (std::size_t p = 0; p < values.rows; ++p)
            for (std::size_t c = 0; c < values.cols; ++c)
                values(p, c) += static_cast<float>(bias[c] / held[p]);
    }

    static void divide(MutableMatrixView values, const std::vector<double>& held) {
        for (std::size_t p = 0; p < values.rows; ++p)
            for (std::size_t c = 0; c < values.cols; ++c)
                values(p, c) = static_cast<float>(static_cast<double>(values(p, c)) / held[p]);
    }

    MatrixView rowsOf(MatrixView all) const {
        return all.rowRange(parts_.positions.begin, parts_.positions.size());
    }

    /// [position of the range, c] of one writer.
    MutableMatrixView valuesOf(StreamWriter writer) {
        const auto found = std::ranges::find(parts_.writers, writer);
        const auto index = static_cast<std::size_t>(found - parts_.writers.begin());
        return parts_.values.matrix().rowRange(index * held_.size(), held_.size());
    }

    const StreamRun& run_;
    const ModelSpec& spec_;
    BlockPlans plans_;
    std::size_t depth_;
    Tensor readout_;           ///< [d_model, c] of the stream
    std::vector<double> held_; ///< by position, the product of the scales on the way
    std::optional<LayerHead> asked_;
    Tensor of_z_; ///< [d_head_v, c]
    StreamParts parts_;
};

} // namespace

std::string_view writerKindName(WriterKind kind) {
    static constexpr std::array<std::string_view, 6> names{"embedding", "positions", "token types",
                                                           "head",      "mlp",       "biases"};
    return names[static_cast<std::size_t>(kind)];
}

std::string writerText(const StreamWriter& writer) {
    const std::string name(writerKindName(writer.kind));
    if (writer.kind == WriterKind::Head)
        return name + " " + headText(writer.of);
    return writer.kind == WriterKind::Mlp ? name + " " + std::to_string(writer.of.layer) : name;
}

std::vector<StreamWriter> streamWriters(const ModelSpec& spec, std::size_t depth) {
    std::vector<StreamWriter> writers{{WriterKind::Embedding}};
    if (spec.hasPositionTable())
        writers.push_back({WriterKind::Positions});
    if (spec.n_token_types > 0)
        writers.push_back({WriterKind::TokenTypes});
    for (std::size_t layer = 0; layer < depth; ++layer) {
        for (std::size_t place = 0; place < spec.headsIn(layer); ++place)
            writers.push_back({WriterKind::Head, spec.headAt(layer, place)});
        if (spec.mlp != MlpKind::None)
            writers.push_back({WriterKind::Mlp, {layer, 0}});
    }
    writers.push_back({WriterKind::Biases});
    return writers;
}

StreamRun::StreamRun(StreamQuestion question, std::shared_ptr<const Run> run)
    : question_(std::move(question)), run_(std::move(run)) {}

Result<StreamRun> StreamRun::read(const std::shared_ptr<const Model>& model,
                                  const StreamQuestion& question, std::stop_token stop) {
    if (auto checked = checkWithoutStandIns(question.ablated); !checked)
        return checked.error();
    HookSet hooks;
    addAblation(hooks, question.ablated, model->spec);
    for (const HookPoint point : hookPoints(model->spec))
        if (isKept(model->spec, point.kind) ||
            std::ranges::find(question.also, point) != question.also.end())
            hooks.capture(point);
    Request request;
    request.logit_positions = {0}; // so that the final norm is reached, which is of all positions
    auto run = runModel(model, question.ids, request, hooks, std::move(stop));
    if (!run)
        return run.error();
    return StreamRun(question, *std::move(run));
}

StreamParts partsOfStream(const StreamRun& run, std::size_t depth, Tensor readout,
                          PositionRange positions) {
    return StreamWalk(run, depth, std::move(readout), positions)();
}

Tensor readoutOfZ(const StreamRun& run, std::size_t depth, Tensor readout, std::size_t position,
                  LayerHead head) {
    return StreamWalk(run, depth, std::move(readout), {position, position + 1}).ofZ(head);
}

} // namespace headscope
