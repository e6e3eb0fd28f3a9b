#pragma once

#include "core/base/result.h"
#include "core/io/streamed_arrays.h"
#include "core/tensor/tensor.h"

#include <cstdint>
#include <filesystem>
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
        values; ///< texts are UTF-8; in the file each is as long as the longest, padded with zeros
};
struct Hdf5Attribute {
    std::string name;
    std::string text;
};

// HDF5 itself runs in the sealed reader, which gets everything but the numbers and answers with all
// bytes of the file but theirs: no program that shows or computes loads that library.

/// Writes the file whole (temporary file beside it, then rename) or leaves nothing. The same input
/// gives the same bytes: no time stamps; datasets carry Fletcher-32 check sums.
Result<void> writeHdf5(const std::filesystem::path& path, std::span<const Hdf5Array> arrays,
                       std::span<const Hdf5Attribute> attributes);

/// Writes the file whole (temporary file beside it, then rename) or leaves nothing, without ever
/// holding more of it in memory than the texts. `produce` is called once per array, in any order.
/// Packed arrays are packed by shuffle and deflate, in a file beside it that has no name.
/// bfloat16 is the float type with its bit fields, as HDF5 2.0 defines it. Another sealed reader is
/// asked whether HDF5 has laid out what it was told to. The same input gives the same bytes.
/// `inspect` is shown the finished file before it is put in place; when it fails, the file is not
/// kept.
Result<void> writeHdf5Streamed(const std::filesystem::path& path,
                               std::span<const StreamedArray> arrays,
                               std::span<const Hdf5Attribute> attributes,
                               const ProduceArray& produce, const InspectFile& inspect = {});

} // namespace headscope
