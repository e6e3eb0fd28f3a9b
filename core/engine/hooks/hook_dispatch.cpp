#include "core/engine/hooks/hook_dispatch.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

namespace headscope {

std::vector<HookPoint> reachedPoints(const ModelSpec& spec, const RunExtent& extent) {
    std::vector<HookPoint> points = hookPoints(spec);
    if (extent.starts_at_z || extent.first_layer > 0) {
        const HookPoint first{extent.starts_at_z ? HookKind::Z : HookKind::ResidPre,
                              extent.first_layer};
        points.erase(points.begin(), std::ranges::find(points, first));
    }
    std::erase_if(points, [&](HookPoint point) {
        return isAfterBlocks(point.kind) ? !extent.ends : point.layer >= extent.end_layer;
    });
    return points;
}

namespace {

Error noMatch(const ModelSpec& spec, const HookSelector& where, const RunExtent& extent) {
    const std::string glob = where.text(spec);
    const std::vector<HookPoint> points = hookPoints(spec);
    const bool exists = std::any_of(points.begin(), points.end(),
                                    [&](HookPoint point) { return where.matches(spec, point); });
    if (exists && extent.first_layer > 0)
        return {ErrorCode::InvalidArgument,
                "Hook '" + glob + "' names a place this run does not reach: it begins with layer " +
                    std::to_string(extent.first_layer) + " and runs to layer " +
                    std::to_string(extent.end_layer - 1) + "."};
    if (exists)
        return {ErrorCode::InvalidArgument,
                "Hook '" + glob + "' names a place this run does not reach: it runs " +
                    std::to_string(extent.end_layer) + " of " + std::to_string(spec.n_layers) +
                    " layers; ask for more layers or for logits."};
    const std::string example = hookName(spec, {HookKind::Z, spec.n_layers - 1});
    return {ErrorCode::InvalidArgument,
            "Hook '" + glob + "' matches no hook point of this " + spec.family + " model with " +
                std::to_string(spec.n_layers) + " layers; a valid name is '" + example + "'."};
}

/// A hook for one head makes sense where the value has that head.
Result<void> checkHead(const ModelSpec& spec, std::size_t head, HookPoint point) {
    const auto axis = headAxis(spec, point.kind);
    if (!axis)
        return Error{ErrorCode::InvalidArgument, "A hook for head " + std::to_string(head) +
                                                     " cannot look at '" + hookName(spec, point) +
                                                     "', which has no heads."};
    const std::size_t n_heads = hookShape(spec, point, 1)[*axis];
    if (n_heads == 0)
        return Error{ErrorCode::NotFound, "There is no head " + std::to_string(head) + " at '" +
                                              hookName(spec, point) + "', which has none left."};
    if (head >= n_heads)
        return Error{ErrorCode::NotFound, "There is no head " + std::to_string(head) + " at '" +
                                              hookName(spec, point) + "', which has heads 0 to " +
                                              std::to_string(n_heads - 1) + "."};
    return {};
}

MutableTensorView headSlice(MutableTensorView value, std::size_t axis, std::size_t index) {
    value.data += index * value.strides[axis];
    value.shape[axis] = 1;
    return value;
}

} // namespace

Result<HookDispatch> HookDispatch::make(const ModelSpec& spec, const HookSet& hooks,
                                        const RunExtent& extent) {
    HookDispatch dispatch(spec, hooks);
    if (hooks.empty())
        return dispatch;
    const std::vector<HookPoint> points = reachedPoints(spec, extent);
    const auto last_z =
        std::ranges::find(points, HookPoint{HookKind::Z, spec.n_layers - 1}) - points.begin();
    for (std::size_t i = 0; i < hooks.hooks().size(); ++i) {
        const HookSet::Hook& hook = hooks.hooks()[i];
        bool matched = false;
        for (auto point = points.begin(); point != points.end(); ++point) {
            if (!hook.where.matches(spec, *point))
                continue;
            if (hook.head)
                if (auto checked = checkHead(spec, *hook.head, *point); !checked)
                    return checked.error();
            dispatch.by_point_[*point].push_back(i);
            dispatch.reads_past_last_z_ |= point - points.begin() > last_z;
            matched = true;
        }
        if (!matched)
            return noMatch(spec, hook.where, extent);
        HookAudit audit;
        audit.glob = hook.where.text(spec);
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

std::optional<HookPoint> HookDispatch::firstBeside(std::span<const HookKind> kinds) const {
    for (const auto& [point, hooks] : by_point_)
        if (std::ranges::find(kinds, point.kind) == kinds.end())
            return point;
    return std::nullopt;
}

bool HookDispatch::edits(HookPoint point) const {
    const auto found = by_point_.find(point);
    return found != by_point_.end() &&
           std::any_of(found->second.begin(), found->second.end(),
                       [&](std::size_t i) { return static_cast<bool>(hooks_->hooks()[i].editor); });
}

std::vector<std::size_t> HookDispatch::patternHeads(std::size_t layer) const {
    std::set<std::size_t> heads;
    for (const HookKind kind : {HookKind::AttnScores, HookKind::Pattern}) {
        const auto found = by_point_.find({kind, layer});
        if (found == by_point_.end())
            continue;
        for (const std::size_t i : found->second) {
            const HookSet::Head head = hooks_->hooks()[i].head;
            for (std::size_t h = 0; h < spec_->headsIn(layer); ++h)
                if (!head || *head == h)
                    heads.insert(h);
        }
    }
    return {heads.begin(), heads.end()};
}

double HookDispatch::capturedNumbers(std::size_t positions) const {
    double captured = 0.0;
    for (const auto& [point, hooks] : by_point_) {
        for (const std::size_t i : hooks) {
            const HookSet::Hook& hook = hooks_->hooks()[i];
            if (hook.editor || hook.observer)
                continue;
            double numbers = 1.0;
            for (const std::size_t size : hookShape(*spec_, point, positions))
                numbers *= static_cast<double>(size);
            if (hook.head)
                numbers /= static_cast<double>(
                    hookShape(*spec_, point, positions)[*headAxis(*spec_, point.kind)]);
            captured += numbers;
        }
    }
    return captured;
}

void HookDispatch::fire(HookPoint point, const MutableTensorView& value) {
    std::vector<std::size_t> heads;
    if (const auto axis = headAxis(*spec_, point.kind)) {
        heads.resize(value.shape[*axis]);
        std::iota(heads.begin(), heads.end(), std::size_t{0});
    }
    fireHeads(point, value, heads);
}

void HookDispatch::fireHeads(HookPoint point, const MutableTensorView& value,
                             std::span<const std::size_t> heads) {
    const auto found = by_point_.find(point);
    if (found == by_point_.end())
        return;
    for (const std::size_t i : found->second) {
        const HookSet::Head head = hooks_->hooks()[i].head;
        if (!head) {
            call(i, point, value);
            continue;
        }
        const auto index = std::ranges::find(heads, *head) - heads.begin();
        call(i, point,
             headSlice(value, *headAxis(*spec_, point.kind), static_cast<std::size_t>(index)));
    }
}

void HookDispatch::call(std::size_t i, HookPoint point, const MutableTensorView& value) {
    const HookSet::Hook& hook = hooks_->hooks()[i];
    ++audit_[i].fired;
    if (hook.editor)
        return runEditor(i, point, value);
    if (hook.observer)
        return hook.observer(point, value);
    if (hook.head)
        captured_heads_.insert_or_assign({point, *hook.head}, copyOf(value));
    else
        captured_.insert_or_assign(point, copyOf(value));
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
