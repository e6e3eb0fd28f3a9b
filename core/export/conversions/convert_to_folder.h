#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/export/convert_model.h"
#include "core/io/streamed_arrays.h"
#include "core/loading/load_model.h"

#include <filesystem>
#include <stop_token>

namespace headscope {

/// Opens whatever can be opened and writes it as a new folder for transformers, under the names and
/// in the layouts of Hugging Face (core/export/formats/hugging_face_folder.h). Fails for networks
/// that transformers does not have, and, leaving nothing, when the folder would not open.
Result<ConvertedModel> convertToFolder(const std::filesystem::path& input,
                                       const std::filesystem::path& folder, FloatFormat format,
                                       const LoadOptions& options = {},
                                       const Progress& progress = {},
                                       const std::stop_token& stop = {});

} // namespace headscope
