#pragma once

#include "core/base/result.h"
#include "core/io/gguf_writer.h"
#include "core/io/tensor_source.h"
#include "core/model/model.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace headscope {

/// A model as a GGUF file holds it.
struct GgufTwin {
    std::vector<GgufEntry> metadata;       ///< of the network; the tokenizer is not in it
    std::unique_ptr<TensorSource> tensors; ///< under GGUF's names and in its forms
    std::string caution; ///< where llama.cpp may compute otherwise, a sentence; empty where nowhere
};

/// `model` as llama.cpp's conversion would write it. `config` describes it and `like` is the file
/// it was loaded from, as for modelSource(). With layers that lost heads, Llama's network becomes
/// llama.cpp's "deci", in which a layer without heads has one of zeros. Fails for families that
/// GGUF or Headscope cannot write so.
Result<GgufTwin> ggufTwin(const std::shared_ptr<const Model>& model, const std::string& config,
                          std::shared_ptr<const TensorSource> like);

/// Fails when the GGUF at `path` describes another network than `config` does, which ggufTwin() was
/// given with a model of this spec and `like`: GGUF has no keys for some of what a config can say.
Result<void> checkGgufTwin(const std::filesystem::path& path, const ModelSpec& spec,
                           const std::string& config, const TensorSource& like);

} // namespace headscope
