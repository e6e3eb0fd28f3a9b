#include "core/loading/architectures/mixture_like.h"

#include <algorithm>
#include <utility>

namespace headscope {

std::vector<TensorRule> expertTensors(const ExpertNames& names, bool all_in_one) {
    using enum WeightRole;
    using enum Layout;
    const std::string layer = "model.layers.{}.";
    std::vector<TensorRule> rules{{W_router, layer + names.router, Transposed}};
    if (all_in_one)
        append(rules, {{W_expert_gate, layer + names.gate_and_in, ExpertsFirstHalf},
                       {W_expert_in, layer + names.gate_and_in, ExpertsSecondHalf},
                       {W_expert_out, layer + names.all_out, ExpertsTransposed}});
    else
        append(rules, {{W_expert_gate, layer + names.gate, Transposed},
                       {W_expert_in, layer + names.in, Transposed},
                       {W_expert_out, layer + names.out, Transposed}});
    return rules;
}

bool holdsExpertsInOne(const TensorSource& file) {
    return hasTensorEnding(file, ".mlp.experts.gate_up_proj");
}

std::vector<TensorRule> expertTensors(const TensorSource& file) {
    return expertTensors(ExpertNames(), holdsExpertsInOne(file));
}

std::vector<TensorRule> mixtralExpertTensors(const TensorSource& file) {
    if (holdsExpertsInOne(file))
        return expertTensors(file);
    return expertTensors({.router = "block_sparse_moe.gate.weight",
                          .gate = "block_sparse_moe.experts.{}.w1.weight",
                          .in = "block_sparse_moe.experts.{}.w3.weight",
                          .out = "block_sparse_moe.experts.{}.w2.weight"},
                         false);
}

std::vector<TensorRule> sharedExpertTensors(const std::string& name) {
    using enum WeightRole;
    using enum Layout;
    const std::string mlp = "model.layers.{}." + name + ".";
    return {{W_shared_gate, mlp + "gate_proj.weight", Transposed},
            {W_shared_in, mlp + "up_proj.weight", Transposed},
            {W_shared_out, mlp + "down_proj.weight", Transposed}};
}

void requireEnoughExperts(ConfigReader& config, const ExpertsSpec& experts) {
    if (experts.n_chosen > experts.n_experts)
        config.fail(ErrorCode::Mismatch, "chooses " + std::to_string(experts.n_chosen) + " of " +
                                             std::to_string(experts.n_experts) +
                                             " experts, expected no more than there are; correct "
                                             "the config.");
}

void readExperts(ConfigReader& config, ModelSpec& spec, std::size_t d_mlp,
                 const ExpertDefaults& defaults) {
    ExpertsSpec experts;
    experts.n_experts =
        config.sizeOr({"num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"},
                      defaults.n_experts);
    experts.n_chosen = config.sizeOr({"num_experts_per_tok", "moe_k"}, defaults.n_chosen);
    experts.d_mlp = d_mlp;
    requireEnoughExperts(config, experts);
    config.passOver({"router_aux_loss_coef", "router_jitter_noise", "output_router_logits"});
    spec.experts = experts;
    spec.d_mlp = 0;
}

void readDenseLayers(ConfigReader& config, ModelSpec& spec, std::size_t d_mlp, std::size_t usual) {
    const bool are_named = config.has("mlp_only_layers") && !config.isNull("mlp_only_layers");
    const std::size_t step = config.sizeOr({"decoder_sparse_step"}, 1);
    std::vector<double> named = config.numbers("mlp_only_layers");
    std::ranges::sort(named);
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        if (std::ranges::binary_search(named, static_cast<double>(layer)) ||
            (!are_named && layer < usual) || (layer + 1) % step != 0)
            spec.experts->dense_layers.push_back(layer);
    if (!spec.experts->dense_layers.empty())
        spec.d_mlp = d_mlp;
}

void haveMlpsFirst(ModelSpec& spec, std::size_t d_mlp, std::size_t n_dense) {
    for (std::size_t layer = 0; layer < std::min(n_dense, spec.n_layers); ++layer)
        spec.experts->dense_layers.push_back(layer);
    if (n_dense != 0)
        spec.d_mlp = d_mlp;
}

namespace {

/// Whether groups are whole, have as many experts as count for them, and are enough to choose from.
bool areGroups(const ExpertsSpec& experts) {
    const std::size_t size = experts.n_experts / experts.n_groups;
    return experts.n_experts % experts.n_groups == 0 && size >= (experts.groups_by_best ? 1 : 2) &&
           experts.n_groups_chosen <= experts.n_groups &&
           experts.n_chosen <= experts.n_groups_chosen * size;
}

} // namespace

void readSigmoidRouter(ConfigReader& config, ModelSpec& spec, const RouterDefaults& defaults) {
    ExpertsSpec& experts = *spec.experts;
    experts.scores = RouterScores::Sigmoid;
    experts.choice_bias = ChoiceBias::Scores;
    experts.weights_sum_to_one = config.flagOr({"norm_topk_prob"}, defaults.sum_to_one);
    experts.weight_scale = config.positiveOr({"routed_scaling_factor"}, defaults.scale);
    if (!defaults.has_groups)
        return config.passOver({"n_group", "topk_group"});
    readExpertGroups(config, experts, defaults);
}

void readExpertGroups(ConfigReader& config, ExpertsSpec& experts, const RouterDefaults& defaults) {
    experts.n_groups = config.sizeOr({"n_group"}, defaults.n_groups);
    experts.n_groups_chosen = config.sizeOr({"topk_group"}, defaults.n_groups_chosen);
    if (experts.n_groups > 1 && !areGroups(experts))
        config.fail(ErrorCode::Mismatch,
                    "chooses " + std::to_string(experts.n_chosen) + " of " +
                        std::to_string(experts.n_experts) + " experts in " +
                        std::to_string(experts.n_groups_chosen) + " of " +
                        std::to_string(experts.n_groups) +
                        " groups, expected groups of as many experts each, two at least, that are "
                        "enough to choose from; correct the config.");
}

ModelSpec readMixtureSpec(ConfigReader& config, const LlamaDefaults& defaults,
                          const RotaryDefaults& rotary) {
    ModelSpec spec = readLlamaSpec(config, defaults);
    spec.rotary = readRotary(config, spec, rotary);
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    return spec;
}

Architecture mixtureOf(ModelSpec spec, const std::vector<TensorRule>& experts) {
    Architecture mixture;
    mixture.base_prefix = "model.";
    mixture.tensors = llamaEmbeddings(spec);
    append(mixture.tensors, llamaInputNorms());
    append(mixture.tensors, llamaProjections());
    append(mixture.tensors, experts);
    if (spec.d_mlp != 0)
        append(mixture.tensors, llamaGatedMlp());
    mixture.extras = llamaBuffers();
    mixture.spec = std::move(spec);
    return mixture;
}

void readMlpTypes(ConfigReader& config, ModelSpec& spec, std::size_t d_mlp, std::size_t usual) {
    const std::vector<std::string> types = config.texts("mlp_layer_types");
    if (types.empty())
        return haveMlpsFirst(spec, d_mlp, usual);
    for (std::size_t layer = 0; layer < types.size(); ++layer)
        if (types[layer] == "dense")
            spec.experts->dense_layers.push_back(layer);
        else if (types[layer] != "sparse")
            config.fail(ErrorCode::Unsupported,
                        "has an MLP of the type '" + types[layer] + "', expected dense or sparse.");
    if (!types.empty() && types.size() != spec.n_layers)
        config.fail(ErrorCode::Mismatch, "has " + std::to_string(types.size()) +
                                             " mlp_layer_types, expected one for each of the " +
                                             std::to_string(spec.n_layers) +
                                             " layers; correct the config.");
    if (!spec.experts->dense_layers.empty())
        spec.d_mlp = d_mlp;
}

void passOverGuesses(ConfigReader& config, const TensorSource& file, Architecture& architecture) {
    const std::string reason = "a layer that guesses further tokens, which is not run";
    config.passOver(
        {"num_nextn_predict_layers", "num_mtp_layers", "num_mtp_modules", "use_mtp", "mtp_*"});
    architecture.extras.push_back({"*mtp*", reason});
    std::string layer = "layers." + std::to_string(architecture.spec.n_layers) + ".";
    if (hasTensorEnding(file, layer + "eh_proj.weight"))
        architecture.extras.push_back({"*" + layer + "*", reason});
}

} // namespace headscope
