#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"

#include <filesystem>
#include <stop_token>
#include <string>

namespace headscope {

/// SHA-256 of a file's bytes as 64 hexadecimal digits; identifies a model in every export.
Result<std::string> sha256OfFile(const std::filesystem::path& path, const Progress& progress = {},
                                 const std::stop_token& stop = {});

} // namespace headscope
