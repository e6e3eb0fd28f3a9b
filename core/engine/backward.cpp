#include "core/engine/backward.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/engine/backward/backward_pass.h"
#include "core/engine/engine.h"
#include "core/engine/forward/request_check.h"
#include "core/engine/hooks/hook_dispatch.h"
#include "core/engine/run_memory.h"
#include "core/tensor/parallel.h"

#include <set>
#include <utility>

namespace headscope {

namespace {

bool isMeant(const ModelSpec& spec, const HookSelector& where, HookPoint point) {
    const bool square = headAxis(spec, point.kind) == std::size_t{0};
    return where.matches(spec, point) && (!square || where.spellsOut(spec, point));
}

/// Captures at the points that the request means. What means none is kept as it is, so that the run
/// refuses it.
HookSet wantedHooks(const ModelSpec& spec, const BackwardRequest& request) {
    HookSet hooks;
    for (const HookSelector& where : request.hooks) {
        bool matched = false;
        for (const HookPoint point : hookPoints(spec))
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

/// What is alive at the beginning of the reverse pass, in bytes: the run with its captures, the
/// gradient of the logits, the workspace and what is kept.
RunMemory backwardMemory(const ModelSpec& spec, std::size_t positions, const HookDispatch& wanted) {
    RunMemory memory = runMemory(spec, positions);
    double numbers = wanted.capturedNumbers(positions);
    for (const HookPoint point : Backward::reads(spec))
        numbers += static_cast<double>(elementCount(hookShape(spec, point, positions)));
    memory.kept += static_cast<std::size_t>(numbers) * sizeof(float);
    const std::size_t per_position =
        spec.outputs() + gradientsOfSteps(blockPlan(spec)) * spec.d_model + spec.qkvWidth() +
        spec.zWidth() + (spec.mlp == MlpKind::Gated ? 2 : 1) * spec.d_mlp;
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

HookSet capturesOf(const std::vector<HookPoint>& points) {
    HookSet captures;
    for (const HookPoint point : points)
        captures.capture(point);
    return captures;
}

} // namespace

Result<Gradients> runBackward(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                              const LogitGradient& metric, const BackwardRequest& request,
                              std::stop_token stop) {
    const ModelSpec& spec = model->spec;
    RunItem item;
    item.ids = ids;
    if (auto valid = checkRequest(*model, {&item, 1}, {}); !valid)
        return valid.error();
    if (spec.output == OutputHead::None)
        return Error{ErrorCode::Unsupported,
                     model->name + " ends with its residual stream and has no logits, so there is "
                                   "no metric to take the gradient of."};
    const HookSet wanted = wantedHooks(spec, request);
    auto hooks = HookDispatch::make(spec, wanted, {0, spec.n_layers, false, true});
    if (!hooks)
        return hooks.error();
    if (auto fits = checkBackwardMemory(*model, ids.size(), *hooks); !fits)
        return fits.error();

    const HookSet captures = capturesOf(Backward::reads(spec));
    const auto run = runModel(model, ids, {}, captures, stop);
    if (!run)
        return run.error();
    Tensor d_logits = metric((*run)->logits);
    if (d_logits.shape() != (*run)->logits.shape())
        return Error{ErrorCode::InvalidArgument,
                     "The gradient of the metric has the shape " + shapeText(d_logits.shape()) +
                         ", but the logits of " + model->name + " have " +
                         shapeText((*run)->logits.shape()) + "."};
    Gradients gradients;
    gradients.gates = Tensor({spec.n_layers, spec.n_heads});
    Backward backward(**run, *hooks, gradients.gates, std::move(stop));
    if (auto done = backward(std::move(d_logits)); !done)
        return done.error();
    gradients.hooks = std::move(hooks->captured());
    return gradients;
}

} // namespace headscope
