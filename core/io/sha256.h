#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace headscope {

class InputFile;

/// SHA-256 of the bytes of one open file, or of several in their order (TensorSource::openFiles()),
/// as 64 hexadecimal digits; identifies a model in every export.
Result<std::string> sha256Of(std::span<const InputFile* const> files, const Progress& progress = {},
                             const std::stop_token& stop = {});

/// The same of the file at a path.
Result<std::string> sha256OfFile(const std::filesystem::path& path);

/// The same of bytes in memory.
std::string sha256OfText(std::string_view text);

/// How many bytes sha256Of() reads.
std::size_t totalBytes(std::span<const InputFile* const> files);

} // namespace headscope
