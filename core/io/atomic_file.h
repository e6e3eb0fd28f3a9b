#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <functional>
#include <string_view>

namespace headscope {

/// Runs `write` on a temporary path in the target's folder, flushes the result to disk and renames
/// it over `path`. When anything fails the temporary file is removed and `path` is untouched.
Result<void>
writeFileAtomically(const std::filesystem::path& path,
                    const std::function<Result<void>(const std::filesystem::path&)>& write);

/// The same for content that is already in memory.
Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view content);

/// The whole file as text. `limit` bytes at most; larger files are refused.
Result<std::string> readTextFile(const std::filesystem::path& path, std::size_t limit);

} // namespace headscope
