#pragma once

#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/engine/head_mask.h"
#include "core/engine/hooks.h"
#include "core/engine/position_range.h"
#include "core/engine/run.h"
#include "core/model/model.h"
#include "core/tensor/tensor.h"

#include <compare>
#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

enum class WriterKind {
    Embedding,  ///< of the token
    Positions,  ///< learned ones
    TokenTypes, ///< of encoders
    Head,       ///< z_h W_O
    Mlp,        ///< with its biases
    Biases,     ///< b_O, biases of norms, and biases of whatever reads the stream
};

/// What writes into the residual stream: the stream is the exact sum of its writers (Elhage et al.
/// 2021).
struct StreamWriter {
    WriterKind kind = WriterKind::Embedding;
    LayerHead of = {}; ///< layer and head of Head, the layer of Mlp

    auto operator<=>(const StreamWriter&) const = default;
};

/// "embedding", "positions", "token types", "head", "mlp", "biases"
std::string_view writerKindName(WriterKind kind);

/// "embedding", "head 4.1", "mlp 3"
std::string writerText(const StreamWriter& writer);

/// All that write before block `depth` reads the stream (n_layers: before what comes after the
/// last), in the order of the network; the biases, as one, are the last.
std::vector<StreamWriter> streamWriters(const ModelSpec& spec, std::size_t depth);

/// Which run is taken apart.
struct StreamQuestion {
    TokenIds ids;
    HeadMask ablated = {};            ///< in this run, by zero or mean
    std::vector<HookPoint> also = {}; ///< kept beside what every such run keeps
};

/// One run that keeps all that was written into its residual stream: z, what MLPs add, and the
/// scale of each norm, some 3 · n_layers · d_model numbers per position. Immutable and cheap to
/// copy.
class StreamRun {
public:
    /// Fails for heads that need stand-ins, and as runModel() does.
    static Result<StreamRun> read(const std::shared_ptr<const Model>& model,
                                  const StreamQuestion& question, std::stop_token stop = {});

    const StreamQuestion& question() const { return question_; }
    const Run& run() const { return *run_; }
    const Model& model() const { return *run_->model; }
    const ModelSpec& spec() const { return model().spec; }
    std::size_t positions() const { return run_->positions(); }

    /// The value at a hook point that this network has.
    const Tensor& at(HookPoint point) const { return run_->captured.at(point); }
    /// The scale of a norm at a position, held wherever the stream is taken apart.
    double scale(HookPoint point, std::size_t position) const {
        return static_cast<double>(at(point)(position, 0u));
    }

private:
    StreamRun(StreamQuestion question, std::shared_ptr<const Run> run);

    StreamQuestion question_;
    std::shared_ptr<const Run> run_;
};

/// What each writer adds to some linear readout of the stream.
struct StreamParts {
    std::vector<StreamWriter> writers;
    PositionRange positions;
    Tensor values; ///< [writer, position of the range, column of the readout]

    std::span<const float> at(std::size_t writer, std::size_t position) const {
        const std::size_t cols = values.dim(2);
        return values.values().subspan((writer * values.dim(1) + position - positions.begin) * cols,
                                       cols);
    }
};

/// x[p] · readout, [d_model, c], of the stream x as block `depth` reads it (n_layers: as what comes
/// after the last one does), before any norm of that block's. Norms that the stream and the
/// outputs of branches went through before are held at the scale they have in this run, which makes
/// them linear.
StreamParts partsOfStream(const StreamRun& run, std::size_t depth, Tensor readout,
                          PositionRange positions);

/// The readout [d_head_v, c] of a head's z at one position with z · result = what the head adds to
/// such a readout of the stream there. The head must be below `depth`.
Tensor readoutOfZ(const StreamRun& run, std::size_t depth, Tensor readout, std::size_t position,
                  LayerHead head);

} // namespace headscope
