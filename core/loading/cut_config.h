#pragma once

namespace headscope {

// Keys that Headscope adds to the config of a file from which it cut heads.

/// {"0": [0, 2, 5], "1": []}: which heads each layer still has, ascending.
/// The tensors are as narrow as that; fused queries, keys and values stand in this order whatever
/// the family does.
inline constexpr const char* kKeptHeadsKey = "kept_heads";

/// true: attention has an output bias b_O although the family has none, in a tensor named like W_O,
/// with "bias" in place of "weight" or "_bias" at the end.
inline constexpr const char* kOutputBiasKey = "attention_output_bias";

} // namespace headscope
