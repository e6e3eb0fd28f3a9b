#pragma once

#include "core/base/result.h"
#include "core/output/provenance.h"
#include "core/tensor/tensor.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headscope {

/// An array to be written, under a name such as "blocks.4.attn.hook_pattern".
struct NamedArray {
    std::string name;
    Shape shape;
    std::variant<std::vector<float>, std::vector<std::int32_t>> values;
};

NamedArray namedArray(std::string name, const Tensor& tensor);
NamedArray namedArray(std::string name, std::span<const TokenId> ids);

enum class ArrayFormat { Npz, Npy, Hdf5, Csv, Json };

/// By extension: .npz .npy .h5 .hdf5 .csv .json; nothing otherwise.
std::optional<ArrayFormat> arrayFormatOf(const std::filesystem::path& path);
std::string_view extensionOf(ArrayFormat format);

/// Writes the arrays with their provenance, whole or not at all; the same input gives the same
/// bytes. Npy holds exactly one array and puts the provenance beside it as NAME.npy.json.
Result<void> writeArrays(const std::filesystem::path& path, ArrayFormat format,
                         std::span<const NamedArray> arrays, const Provenance& provenance);

} // namespace headscope
