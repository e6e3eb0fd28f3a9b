#pragma once

#include "core/attribution/score_parts.h"
#include "core/engine/rotary.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace headscope {

/// How one head makes its queries or keys of the stream, with every norm held at its scale in one
/// run: turn((x[p] · readout / σ₁[p] + own) / σ₂[p] + norm bias), where σ₁ is of the norm before
/// attention and σ₂ of the one of queries or keys; each may be missing.
class HeadReader {
public:
    HeadReader(const StreamRun& run, LayerHead head, ScoreSide side);

    /// [d_model, d_head] of the stream, with the gains of both norms.
    const Tensor& readout() const { return readout_; }
    /// 1 / (σ₁ σ₂)
    double factor(std::size_t position) const;
    /// [d_head], what comes of no writer of the stream: biases, in every network.
    std::vector<double> biases(std::size_t position) const;
    /// [d_head], of positions that are added behind the norm; empty in most networks.
    std::vector<double> positionsBehindNorm(std::size_t position) const;
    /// Turns each row [rows, d_head] as queries or keys at a position are.
    void turn(MutableMatrixView rows, std::size_t position) const;

private:
    void takeWeights();
    void foldInputNorm();
    void foldHeadNorm();
    double headNormScale(std::size_t position) const;

    const StreamRun& run_;
    const ModelSpec& spec_;
    LayerHead head_;
    bool of_query_;
    std::size_t place_; ///< on the head axis of queries or keys
    std::optional<HookPoint> input_scale_;
    Tensor readout_;
    Tensor behind_norm_;            ///< [d_model, d_head], what reads behind the norm
    std::vector<double> own_;       ///< [d_head], still to be divided by σ₂
    std::vector<double> norm_bias_; ///< [d_head], of the norm of queries or keys
    std::optional<RotaryTable> rotary_;
};

} // namespace headscope
