#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/export/formats/model_file.h"
#include "core/io/streamed_arrays.h"
#include "core/io/tensor_source.h"
#include "core/model/model.h"

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

namespace headscope {

/// The text of a config.json changed to what `smaller`, which was cut from its model, is now, for
/// Headscope's own files (core/loading/model_texts.h). Fails for a text that is no JSON or is
/// nested deeper than any config is.
Result<std::string> cutConfig(const std::string& config, const Model& smaller);

/// A config.json by which transformers opens the smaller model.
struct HuggingFaceConfig {
    std::string text;
    /// What no config of the family can say, the beginning of a sentence: load_model.py opens the
    /// folder, and transformers alone refuses it ("per_layer_config"). Empty: it opens as it is.
    std::string loader_reason;
};

/// Fails for families whose network in transformers depends on the number of heads in other ways,
/// and as cutConfig() does.
Result<HuggingFaceConfig> huggingFaceConfig(const std::string& config, const Model& smaller);

/// resources/hugging_face/load_model.py: a Python module that opens a folder whose layers have
/// different numbers of heads with transformers.
std::string_view loadModelScript();

/// Writes a folder with config.json, model.safetensors and, where `texts` has them, tokenizer.json
/// and tokenizer_config.json; with load_model.py where the config needs it
/// (resources/hugging_face). All tensors are in one number format, because transformers gives a
/// network one. The folder is made whole or not at all. It is not made when something exists at
/// `folder`, nor when `inspect` fails, which is shown the finished folder first.
Result<void> writeHuggingFaceFolder(const std::filesystem::path& folder,
                                    const TensorSource& weights, FloatFormat format,
                                    const HuggingFaceConfig& config, const ModelFileTexts& texts,
                                    const Progress& progress = {}, const std::stop_token& stop = {},
                                    const InspectFile& inspect = {});

} // namespace headscope
