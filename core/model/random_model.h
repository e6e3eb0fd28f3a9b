#pragma once

#include "core/model/model.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace headscope {

/// A network of this shape with small random weights (normal, standard deviation 0.02; gains of
/// norms 1) and no tokenizer: for measuring speed and memory without a file. Linear maps have
/// biases where the norms are LayerNorms, as in GPT-2. The same seed gives the same weights, which
/// are rounded where matrices shall be narrower than float32.
std::shared_ptr<const Model> randomModel(const ModelSpec& spec, std::uint64_t seed,
                                         FloatFormat format = FloatFormat::Float32);

/// Bytes of the weights that randomModel makes.
std::size_t randomModelBytes(const ModelSpec& spec, FloatFormat format = FloatFormat::Float32);

/// GPT-2 small (Radford et al. 2019), 124 million parameters with its own n_ctx.
ModelSpec gpt2SmallShape(std::size_t n_ctx = 1024);

/// Llama 2 7B (Touvron et al. 2023).
ModelSpec llama7bShape(std::size_t n_ctx = 4096);

/// TinyLlama 1.1B (Zhang et al. 2024): eight queries share each of four KV heads.
ModelSpec llama1bShape(std::size_t n_ctx = 2048);

} // namespace headscope
