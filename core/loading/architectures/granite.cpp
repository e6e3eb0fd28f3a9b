// The lineage of Granite: Granite, Granite 4 without recurrent layers, Granite with windows and
// sinks, HyperCLOVA X.

#include "core/loading/architectures/llama_like.h"

#include <algorithm>
#include <initializer_list>
#include <string>

namespace headscope {

Architecture describeGraniteMoeShared(ConfigReader&, const TensorSource&);

// Granite (Granite Team 2024): Llama with four factors. What its branches add is scaled by that of
// W_O and W_out, and its logits by that of the final norm's gain, which comes to the same.

namespace {

/// All but what scales branches and logits.
Architecture describeGraniteLike(ConfigReader& config) {
    Architecture granite;
    ModelSpec& spec = granite.spec;
    spec = readLlamaSpec(config);
    spec.rotary = readRotary(config, spec);
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    spec.embedding_scale = config.positiveOr({"embedding_multiplier"}, 1.0);
    granite.base_prefix = "model.";
    granite.tensors = llamaTensors(spec);
    granite.extras = llamaBuffers();
    addAttentionBiases(config, granite);
    addMlpBiases(config, granite);
    return granite;
}

void scaleBranches(ConfigReader& config, Architecture& granite,
                   std::initializer_list<WeightRole> last) {
    const double residual = config.positiveOr({"residual_multiplier"}, 1.0);
    for (const WeightRole role : last)
        scaleRole(granite.tensors, role, residual);
}

} // namespace

Architecture describeGranite(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    Architecture granite = describeGraniteLike(config);
    ModelSpec& spec = granite.spec;
    spec.attention_scale.assign(spec.n_layers, config.positiveOr({"attention_multiplier"}, 1.0));
    scaleBranches(config, granite, {W_O, b_O, W_out, b_out});
    scaleRole(granite.tensors, LnFinalWeight, 1.0 / config.positiveOr({"logits_scaling"}, 1.0));
    return granite;
}

// Granite 4 (2025) without recurrent layers and experts: the MLP is what its kin call shared.
Architecture describeGraniteHybrid(ConfigReader& config, const TensorSource& file) {
    using enum WeightRole;
    using enum Layout;
    const std::vector<std::string> types = config.texts("layer_types");
    const bool attends = std::ranges::all_of(types, [](const std::string& type) {
        return type == "attention" || type == "full_attention";
    });
    if (types.empty() || !attends)
        config.fail(ErrorCode::Unsupported, "has recurrent layers, which have no attention, "
                                            "expected layer_types that are all attention; open a "
                                            "model without them.");
    if (const std::size_t experts = config.sizeOr({"num_local_experts"}, 8, 0); experts != 0)
        config.fail(ErrorCode::Unsupported, "has " + std::to_string(experts) +
                                                " experts beside an MLP, expected none; open a "
                                                "model without them.");
    Architecture granite = describeGranite(config, file);
    ModelSpec& spec = granite.spec;
    spec.d_mlp = config.sizeOr({"shared_intermediate_size"}, 1024);
    if (config.textOr({"position_embedding_type"}, "") != "rope")
        spec.positions = PositionKind::None;
    std::erase_if(granite.tensors,
                  [](const TensorRule& rule) { return rule.role == W_gate || rule.role == W_in; });
    const std::string mlp = "model.layers.{}.shared_mlp.";
    for (TensorRule& rule : granite.tensors)
        if (rule.role == W_out)
            rule.name = mlp + "output_linear.weight";
    append(granite.tensors, {{W_gate, mlp + "input_linear.weight", FirstHalf},
                             {W_in, mlp + "input_linear.weight", SecondHalf}});
    config.passOver({"mamba_*", "time_step_limit", "num_experts_per_tok", "output_router_logits",
                     "router_aux_loss_coef", "intermediate_size"});
    return granite;
}

// Granite with windows (2026), with one MLP or with experts: windows in three layers of four, a
// learned sink in each head, and a rotary base for each layer, 0 for none.

namespace {

/// The base of the layers with windows or of those without, which must have one in common.
double baseOf(ConfigReader& config, const ModelSpec& spec, const std::vector<double>& bases,
              bool windowed) {
    double base = 0.0;
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        if ((spec.window(layer) != 0) != windowed || bases[layer] == 0.0)
            continue;
        if (base != 0.0 && bases[layer] != base)
            config.fail(ErrorCode::Unsupported,
                        "has several numbers in 'layer_rope_theta' for layers of one type, "
                        "expected one for layers with windows and one for those without; open a "
                        "model without them.");
        base = bases[layer];
    }
    return base;
}

void readBases(ConfigReader& config, ModelSpec& spec) {
    const std::vector<double> bases = config.numbers("layer_rope_theta");
    if (bases.empty())
        return;
    if (bases.size() != spec.n_layers)
        return config.fail(ErrorCode::Mismatch, "has " + std::to_string(bases.size()) +
                                                    " numbers in 'layer_rope_theta', expected one "
                                                    "for each of the " +
                                                    std::to_string(spec.n_layers) +
                                                    " layers; correct the config.");
    spec.window_rotary = spec.rotary;
    for (const bool windowed : {false, true})
        if (const double base = baseOf(config, spec, bases, windowed); base != 0.0)
            (windowed ? *spec.window_rotary : spec.rotary).base = base;
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        if (bases[layer] == 0.0)
            spec.unrotated_layers.push_back(layer);
}

void addWindowsAndSinks(ConfigReader& config, Architecture& granite) {
    readWindows(config, granite.spec, config.sizeOr({"sliding_window"}, 128),
                [](std::size_t layer) { return layer % 4 != 0; });
    readBases(config, granite.spec);
    granite.spec.learned_sinks = true;
    append(granite.tensors, {{WeightRole::Sinks, "model.layers.{}.self_attn.sinks"}});
}

} // namespace

Architecture describeGraniteSwa(ConfigReader& config, const TensorSource& file) {
    config.assume(R"({"num_key_value_heads": 4, "rms_norm_eps": 1e-5,
                      "max_position_embeddings": 8192, "tie_word_embeddings": true})");
    Architecture granite = describeGranite(config, file);
    addWindowsAndSinks(config, granite);
    return granite;
}

Architecture describeGraniteMoeSwa(ConfigReader& config, const TensorSource& file) {
    Architecture granite = describeGraniteMoeShared(config, file);
    addWindowsAndSinks(config, granite);
    return granite;
}

// HyperCLOVA X (NAVER Cloud 2025): Granite whose logits are multiplied, not divided, and which
// normalises what branches add, too.
Architecture describeHyperclovax(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    Architecture clova = describeGraniteLike(config);
    ModelSpec& spec = clova.spec;
    if (config.has("attention_multiplier"))
        spec.attention_scale.assign(spec.n_layers,
                                    config.positiveOr({"attention_multiplier"}, 1.0));
    if (config.flagOr({"use_post_norm"}, true)) {
        spec.norm_placement = NormPlacement::Sandwich;
        append(clova.tensors, {{Ln1PostWeight, "model.layers.{}.post_norm1.weight"},
                               {Ln2PostWeight, "model.layers.{}.post_norm2.weight"}});
        scaleBranches(config, clova, {Ln1PostWeight, Ln2PostWeight});
    } else {
        scaleBranches(config, clova, {W_O, b_O, W_out, b_out});
    }
    scaleRole(clova.tensors, LnFinalWeight, config.positiveOr({"logits_scaling"}, 1.0));
    return clova;
}

} // namespace headscope
