#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/export/formats/cut_config.h"
#include "core/export/formats/model_file.h"
#include "core/io/streamed_arrays.h"
#include "core/io/tensor_source.h"

#include <filesystem>
#include <stop_token>
#include <string>

namespace headscope {

/// Writes a folder with config.json, model.safetensors and, where `texts` has them, tokenizer.json
/// and tokenizer_config.json; with load_model.py where the config needs it
/// (resources/hugging_face). All tensors are in one number format, because transformers gives a
/// network one. The folder is made whole or not at all; not when something lies at
/// `folder`, nor when `inspect`, which is shown the finished folder before, fails.
Result<void> writeHuggingFaceFolder(const std::filesystem::path& folder,
                                    const TensorSource& weights, FloatFormat format,
                                    const HuggingFaceConfig& config, const ModelFileTexts& texts,
                                    const Progress& progress = {}, const std::stop_token& stop = {},
                                    const InspectFile& inspect = {});

} // namespace headscope
