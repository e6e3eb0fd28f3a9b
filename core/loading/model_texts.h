#pragma once

#include "core/base/result.h"
#include "core/io/tensor_source.h"
#include "core/model/model_spec.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headscope {

inline constexpr std::size_t kLargestConfig = std::size_t{4} << 20;
inline constexpr std::size_t kLargestTokenizer = std::size_t{128} << 20;

// Texts of translated files that are there in place of "tokenizer".

/// A tokenizer that gives way to any other.
inline constexpr const char* kGuessedTokenizer = "guessed tokenizer";
/// Why the tokenizer inside cannot be used, as a sentence.
inline constexpr const char* kUnusableTokenizer = "unusable tokenizer";

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

// Keys that Headscope adds to the config of a file from which it cut heads.

/// {"0": [0, 2, 5], "1": []}: which heads each layer still has, ascending. The tensors are as
/// narrow as that; fused queries, keys and values have this order whatever the family does.
inline constexpr const char* kKeptHeadsKey = "kept_heads";
std::string keptHeadsText(const ModelSpec& spec);

/// How many query heads and key-value heads layers had before, where the family's own keys count
/// those that are left, equally many in each layer: a config that others can read.
inline constexpr const char* kWholeHeadsKey = "heads_before_cut";
inline constexpr const char* kWholeKvHeadsKey = "key_value_heads_before_cut";

/// true: attention has an output bias b_O although the family has none, in a tensor named like W_O,
/// with "bias" in place of "weight" or "_bias" at the end.
inline constexpr const char* kOutputBiasKey = "attention_output_bias";

/// Whether each key-value head that a layer kept is read by the same number of the query heads that
/// it kept; true without any.
bool hasEvenGroups(const ModelSpec& spec, std::size_t layer);

} // namespace headscope
