#pragma once

#include "core/model/architectures/architecture.h"

#include <string_view>
#include <vector>

namespace headscope {

/// Hugging Face's name of an activation ("gelu_new"); unknown ones fail by name.
Activation readActivation(ConfigReader& config, ConfigReader::Keys keys, std::string_view fallback);

/// d_model / n_heads; fails when that is no whole number.
std::size_t headSize(ConfigReader& config, const ModelSpec& spec);

/// 1/sqrt(d_head) for every layer (Vaswani et al. 2017).
std::vector<double> usualAttentionScale(const ModelSpec& spec);

/// bos_token_id and mask_token_id.
void readSpecialTokens(ConfigReader& config, ModelSpec& spec);

/// The rotary embedding of the newest to the oldest spelling: rope_parameters, rope_scaling with
/// rope_theta, rope_theta alone.
RotarySpec readRotary(ConfigReader& config, const ModelSpec& spec);

void append(std::vector<TensorRule>& rules, std::initializer_list<TensorRule> more);

} // namespace headscope
