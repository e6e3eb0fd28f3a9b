#include "core/loading/dialects/gguf/gguf_families.h"

#include "core/base/text.h"
#include "core/loading/dialects/gguf/llama_families.h"

#include <algorithm>
#include <iterator>

namespace headscope {

namespace {

std::vector<GgufFamily> allGgufFamilies() {
    std::vector<GgufFamily> all = llamaGgufFamilies();
    for (const auto more : {mixtureGgufFamilies, otherGgufFamilies})
        std::ranges::copy(more(), std::back_inserter(all));
    return all;
}

} // namespace

std::string GgufName::torchName(std::string_view layer, std::string_view ending) const {
    const bool is_parameter = form == GgufForm::Experts || form == GgufForm::FusedExperts;
    return replaceAll(torch, "{}", layer) + std::string(is_parameter ? "" : ending);
}

const GgufFamily* ggufFamily(std::string_view architecture) {
    static const std::vector<GgufFamily> families = allGgufFamilies();
    const auto found = std::ranges::find(families, architecture, &GgufFamily::architecture);
    return found == families.end() ? nullptr : &*found;
}

} // namespace headscope
