#pragma once

#include <filesystem>
#include <mutex>
#include <set>

namespace headscope {

/// The hidden names of what this process is writing. Whoever makes, renames or removes one holds
/// the lock, so that a signal that ends the program finds all of them and nobody makes another.
struct HiddenNames {
    std::mutex mutex;
    std::set<std::filesystem::path> paths;
};

/// Of the whole process; never destroyed, since a signal can come after main().
HiddenNames& hiddenNames();

/// The folder that a path lies in.
std::filesystem::path folderOf(const std::filesystem::path& path);

/// A hidden name in the folder of `target` that this process has not given before.
std::filesystem::path newNameBeside(const std::filesystem::path& target);

/// Removes from `folder` what writers left there that live no more: each holds a lock (flock) on
/// its hidden file or folder for as long as it lives, on whatever machine. Leaves alone what
/// belongs to other users.
void removeLeftovers(const std::filesystem::path& folder);

} // namespace headscope
