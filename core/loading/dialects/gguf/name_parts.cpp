#include "core/loading/dialects/gguf/name_parts.h"

#include "core/base/text.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace headscope {

NameParts partsOf(const std::string& name) {
    NameParts parts;
    parts.ending = name.substr(std::min(name.size(), name.rfind('.')));
    std::vector<std::string> words = split(name.substr(0, name.size() - parts.ending.size()), '.');
    for (std::string& word : words)
        if (parts.layer.empty() && parseNumber<std::size_t>(word))
            parts.layer = std::exchange(word, "{}");
    parts.stem = join(words, ".");
    return parts;
}

} // namespace headscope
