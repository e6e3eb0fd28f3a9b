#pragma once

#include "core/loading/dialects/gguf/gguf_families.h"

#include <nlohmann/json.hpp>

#include <string_view>
#include <vector>

namespace headscope {

// What the families of GGUF share.

enum class RotatedPart {
    Whole, ///< of each head
    Stated ///< by the file; becomes partial_rotary_factor
};

/// Sizes, rotary positions and ties under the keys of Hugging Face's llama.
nlohmann::json llamaLikeConfig(GgufKeys& keys, std::string_view model_type,
                               RotatedPart rotated = RotatedPart::Whole);

/// rope_scaling of a config; null without scaling.
nlohmann::json rotaryScaling(GgufKeys& keys);

/// Part of each head that is rotated, such that its product with the head's width is exact.
double rotatedFraction(GgufKeys& keys);

/// 1e-5 and its like, under the two names of GGUF.
double rmsNormEps(GgufKeys& keys);
double layerNormEps(GgufKeys& keys);

/// The same of a network with experts in all layers, whose number transformers reads from
/// `experts_key`. Fails where they are chosen or weighted in another way than by a softmax.
nlohmann::json mixtureConfig(GgufKeys& keys, std::string_view model_type, const char* experts_key);

/// Of families in which the weights of the chosen experts always sum to 1.
void requireSumOfOne(GgufKeys& keys);

/// Granite's four factors.
void addGraniteScales(GgufKeys& keys, nlohmann::json& config);

/// Llama's tensors; `queries_and_keys` tells what was done to those two.
std::vector<GgufName> llamaGgufNames(GgufForm queries_and_keys);

/// Those of a layer's experts; the names of Hugging Face follow "model.layers.{}.".
std::vector<GgufName> expertGgufNames(const std::string& router, const std::string& experts);

/// Norms of queries and keys.
std::vector<GgufName> qkNormGgufNames();

/// The same names with others in place of those of the same name on either side, and those that
/// are new.
std::vector<GgufName> withNames(std::vector<GgufName> names, const std::vector<GgufName>& others);

} // namespace headscope
