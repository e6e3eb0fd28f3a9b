#pragma once

#include "core/io/tensor_source.h"
#include "core/loading/dialects/gguf/gguf_families.h"
#include "core/model/model.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// A tensor of the model and what is done to it.
struct TwinTensor {
    TensorInfo info; ///< as GGUF has it
    /// Name in the model, of several rows that of one; empty for numbers of the description.
    std::string torch;
    std::vector<float> values; ///< those
    GgufForm form = GgufForm::AsIs;
    bool second_half = false; ///< of a tensor that isHalf() says GGUF has in two
};

/// A tensor of the model as GGUF has it, perhaps in two; empty where `names` has no name for it.
std::vector<TwinTensor> twinsOf(const TensorInfo& tensor, std::span<const GgufName> names);

/// Those found for one tensor of the model more; rows that are one tensor in GGUF become one.
void addTwins(std::vector<TwinTensor> found, std::vector<TwinTensor>& twins);

/// Reads `tensors` out of `weights`, which are those of the model.
std::unique_ptr<TensorSource> twinSource(std::unique_ptr<TensorSource> weights,
                                         std::shared_ptr<const Model> model,
                                         std::vector<TwinTensor> tensors);

/// `file` under its own names and also under the names that transformers uses for all experts of a
/// layer in one tensor, so that a family that looks for these finds them.
std::shared_ptr<const TensorSource> withHeldExperts(std::shared_ptr<const TensorSource> file,
                                                    std::span<const GgufName> names,
                                                    std::size_t n_layers);

} // namespace headscope
