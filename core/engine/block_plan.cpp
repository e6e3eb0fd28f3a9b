#include "core/engine/block_plan.h"

#include "core/engine/hooks/hook_table.h"

#include <algorithm>
#include <utility>

namespace headscope {

namespace {

/// Writes the steps down one after another.
class PlanWriter {
public:
    PlanWriter(const ModelSpec& spec, std::size_t layer) : spec_(spec), layer_(layer) {}

    void hook(HookStep at, BlockValue on, Branch branch = Branch::Attention) {
        std::vector<HookKind> kinds = hooksAt(at, spec_, layer_);
        if (on == BlockValue::Stream)
            stream_ = kinds.front();
        plan_.steps.push_back({BlockStepKind::Hook, on, branch, std::move(kinds), nullptr, {}});
    }

    void read(Branch branch) {
        read_ = stream_;
        plan_.steps.push_back({BlockStepKind::Read, BlockValue::Input, branch, {}, nullptr, {}});
    }

    void norm(HookStep at, NormWeights LayerWeights::*weights, BlockValue on,
              Branch branch = Branch::Attention) {
        std::optional<HookKind> reads;
        if (on != BlockValue::Output)
            reads = on == BlockValue::Stream ? stream_ : read_;
        plan_.steps.push_back(
            {BlockStepKind::Norm, on, branch, hooksAt(at, spec_, layer_), weights, reads});
    }

    void run(BlockStepKind kind, HookStep at, Branch branch) {
        plan_.steps.push_back(
            {kind, BlockValue::Output, branch, hooksAt(at, spec_, layer_), nullptr, {}});
    }

    void add(Branch branch) {
        plan_.steps.push_back({BlockStepKind::Add, BlockValue::Stream, branch, {}, nullptr, {}});
    }

    BlockPlan plan() { return std::move(plan_); }

private:
    const ModelSpec& spec_;
    std::size_t layer_;
    BlockPlan plan_;
    HookKind stream_ = HookKind::ResidPre; ///< the last point that saw the residual stream
    HookKind read_ = HookKind::ResidPre;   ///< the one before the last branch read it
};

void addAttention(PlanWriter& plan, const ModelSpec& spec, std::size_t layer) {
    constexpr Branch branch = Branch::Attention;
    plan.read(branch);
    plan.hook(HookStep::AttentionInput, BlockValue::Input, branch);
    if (spec.normsAttentionInput(layer))
        plan.norm(HookStep::Ln1, &LayerWeights::ln1, BlockValue::Input, branch);
    plan.run(BlockStepKind::Attention, HookStep::Attention, branch);
    if (spec.norm_placement == NormPlacement::Output)
        plan.norm(HookStep::Ln1, &LayerWeights::ln1, BlockValue::Output, branch);
    if (spec.norm_placement == NormPlacement::Sandwich)
        plan.norm(HookStep::Ln1Post, &LayerWeights::ln1_post, BlockValue::Output, branch);
    plan.hook(HookStep::AttentionOutput, BlockValue::Output, branch);
}

NormWeights LayerWeights::*secondNorm(const ModelSpec& spec) {
    return spec.shared_norm ? &LayerWeights::ln1 : &LayerWeights::ln2;
}

/// From what the MLP has read on.
void addMlp(PlanWriter& plan, const ModelSpec& spec) {
    constexpr Branch branch = Branch::Mlp;
    plan.hook(HookStep::MlpInput, BlockValue::Input, branch);
    if (spec.normsInputs())
        plan.norm(HookStep::Ln2, secondNorm(spec), BlockValue::Input, branch);
    plan.run(BlockStepKind::Mlp, HookStep::Mlp, branch);
    if (spec.norm_placement == NormPlacement::Output)
        plan.norm(HookStep::Ln2, secondNorm(spec), BlockValue::Output, branch);
    if (spec.norm_placement == NormPlacement::Sandwich)
        plan.norm(HookStep::Ln2Post, &LayerWeights::ln2_post, BlockValue::Output, branch);
    plan.hook(HookStep::MlpOutput, BlockValue::Output, branch);
    plan.add(branch);
}

} // namespace

BlockPlan blockPlan(const ModelSpec& spec, std::size_t layer) {
    const bool norms_sums = spec.norm_placement == NormPlacement::Post;
    const bool has_mlp = spec.mlp != MlpKind::None;
    PlanWriter plan(spec, layer);
    plan.hook(HookStep::ResidPre, BlockValue::Stream);
    addAttention(plan, spec, layer);
    if (has_mlp && spec.parallel_residual)
        plan.read(Branch::Mlp); // the same x that attention read
    plan.add(Branch::Attention);
    if (has_mlp && !spec.parallel_residual) {
        plan.hook(HookStep::ResidMid, BlockValue::Stream);
        if (norms_sums)
            plan.norm(HookStep::Ln1, &LayerWeights::ln1, BlockValue::Stream);
        plan.read(Branch::Mlp);
    }
    if (has_mlp)
        addMlp(plan, spec);
    plan.hook(HookStep::ResidPost, BlockValue::Stream);
    if (norms_sums) {
        if (has_mlp)
            plan.norm(HookStep::Ln2, secondNorm(spec), BlockValue::Stream);
        else
            plan.norm(HookStep::Ln1, &LayerWeights::ln1, BlockValue::Stream);
        plan.hook(HookStep::NormalizedResidPost, BlockValue::Stream);
    }
    return plan.plan();
}

BlockPlans::BlockPlans(const ModelSpec& spec) {
    plan_of_.reserve(spec.n_layers);
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        std::size_t like = 0; // an earlier layer
        while (like < layer && !haveSameHooks(spec, like, layer))
            ++like;
        plan_of_.push_back(like < layer ? plan_of_[like] : plans_.size());
        if (like == layer)
            plans_.push_back(blockPlan(spec, layer));
    }
}

const BlockStep* BlockPlan::norm(Branch branch, BlockValue on) const {
    const auto found = std::ranges::find_if(steps, [&](const BlockStep& step) {
        return step.kind == BlockStepKind::Norm && step.branch == branch && step.on == on;
    });
    return found == steps.end() ? nullptr : &*found;
}

bool BlockPlan::normsStream() const {
    return std::ranges::any_of(steps, [](const BlockStep& step) {
        return step.kind == BlockStepKind::Norm && step.on == BlockValue::Stream;
    });
}

std::vector<HookKind> BlockPlan::hooks() const {
    std::vector<HookKind> kinds;
    for (const BlockStep& step : steps)
        kinds.insert(kinds.end(), step.hooks.begin(), step.hooks.end());
    return kinds;
}

HookKind BlockPlan::end() const {
    return steps.back().hooks.front();
}

HookPoint residualAt(const ModelSpec& spec, std::size_t depth) {
    if (depth < spec.n_layers)
        return {HookKind::ResidPre, depth};
    return {blockPlan(spec, spec.n_layers - 1).end(), spec.n_layers - 1};
}

} // namespace headscope
