#include "core/engine/hook_dispatch.h"

#include <algorithm>
#include <cmath>

namespace headscope {

namespace {

bool isAfterBlocks(HookKind kind) {
    return kind >= HookKind::LnFinalScale;
}

Error noMatch(const ModelSpec& spec, const std::string& glob, std::size_t layers_run) {
    const std::vector<HookPoint> points = hookPoints(spec);
    const bool exists = std::any_of(points.begin(), points.end(), [&](HookPoint point) {
        return hookMatches(spec, glob, point);
    });
    if (exists)
        return {ErrorCode::InvalidArgument,
                "Hook '" + glob + "' names a place this run does not reach: it runs " +
                    std::to_string(layers_run) + " of " + std::to_string(spec.n_layers) +
                    " layers; ask for more layers or for logits."};
    const std::string example = hookName(spec, {HookKind::Z, spec.n_layers - 1});
    return {ErrorCode::InvalidArgument,
            "Hook '" + glob + "' matches no hook point of this " + spec.family + " model with " +
                std::to_string(spec.n_layers) + " layers; a valid name is '" + example + "'."};
}

} // namespace

Result<HookDispatch> HookDispatch::make(const ModelSpec& spec, const HookSet& hooks,
                                        std::size_t layers_run, bool logits_run) {
    HookDispatch dispatch(spec, hooks);
    if (hooks.empty())
        return dispatch;
    const std::vector<HookPoint> points = hookPoints(spec);
    for (std::size_t i = 0; i < hooks.hooks().size(); ++i) {
        const HookSet::Hook& hook = hooks.hooks()[i];
        bool matched = false;
        for (const HookPoint point : points) {
            const bool reached = isAfterBlocks(point.kind) ? logits_run : point.layer < layers_run;
            if (!reached || !hookMatches(spec, hook.glob, point))
                continue;
            dispatch.by_point_[point].push_back(i);
            matched = true;
        }
        if (!matched)
            return noMatch(spec, hook.glob, layers_run);
        HookAudit audit;
        audit.glob = hook.glob;
        audit.editor = static_cast<bool>(hook.editor);
        dispatch.audit_.push_back(std::move(audit));
    }
    return dispatch;
}

bool HookDispatch::wantsAny(std::span<const HookKind> kinds, std::size_t layer) const {
    return std::any_of(kinds.begin(), kinds.end(), [&](HookKind kind) {
        return wants({kind, layer});
    });
}

bool HookDispatch::edits(HookPoint point) const {
    const auto found = by_point_.find(point);
    return found != by_point_.end() &&
           std::any_of(found->second.begin(), found->second.end(),
                       [&](std::size_t i) { return static_cast<bool>(hooks_->hooks()[i].editor); });
}

void HookDispatch::fire(HookPoint point, const MutableTensorView& value) {
    const auto found = by_point_.find(point);
    if (found == by_point_.end())
        return;
    for (const std::size_t i : found->second) {
        const HookSet::Hook& hook = hooks_->hooks()[i];
        ++audit_[i].fired;
        if (hook.editor)
            runEditor(i, point, value);
        else if (hook.observer)
            hook.observer(point, value);
        else
            captured_.insert_or_assign(hookName(*spec_, point), copyOf(value));
    }
}

void HookDispatch::runEditor(std::size_t hook, HookPoint point, const MutableTensorView& value) {
    const Tensor before = copyOf(value);
    hooks_->hooks()[hook].editor(point, value);
    const Tensor after = copyOf(value);
    HookAudit& audit = audit_[hook];
    for (std::size_t i = 0; i < before.size(); ++i) {
        const float was = before.values()[i];
        const float is = after.values()[i];
        if (was == is || (std::isnan(was) && std::isnan(is)))
            continue;
        ++audit.changed_elements;
        audit.max_change = std::max(audit.max_change, std::abs(static_cast<double>(is) - was));
    }
}

} // namespace headscope
