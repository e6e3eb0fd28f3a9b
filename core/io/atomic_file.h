#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string_view>

namespace headscope {

/// Runs `write` on the path of a new file, flushes it to disk and puts it in place of `path`, where
/// at every moment either the old file exists or the new one. When anything fails, or the process
/// ends, the new file goes and `path` is untouched; what a killed process of this machine could not
/// remove is removed here. Fails for a file that is in use (files_in_use.h).
Result<void>
writeFileAtomically(const std::filesystem::path& path,
                    const std::function<Result<void>(const std::filesystem::path&)>& write);

/// The same for content that is already in memory.
Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view content);

/// The whole file as text. `limit` bytes at most; larger files are refused.
/// Without the byte order mark of UTF-8; fails on those of UTF-16 and UTF-32.
Result<std::string> readTextFile(const std::filesystem::path& path, std::size_t limit);

/// Fails when something exists at `path` that is no empty folder, or when its parent folder does
/// not exist: better before a long run than after it.
Result<void> checkNewFolder(const std::filesystem::path& path);

/// Runs `write` on a new, hidden folder beside `path` and renames it to `path`. When anything fails
/// it is removed with all its files, and nothing exists at `path`. Fails as checkNewFolder() does.
Result<void>
writeFolderAtomically(const std::filesystem::path& path,
                      const std::function<Result<void>(const std::filesystem::path&)>& write);

/// The size of a file, or of all files in a folder; 0 for nothing.
std::size_t bytesAt(const std::filesystem::path& path);

} // namespace headscope
