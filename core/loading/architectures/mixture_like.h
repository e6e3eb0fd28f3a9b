#pragma once

#include "core/loading/architectures/llama_like.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// What mixtures of experts in the lineage of Llama share; each then changes what is its own.

/// How a file names what an MLP is replaced with, after "model.layers.{}.".
struct ExpertNames {
    std::string router = "mlp.gate.weight";
    std::string gate = "mlp.experts.{}.gate_proj.weight"; ///< of one expert, "{}" is its number
    std::string in = "mlp.experts.{}.up_proj.weight";
    std::string out = "mlp.experts.{}.down_proj.weight";
    std::string gate_and_in = "mlp.experts.gate_up_proj"; ///< of all experts in one tensor
    std::string all_out = "mlp.experts.down_proj";
};

/// Expert by expert, as published files have them, or all in one tensor.
std::vector<TensorRule> expertTensors(const ExpertNames& names, bool all_in_one);
/// As transformers 5 holds experts, and older ones held those of all families but Mixtral.
std::vector<TensorRule> expertTensors(const TensorSource& file);
/// Likewise those of Mixtral and its kin.
std::vector<TensorRule> mixtralExpertTensors(const TensorSource& file);
/// Whether the file has the experts of a layer in one tensor, as transformers 5 holds them.
bool holdsExpertsInOne(const TensorSource& file);

/// The MLP that every position goes through, under a name like "mlp.shared_experts".
std::vector<TensorRule> sharedExpertTensors(const std::string& name);

/// What a config means that does not say it.
struct ExpertDefaults {
    std::size_t n_experts = 0;
    std::size_t n_chosen = 0;
};

/// Experts in all layers. `spec` has the rest of the network, and d_mlp is of one expert.
void readExperts(ConfigReader& config, ModelSpec& spec, std::size_t d_mlp,
                 const ExpertDefaults& defaults);

/// Fails where more are chosen than there are.
void requireEnoughExperts(ConfigReader& config, const ExpertsSpec& experts);

/// Layers that have an MLP: those named by mlp_only_layers (where it is missing, the first
/// `usual`), and of each decoder_sparse_step layers all but the last. The MLPs are `d_mlp` wide.
void readDenseLayers(ConfigReader& config, ModelSpec& spec, std::size_t d_mlp,
                     std::size_t usual = 0);

/// Layers that have an MLP by mlp_layer_types, which are `d_mlp` wide; without these the first
/// `usual` layers.
void readMlpTypes(ConfigReader& config, ModelSpec& spec, std::size_t d_mlp, std::size_t usual = 0);

/// The first layers have an MLP, `d_mlp` wide.
void haveMlpsFirst(ModelSpec& spec, std::size_t d_mlp, std::size_t n_dense);

/// What a config means that does not say it.
struct RouterDefaults {
    bool sum_to_one = true;
    double scale = 1.0;
    std::size_t n_groups = 1;
    std::size_t n_groups_chosen = 1;
    bool has_groups = true; ///< else the router reads none, whatever the config says of them
};

/// `n_group` and `topk_group`, which must be whole groups.
void readExpertGroups(ConfigReader& config, ExpertsSpec& experts,
                      const RouterDefaults& defaults = {});

/// The router of DeepSeek-V3 (2024): sigmoids, a bias for the choice, groups of experts
/// (`n_group`, `topk_group`), weights divided by their sum (`norm_topk_prob`) and scaled
/// (`routed_scaling_factor`).
void readSigmoidRouter(ConfigReader& config, ModelSpec& spec, const RouterDefaults& defaults = {});

/// Sizes, rotary positions and activation under Llama's keys.
ModelSpec readMixtureSpec(ConfigReader& config, const LlamaDefaults& defaults = {},
                          const RotaryDefaults& rotary = {});

/// Llama's network with experts for the MLP; in some layers the MLP stays.
Architecture mixtureOf(ModelSpec spec, const std::vector<TensorRule>& experts);

/// Leaves out the layers after the last one, which guess further tokens, where the file has them.
void passOverGuesses(ConfigReader& config, const TensorSource& file, Architecture& architecture);

} // namespace headscope
