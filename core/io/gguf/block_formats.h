#pragma once

#include "core/io/tensor_source.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace headscope {

/// A number format of GGUF: rows are cut into blocks, each with its own scale where it has one.
struct BlockFormat {
    using Widen = void (*)(std::span<const std::byte> blocks, std::span<float> target);

    std::uint32_t number = 0; ///< in the enum ggml_type
    std::string_view name;    ///< "Q4_K"
    std::size_t elements = 1; ///< of one block
    std::size_t bytes = 0;    ///< of one block
    StoredType type = StoredType::Other;
    /// Whole blocks to float32; null for what cannot be read.
    Widen widen = nullptr;
};

/// Null for a number that stands for no format, or for one that was withdrawn.
const BlockFormat* blockFormat(std::uint32_t number);

/// The names of the formats that can be read: "F32, F16, …".
std::string readableBlockFormats();

} // namespace headscope
