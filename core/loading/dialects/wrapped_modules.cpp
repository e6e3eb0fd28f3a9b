#include "core/loading/dialects/wrapped_modules.h"

#include "core/base/text.h"
#include "core/loading/dialects/translated_source.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// What such modules call the one inside: torch.compile, checkpoint_wrapper and FSDP of PyTorch,
/// DDP and DataParallel, checkpoint_wrapper of FairScale, Fabric of Lightning, TransformerLens's
/// bridge.
constexpr std::array<std::string_view, 8> kWrappers{"_orig_mod",
                                                    "_checkpoint_wrapped_module",
                                                    "_fsdp_wrapped_module",
                                                    "module",
                                                    "_fpw_module",
                                                    "_forward_module",
                                                    "_original_component",
                                                    "original_component"};

bool isWrapper(std::string_view part) {
    return std::ranges::find(kWrappers, part) != kWrappers.end();
}

/// Those before all else stay.
std::string unwrapped(const std::string& name) {
    std::vector<std::string> parts = split(name, '.');
    const auto inner = std::ranges::find_if_not(parts, isWrapper);
    parts.erase(std::remove_if(inner, parts.end(), isWrapper), parts.end());
    return join(parts, ".");
}

} // namespace

bool hasWrappedModules(const TensorSource& file) {
    return changesNames(file, unwrapped);
}

Result<std::unique_ptr<TensorSource>> withoutWrappedModules(std::unique_ptr<TensorSource> file) {
    return renamedSource(std::move(file), unwrapped);
}

} // namespace headscope
