// TransformerBridge of TransformerLens 4: every network has the same names of tensors, and a cfg
// that says most of what its family's config says.

#include "core/loading/architectures/transformer_bridge.h"

#include "core/base/text.h"
#include "core/loading/architectures/common.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace headscope {

namespace {

constexpr std::string_view kNativeArchitecture = "TransformerLensNative";

const TensorInfo* tensorEnding(const TensorSource& file, std::string_view ending) {
    const auto found = std::ranges::find_if(file.tensors(), [ending](const TensorInfo& tensor) {
        return tensor.name.ends_with(ending);
    });
    return found == file.tensors().end() ? nullptr : &*found;
}

// Names.

struct BridgeName {
    WeightRole role;
    const char* name;
};
constexpr std::array kBridgeNames{
    BridgeName{WeightRole::W_E, "embed.weight"},
    BridgeName{WeightRole::W_pos, "pos_embed.weight"},
    BridgeName{WeightRole::W_token_type, "token_type_embed.weight"},
    BridgeName{WeightRole::LnEmbedWeight, "embed_ln.weight"},
    BridgeName{WeightRole::LnEmbedBias, "embed_ln.bias"},
    BridgeName{WeightRole::Ln1Weight, "blocks.{}.ln1.weight"},
    BridgeName{WeightRole::Ln1Bias, "blocks.{}.ln1.bias"},
    BridgeName{WeightRole::W_Q, "blocks.{}.attn.q.weight"},
    BridgeName{WeightRole::b_Q, "blocks.{}.attn.q.bias"},
    BridgeName{WeightRole::W_K, "blocks.{}.attn.k.weight"},
    BridgeName{WeightRole::b_K, "blocks.{}.attn.k.bias"},
    BridgeName{WeightRole::W_V, "blocks.{}.attn.v.weight"},
    BridgeName{WeightRole::b_V, "blocks.{}.attn.v.bias"},
    BridgeName{WeightRole::QNormWeight, "blocks.{}.attn.q_norm.weight"},
    BridgeName{WeightRole::KNormWeight, "blocks.{}.attn.k_norm.weight"},
    BridgeName{WeightRole::W_O, "blocks.{}.attn.o.weight"},
    BridgeName{WeightRole::b_O, "blocks.{}.attn.o.bias"},
    BridgeName{WeightRole::Ln1PostWeight, "blocks.{}.ln1_post.weight"},
    BridgeName{WeightRole::Ln2Weight, "blocks.{}.ln2.weight"},
    BridgeName{WeightRole::Ln2Bias, "blocks.{}.ln2.bias"},
    BridgeName{WeightRole::Ln2PostWeight, "blocks.{}.ln2_post.weight"},
    BridgeName{WeightRole::W_gate, "blocks.{}.mlp.gate.weight"},
    BridgeName{WeightRole::W_in, "blocks.{}.mlp.in.weight"},
    BridgeName{WeightRole::b_in, "blocks.{}.mlp.in.bias"},
    BridgeName{WeightRole::MlpNormWeight, "blocks.{}.mlp.ln.weight"},
    BridgeName{WeightRole::MlpNormBias, "blocks.{}.mlp.ln.bias"},
    BridgeName{WeightRole::W_out, "blocks.{}.mlp.out.weight"},
    BridgeName{WeightRole::b_out, "blocks.{}.mlp.out.bias"},
    BridgeName{WeightRole::LnFinalWeight, "ln_final.weight"},
    BridgeName{WeightRole::LnFinalBias, "ln_final.bias"},
    BridgeName{WeightRole::W_mlm, "mlm_head.weight"},
    BridgeName{WeightRole::b_mlm, "mlm_head.bias"},
    BridgeName{WeightRole::LnMlmWeight, "ln_final.weight"},
    BridgeName{WeightRole::LnMlmBias, "ln_final.bias"},
    BridgeName{WeightRole::W_U, "unembed.weight"},
    BridgeName{WeightRole::b_U, "unembed.bias"},
};

/// Empty: the bridge has none.
std::string bridgeName(WeightRole role, const ModelSpec& spec) {
    using enum WeightRole;
    const bool after_branches = spec.norm_placement == NormPlacement::Output;
    if (after_branches && role == Ln1Weight)
        return bridgeName(Ln1PostWeight, spec);
    if (after_branches && role == Ln2Weight)
        return bridgeName(Ln2PostWeight, spec);
    const auto found = std::ranges::find(kBridgeNames, role, &BridgeName::role);
    return found == kBridgeNames.end() ? std::string() : found->name;
}

/// The bridge takes fused matrices apart; all others are those of the family's own modules.
Layout bridgeLayout(const TensorRule& rule) {
    const bool is_half = rule.layout == Layout::FirstHalf || rule.layout == Layout::SecondHalf;
    return is_half ? Layout::Transposed : rule.layout;
}

/// The rules of queries, keys and values that are one matrix in the family.
std::vector<TensorRule> partsOfFused(WeightRole fused, const ModelSpec& spec) {
    using enum WeightRole;
    std::vector<TensorRule> rules;
    const bool bias = fused == b_QKV;
    for (const WeightRole part : bias ? std::array{b_Q, b_K, b_V} : std::array{W_Q, W_K, W_V})
        rules.push_back(
            {part, bridgeName(part, spec), bias ? Layout::AsStored : Layout::Transposed});
    return rules;
}

bool isSameRule(const TensorRule& a, const TensorRule& b) {
    return a.role == b.role && a.name == b.name;
}

// Configs.

/// What a family computes by that a cfg of TransformerLens leaves out.
enum class Needs { Nothing, Window, WindowAndScale };

struct Bridged {
    std::string_view architecture; ///< in the cfg
    std::string_view model_type;
    Needs needs = Needs::Nothing;
    /// A prompt of so many tokens sees no window, by transformers' default for the family and by
    /// what is published; 0: no window.
    std::size_t window = 0;
};
constexpr std::array kBridged{
    Bridged{"GPT2LMHeadModel", "gpt2"},
    Bridged{"GPTNeoForCausalLM", "gpt_neo"},
    Bridged{"GPTNeoXForCausalLM", "gpt_neox"},
    Bridged{"GPTJForCausalLM", "gptj"},
    Bridged{"OPTForCausalLM", "opt"},
    Bridged{"LlamaForCausalLM", "llama"},
    Bridged{"MistralForCausalLM", "mistral", Needs::Window, 4096},
    Bridged{"Qwen2ForCausalLM", "qwen2"},
    Bridged{"Qwen3ForCausalLM", "qwen3"},
    Bridged{"GemmaForCausalLM", "gemma"},
    Bridged{"Gemma2ForCausalLM", "gemma2", Needs::WindowAndScale, 4096},
    Bridged{"Gemma3ForCausalLM", "gemma3_text", Needs::WindowAndScale, 512},
    Bridged{"PhiForCausalLM", "phi"},
    Bridged{"Phi3ForCausalLM", "phi3", Needs::Window, 2047},
    Bridged{"Olmo2ForCausalLM", "olmo2"},
    Bridged{"BertForMaskedLM", "bert"},
};

constexpr std::string_view kSaveConfig =
    "; save the model's own config beside the weights, as resources/models.md shows.";

/// Keys of the cfg with those that families have for the same.
struct SameKey {
    const char* in_cfg;
    std::vector<const char*> in_config;
};
const std::vector<SameKey>& sameKeys() {
    static const std::vector<SameKey> kKeys{
        {"d_model", {"hidden_size", "n_embd"}},
        {"n_layers", {"num_hidden_layers", "n_layer", "num_layers"}},
        {"n_heads", {"num_attention_heads", "n_head", "num_heads"}},
        {"n_key_value_heads", {"num_key_value_heads"}},
        {"d_head", {"head_dim"}},
        {"n_ctx", {"max_position_embeddings", "n_positions"}},
        {"d_vocab", {"vocab_size"}},
        {"eps", {"layer_norm_epsilon", "layer_norm_eps", "rms_norm_eps"}},
        {"act_fn", {"activation_function", "hidden_act", "hidden_activation"}},
        {"attn_scores_soft_cap", {"attn_logit_softcapping"}},
        {"output_logits_soft_cap", {"final_logit_softcapping"}},
    };
    return kKeys;
}

/// Text or number of a key, as JSON; nothing where it is not set, which softcaps write as -1.
nlohmann::json setValue(ConfigReader& config, std::string_view key) {
    if (!config.has(key))
        return nullptr;
    if (key == "act_fn")
        return config.text({key});
    const auto number = config.number(key);
    if (!number || *number < 0.0)
        return nullptr;
    if (*number == std::floor(*number))
        return static_cast<std::uint64_t>(*number);
    return *number;
}

/// Widths of MLPs are not always right in a cfg, and the number of token types is not in it.
void addFromShapes(nlohmann::json& keys, const TensorSource& file) {
    if (const TensorInfo* const bias = tensorEnding(file, ".mlp.in.bias"))
        keys["n_inner"] = keys["ffn_dim"] = keys["intermediate_size"] = elementCount(bias->shape);
    else if (const TensorInfo* const gate = tensorEnding(file, ".mlp.gate.weight");
             gate != nullptr && gate->shape.size() == 2)
        keys["intermediate_size"] = gate->shape.front();
    if (const TensorInfo* const types = tensorEnding(file, "token_type_embed.weight");
        types != nullptr && !types->shape.empty())
        keys["type_vocab_size"] = types->shape.front();
}

/// GPT-Neo's, of which every published one alternates.
void addNeoLayers(nlohmann::json& keys, ConfigReader& config) {
    const std::size_t n_layers = config.size({"n_layers"});
    constexpr std::size_t most = 10'000;
    for (std::size_t layer = 0; layer < std::min(n_layers, most); ++layer)
        keys["attention_layers"].push_back(layer % 2 == 0 ? "global" : "local");
    config.note("The cfg does not say which layers see a window: every other one is taken to, from "
                "the second on, as in all published networks of this family.");
}

bool hasSlidingLayers(ConfigReader& config) {
    const auto kinds = config.texts("layer_types");
    return std::ranges::find(kinds, "sliding_attention") != kinds.end();
}

/// Where a window is not said, prompts are kept so short that it does not matter.
void addWindow(nlohmann::json& keys, ConfigReader& config, const Bridged& bridged) {
    if (config.has("sliding_window"))
        return;
    if (bridged.needs == Needs::Nothing && hasSlidingLayers(config))
        return config.fail(ErrorCode::NotFound, "has layers with a window and no 'sliding_window'" +
                                                    std::string(kSaveConfig));
    if (bridged.window == 0)
        return;
    keys["max_position_embeddings"] = std::min<std::size_t>(config.size({"n_ctx"}), bridged.window);
    config.note("The cfg does not say how far a window reaches, so prompts have at most " +
                std::to_string(bridged.window) +
                " tokens, which all published networks of this family see whole.");
}

/// Gemma divides scores by the root of a number that follows from nothing else.
void checkScale(ConfigReader& config, const Bridged& bridged) {
    constexpr std::size_t usual_width = 256; // of heads, for which it is the width
    if (bridged.needs == Needs::WindowAndScale && !config.has("query_pre_attn_scalar") &&
        config.size({"d_head"}) != usual_width)
        config.fail(ErrorCode::NotFound, "lacks 'query_pre_attn_scalar', which scores are divided "
                                         "by the root of" +
                                             std::string(kSaveConfig));
}

} // namespace

bool isTransformerBridge(const TensorSource& file) {
    return tensorEnding(file, ".attn.q.weight") != nullptr &&
           std::ranges::any_of(file.tensors(), [](const TensorInfo& tensor) {
               return tensor.name == "embed.weight" || tensor.name.ends_with(".embed.weight") ||
                      tensor.name == "unembed.weight";
           });
}

std::string bridgedFamily(ConfigReader& config, const TensorSource& file) {
    if (config.has("model_type"))
        return config.text({"model_type"});
    const std::string architecture = config.text({"architecture"});
    if (architecture == kNativeArchitecture)
        return "hooked_transformer";
    const auto bridged = std::ranges::find(kBridged, architecture, &Bridged::architecture);
    if (bridged == kBridged.end()) {
        config.fail(ErrorCode::Unsupported,
                    "is of TransformerLens and has 'architecture' = '" + architecture +
                        "', of which it does not say all that counts" + std::string(kSaveConfig));
        return {};
    }
    nlohmann::json keys;
    for (const SameKey& same : sameKeys())
        if (const nlohmann::json value = setValue(config, same.in_cfg); !value.is_null())
            for (const char* const key : same.in_config)
                keys[key] = value;
    addFromShapes(keys, file);
    if (bridged->model_type == "gpt_neo")
        addNeoLayers(keys, config);
    addWindow(keys, config, *bridged);
    checkScale(config, *bridged);
    config.assume(keys.dump());
    config.passOver({"*"});
    return std::string(bridged->model_type);
}

void nameAsInBridge(Architecture& architecture, const TensorSource& file) {
    using enum WeightRole;
    std::vector<TensorRule> rules;
    const auto add = [&](const TensorRule& rule) {
        if (std::ranges::none_of(rules,
                                 [&](const TensorRule& each) { return isSameRule(each, rule); }))
            rules.push_back(rule);
    };
    const ModelSpec& spec = architecture.spec;
    for (const TensorRule& rule : architecture.tensors) {
        if (rule.role == W_QKV || rule.role == b_QKV) {
            for (const TensorRule& part : partsOfFused(rule.role, spec))
                add(part);
            continue;
        }
        const std::string name = bridgeName(rule.role, spec);
        add({rule.role, name.empty() ? rule.name : name, bridgeLayout(rule), rule.factor});
    }
    if (spec.tied_unembedding)
        add({W_E, bridgeName(W_U, spec)});
    if (tensorEnding(file, bridgeName(b_U, spec)) != nullptr) // of zeros where the family has none
        add({b_U, bridgeName(b_U, spec)});
    if (spec.output == OutputHead::MaskedLm)
        add({b_U, "cls.predictions.bias"});
    architecture.tensors = std::move(rules);
    architecture.base_prefix.clear();
    for (const char* const glob : {"*.attn.c_attn.*", "*.attn.c_proj.*", "*.attn.qkv.*",
                                   "*.attn.query_key_value.*", "*.mlp.c_fc.*", "*.mlp.c_proj.*"})
        architecture.extras.push_back({glob, "the matrix before the bridge took it apart"});
}

void readNativeSpec(ConfigReader& config, ModelSpec& spec) {
    for (const char* const key :
         {"parallel_attn_mlp", "use_local_attn", "use_qk_norm", "post_embedding_ln",
          "scale_attn_by_inverse_layer_idx", "use_normalization_before_and_after"})
        config.refuse(key, "boot_native of TransformerLens does not compute it");
    const double root = std::sqrt(static_cast<double>(spec.d_head));
    const double asked = config.number("attn_scale").value_or(-1.0);
    const bool scaled = config.flagOr({"use_attn_scale"}, true) && asked > 0.0;
    spec.attention_scale.assign(spec.n_layers, 1.0 / (scaled ? asked : root));
    if (!config.has("act_fn"))
        spec.activation = spec.mlp == MlpKind::Gated ? Activation::Silu : Activation::GeluErf;
    if (spec.positions == PositionKind::Rotary) {
        const double base = spec.rotary.base;
        const std::size_t d_rotary = spec.rotary.d_rotary;
        if (config.has("rope_scaling"))
            spec.rotary = readRotary(config, spec, {.base = base});
        if (spec.rotary.scaling == RotaryScalingKind::Dynamic)
            config.fail(ErrorCode::Unsupported,
                        "asks for dynamic rotary scaling, which boot_native computes in a way of "
                        "its own and which is not supported.");
        spec.rotary.d_rotary = d_rotary;
        spec.rotary.pairs = RotaryPairs::Adjacent;
    }
}

std::vector<TensorRule> nativeTensors(const ModelSpec& spec, const HookedNormParts& parts,
                                      const TensorSource& file) {
    using enum WeightRole;
    std::vector<WeightRole> roles{W_E};
    const auto addNorm = [&](WeightRole gain, WeightRole bias, bool has_gain, bool has_bias) {
        if (has_gain)
            roles.push_back(gain);
        if (has_bias)
            roles.push_back(bias);
    };
    if (spec.hasPositionTable())
        roles.push_back(W_pos);
    roles.insert(roles.end(), {W_Q, b_Q, W_K, b_K, W_V, b_V, W_O, b_O});
    const bool normed = spec.norm_placement != NormPlacement::None;
    addNorm(Ln1Weight, Ln1Bias, normed && parts.gains, normed && parts.biases);
    if (spec.mlp != MlpKind::None) {
        addNorm(Ln2Weight, Ln2Bias, normed && parts.gains, normed && parts.biases);
        if (spec.mlp == MlpKind::Gated)
            roles.insert(roles.end(), {W_gate, W_in, W_out});
        else
            roles.insert(roles.end(), {W_in, b_in, W_out, b_out});
        addNorm(MlpNormWeight, MlpNormBias, spec.mlp_norm, spec.mlp_norm);
    }
    addNorm(LnFinalWeight, LnFinalBias, spec.final_norm && parts.gains,
            spec.final_norm && parts.biases && !spec.final_norm_kind);
    roles.push_back(W_U);
    if (tensorEnding(file, bridgeName(b_U, spec)) != nullptr) // of zeros
        roles.push_back(b_U);
    std::vector<TensorRule> rules;
    for (const WeightRole role : roles) {
        const bool is_table = role == W_E || role == W_pos || role == W_U;
        const bool turned = !roleInfo(role).isVector() && !is_table;
        rules.push_back(
            {role, bridgeName(role, spec), turned ? Layout::Transposed : Layout::AsStored});
    }
    return rules;
}

} // namespace headscope
