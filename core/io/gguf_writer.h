#pragma once

#include "core/base/result.h"
#include "core/io/streamed_arrays.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headscope {

/// One pair of GGUF's metadata.
struct GgufEntry {
    using Value = std::variant<bool, std::uint32_t, float, std::string, std::vector<std::string>,
                               std::vector<std::int32_t>, std::vector<bool>>;

    std::string key;
    Value value;
};

/// Number formats of written tensors.
enum class GgufFormat { Float32, Float16, BFloat16, Q8 };

/// As GGUF spells it: "Q8_0".
std::string_view ggufFormatName(GgufFormat format);

/// A tensor whose numbers come piece by piece, later.
struct GgufStreamedTensor {
    std::string name;
    Shape shape; ///< the axis that varies fastest is the last
    /// Q8_0 needs rows that are whole blocks of 32.
    GgufFormat format = GgufFormat::Float32;
};

/// Gives all numbers of one tensor to `append`, in row-major order and, but for the last time,
/// whole blocks of 32.
using AppendNumbers = std::function<Result<void>(std::span<const float> values)>;
using ProduceTensor = std::function<Result<void>(std::size_t tensor, const AppendNumbers& append)>;

/// The size of the file that writeGguf() makes of these.
std::size_t ggufFileBytes(std::span<const GgufEntry> metadata,
                          std::span<const GgufStreamedTensor> tensors);

/// Writes a GGUF of version 3 whole (temporary file beside it, then rename) or leaves nothing.
/// `produce` is called once per tensor, in their order. The same input gives the same bytes. Fails
/// on numbers that a narrow format cannot hold. `inspect` is shown the finished file before it is
/// put in place; when it fails, the file is not kept.
Result<void> writeGguf(const std::filesystem::path& path, std::span<const GgufEntry> metadata,
                       std::span<const GgufStreamedTensor> tensors, const ProduceTensor& produce,
                       const InspectFile& inspect = {});

} // namespace headscope
