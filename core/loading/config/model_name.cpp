#include "core/loading/config/model_name.h"

#include "core/io/model_folder.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

namespace headscope {

namespace {

/// Endings that say what a file is and not what is in it; the longer ones first.
constexpr std::array<std::string_view, 10> kEndings{".safetensors.index.json",
                                                    ".h5.index.json",
                                                    ".weights.json",
                                                    ".weights.h5",
                                                    ".safetensors",
                                                    ".keras",
                                                    ".gguf",
                                                    ".hdf5",
                                                    ".h5",
                                                    ".json"};

/// How libraries call the weight file of any model.
constexpr std::array<std::string_view, 4> kCommonNames{"model", "tf_model", "pytorch_model",
                                                       "weights"};

std::string withoutEnding(std::string name) {
    const auto ending = std::ranges::find_if(
        kEndings, [&](std::string_view known) { return name.ends_with(known); });
    if (ending != kEndings.end())
        name.resize(name.size() - ending->size());
    return name;
}

/// "gpt2" of ".../models--openai--gpt2/snapshots/0a1b2c", else the folder's own name, or that of
/// the folder around it for what sentence-transformers calls each first module.
std::string folderName(const std::filesystem::path& folder) {
    if (folder.filename() == "0_Transformer")
        return folderName(folder.parent_path());
    constexpr std::string_view cached = "models--";
    const std::string repository = folder.parent_path().parent_path().filename().string();
    if (folder.parent_path().filename() == "snapshots" && repository.starts_with(cached))
        return repository.substr(repository.rfind("--") + 2);
    return folder.filename().string();
}

} // namespace

std::string modelName(const std::filesystem::path& path) {
    const std::string stem = withoutEnding(path.filename().string());
    const std::string of_shards = numberedStem(stem);
    const std::string& name = of_shards.empty() ? stem : of_shards;
    if (std::ranges::find(kCommonNames, name) == kCommonNames.end())
        return name;
    std::error_code failure;
    const auto whole = std::filesystem::absolute(path, failure);
    const std::string folder = failure ? std::string() : folderName(whole.parent_path());
    return folder.empty() ? name : folder;
}

} // namespace headscope
