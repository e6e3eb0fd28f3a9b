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
///   tensors "….module.…"     PyTorch, with modules around parts of the network
///   tensors "….W_Q"          TransformerLens's forerunners, with other modules around them
///   anything else            passes through untouched
/// Fails when the file is one of those and nothing that can be translated.
Result<Translation> translate(std::unique_ptr<TensorSource> file);

/// The same of the file, or folder, at a path; fails as openTensorSource() does, too.
Result<Translation> openTranslated(const std::filesystem::path& path,
                                   const std::stop_token& stop = {});

/// A translated file as a file of its new names would be: only the tensors that the network uses
/// (no state of an optimizer), and each with the axes that its name promises: a Keras kernel
/// [d_model, n_heads, d_head] is a matrix. A file that nobody translated stays as it is.
/// Fails as loading the model does, also where `transpose_heads` is no choice for this file.
Result<std::unique_ptr<TensorSource>> usedTensors(std::unique_ptr<TensorSource> file,
                                                  bool transpose_heads = false);

} // namespace headscope
