#include "core/engine/hook_set.h"

#include <utility>

namespace headscope {

bool HookSelector::matches(const ModelSpec& spec, HookPoint point) const {
    if (const auto* one = std::get_if<HookPoint>(&selected_))
        return *one == point;
    if (const auto* kind = std::get_if<HookKind>(&selected_))
        return *kind == point.kind;
    return hookMatches(spec, std::get<std::string>(selected_), point);
}

bool HookSelector::spellsOut(const ModelSpec& spec, HookPoint point) const {
    const auto* glob = std::get_if<std::string>(&selected_);
    if (!glob)
        return true;
    const std::string name = hookName(spec, point);
    return glob->find(name.substr(name.rfind('.') + 1)) != std::string::npos;
}

std::string HookSelector::text(const ModelSpec& spec) const {
    if (const auto* one = std::get_if<HookPoint>(&selected_))
        return hookName(spec, *one);
    if (const auto* kind = std::get_if<HookKind>(&selected_))
        return hookGlob(spec, *kind);
    return std::get<std::string>(selected_);
}

void HookSet::observe(HookSelector where, Observer observer, Head head) {
    hooks_.push_back({std::move(where), std::move(observer), {}, head});
}

void HookSet::edit(HookSelector where, Editor editor, Head head) {
    hooks_.push_back({std::move(where), {}, std::move(editor), head});
}

void HookSet::capture(HookSelector where, Head head) {
    hooks_.push_back({std::move(where), {}, {}, head});
}

void HookSet::add(const HookSet& others) {
    hooks_.insert(hooks_.end(), others.hooks_.begin(), others.hooks_.end());
}

} // namespace headscope
