#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"

#include <filesystem>
#include <span>
#include <stop_token>
#include <string>

namespace headscope {

/// SHA-256 of the bytes of one file, or of several in their order, as 64 hexadecimal digits;
/// identifies a model in every export.
Result<std::string> sha256OfFiles(std::span<const std::filesystem::path> paths,
                                  const Progress& progress = {}, const std::stop_token& stop = {});

} // namespace headscope
