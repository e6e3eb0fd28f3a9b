#pragma once

#include "core/base/result.h"
#include "core/io/tensor_source.h"

#include <memory>

namespace headscope {

/// Whether a name goes through a module that PyTorch put around a part of the network, such as one
/// block: torch.compile ("h.0._orig_mod.ln_1.weight"), activation checkpoints, FSDP, DDP. One
/// around the whole network is before all names, and TensorNames finds it. False where two tensors
/// would have one name without such modules.
bool hasWrappedModules(const TensorSource& file);

/// The same tensors under the names that they have without such modules.
Result<std::unique_ptr<TensorSource>> withoutWrappedModules(std::unique_ptr<TensorSource> file);

} // namespace headscope
