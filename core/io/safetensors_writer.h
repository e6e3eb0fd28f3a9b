#pragma once

#include "core/base/result.h"
#include "core/io/streamed_arrays.h"

#include <filesystem>
#include <span>

namespace headscope {

/// Writes a safetensors file whole (temporary file beside it, then rename) or leaves nothing.
/// `produce` is called once per array, in their order. The same input gives the same bytes.
Result<void> writeSafetensors(const std::filesystem::path& path,
                              std::span<const StreamedArray> arrays, const ProduceArray& produce);

} // namespace headscope
