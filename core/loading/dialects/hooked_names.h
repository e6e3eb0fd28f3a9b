#pragma once

#include "core/base/result.h"
#include "core/io/tensor_source.h"

#include <memory>

namespace headscope {

/// Whether the matrices of a network are called as TransformerLens calls them (W_Q, W_E, …), and
/// the modules around them are not: what its forerunners and toys made like it write
/// ("attn_blocks.0.W_Q", "embedding.W_E", "blocks.0.norm1.w"). False where two tensors would have
/// one name then.
bool hasForeignHookedNames(const TensorSource& file);

/// The same tensors under the names that TransformerLens has today.
Result<std::unique_ptr<TensorSource>> withHookedNames(std::unique_ptr<TensorSource> file);

} // namespace headscope
