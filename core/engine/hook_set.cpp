#include "core/engine/hook_set.h"

#include <utility>

namespace headscope {

void HookSet::observe(std::string glob, Observer observer, Head head) {
    hooks_.push_back({std::move(glob), std::move(observer), {}, head});
}

void HookSet::edit(std::string glob, Editor editor, Head head) {
    hooks_.push_back({std::move(glob), {}, std::move(editor), head});
}

void HookSet::capture(std::string glob, Head head) {
    hooks_.push_back({std::move(glob), {}, {}, head});
}

} // namespace headscope
