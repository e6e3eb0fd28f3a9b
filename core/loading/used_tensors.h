#pragma once

#include "core/base/result.h"
#include "core/io/tensor_source.h"

#include <memory>

namespace headscope {

/// A translated file as a file of its new names would be: only the tensors that the network uses
/// (no state of an optimizer), and each with the axes that its name promises: a Keras kernel
/// [d_model, n_heads, d_head] is a matrix. A file that nobody translated stays as it is.
/// Fails as loading the model does, also where `transpose_heads` is no choice for this file.
Result<std::unique_ptr<TensorSource>> usedTensors(std::unique_ptr<TensorSource> file,
                                                  bool transpose_heads = false);

} // namespace headscope
