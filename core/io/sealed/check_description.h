#pragma once

#include "core/base/result.h"
#include "core/io/sealed/file_description.h"

#include <cstddef>

namespace headscope {

/// Whether everything that is said of a dataset can be true of a file of `file_bytes` bytes: sizes
/// that are no larger than any memory, and numbers that lie inside the file and are as many as the
/// shape says. After this nothing can be read past an end or unpacked beyond what the shape says.
/// Error messages are reasons.
Result<void> checkDataset(const DatasetDescription& dataset, std::size_t file_bytes);

/// Bytes of the file that hold the numbers of a dataset; of one that passed checkDataset().
std::size_t storedBytes(const DatasetDescription& dataset);

/// The same for all members of an archive of `file_bytes` bytes.
Result<void> checkArchive(const ZipDescription& archive, std::size_t file_bytes);

} // namespace headscope
