#pragma once

#include "core/attribution/score_parts.h"
#include "core/base/token_id.h"
#include "core/engine/rotary.h"
#include "core/model/model.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace headscope {

/// How a logit is read: x · direction + bias of the stream x after the final norm.
struct LogitDirection {
    std::vector<double> direction; ///< [d_model]
    double bias = 0.0;             ///< of the unembedding
};

/// How the logit of a token is read, or this logit minus another.
LogitDirection logitDirection(const Model& model, TokenId token, std::optional<TokenId> against);

/// W · x, W [rows, cols], x [cols].
std::vector<double> timesColumn(MatrixView W, std::span<const double> x);

/// How one head makes its queries, keys or values of the stream, with every norm held at its scale
/// in one run: turn((x[p] · readout / σ₁[p] + own) / σ₂[p] + norm bias), where σ₁ is of the norm
/// before attention and σ₂ of the one of queries or keys; each may be missing. Values are neither
/// normalised nor turned. If the norm of queries and keys follows their rotation, turn() multiplies
/// by its gain; σ₂ is the same, since a rotation keeps lengths. With ModelSpec::latent σ₂ is of the
/// norm of the latent, of values, too; turn() takes it out of the dimensions of keys that are made
/// without the latent.
class HeadReader {
public:
    HeadReader(const StreamRun& run, LayerHead head, HeadSide side);

    /// [d_model, d_head], of values [d_model, d_head_v]: of the stream, with the gains of the norms
    /// before rotation.
    const Tensor& readout() const { return readout_; }
    /// 1 / (σ₁ σ₂)
    double factor(std::size_t position) const;
    /// [d_head], what comes of no writer of the stream: biases, in every network.
    std::vector<double> biases(std::size_t position) const;
    /// [d_head], of positions that are added after the norm; empty in most networks.
    std::vector<double> positionsBehindNorm(std::size_t position) const;
    /// Turns each row [rows, d_head] as queries or keys at a position are, and lets queries grow.
    void turn(MutableMatrixView rows, std::size_t position) const;
    /// The readout [d_model] with x · result = (x · readout · factor, turned) · `direction`
    /// [d_head], which reads the queries, keys or values at a position.
    std::vector<double> readoutAlong(std::span<const double> direction, std::size_t position) const;

private:
    void takeWeights();
    void foldInputNorm();
    void foldHeadNorm();
    void centreOfAllHeads();
    double headNormScale(std::size_t position) const;
    std::optional<HookKind> latentScale() const;

    const StreamRun& run_;
    const ModelSpec& spec_;
    LayerHead head_;
    HeadSide side_;
    std::size_t width_; ///< d_head or d_head_v
    std::size_t place_; ///< on the head axis of queries, keys or values
    QkNorm norm_;       ///< None for values
    std::optional<HookPoint> input_scale_;
    Tensor readout_;
    Tensor behind_norm_;             ///< [d_model, d_head], reads the stream after the norm
    std::vector<double> own_;        ///< [d_head], still to be divided by σ₂
    std::vector<double> norm_bias_;  ///< [d_head], of the norm of queries or keys
    std::vector<float> gain_behind_; ///< [d_head], of a norm after the rotation; else empty
    std::optional<RotaryTable> rotary_;
};

} // namespace headscope
