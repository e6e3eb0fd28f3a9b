#include "core/io/files/new_path.h"

#include "core/io/allowed_folders.h"
#include "core/io/file_error.h"
#include "core/io/files/open_file.h"
#include "core/io/files/writer_name.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>

namespace headscope {

namespace {

namespace fs = std::filesystem;

/// Tells these names from those of all other programs.
constexpr std::string_view kHiddenEnding = ".headscope-part";
constexpr std::size_t kNameBytesKept = 140; // of the 255 that a name may have

bool isHiddenName(const fs::path& name) {
    const std::string text = name.string();
    return text.starts_with('.') && text.ends_with(kHiddenEnding);
}

/// Who writes what has this hidden name.
std::string_view writerIn(std::string_view name) {
    name.remove_suffix(kHiddenEnding.size());
    name.remove_prefix(name.rfind('.') + 1);
    return name.substr(0, name.rfind('-')); // before the counter
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
    name += "." + thisWriter() + "-" + std::to_string(counter++);
    return target.parent_path() / name.append(kHiddenEnding);
}

void removeLeftovers(const fs::path& folder) {
    // Whatever is in a folder that is itself being written belongs to its writer.
    if (std::ranges::any_of(folder, isHiddenName))
        return;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const fs::path name = entry.path().filename();
        if (!isHiddenName(name) || !hasEnded(writerIn(name.string())))
            continue;
        // The lock is kept until the name is gone: nobody else takes it for abandoned.
        const FileDescriptor file(
            ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        if (isAbandoned(file))
            fs::remove_all(entry.path(), ignored);
    }
}

namespace {

fs::path descriptorPath(int fd) {
    return "/proc/self/fd/" + std::to_string(fd);
}

/// Through /proc, which a bare chroot has not.
bool isReachable(int fd) {
    return ::faccessat(AT_FDCWD, descriptorPath(fd).c_str(), F_OK, AT_EACCESS) == 0;
}

std::error_code lastError() {
    return {errno, std::generic_category()};
}

/// Those who may read, write and execute; a set-user-ID bit is not for new content.
void takePermissions(int fd, const fs::path& target) {
    struct stat old;
    if (::stat(target.c_str(), &old) == 0)
        ::fchmod(fd, old.st_mode & 0777);
}

/// Whether it still has its name: another process may have taken it for abandoned before the lock.
bool isStillThere(int fd) {
    struct stat status;
    return ::fstat(fd, &status) == 0 && status.st_nlink > 0;
}

int openHiddenFile(const fs::path& path) {
    return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

int openHiddenFolder(const fs::path& path) {
    if (::mkdir(path.c_str(), 0777) != 0)
        return -1;
    const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (folder < 0) {
        const int reason = errno;
        ::rmdir(path.c_str());
        errno = reason;
    }
    return folder;
}

Error isNotAllowed(const fs::path& shown) {
    return cannotWrite(shown, "it is below no folder that may be written to here");
}

/// Nothing is replaced, in one step where the file system can do that.
std::error_code renameToFree(const fs::path& from, const fs::path& to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0)
        return {};
    if (errno != EINVAL)
        return lastError();
    if (fs::is_directory(from)) { // which replaces empty folders alone
        std::error_code error;
        fs::rename(from, to, error);
        return error;
    }
    if (::link(from.c_str(), to.c_str()) != 0)
        return lastError();
    ::unlink(from.c_str());
    return {};
}

std::error_code renameTo(const fs::path& from, const fs::path& to) {
    if (!isAllowedToReplace(to))
        return renameToFree(from, to);
    std::error_code error;
    fs::rename(from, to, error);
    return error;
}

} // namespace

template <class Make>
Result<NewPath> NewPath::make(const fs::path& target, const fs::path& shown, Make make_at) {
    HiddenNames& names = hiddenNames();
    for (;;) {
        const std::lock_guard guard(names.mutex);
        const fs::path path = newNameBeside(target);
        FileDescriptor lock(make_at(path));
        if (!lock && errno == EEXIST)
            continue;
        if (!lock)
            return cannotWrite(shown, errno);
        if (!isAllowedToWrite(lock.get())) {
            std::error_code ignored;
            fs::remove(path, ignored);
            return isNotAllowed(shown);
        }
        // Where a file system has no locks, nobody takes this for abandoned.
        ::flock(lock.get(), LOCK_EX | LOCK_NB);
        if (!isStillThere(lock.get()))
            continue;
        names.paths.insert(path);
        return NewPath(std::move(lock), path);
    }
}

Result<NewPath> NewPath::file(const fs::path& target, const fs::path& shown) {
    FileDescriptor unnamed(::open(folderOf(target).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666));
    if (!unnamed || !isReachable(unnamed.get()))
        return hiddenFile(target, shown);
    if (!isAllowedToWrite(unnamed.get()))
        return isNotAllowed(shown);
    ::flock(unnamed.get(), LOCK_EX | LOCK_NB);
    takePermissions(unnamed.get(), target);
    return NewPath(std::move(unnamed), {});
}

Result<NewPath> NewPath::hiddenFile(const fs::path& target, const fs::path& shown) {
    auto file = make(target, shown, openHiddenFile);
    if (file)
        takePermissions(file->lock_.get(), target);
    return file;
}

Result<NewPath> NewPath::hiddenFolder(const fs::path& target, const fs::path& shown) {
    return make(target, shown, openHiddenFolder);
}

NewPath::~NewPath() {
    if (hidden_.empty())
        return;
    HiddenNames& names = hiddenNames();
    const std::lock_guard guard(names.mutex);
    std::error_code ignored;
    fs::remove_all(hidden_, ignored);
    names.paths.erase(hidden_);
}

fs::path NewPath::path() const {
    return hidden_.empty() ? descriptorPath(lock_.get()) : hidden_;
}

std::error_code NewPath::flush() const {
    return ::fsync(lock_.get()) == 0 ? std::error_code() : lastError();
}

std::error_code NewPath::linkTo(const fs::path& target) {
    return ::linkat(AT_FDCWD, descriptorPath(lock_.get()).c_str(), AT_FDCWD, target.c_str(),
                    AT_SYMLINK_FOLLOW) == 0
               ? std::error_code()
               : lastError();
}

std::error_code NewPath::moveTo(const fs::path& target) {
    HiddenNames& names = hiddenNames();
    const std::lock_guard guard(names.mutex);
    if (hidden_.empty()) {
        const std::error_code linked = linkTo(target);
        if (!linked)
            noteOwn(target);
        if (linked != std::errc::file_exists || !isAllowedToReplace(target))
            return linked;
        // A link replaces nothing; a rename does, and for that the file needs a name.
        const fs::path hidden = newNameBeside(target);
        if (const std::error_code error = linkTo(hidden))
            return error;
        hidden_ = hidden;
        names.paths.insert(hidden);
    }
    const std::error_code error = renameTo(hidden_, target);
    if (!error) {
        noteOwn(target);
        names.paths.erase(hidden_);
        hidden_.clear();
    }
    return error;
}

} // namespace headscope
