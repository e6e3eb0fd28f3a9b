#pragma once

#include "core/base/result.h"
#include "core/io/files/open_file.h"
#include "core/io/hdf5_writer.h"
#include "core/io/streamed_arrays.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace headscope {

/// Where the bytes of an array belong in the file.
struct Extent {
    std::size_t array = 0;
    std::size_t offset = 0;
    std::size_t bytes = 0;
};

/// Fails when a file that HDF5 has written is not what it was told to write: the sealed reader must
/// find every array with its shape, its type and its numbers in their place, and every text. Where
/// that cannot be started, nothing is compared. Messages call the file `shown`.
Result<void> checkOutline(const InputFile& outline, std::span<const StreamedArray> arrays,
                          std::span<const Extent> extents,
                          std::span<const Hdf5Attribute> attributes,
                          const std::filesystem::path& shown);

} // namespace headscope
