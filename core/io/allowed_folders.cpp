#include "core/io/allowed_folders.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <utility>

namespace headscope {

namespace {

namespace fs = std::filesystem;

struct Allowed {
    std::optional<AllowedFolders> folders; ///< none: all
    std::mutex mutex;
    std::set<fs::path> own;
};

Allowed& allowed() {
    static auto* const only = new Allowed; // a thread may still write after main()
    return *only;
}

/// Both are real paths.
bool isBelow(const fs::path& path, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
           folder.end();
}

/// Empty where /proc does not say, which is below no folder.
fs::path realPath(int descriptor) {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor), ignored);
}

} // namespace

void keepToFolders(AllowedFolders folders) {
    allowed().folders = std::move(folders);
}

bool isAllowedToRead(int descriptor) {
    const auto& folders = allowed().folders;
    if (!folders)
        return true;
    const fs::path path = realPath(descriptor);
    return std::ranges::any_of(folders->read,
                               [&](const fs::path& folder) { return isBelow(path, folder); });
}

bool isAllowedToWrite(int descriptor) {
    const auto& folders = allowed().folders;
    return !folders || (folders->write && isBelow(realPath(descriptor), *folders->write));
}

bool isAllowedToReplace(const fs::path& path) {
    Allowed& all = allowed();
    const std::lock_guard guard(all.mutex);
    return !all.folders || all.own.contains(path);
}

void noteOwn(const fs::path& path) {
    Allowed& all = allowed();
    const std::lock_guard guard(all.mutex);
    if (all.folders)
        all.own.insert(path);
}

} // namespace headscope
