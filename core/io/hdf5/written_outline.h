#pragma once

#include "core/base/result.h"
#include "core/io/files/open_file.h"
#include "core/io/sealed/hdf5_layout.h"

#include <filesystem>

namespace headscope {

/// Fails when a file that HDF5 has laid out is not what it was told to: another sealed reader must
/// find every array, all in one piece, with its shape, its type and its numbers in their place, and
/// every text. Messages call the file `shown`.
Result<void> checkOutline(const InputFile& outline, const Hdf5Plan& plan, const Hdf5Layout& layout,
                          const std::filesystem::path& shown);

} // namespace headscope
