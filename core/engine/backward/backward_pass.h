#pragma once

#include "core/base/per_head.h"
#include "core/base/result.h"
#include "core/engine/attention.h"
#include "core/engine/backward.h"
#include "core/engine/block_plan.h"
#include "core/engine/experts.h"
#include "core/engine/forward/steps.h"
#include "core/engine/hooks/hook_dispatch.h"
#include "core/engine/rotary.h"
#include "core/engine/run.h"
#include "core/model/model.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace headscope {

/// One reverse pass and its workspace; class Forward read from its end. T is the number of
/// positions of the prompt, d_x the gradient d metric / d x, which a hook at x sees.
class Backward {
public:
    /// The hook points whose values the reverse pass reads.
    static std::vector<HookPoint> reads(const ModelSpec& spec);

    /// `run` has all layers, or those up to the attention that the pass begins with, and has
    /// captured what reads() says of them.
    Backward(const Run& run, HookDispatch& hooks, PerHead<float>& gates, std::stop_token stop);

    /// Fills `gates` and calls the hooks. d_logits [T, outputs()].
    Result<void> operator()(Tensor d_logits);
    /// The same from one number of one head's attention on.
    Result<void> operator()(const AttentionEntry& entry);

private:
    /// Where a norm's hooks sit.
    struct NormPoints {
        HookPoint scale;
        HookPoint normalized;
        HookPoint out; ///< after gain and bias
    };

    /// Whether `point` is among reads(); `plan` is that of its layer.
    static bool isRead(const ModelSpec& spec, const BlockPlan& plan, HookPoint point);

    // backward_pass.cpp: the blocks and their norms.
    Result<void> blocksBelow(std::size_t end_layer);
    Result<void> checkBlock(std::size_t layer) const;
    void block(std::size_t layer);
    void take(const BlockStep& step, std::size_t layer);
    void finishReads();
    Tensor& gradientOf(const BlockStep& step);
    Tensor normInput(const BlockStep& norm, std::size_t layer) const;
    void project(MatrixView d_out, const WeightTensor& W, MutableMatrixView d_in) const;
    void projectAdd(MatrixView d_out, const WeightTensor& W, MutableMatrixView d_in) const;
    template <class Work>
    void inSteps(std::size_t inner, std::size_t cols, Work&& work) const;
    void normalise(const NormSpec& norm, const NormWeights& weights,
                   std::optional<NormPoints> points, MatrixView x, MutableMatrixView d,
                   std::size_t n_heads = 0);
    const Tensor& value(HookKind kind, std::size_t layer) const;
    const Tensor& lastResidual() const {
        return value(plans_[spec_.n_layers - 1].end(), spec_.n_layers - 1);
    }
    void fire(HookPoint point, MutableMatrixView d, std::size_t n_heads = 0);
    Result<void> requireFinite(HookPoint point, MatrixView d) const;

    // backward_embedding.cpp: between tokens and the residual stream.
    void unembed(Tensor d_logits);
    void maskedLmHead(Tensor d_x);
    Tensor unembedInput() const;
    void embed();
    Tensor embeddingSum() const;

    // backward_pass.cpp: MLPs.
    void mlp(std::size_t layer);
    void mlpNorm(std::size_t layer);
    void gateBackward(std::size_t layer);
    Tensor mlpOutput(std::size_t layer) const;

    // backward_experts.cpp
    static HookKind expertsRead(const BlockPlan& plan);
    void experts(std::size_t layer);
    void expert(const GatedMlp& weights, std::size_t layer, std::span<const ExpertUse> uses,
                Tensor& d_shares);
    void sharedExpert(std::size_t layer);
    void sharedGate(std::size_t layer, const Tensor& y, Tensor& d_y);
    Tensor sharedGates(std::size_t layer) const;
    MatrixView expertInput(std::size_t layer) const;
    Tensor expertsOutput(std::size_t layer) const;

    // backward_attention.cpp
    void attention(std::size_t layer);
    void attentionEntry(const AttentionEntry& entry);
    void projectIn(std::size_t layer);
    void attentionWithoutHeads(std::size_t layer);
    void projectOut(std::size_t layer);
    Tensor attentionOutput(std::size_t layer) const;
    void rotate(std::size_t layer);
    void normaliseQueriesAndKeys(std::size_t layer);
    void normaliseHeads(const NormWeights& weights, NormPoints points, const Tensor& x,
                        MutableMatrixView d);
    void unclip(HookKind kind, std::size_t layer, MutableMatrixView d) const;
    void addToPositions(std::size_t layer);
    void splitInputs(std::size_t layer);
    void splitInput(HookPoint point, MatrixView d, std::span<const std::size_t> heads,
                    Tensor& d_attn_in);
    void shapeFor(std::size_t layer);
    MutableMatrixView zRows();
    MutableMatrixView queries(std::size_t layer);
    MutableMatrixView keys(std::size_t layer);
    MutableMatrixView values(std::size_t layer);

    // backward_latent.cpp: queries, keys and values through latent vectors.
    void latents(std::size_t layer);
    void queryLatent(std::size_t layer);
    void splitThroughLatent(HookPoint input, std::size_t place, MatrixView d,
                            MutableMatrixView d_x);
    void throughLatentNorm(HookKind kind, std::size_t layer, bool fires, MutableMatrixView d);

    // backward_attention.cpp: attention itself, head by head.
    void gates(std::size_t layer);
    void mixHeads(std::size_t layer);
    void mixGroup(std::size_t layer, std::size_t kv_head, std::span<float> blocks,
                  Tensor& d_scores);
    Tensor patternGradient(std::size_t layer);
    HeadInput headInput(LayerHead head) const;

    const ModelSpec& spec_;
    const Weights& weights_;
    BlockPlans plans_;
    const Run& run_;
    HookDispatch& hooks_;
    PerHead<float>& gates_;
    std::stop_token stop_;
    std::size_t positions_;                    ///< T
    std::optional<RotaryTable> rotary_;        ///< turns back
    std::optional<RotaryTable> window_rotary_; ///< likewise

    /// Branches that read x, with what they make of d_x not yet in d_residual_.
    std::vector<Branch> reads_;

    Tensor d_residual_;   ///< [T, d_model]
    Tensor d_out_;        ///< [T, d_model], of what a branch adds
    Tensor d_attn_in_;    ///< [T, d_model]
    Tensor d_positions_;  ///< [T, d_model], PositionKind::Shortformer when a hook asks
    Tensor d_mlp_in_;     ///< [T, d_model], networks with MLPs
    Tensor d_qkv_;        ///< [T, columns of W_QKV]
    Tensor d_z_;          ///< [T, head, d_head_v]
    Tensor d_mlp_pre_;    ///< [T, d_mlp]
    Tensor d_mlp_linear_; ///< [T, d_mlp], gated MLPs
    Tensor blocks_;       ///< [thread, 2 blocks], patterns and their gradients
};

/// Calls work(RowRange) for some of the T rows of a product at a time, between which the pass can
/// be stopped.
template <class Work>
void Backward::inSteps(std::size_t inner, std::size_t cols, Work&& work) const {
    const std::size_t step = rowsPerStep(inner, cols);
    for (std::size_t begin = 0; begin < positions_ && !stop_.stop_requested(); begin += step)
        work(RowRange{begin, std::min(step, positions_ - begin)});
}

} // namespace headscope
