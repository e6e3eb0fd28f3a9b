#pragma once

#include "core/base/result.h"
#include "core/io/tensor_source.h"

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// A weight file as the model families know it.
struct Translation {
    std::unique_ptr<TensorSource> file;
    std::vector<std::string> notes; ///< what was recognised; empty for a file of PyTorch names
};

/// Shows a weight file, whoever wrote it, under the names and with the config that Hugging Face
/// gives its PyTorch twin. The writer is told by what only it writes:
///   tensors "…/vars/0"       Keras 3 and KerasHub (.weights.h5, .keras)
///   text "model_config"      Keras 2 and 3 (model.save to .h5)
///   text "GGUF metadata"     llama.cpp (.gguf)
///   tensors "…/kernel:0"     Hugging Face TensorFlow (tf_model.h5)
///   anything else            passes through untouched
/// Fails when the file is one of those and nothing that can be translated.
Result<Translation> translate(std::unique_ptr<TensorSource> file);

/// The same of the file, or folder, at a path; fails as openTensorSource() does, too.
Result<Translation> openTranslated(const std::filesystem::path& path,
                                   const std::stop_token& stop = {});

} // namespace headscope
