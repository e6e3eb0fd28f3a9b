#pragma once

#include "core/base/result.h"
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
    std::variant<std::span<const float>, std::span<const std::int32_t>> values;
};
struct Hdf5Attribute {
    std::string name;
    std::string text;
};

/// Writes the file whole (temporary file beside it, then rename) or leaves nothing. The same input
/// gives the same bytes: no time stamps; datasets carry Fletcher-32 check sums.
Result<void> writeHdf5(const std::filesystem::path& path, std::span<const Hdf5Array> arrays,
                       std::span<const Hdf5Attribute> attributes);

} // namespace headscope
