#include "core/loading/model_texts.h"

#include "core/base/text.h"
#include "core/io/atomic_file.h"

#include <nlohmann/json.hpp>

#include <system_error>

namespace headscope {

Result<std::optional<ModelText>> findModelText(const TensorSource& file, std::string_view key,
                                               std::size_t limit) {
    const std::string name = file.path().filename().string();
    if (auto attribute = file.text(key)) {
        const std::string source = file.text(kGgufMetadata)
                                       ? "the metadata of " + name
                                       : "attribute '" + std::string(key) + "' of " + name;
        if (attribute->size() > limit)
            return Error{ErrorCode::TooLarge, source + " has " + byteText(attribute->size()) +
                                                  ", expected at most " + byteText(limit) +
                                                  "; export it again."};
        return std::optional(ModelText{std::move(*attribute), source});
    }
    const std::string beside = std::string(key) + ".json";
    const auto path = file.path().parent_path() / beside;
    std::error_code failure;
    if (!std::filesystem::exists(path, failure))
        return std::optional<ModelText>();
    auto content = readTextFile(path, limit);
    if (!content)
        return content.error();
    return std::optional(ModelText{std::move(*content), beside + " beside " + name});
}

Result<std::optional<ModelText>> findConfig(const TensorSource& file) {
    auto found = findModelText(file, "config", kLargestConfig);
    return found && !*found ? findModelText(file, "cfg", kLargestConfig) : found;
}

std::string keptHeadsText(const ModelSpec& spec) {
    auto kept = nlohmann::json::object();
    for (std::size_t layer = 0; layer < spec.kept_heads.size(); ++layer)
        kept[std::to_string(layer)] = spec.kept_heads[layer];
    return kept.dump();
}

bool hasEvenGroups(const ModelSpec& spec, std::size_t layer) {
    const std::size_t n_heads = spec.headsIn(layer);
    const std::size_t n_groups = spec.kvHeadsIn(layer);
    for (std::size_t place = 0; place < n_heads; ++place)
        if (spec.groupOf(spec.headAt(layer, place)).size() * n_groups != n_heads)
            return false;
    return true;
}

} // namespace headscope
