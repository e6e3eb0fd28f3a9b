#pragma once

#include "core/io/tensor_source.h"

#include <cstddef>
#include <filesystem>
#include <memory>

namespace headscope {

/// Opens an HDF5 file of `file_bytes` bytes, looks at every object in it and refuses the whole file
/// when a single one fails a guard. A dataset /a/b/c and one named "a.b.c" are both tensor a.b.c.
Result<std::unique_ptr<TensorSource>>
openHdf5Source(const std::filesystem::path& path, std::size_t file_bytes, std::size_t byte_budget);

} // namespace headscope
