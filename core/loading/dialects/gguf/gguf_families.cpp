#include "core/loading/dialects/gguf/gguf_families.h"

#include "core/loading/dialects/gguf/llama_families.h"

#include <algorithm>

namespace headscope {

namespace {

std::vector<GgufFamily> allGgufFamilies() {
    std::vector<GgufFamily> all = llamaGgufFamilies();
    const std::vector<GgufFamily> others = otherGgufFamilies();
    all.insert(all.end(), others.begin(), others.end());
    return all;
}

} // namespace

const GgufFamily* ggufFamily(std::string_view architecture) {
    static const std::vector<GgufFamily> families = allGgufFamilies();
    const auto found = std::ranges::find(families, architecture, &GgufFamily::architecture);
    return found == families.end() ? nullptr : &*found;
}

} // namespace headscope
