#pragma once

#include "core/loading/architectures/common.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace headscope {

/// What the families that descend from Llama share; each then changes what is its own.

/// What a config means that does not say it; 0: it must say it, or it follows from the others.
struct LlamaDefaults {
    std::string_view mlp_key = "intermediate_size";
    std::size_t d_mlp = 0;
    std::size_t n_heads = 0;
    std::size_t n_kv_heads = 0;
    std::size_t d_head = 0;
    std::size_t d_vocab = 0;
    std::size_t n_ctx = 2048;
    double eps = 1e-6;
    bool tied = false;
};

/// Sizes under Llama's keys, RMSNorm, rotary positions, gated MLP, causal.
ModelSpec readLlamaSpec(ConfigReader& config, const LlamaDefaults& defaults = {});

/// Embedding, projections, norms before both branches, gated MLP, final norm and unembedding under
/// Llama's names, without biases; and the parts of it.
std::vector<TensorRule> llamaTensors(const ModelSpec& spec);
std::vector<TensorRule> llamaEmbeddings(const ModelSpec& spec);
std::vector<TensorRule> llamaInputNorms();
/// Norms of what both branches add, as OLMo 2 calls them.
std::vector<TensorRule> llamaOutputNorms();
std::vector<TensorRule> llamaProjections();
std::vector<TensorRule> llamaGatedMlp();

/// Biases of the LayerNorms in the place of Llama's RMSNorms.
std::vector<TensorRule> llamaNormBiases();
/// Biases of the q, k and v projections.
std::vector<TensorRule> llamaQkvBiases();
std::vector<TensorRule> llamaMlpBiases();
/// Gains over the queries and keys: `self_attn.q_norm.weight`.
std::vector<TensorRule> llamaQkNorms();
/// The same as Hunyuan calls them.
std::vector<TensorRule> hunyuanQkNorms();

/// Biases of q, k and v alone where `attention_bias` is true.
void addQkvBiases(ConfigReader& config, Architecture& architecture, bool usual);

/// Biases of q, k, v and o where `attention_bias` is true; refused where it is not. `usual` is what
/// a config means that does not say it.
void addAttentionBiases(ConfigReader& config, Architecture& architecture, bool usual = false);

/// Likewise those of the MLP, by `mlp_bias`.
void addMlpBiases(ConfigReader& config, Architecture& architecture);

/// Removes the rules of W_gate and b_gate, for a plain MLP.
void dropGate(std::vector<TensorRule>& rules);

/// Multiplies what fills a role while it is read.
void scaleRole(std::vector<TensorRule>& rules, WeightRole role, double factor);

/// The window of each layer: `window` in layers of the type "sliding_attention", and without
/// `layer_types` where `is_sliding(layer)`. A window of 0 is none.
void readWindows(ConfigReader& config, ModelSpec& spec, std::size_t window,
                 const std::function<bool(std::size_t)>& is_sliding);

/// The same window in every layer, whatever `layer_types` says, as transformers has it in families
/// that do not read those. A window of 0 is none.
void haveOneWindow(ConfigReader& config, ModelSpec& spec, std::size_t window);

/// Layers that see all turn nothing; those with windows do.
void turnWindowsOnly(ModelSpec& spec);

/// The rotary positions of layers with windows where those that see all have their own. Old configs
/// have parameters of the latter only.
RotarySpec readWindowRotary(ConfigReader& config, ModelSpec& spec, double base);

/// Norms that multiply by 1 + weight.
void storeGainsMinusOne(std::vector<TensorRule>& rules);

/// Constants that old files carry.
std::vector<ExtraRule> llamaBuffers();

} // namespace headscope
