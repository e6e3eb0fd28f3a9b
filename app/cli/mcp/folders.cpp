#include "app/cli/mcp/folders.h"

#include "core/io/allowed_folders.h"
#include "core/io/model_folder.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <system_error>

namespace headscope::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostModels = 500;
constexpr int kDeepestFolder = 6;

Result<fs::path> realFolder(const std::string& path) {
    std::error_code failed;
    fs::path real = fs::canonical(path, failed);
    if (failed || !fs::is_directory(real, failed))
        return Error{ErrorCode::NotFound, path + " is no folder; name one that is there."};
    return real;
}

/// Whether `path` is `folder` or below it; both are real paths.
bool isBelow(const fs::path& path, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
           folder.end();
}

/// The same for what is elsewhere and for what is not there: nobody learns what there is elsewhere.
Error isNotReadable(const std::string& path) {
    return {ErrorCode::NotFound, path + " is not below a folder of this server; the tool models "
                                        "lists what can be opened."};
}

fs::path configOf(const fs::path& folder) {
    return folder / "config.json";
}

} // namespace

Result<Folders> Folders::make(const std::vector<std::string>& read, const std::string& write) {
    Folders folders;
    for (const std::string& path : read) {
        auto real = realFolder(path);
        if (!real)
            return real.error();
        folders.read_.push_back(*std::move(real));
    }
    if (!write.empty()) {
        auto real = realFolder(write);
        if (!real)
            return real.error();
        folders.write_ = *real;
        folders.read_.push_back(*std::move(real)); // to go on with what was written
    }
    return folders;
}

bool Folders::isBelowOne(const fs::path& real) const {
    return std::ranges::any_of(read_, [&](const fs::path& each) { return isBelow(real, each); });
}

Result<std::string> Folders::readable(const std::string& path) const {
    for (const fs::path& folder : read_) {
        std::error_code failed;
        const fs::path asked = folder / path; // `path` alone where it is absolute
        const fs::path real = fs::canonical(asked, failed);
        if (!failed && isBelowOne(real))
            return asked.string();
    }
    return isNotReadable(path);
}

Result<std::string> Folders::readableModel(const std::string& path) const {
    auto model = readable(path);
    if (!model)
        return model;
    std::error_code ignored;
    const bool is_folder = fs::is_directory(*model, ignored);
    const fs::path config = configOf(is_folder ? fs::path(*model) : fs::path(*model).parent_path());
    if (fs::exists(fs::symlink_status(config, ignored)))
        if (auto checked = readable(config.string()); !checked)
            return checked;
    return model;
}

std::vector<std::string> Folders::words(const std::string& write) const {
    const auto option = [](std::string_view name, const std::string& folder) {
        return "--" + std::string(name) + '=' + folder;
    };
    std::vector<std::string> words;
    for (const fs::path& folder : read_)
        words.push_back(option(kReadOption, folder.string()));
    if (!write.empty())
        words.push_back(option(kWriteOption, write));
    return words;
}

Result<std::string> Folders::writable(const std::string& path, bool goes_on) const {
    std::error_code failed;
    const fs::path wanted = write_ / path;
    const fs::path parent = fs::canonical(wanted.parent_path(), failed);
    const std::string name = wanted.filename().string();
    if (failed || name.empty() || name == "." || name == ".." || !isBelow(parent, write_))
        return Error{ErrorCode::InvalidArgument,
                     path + " is in no folder that is there and that this server may write to."};
    // What a command leaves beside its result has the result's name with another extension, or one
    // more. A run that was stopped goes on from parts that are there.
    const std::string stem = wanted.stem().string() + '.';
    fs::directory_iterator each(parent, failed);
    for (; !failed && each != fs::directory_iterator(); each.increment(failed)) {
        const std::string other = each->path().filename().string();
        std::error_code ignored;
        const bool is_parts = goes_on && other == name + ".parts" && !each->is_symlink(ignored);
        if (!is_parts && (other == name || other.starts_with(stem)))
            return Error{ErrorCode::InvalidArgument,
                         each->path().string() + " is there already; choose another name."};
    }
    return (parent / name).string();
}

std::vector<fs::path> Folders::models() const {
    std::vector<fs::path> models;
    for (const fs::path& folder : read_) {
        std::error_code failed;
        fs::recursive_directory_iterator each(folder, fs::directory_options::skip_permission_denied,
                                              failed);
        for (; !failed && each != fs::recursive_directory_iterator() && models.size() < kMostModels;
             each.increment(failed)) {
            if (each.depth() >= kDeepestFolder)
                each.disable_recursion_pending();
            std::error_code ignored;
            const fs::path& path = each->path();
            const bool is_model = each->is_directory(ignored) ? fs::exists(configOf(path), ignored)
                                                              : isWeightFile(path);
            if (is_model && readableModel(path.string()))
                models.push_back(path);
        }
    }
    std::ranges::sort(models);
    models.erase(std::unique(models.begin(), models.end()), models.end());
    return models;
}

} // namespace headscope::cli
