#pragma once

#include "core/base/result.h"
#include "core/tensor/half.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

namespace headscope {

// What the writers of weight files are given.

/// An array whose numbers come piece by piece, later.
struct StreamedArray {
    std::string name; ///< in HDF5 a path, whose groups are made on the way
    Shape shape;
    FloatFormat format = FloatFormat::Float32;
    bool packed = false; ///< in fewer bytes where the file can; only HDF5 does so far
};

/// Takes the next bytes of an array.
using AppendBytes = std::function<Result<void>(std::span<const std::byte>)>;
/// Gives all bytes of one array to `append`, in row-major order.
using ProduceArray = std::function<Result<void>(std::size_t array, const AppendBytes& append)>;

/// Looks at a file that was written.
using InspectFile = std::function<Result<void>(const std::filesystem::path& written)>;

} // namespace headscope
