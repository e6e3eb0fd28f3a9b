#pragma once

#include "core/base/result.h"
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

/// What goes into an HDF5 file: arrays by path ("blocks/3/attn/hook_pattern"; groups are made on
/// the way) and text attributes of the root.
struct Hdf5Array {
    std::string path;
    Shape shape;
    std::variant<std::span<const float>, std::span<const std::int32_t>, std::span<const double>,
                 std::span<const std::int64_t>, std::span<const std::string>>
        values; ///< texts are UTF-8 and lie in the file as long as the longest, padded with zeros
};
struct Hdf5Attribute {
    std::string name;
    std::string text;
};

/// Writes the file whole (temporary file beside it, then rename) or leaves nothing. The same input
/// gives the same bytes: no time stamps; datasets carry Fletcher-32 check sums.
Result<void> writeHdf5(const std::filesystem::path& path, std::span<const Hdf5Array> arrays,
                       std::span<const Hdf5Attribute> attributes);

/// Number formats of written weights, little-endian.
enum class FloatFormat { Float32, Float16, BFloat16 };

std::size_t bytesPerNumber(FloatFormat format);

/// An array whose numbers come piece by piece, later.
struct Hdf5StreamedArray {
    std::string path; ///< groups are made on the way
    Shape shape;
    FloatFormat format = FloatFormat::Float32;
};

/// Takes the next bytes of an array.
using AppendBytes = std::function<Result<void>(std::span<const std::byte>)>;
/// Gives all bytes of one array to `append`, in row-major order.
using ProduceArray = std::function<Result<void>(std::size_t array, const AppendBytes& append)>;

/// Looks at a file that was written.
using InspectFile = std::function<Result<void>(const std::filesystem::path& written)>;

/// Writes the file whole (temporary file beside it, then rename) or leaves nothing, without ever
/// holding more of it in memory than the texts. `produce` is called once per array, in any order.
/// bfloat16 is the float type with its bit fields, as HDF5 2.0 defines it. The same input gives the
/// same bytes. `inspect` is shown the finished file before it is put in place; when it fails, the
/// file is not kept.
Result<void> writeHdf5Streamed(const std::filesystem::path& path,
                               std::span<const Hdf5StreamedArray> arrays,
                               std::span<const Hdf5Attribute> attributes,
                               const ProduceArray& produce, const InspectFile& inspect = {});

} // namespace headscope
