#pragma once

#include "core/base/result.h"
#include "core/io/gguf/blocks.h"
#include "core/io/gguf/header_values.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <string>
#include <vector>

namespace headscope {

inline constexpr std::size_t kMostGgufAxes = 4; ///< GGML_MAX_DIMS

/// One tensor of a GGUF file.
struct GgufTensor {
    std::string name;
    const BlockFormat* format = nullptr;
    Shape shape;            ///< the axis that varies fastest is the last
    std::size_t offset = 0; ///< in the file
    std::size_t bytes = 0;
};

/// Everything in a GGUF file but the numbers.
struct GgufHeader {
    /// All metadata as the text of a JSON object. A float32 has as many digits as tell it apart; a
    /// text that is no UTF-8 and a number that is not finite are null.
    std::string metadata;
    std::vector<GgufTensor> tensors; ///< sorted by name
    // The split of a model in several files (llama.cpp's gguf-split).
    std::size_t split_number = 0; ///< counted from 0
    std::size_t split_count = 1;
    std::size_t split_tensors = 0; ///< in all files together; 0 where the file does not say
};

/// Reads and checks the header, in the sealed reader: "GGUF", u32 version 2 or 3, u64 counts of
/// tensors and of metadata; the metadata (key, type, value); the tensors (name, dimensions from the
/// fastest on, format, offset); then the data, aligned. Little-endian. The tensors must follow one
/// another without hole or overlap and end inside the file. Error messages are reasons.
Result<GgufHeader> readGgufHeader(const HeaderFile& file);

} // namespace headscope
