#pragma once

#include "core/model/model_spec.h"

#include <cstddef>
#include <string>

namespace headscope {

// Keys that Headscope adds to the config of a file from which it cut heads.

/// {"0": [0, 2, 5], "1": []}: which heads each layer still has, ascending.
/// The tensors are as narrow as that; fused queries, keys and values stand in this order whatever
/// the family does.
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
