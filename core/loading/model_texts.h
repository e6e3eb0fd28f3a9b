#pragma once

#include "core/base/result.h"
#include "core/io/tensor_source.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headscope {

inline constexpr std::size_t kLargestConfig = std::size_t{4} << 20;
inline constexpr std::size_t kLargestTokenizer = std::size_t{128} << 20;

/// A text that came with the weights, and where it was found.
struct ModelText {
    std::string content;
    /// "attribute 'config' of gpt2.h5", "config.json beside gpt2.h5", "the metadata of gpt2.gguf"
    std::string source;
};

/// The attribute `key` of the weight file, else `key`.json beside it, else nothing. Fails on texts
/// above `limit` bytes and on a file that is there and cannot be read.
Result<std::optional<ModelText>> findModelText(const TensorSource& file, std::string_view key,
                                               std::size_t limit);

/// The text named config, or cfg, as TransformerLens calls it; likewise.
Result<std::optional<ModelText>> findConfig(const TensorSource& file);

} // namespace headscope
