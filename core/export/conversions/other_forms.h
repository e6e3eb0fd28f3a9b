#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/export/convert_model.h"
#include "core/io/gguf_writer.h"
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

/// Opens whatever can be opened and writes it as a GGUF file: matrices in `format` (float16 where
/// rows are no whole blocks of it), vectors and positions in float32, the tokenizer as a whole and,
/// where GGUF has its kind, as lists. Fails for families that are only read from GGUF, and when the
/// written file would describe another network.
Result<ConvertedModel> convertToGguf(const std::filesystem::path& input,
                                     const std::filesystem::path& output, GgufFormat format,
                                     const LoadOptions& options = {}, const Progress& progress = {},
                                     const std::stop_token& stop = {});

} // namespace headscope
