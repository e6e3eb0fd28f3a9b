#pragma once

#include "core/io/gguf/block_formats.h"
#include "core/io/gguf_writer.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace headscope {

const BlockFormat& blockFormatOf(GgufFormat format);

/// Bytes of that many numbers, which are whole blocks.
std::size_t ggufBytes(GgufFormat format, std::size_t n_values);

/// Appends numbers as blocks of a format, by the arithmetic of the package `gguf` (quants.py).
/// Gives the first finite number that the format cannot hold, else nothing.
std::optional<float> appendBlocks(GgufFormat format, std::span<const float> values,
                                  std::vector<std::byte>& bytes);

} // namespace headscope
