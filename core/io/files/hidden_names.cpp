#include "core/io/files/hidden_names.h"

#include "core/io/files/input_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <system_error>

namespace headscope {

namespace {

namespace fs = std::filesystem;

/// Tells these names from those of all other programs.
constexpr std::string_view kHiddenEnding = ".headscope-part";
constexpr std::size_t kNameBytesKept = 200; // of the 255 that a name may have

bool isHiddenName(const fs::path& name) {
    const std::string text = name.string();
    return text.starts_with('.') && text.ends_with(kHiddenEnding);
}

/// Whether the file or folder is this user's and no living process has it locked.
bool isAbandoned(const FileDescriptor& file) {
    struct stat status;
    return file && ::fstat(file.get(), &status) == 0 && status.st_uid == ::geteuid() &&
           (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) &&
           ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

} // namespace

fs::path folderOf(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

HiddenNames& hiddenNames() {
    static auto* const names = new HiddenNames;
    return *names;
}

fs::path newNameBeside(const fs::path& target) {
    static std::atomic<unsigned> counter = 0;
    std::string name = "." + target.filename().string().substr(0, kNameBytesKept);
    name += "." + std::to_string(::getpid()) + "-" + std::to_string(counter++);
    return target.parent_path() / name.append(kHiddenEnding);
}

void removeLeftovers(const fs::path& folder) {
    // Whatever lies in a folder that is itself being written belongs to its writer.
    if (std::ranges::any_of(folder, isHiddenName))
        return;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        if (!isHiddenName(entry.path().filename()))
            continue;
        // The lock is kept until the name is gone: nobody else takes it for abandoned.
        const FileDescriptor file(
            ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        if (isAbandoned(file))
            fs::remove_all(entry.path(), ignored);
    }
}

} // namespace headscope
