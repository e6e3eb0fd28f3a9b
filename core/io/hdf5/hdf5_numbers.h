#pragma once

#include "core/base/result.h"
#include "core/io/files/open_file.h"
#include "core/io/sealed/file_description.h"

#include <span>
#include <stop_token>

namespace headscope {

/// Reads all elements of a dataset, which passed checkDataset(), and converts them to the nearest
/// float32 where `target` is for those. It has exactly its elements. Stops soon after a stop
/// request. Error messages are reasons.
Result<void> readNumbers(const InputFile& file, const DatasetDescription& dataset,
                         const NumberTarget& target, const std::stop_token& stop);

} // namespace headscope
