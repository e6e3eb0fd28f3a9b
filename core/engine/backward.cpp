#include "core/engine/backward.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/engine/attention.h"
#include "core/engine/backward/backward_pass.h"
#include "core/engine/engine.h"
#include "core/engine/forward/prepare.h"
#include "core/engine/head_mask.h"
#include "core/engine/hooks/hook_dispatch.h"
#include "core/engine/run_memory.h"
#include "core/model/model.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <set>
#include <utility>

namespace headscope {

namespace {

/// Whole numbers have no slope.
bool hasGradient(HookPoint point) {
    return point.kind != HookKind::ExpertIndices;
}

bool isMeant(const ModelSpec& spec, const HookSelector& where, HookPoint point) {
    const bool square = headAxis(spec, point.kind) == std::size_t{0};
    return where.matches(spec, point) && hasGradient(point) &&
           (!square || where.spellsOut(spec, point));
}

Result<void> checkGradients(const ModelSpec& spec, const BackwardRequest& request) {
    for (const HookSelector& where : request.hooks)
        for (const HookPoint point : hookPoints(spec))
            if (!hasGradient(point) && where.matches(spec, point) && where.spellsOut(spec, point))
                return Error{ErrorCode::Unsupported,
                             "There is no gradient at '" + hookName(spec, point) +
                                 "', which holds whole numbers; take that of the router's logits."};
    return {};
}

/// Captures at the points that the request selects and the run reaches. A selector that selects no
/// such point is passed on unchanged, so that the run refuses it.
HookSet wantedHooks(const ModelSpec& spec, const BackwardRequest& request,
                    const RunExtent& extent) {
    HookSet hooks;
    const std::vector<HookPoint> reached = reachedPoints(spec, extent);
    for (const HookSelector& where : request.hooks) {
        bool matched = false;
        for (const HookPoint point : reached)
            if (isMeant(spec, where, point)) {
                hooks.capture(point);
                matched = true;
            }
        if (!matched)
            hooks.capture(where);
    }
    return hooks;
}

/// How many gradients [position, d_model] the steps of a block work on: of x, of what each branch
/// reads of it and of what they add.
std::size_t gradientsOfSteps(const BlockPlan& plan) {
    std::set<std::pair<BlockValue, Branch>> values;
    for (const BlockStep& step : plan.steps)
        values.emplace(step.on, step.on == BlockValue::Input ? step.branch : Branch::Attention);
    return values.size();
}

/// Numbers per position of one expert that all positions chose: x, y, their gradients and what is
/// between them; and those of the router.
std::size_t ofExperts(const ModelSpec& spec) {
    if (!spec.experts)
        return 0;
    const std::size_t widest = std::max(spec.experts->d_mlp, spec.experts->d_shared);
    return 4 * spec.d_model + 5 * widest + spec.experts->n_experts + spec.experts->n_chosen;
}

/// What is alive at the beginning of the reverse pass, in bytes: the run with its captures, the
/// gradient of the logits, the workspace and what is kept.
RunMemory backwardMemory(const ModelSpec& spec, std::size_t positions, const HookDispatch& wanted) {
    RunMemory memory = runMemory(spec, positions);
    double numbers = wanted.capturedNumbers(positions);
    for (const HookPoint point : Backward::reads(spec))
        numbers += static_cast<double>(elementCount(hookShape(spec, point, positions)));
    memory.kept += static_cast<std::size_t>(numbers) * sizeof(float);
    const std::size_t per_position =
        spec.outputs() + gradientsOfSteps(blockPlan(spec, 0)) * spec.d_model + spec.qkvWidth() +
        spec.zWidth() + (spec.mlp == MlpKind::Gated ? 2 : 1) * spec.d_mlp + ofExperts(spec);
    memory.workspace =
        sizeof(float) * (positions * per_position + threads() * 2 * blockSize(positions));
    return memory;
}

Result<void> checkBackwardMemory(const Model& model, std::size_t positions,
                                 const HookDispatch& wanted) {
    if (const auto available = availableMemory())
        return checkRunMemory(backwardMemory(model.spec, positions, wanted), positions, *available,
                              model.name);
    return {};
}

/// Captures what the reverse pass reads of these layers, after it has put in the embedding that is
/// asked for. The request must outlive the hooks.
HookSet passHooks(const ModelSpec& spec, const BackwardRequest& request, const RunExtent& extent) {
    HookSet hooks;
    if (!request.embed.empty())
        hooks.edit(HookPoint{HookKind::Embed, 0},
                   [&embed = request.embed](HookPoint, const MutableTensorView& value) {
                       for (std::size_t t = 0; t < embed.dim(0); ++t)
                           std::copy_n(embed.matrix().row(t), embed.dim(1), &value(t, 0U));
                   });
    const std::vector<HookPoint> reached = reachedPoints(spec, extent);
    for (const HookPoint point : Backward::reads(spec))
        if (std::ranges::find(reached, point) != reached.end())
            hooks.capture(point);
    hooks.add(request.forward);
    return hooks;
}

/// What both kinds of metric ask of the prompt and the request.
Result<void> checkPrompt(const Model& model, const TokenIds& ids, const BackwardRequest& request) {
    RunItem item;
    item.ids = ids;
    if (auto valid = checkRequest(model, {&item, 1}, {}); !valid)
        return valid;
    const Shape shape{ids.size(), model.spec.embeddingSumWidth()};
    if (!request.embed.empty() && request.embed.shape() != shape)
        return Error{ErrorCode::InvalidArgument, "The embeddings to start from have the shape " +
                                                     shapeText(request.embed.shape()) +
                                                     ", but this prompt needs " + shapeText(shape) +
                                                     "."};
    return checkGradients(model.spec, request);
}

/// A forward pass through a part of the network, and the reverse pass that `start` begins.
template <class Start>
Result<Gradients> runPasses(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                            const BackwardRequest& request, const RunExtent& extent,
                            const std::stop_token& stop, Start&& start) {
    const ModelSpec& spec = model->spec;
    const HookSet wanted = wantedHooks(spec, request, extent);
    auto hooks = HookDispatch::make(spec, wanted, extent);
    if (!hooks)
        return hooks.error();
    if (auto fits = checkBackwardMemory(*model, ids.size(), *hooks); !fits)
        return fits.error();
    Request forward;
    forward.logits = extent.ends;
    if (!extent.ends)
        forward.layers = extent.end_layer;
    const auto run = runModel(model, ids, forward, passHooks(spec, request, extent), stop);
    if (!run)
        return run.error();
    Gradients gradients;
    gradients.gates = PerHead<float>(headIndex(spec));
    Backward backward(**run, *hooks, gradients.gates, stop);
    if (auto done = start(backward, **run); !done)
        return done.error();
    gradients.hooks = std::move(hooks->captured());
    return gradients;
}

} // namespace

Result<void> checkAttentionEntry(const AttentionEntry& entry, const ModelSpec& spec,
                                 std::size_t positions) {
    if (auto exists = checkHead(entry.head, spec); !exists)
        return exists;
    const std::size_t last = std::max(entry.query, entry.key);
    if (last >= positions)
        return Error{ErrorCode::InvalidArgument,
                     "There is no position " + std::to_string(last) + ": the prompt has " +
                         std::to_string(positions) + " tokens, the first at position 0."};
    if (!keyMask(spec, entry.head.layer).visibleKeys(entry.query, positions).contains(entry.key))
        return Error{ErrorCode::InvalidArgument,
                     "Head " + headText(entry.head) + " cannot look from position " +
                         std::to_string(entry.query) + " to " + std::to_string(entry.key) +
                         ": its mask hides that key."};
    return {};
}

Result<Gradients> runBackward(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                              const LogitGradient& metric, const BackwardRequest& request,
                              std::stop_token stop) {
    if (auto valid = checkPrompt(*model, ids, request); !valid)
        return valid.error();
    if (model->spec.output == OutputHead::None)
        return Error{ErrorCode::Unsupported,
                     model->name + " ends with its residual stream and has no logits, so there is "
                                   "no metric to take the gradient of."};
    const RunExtent extent{0, model->spec.n_layers, false, true};
    return runPasses(
        model, ids, request, extent, stop, [&](Backward& backward, const Run& run) -> Result<void> {
            Tensor d_logits = metric(run.logits);
            if (d_logits.shape() != run.logits.shape())
                return Error{ErrorCode::InvalidArgument,
                             "The gradient of the metric has the shape " +
                                 shapeText(d_logits.shape()) + ", but the logits of " +
                                 model->name + " have " + shapeText(run.logits.shape()) + "."};
            return backward(std::move(d_logits));
        });
}

Result<Gradients> runBackward(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                              const AttentionEntry& metric, const BackwardRequest& request,
                              std::stop_token stop) {
    if (auto valid = checkPrompt(*model, ids, request); !valid)
        return valid.error();
    if (auto valid = checkAttentionEntry(metric, model->spec, ids.size()); !valid)
        return valid.error();
    const RunExtent extent{0, metric.head.layer + 1, false, false};
    return runPasses(model, ids, request, extent, stop,
                     [&](Backward& backward, const Run&) { return backward(metric); });
}

} // namespace headscope
