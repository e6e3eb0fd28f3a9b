#pragma once

#include "core/base/result.h"
#include "core/engine/attention.h"
#include "core/engine/engine.h"
#include "core/engine/hook_dispatch.h"
#include "core/engine/rotary.h"
#include "core/engine/run.h"
#include "core/model/model.h"

#include <optional>
#include <stop_token>

namespace headscope {

/// One forward pass and its workspace. T is the number of positions of the prompt.
class Forward {
public:
    Forward(const Model& model, const Request& request, HookDispatch& hooks, Run& run,
            std::stop_token stop);

    /// Fills run.attention and, when asked for, run.logits.
    Result<void> operator()();

private:
    /// Where a norm's hooks sit.
    struct NormPoints {
        HookPoint scale;
        HookPoint normalized;
    };

    // forward.cpp: the blocks and their norms.
    void block(std::size_t layer);
    void normalise1(std::size_t layer, const Shape& leading, MutableMatrixView x);
    void normalise2(std::size_t layer, MutableMatrixView x);
    void normalise(const NormWeights& weights, NormPoints points, const Shape& leading,
                   MutableMatrixView x);
    bool endsAfterAttention(std::size_t layer) const;
    Result<void> requireFinite(HookPoint point, MatrixView x) const;

    // forward_embedding.cpp: between tokens and the residual stream.
    void embed();
    Tensor tokenEmbedding() const;
    void unembed();

    // forward_mlp.cpp
    void mlp(std::size_t layer);
    void activate(std::span<float> x) const;

    // forward_attention.cpp
    void attention(std::size_t layer);
    void projectQkv(std::size_t layer);
    void projectSplitInputs(std::size_t layer);
    void normaliseHeads(const NormWeights& weights, NormPoints points, MutableTensorView heads);
    void rotate(std::size_t layer);
    void mixHeads(std::size_t layer);
    void mixMaterialised(std::size_t layer);
    void projectOut(std::size_t layer);
    HeadInput headInput(std::size_t layer, std::size_t head);
    MutableTensorView queries();
    MutableTensorView keys();
    MutableTensorView values();
    MutableTensorView heads(std::size_t first_column, std::size_t n_heads);

    const ModelSpec& spec_;
    const Weights& weights_;
    const Request& request_;
    HookDispatch& hooks_;
    Run& run_;
    std::stop_token stop_;
    std::size_t positions_; ///< T
    std::size_t layers_run_;
    std::optional<RotaryTable> rotary_;
    std::optional<RotaryTable> window_rotary_;

    Tensor residual_; ///< [T, d_model]
    Tensor normed_;   ///< [T, d_model], what a branch reads
    Tensor qkv_;      ///< [T, (n_heads + 2·n_kv_heads)·d_head]
    Tensor z_;        ///< [T, head, d_head]
    Tensor out_;      ///< [T, d_model], of attention or MLP
    Tensor mlp_pre_;  ///< [T, d_mlp]
    Tensor mlp_post_; ///< [T, d_mlp]
};

} // namespace headscope
