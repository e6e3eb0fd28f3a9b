#pragma once

#include "core/loading/architectures/architecture.h"

#include <string_view>
#include <vector>

namespace headscope {

/// Hugging Face's name of an activation ("gelu_new"); unknown ones fail by name.
Activation readActivation(ConfigReader& config, ConfigReader::Keys keys, std::string_view fallback);

/// d_model / n_heads; fails when that is no whole number.
std::size_t headSize(ConfigReader& config, const ModelSpec& spec);

/// 1/sqrt(d_head) for every layer (Vaswani et al. 2017).
std::vector<double> usualAttentionScale(const ModelSpec& spec);

/// 2^(−8/n · (head + 1)) for a power of two n of heads; further heads take every other slope of 2n
/// (Press et al. 2022).
std::vector<double> alibiSlopes(std::size_t n_heads);

/// The limit of queries, keys and values under clip_qkv; 0: none.
double readClip(ConfigReader& config);

/// bos_token_id and mask_token_id.
void readSpecialTokens(ConfigReader& config, ModelSpec& spec);

/// What a config means that does not say it.
struct RotaryDefaults {
    double base = 10000.0;
    double fraction = 1.0;  ///< of each head that is rotated
    std::size_t d_part = 0; ///< leading dimensions of a head that this is a fraction of; 0: all
    bool reads_fraction = false;      ///< whether the family takes another one from the config
    std::string_view layer_type = {}; ///< of the parameters, where each layer type has its own
    bool reads_old_scaling = true;    ///< of rope_scaling, where there is no rope_parameters
    bool reads_alpha = false; ///< whether dynamic scaling with `alpha` raises the base by it
};

/// The rotary embedding of the newest to the oldest spelling: rope_parameters, rope_scaling with
/// rope_theta or rotary_emb_base, those alone. Scaling that needs no trained length raises n_ctx.
RotarySpec readRotary(ConfigReader& config, ModelSpec& spec, const RotaryDefaults& defaults = {});

/// YaRN's magnitude for a stretch of `factor`: 0.1 · mscale · ln(factor) + 1 (Peng et al. 2023).
double yarnMagnitude(double factor, double mscale);

/// Whether the file has a tensor whose name ends like this, inside of a wrapper or not.
bool hasTensorEnding(const TensorSource& file, std::string_view ending);

/// The causal mask among the tensors of old files.
std::vector<ExtraRule> causalMaskBuffers();

void append(std::vector<TensorRule>& rules, const std::vector<TensorRule>& more);

} // namespace headscope
