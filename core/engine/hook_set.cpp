#include "core/engine/hook_set.h"

#include <utility>

namespace headscope {

void HookSet::observe(std::string glob, Observer observer) {
    hooks_.push_back({std::move(glob), std::move(observer), {}});
}

void HookSet::edit(std::string glob, Editor editor) {
    hooks_.push_back({std::move(glob), {}, std::move(editor)});
}

void HookSet::capture(std::string glob) {
    hooks_.push_back({std::move(glob), {}, {}});
}

} // namespace headscope
