#pragma once

#include "core/base/result.h"
#include "core/io/tensor_source.h"
#include "core/loading/dialect.h"

#include <memory>

namespace headscope {

/// Whether the file carries the metadata of a GGUF.
bool hasGgufMetadata(const TensorSource& file);

/// Shows a GGUF file under the names, and with the config and the tokenizer, that Hugging Face
/// gives the model; what llama.cpp's conversion rearranged is put back. A tokenizer of an unknown
/// kind is left out with a note. Fails for families that are not described here, and for files that
/// ask their family for something that it does not have.
Result<Translation> translateGguf(std::unique_ptr<TensorSource> file);

} // namespace headscope
