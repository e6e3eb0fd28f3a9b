#pragma once

#include "core/engine/hooks.h"
#include "core/model/model_spec.h"
#include "core/model/weights.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace headscope {

enum class Branch { Attention, Mlp };

/// The values a block works on.
enum class BlockValue {
    Stream, ///< x [position, d_model], the residual stream
    Input,  ///< a branch's own copy of x
    Output, ///< what a branch adds to x
};

enum class BlockStepKind {
    Hook,      ///< hooks see a value, and nothing else happens
    Read,      ///< input = x
    Norm,      ///< value = norm(value), LayerNorm or RMSNorm
    Attention, ///< output = concat_h(softmax(scores_h + mask) v_h) W_O + b_O
    Mlp,       ///< output = act(input W_in + b_in) W_out + b_out, the gated one, or experts
    Add,       ///< x += output
};

struct BlockStep {
    BlockStepKind kind = BlockStepKind::Hook;
    BlockValue on = BlockValue::Stream; ///< which value a norm replaces, or hooks see
    Branch branch = Branch::Attention;  ///< whose input or output; nothing on the stream
    /// In the order in which they fire; of a norm its scale, its normalized value, and its output.
    std::vector<HookKind> hooks;
    /// Gain and bias of a norm.
    NormWeights LayerWeights::*norm = nullptr;
    /// Where hooks see what a norm reads; nothing for the output of a branch, which no hook sees
    /// before its norm.
    std::optional<HookKind> norm_reads;
};

/// The steps of one block in the order in which they happen; those of the reverse pass, and of
/// whoever goes from the logits back to the tokens, are the same read from the end. It is the one
/// place that turns ModelSpec's norm placement and parallel residual into an order.
struct BlockPlan {
    std::vector<BlockStep> steps;

    /// The norm of a branch's input or output; null without one.
    const BlockStep* norm(Branch branch, BlockValue on) const;
    /// Whether the residual stream itself is normalised, as in post-norm blocks.
    bool normsStream() const;
    /// All hook points in the order in which they fire.
    std::vector<HookKind> hooks() const;
    /// Where hooks see x as the next block, or what comes after the last one, reads it.
    HookKind end() const;
};

/// Layers differ in the hook points of attention and MLP, and in ln1 where
/// ModelSpec::unnormed_layers says so; all normalise the same outputs, and the stream or not.
BlockPlan blockPlan(const ModelSpec& spec, std::size_t layer);

/// Those of all layers. Layers with the same hook points share one.
class BlockPlans {
public:
    explicit BlockPlans(const ModelSpec& spec);

    const BlockPlan& operator[](std::size_t layer) const { return plans_[plan_of_[layer]]; }

private:
    std::vector<BlockPlan> plans_;
    std::vector<std::size_t> plan_of_; ///< by layer
};

/// The residual stream after `depth` blocks: as block `depth` reads it, or as the last one left it.
HookPoint residualAt(const ModelSpec& spec, std::size_t depth);

} // namespace headscope
