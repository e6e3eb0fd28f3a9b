#include "app/cli/mcp/folders.h"

#include <algorithm>
#include <array>
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
    const auto [end, ignored] =
        std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return end == folder.end();
}

Error isElsewhere(const std::string& path, std::string_view what) {
    return {ErrorCode::InvalidArgument, path + " is not below a folder that this server may " +
                                            std::string(what) + "; name a file below one."};
}

bool isWeightFile(const fs::path& path) {
    static constexpr std::array<std::string_view, 4> kExtensions{".h5", ".safetensors", ".gguf",
                                                                 ".keras"};
    return std::ranges::find(kExtensions, path.extension().string()) != kExtensions.end();
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

Result<std::string> Folders::readable(const std::string& path) const {
    bool is_there = false;
    for (const fs::path& folder : read_) {
        std::error_code failed;
        const fs::path real = fs::canonical(folder / path, failed); // `path` alone if absolute
        if (failed)
            continue;
        is_there = true;
        if (std::ranges::any_of(read_, [&](const fs::path& each) { return isBelow(real, each); }))
            return real.string();
    }
    if (is_there)
        return isElsewhere(path, "read");
    return Error{ErrorCode::NotFound,
                 path + " is not there; the tool models lists what can be opened."};
}

Result<std::string> Folders::writable(const std::string& path) const {
    std::error_code failed;
    const fs::path wanted = write_ / path;
    const fs::path parent = fs::canonical(wanted.parent_path(), failed);
    const fs::path name = wanted.filename();
    if (failed || name.empty() || name == "." || name == ".." || !isBelow(parent, write_) ||
        fs::is_symlink(parent / name, failed))
        return isElsewhere(path, "write");
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
            std::error_code ignored;
            if (each.depth() >= kDeepestFolder)
                each.disable_recursion_pending();
            const fs::path& path = each->path();
            if (each->is_directory(ignored) ? fs::exists(path / "config.json", ignored)
                                            : isWeightFile(path))
                models.push_back(path);
        }
    }
    std::ranges::sort(models);
    const auto twice = std::ranges::unique(models);
    models.erase(twice.begin(), twice.end());
    return models;
}

} // namespace headscope::cli
