#pragma once

#include "core/base/result.h"
#include "core/io/files/open_file.h"

#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

namespace headscope {

/// The hidden names of what this process is writing. Whoever makes, renames or removes one holds
/// the lock, so that a signal that ends the program finds all of them and nobody makes another.
struct HiddenNames {
    std::mutex mutex;
    std::set<std::filesystem::path> paths;
};

/// The hidden names of the whole process; never destroyed, since a signal can come after main().
HiddenNames& hiddenNames();

/// The parent folder of a path.
std::filesystem::path folderOf(const std::filesystem::path& path);

/// A hidden name in the folder of `target` that this process has not given before.
std::filesystem::path newNameBeside(const std::filesystem::path& target);

/// Removes from `folder` what writers left there that live no more: the name says which process
/// wrote it, and that one has ended on this machine. Each also holds a lock (flock) for as long as
/// it lives, but on a shared folder other machines may not see it. Leaves alone what belongs to
/// other users, or to processes of other machines.
void removeLeftovers(const std::filesystem::path& folder);

/// A file or folder in the making, which appears under its name when it is whole. It goes with this
/// object, with all that is in it, when it was not moved to its target. Messages call it `shown`.
class NewPath {
public:
    /// An empty file on the disk of `target`, with the permissions that it has or would get. If the
    /// file system supports it, the file has no name and so disappears with the process, however
    /// that ends; else it has a hidden name beside `target`.
    static Result<NewPath> file(const std::filesystem::path& target,
                                const std::filesystem::path& shown);
    static Result<NewPath> hiddenFile(const std::filesystem::path& target,
                                      const std::filesystem::path& shown);
    /// An empty folder with a hidden name beside `target`.
    static Result<NewPath> hiddenFolder(const std::filesystem::path& target,
                                        const std::filesystem::path& shown);

    NewPath(NewPath&& other) noexcept
        : lock_(std::move(other.lock_)), hidden_(std::exchange(other.hidden_, {})) {}
    NewPath& operator=(NewPath&&) = delete;
    ~NewPath();

    /// Where to write to.
    std::filesystem::path path() const;

    /// Keeps what was written on the disk.
    std::error_code flush() const;
    /// At every moment either the old file is at `target` or this one. Fails with file_exists where
    /// what is there may not be replaced (allowed_folders.h).
    std::error_code moveTo(const std::filesystem::path& target);

private:
    NewPath(FileDescriptor lock, std::filesystem::path hidden)
        : lock_(std::move(lock)), hidden_(std::move(hidden)) {}

    template <class Make>
    static Result<NewPath> make(const std::filesystem::path& target,
                                const std::filesystem::path& shown, Make make_at);
    std::error_code linkTo(const std::filesystem::path& target);

    FileDescriptor lock_;          ///< of the file or folder; says that its writer lives
    std::filesystem::path hidden_; ///< empty while it has no name
};

} // namespace headscope
