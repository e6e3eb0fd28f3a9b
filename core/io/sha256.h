#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"

#include <cstddef>
#include <span>
#include <stop_token>
#include <string>

namespace headscope {

class InputFile;

/// SHA-256 of the bytes of one open file, or of several in their order (TensorSource::openFiles()),
/// as 64 hexadecimal digits; identifies a model in every export.
Result<std::string> sha256Of(std::span<const InputFile* const> files, const Progress& progress = {},
                             const std::stop_token& stop = {});

/// How many bytes that reads.
std::size_t totalBytes(std::span<const InputFile* const> files);

} // namespace headscope
