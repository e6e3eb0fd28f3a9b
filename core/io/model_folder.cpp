#include "core/io/model_folder.h"

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/io/atomic_file.h"
#include "core/io/file_error.h"
#include "core/io/files/weight_file.h"
#include "core/io/sealed_json.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace headscope {

namespace {

namespace fs = std::filesystem;

/// What the libraries call the weights of a whole model; where there are several, the first is
/// opened, as transformers does.
constexpr std::array<std::string_view, 6> kKnownNames{
    "model.safetensors", "model.safetensors.index.json",
    "tf_model.h5",       "tf_model.h5.index.json",
    "model.weights.h5",  "model.weights.json"};
constexpr std::array<std::string_view, 5> kWeightEndings{".safetensors", ".h5", ".hdf5", ".keras",
                                                         ".gguf"};
constexpr std::array<std::string_view, 4> kPickleEndings{".bin", ".pt", ".pth", ".ckpt"};
constexpr std::size_t kMaxFiles = 10'000;
constexpr std::size_t kMaxListed = 5;

bool endsWithAny(const std::string& name, std::span<const std::string_view> endings) {
    return std::ranges::any_of(endings, [&](std::string_view end) { return name.ends_with(end); });
}

/// Names of the regular files, sorted, without hidden ones.
Result<std::vector<std::string>> filesOf(const fs::path& folder) {
    std::error_code failure;
    std::vector<std::string> names;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        const std::string name = entry->path().filename().string();
        std::error_code ignored;
        if (!name.starts_with('.') && entry->is_regular_file(ignored))
            names.push_back(name);
        if (names.size() > kMaxFiles)
            return cannotOpen(ErrorCode::TooLarge, folder,
                              "it is a folder of more than " + std::to_string(kMaxFiles) +
                                  " files; choose the weight file in it");
    }
    if (failure)
        return cannotOpen(folder, failure.value());
    std::ranges::sort(names);
    return names;
}

std::string listed(std::vector<std::string> names) {
    const std::size_t rest = names.size() - std::min(names.size(), kMaxListed);
    names.resize(names.size() - rest);
    return join(names, ", ") + (rest > 0 ? " and " + std::to_string(rest) + " more" : "");
}

/// A small JSON file in a folder; nothing when it is not there or no JSON. Fails where no text can
/// be read.
Result<std::optional<JsonDocument>> jsonIn(const fs::path& folder, const char* name) {
    constexpr std::size_t limit = std::size_t{1} << 20;
    const auto text = readTextFile(folder / name, limit);
    if (!text)
        return std::optional<JsonDocument>();
    auto json = readForeignJson(*text);
    if (json)
        return std::optional(*std::move(json));
    if (json.error().code == ErrorCode::Malformed)
        return std::optional<JsonDocument>();
    return cannotOpen(json.error().code, folder, std::string(name) + " " + json.error().message);
}

/// The folder in which sentence-transformers keeps the network ("0_Transformer"), by modules.json;
/// nothing when that names none inside of this one.
Result<std::optional<fs::path>> transformerModule(const fs::path& folder) {
    const auto modules = jsonIn(folder, "modules.json");
    if (!modules)
        return modules.error();
    if (!*modules)
        return std::optional<fs::path>();
    for (const JsonValue each : (*modules)->root().elements()) {
        const std::string* const type = each.member("type").text();
        const std::string* const path = each.member("path").text();
        std::error_code ignored;
        if (type != nullptr && type->ends_with(".Transformer") && path != nullptr &&
            !path->empty() && fs::path(*path).filename() == *path && !path->starts_with('.') &&
            fs::is_directory(folder / *path, ignored))
            return std::optional(folder / *path);
    }
    return std::optional<fs::path>();
}

/// Names of the folders in a folder, sorted, without hidden ones.
std::vector<std::string> foldersOf(const fs::path& folder) {
    std::error_code failure;
    std::vector<std::string> names;
    for (fs::directory_iterator entry(folder, failure), end;
         !failure && entry != end && names.size() <= kMaxFiles; entry.increment(failure)) {
        const std::string name = entry->path().filename().string();
        std::error_code ignored;
        if (!name.starts_with('.') && entry->is_directory(ignored))
            names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
}

/// The folder in which huggingface_hub keeps the files of a download ("models--ORG--NAME"): the
/// snapshot that refs/main names, and without that the only one. Nothing for any other folder.
Result<std::optional<fs::path>> snapshotIn(const fs::path& folder) {
    constexpr std::size_t longest_name = 1024;
    const fs::path snapshots = folder / "snapshots";
    std::error_code ignored;
    if (!fs::is_directory(snapshots, ignored))
        return std::optional<fs::path>();
    const fs::path main = folder / "refs" / "main";
    if (!fs::exists(main, ignored)) {
        const std::vector<std::string> names = foldersOf(snapshots);
        if (names.size() == 1)
            return std::optional(snapshots / names.front());
        return cannotOpen(ErrorCode::NotFound, folder,
                          names.empty()
                              ? "it is a download without a snapshot; download the model "
                                "again"
                              : "it is a download of several snapshots (" + listed(names) +
                                    ") of which refs/main names none; "
                                    "choose one of them");
    }
    const auto text = readTextFile(main, longest_name);
    if (!text)
        return text.error();
    const std::string name = text->substr(0, text->find_first_of(" \t\r\n"));
    const bool is_name =
        !name.empty() && !name.starts_with('.') && fs::path(name).filename() == name;
    if (!is_name || !fs::is_directory(snapshots / name, ignored))
        return cannotOpen(ErrorCode::NotFound, folder,
                          "its refs/main names the snapshot '" + name +
                              "', which is not in its folder snapshots; download the model again");
    return std::optional(snapshots / name);
}

/// What PEFT calls the weights of an adapter, and what is beside them.
constexpr std::string_view kAdapter = "adapter_model.";
constexpr const char* kAdapterConfig = "adapter_config.json";

bool isAdapter(const std::string& name) {
    return name.starts_with(kAdapter);
}

/// "an adapter for 'meta-llama/Llama-3.2-1B', …"; `folder` is that of the adapter.
Error adapterError(const fs::path& shown, const fs::path& folder) {
    constexpr std::size_t most = 200;
    const auto config = jsonIn(folder, kAdapterConfig);
    if (!config)
        return config.error();
    const auto base = *config ? (*config)->root().find("base_model_name_or_path") : std::nullopt;
    const std::string* const name = base ? base->text() : nullptr;
    return cannotOpen(ErrorCode::Unsupported, shown,
                      "it is an adapter for " +
                          (name ? "'" + name->substr(0, most) + "'" : "another model") +
                          " and no model by itself; merge it into that (merge_and_unload() of "
                          "peft), save the result and open it");
}

/// Why there is nothing to open among these files.
std::string refusal(const std::vector<std::string>& files) {
    for (const std::string& name : files)
        if (endsWithAny(name, kPickleEndings))
            return "it is a folder whose weights are in " + name + ": " + pickleRefusal(name);
    return "it is a folder without weights (.safetensors, .gguf, .h5, .hdf5 or .keras); choose the "
           "folder or the file of a model";
}

/// A part of a model in GGUF that is not the first; the parts have no index.
bool isLaterGgufPart(const std::string& name) {
    return name.ends_with(".gguf") && !numberedStem(fs::path(name).stem().string()).empty() &&
           name.find("-00001-of-") == std::string::npos;
}

std::size_t trailingDigits(std::string_view text) {
    const std::size_t other = text.find_last_not_of("0123456789");
    return other == std::string_view::npos ? text.size() : text.size() - other - 1;
}

/// "model" for "model_00000.weights"; empty for any other name.
std::string kerasStem(std::string_view stem) {
    constexpr std::string_view ending = ".weights";
    if (!stem.ends_with(ending))
        return {};
    const std::string_view head = stem.substr(0, stem.size() - ending.size());
    const std::size_t digits = trailingDigits(head);
    if (digits != 5 || digits == head.size() || head[head.size() - digits - 1] != '_')
        return {};
    return std::string(head.substr(0, head.size() - digits - 1));
}

/// Also by the names that PyTorch, Flax and Rust have for weights, and not for what training
/// leaves.
bool isOfWeights(const std::string& name) {
    return (endsWithAny(name, kWeightEndings) && !name.starts_with("optimizer")) ||
           name == "flax_model.msgpack" || name == "rust_model.ot" ||
           ((name.starts_with("pytorch_model") || isAdapter(name)) &&
            endsWithAny(name, kPickleEndings));
}

/// Whether a file is a part of the model that is called so, "model-00001-of-00003.safetensors".
bool isShardOf(const std::string& name, const std::string& model) {
    const std::string stem = fs::path(name).stem().string();
    return numberedStem(stem) == model || kerasStem(stem) == model;
}

Result<fs::path> weightsOf(const fs::path& folder, bool follow_modules) {
    const auto files = filesOf(folder);
    if (!files)
        return files.error();
    for (const std::string_view name : kKnownNames)
        if (std::ranges::find(*files, name) != files->end())
            return folder / name;
    std::vector<std::string> found;
    std::ranges::copy_if(*files, std::back_inserter(found), [](const std::string& name) {
        return (endsWithAny(name, kWeightEndings) && !isLaterGgufPart(name)) || isShardIndex(name);
    });
    std::erase_if(found, [&](const std::string& name) { // a shard goes with its index
        const auto index = indexOf(name);
        return index && std::ranges::find(*files, index->string()) != files->end();
    });
    if (found.empty() && follow_modules) {
        const auto module = transformerModule(folder);
        if (!module)
            return module.error();
        if (*module)
            return weightsOf(**module, false);
    }
    if (std::ranges::all_of(found, isAdapter) &&
        std::ranges::find(*files, kAdapterConfig) != files->end())
        return adapterError(folder, folder);
    if (found.empty())
        return cannotOpen(ErrorCode::NotFound, folder, refusal(*files));
    if (!std::ranges::all_of(found, isAdapter))
        std::erase_if(found, isAdapter);
    if (found.size() > 1)
        return cannotOpen(ErrorCode::InvalidArgument, folder,
                          "it is a folder with several weight files (" + listed(found) +
                              "); choose one of them");
    return folder / found.front();
}

} // namespace

Result<fs::path> weightsIn(const fs::path& folder) {
    const auto snapshot = snapshotIn(folder);
    if (!snapshot)
        return snapshot.error();
    return weightsOf(snapshot->value_or(folder), true);
}

std::optional<Error> adapterRefusal(const fs::path& file) {
    std::error_code ignored;
    const fs::path folder = file.parent_path();
    if (!isAdapter(file.filename().string()) || !fs::exists(folder / kAdapterConfig, ignored))
        return std::nullopt;
    return adapterError(file, folder);
}

std::string leftAsideIn(const fs::path& folder, const fs::path& chosen) {
    auto files = filesOf(folder);
    if (!files)
        return {};
    const std::string opened = chosen.filename().string();
    const std::string model = opened.substr(0, opened.find('.'));
    std::erase_if(*files, [&](const std::string& name) {
        return name == opened || !isOfWeights(name) || isShardOf(name, model);
    });
    if (files->empty())
        return {};
    const bool has_adapter = std::ranges::any_of(*files, isAdapter);
    return "Other weights in the folder were left aside: " + listed(*files) +
           (has_adapter ? "; the adapter among them is not merged into this model." : ".");
}

std::string numberedStem(std::string_view stem) {
    const std::size_t of = stem.rfind("-of-");
    if (of == std::string_view::npos || trailingDigits(stem) != stem.size() - of - 4)
        return {};
    const std::string_view head = stem.substr(0, of);
    const std::size_t digits = trailingDigits(head);
    if (digits == 0 || digits == head.size() || head[head.size() - digits - 1] != '-')
        return {};
    return std::string(head.substr(0, head.size() - digits - 1));
}

bool isShardIndex(const fs::path& path) {
    const std::string name = path.filename().string();
    return name.ends_with(".index.json") || name.ends_with(".weights.json");
}

bool isWeightFile(const fs::path& path) {
    return endsWithAny(path.filename().string(), kWeightEndings);
}

bool isOneOfSeveral(const fs::path& shard) {
    const std::string stem = shard.stem().string();
    const std::string model = numberedStem(stem);
    return !model.empty() && stem != model + "-00001-of-00001";
}

std::optional<fs::path> indexOf(const fs::path& shard) {
    const std::string stem = shard.stem().string();
    if (const std::string model = kerasStem(stem); !model.empty())
        return shard.parent_path() / (model + ".weights.json");
    const std::string model = numberedStem(stem);
    if (model.empty() || shard.extension() == ".gguf")
        return std::nullopt;
    return shard.parent_path() / (model + shard.extension().string() + ".index.json");
}

std::string missingFilesNote(std::size_t count, std::string_view noun,
                             const std::vector<std::string>& missing) {
    std::vector<std::string> quoted;
    quoted.reserve(missing.size());
    for (const std::string& name : missing)
        quoted.push_back("'" + name + "'");
    return "Of " + counted(count, noun) + " " + std::to_string(missing.size()) +
           (missing.size() == 1 ? " is missing: " : " are missing: ") + join(quoted, ", ") +
           "; download what is missing into the same folder.";
}

} // namespace headscope
