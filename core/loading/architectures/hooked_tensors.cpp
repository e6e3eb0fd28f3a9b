// What TransformerLens calls the tensors of a HookedTransformer.

#include "core/base/text.h"
#include "core/loading/architectures/common.h"
#include "core/loading/architectures/hooked_layouts.h"
#include "core/loading/architectures/hooked_transformer.h"

namespace headscope {

namespace {

void addNormRules(std::vector<TensorRule>& rules, const HookedNormParts& parts, WeightRole gain,
                  WeightRole bias, const std::string& name) {
    if (parts.gains)
        rules.push_back({gain, name + ".w"});
    if (parts.biases)
        rules.push_back({bias, name + ".b"});
}

std::vector<TensorRule> attentionRules(const ConfigReader& config, const HookedLayouts& layouts) {
    using enum WeightRole;
    using enum Layout;
    // With grouped queries TransformerLens shows W_K as large as W_Q and stores _W_K.
    const std::string grouped = config.has("n_key_value_heads") ? "_" : "";
    return {
        {W_Q, "blocks.{}.attn.W_Q", layouts.heads},
        {b_Q, "blocks.{}.attn.b_Q", PerHead},
        {W_K, "blocks.{}.attn." + grouped + "W_K", layouts.heads},
        {b_K, "blocks.{}.attn." + grouped + "b_K", PerHead},
        {W_V, "blocks.{}.attn." + grouped + "W_V", layouts.heads},
        {b_V, "blocks.{}.attn." + grouped + "b_V", PerHead},
        {W_O, "blocks.{}.attn.W_O", layouts.W_O},
        {b_O, "blocks.{}.attn.b_O"},
    };
}

std::vector<TensorRule> mlpRules(const ModelSpec& spec, const HookedLayouts& layouts) {
    using enum WeightRole;
    std::vector<TensorRule> rules;
    if (spec.mlp == MlpKind::Gated)
        rules.push_back({W_gate, "blocks.{}.mlp.W_gate", layouts.mlp});
    append(rules, {{W_in, "blocks.{}.mlp.W_in", layouts.mlp},
                   {b_in, "blocks.{}.mlp.b_in"},
                   {W_out, "blocks.{}.mlp.W_out", layouts.mlp},
                   {b_out, "blocks.{}.mlp.b_out"}});
    return rules;
}

bool isBiasOfBranch(WeightRole role) {
    using enum WeightRole;
    return role == b_Q || role == b_K || role == b_V || role == b_O || role == b_in ||
           role == b_out;
}

/// Without the biases that no layer of the file has: they are 0.
void leaveOutAbsentBiases(std::vector<TensorRule>& rules, ConfigReader& config,
                          const TensorSource& file) {
    std::vector<std::string> absent;
    std::erase_if(rules, [&](const TensorRule& rule) {
        const std::string in_block = rule.name.substr(rule.name.find("{}") + 3);
        if (!isBiasOfBranch(rule.role) || hasTensorEnding(file, "." + in_block))
            return false;
        absent.push_back(in_block);
        return true;
    });
    if (!absent.empty())
        config.note("The file has no " + join(absent, ", ") +
                    " in any block: these biases are 0, as in TransformerLens.");
}

} // namespace

std::vector<TensorRule> hookedTensors(ConfigReader& config, const TensorSource& file,
                                      const ModelSpec& spec, const HookedNormParts& parts) {
    using enum WeightRole;
    const HookedLayouts layouts = hookedLayouts(config, file, spec);
    std::vector<TensorRule> rules{{W_E, "embed.W_E", layouts.W_E}};
    if (spec.hasPositionTable())
        rules.push_back({W_pos, "pos_embed.W_pos", layouts.W_pos});
    if (spec.norm_after_embedding)
        addNormRules(rules, {}, LnEmbedWeight, LnEmbedBias, "embed.ln");
    append(rules, attentionRules(config, layouts));
    if (spec.norm_placement != NormPlacement::None)
        addNormRules(rules, parts, Ln1Weight, Ln1Bias, "blocks.{}.ln1");
    if (spec.norm_placement == NormPlacement::Sandwich)
        rules.push_back({Ln1PostWeight, "blocks.{}.ln1_post.w"});
    if (spec.qk_norm != QkNorm::None)
        append(rules, {{QNormWeight, "blocks.{}.attn.q_norm.w"},
                       {KNormWeight, "blocks.{}.attn.k_norm.w"}});
    if (spec.mlp != MlpKind::None) {
        if (spec.norm_placement != NormPlacement::None)
            addNormRules(rules, parts, Ln2Weight, Ln2Bias, "blocks.{}.ln2");
        if (spec.norm_placement == NormPlacement::Sandwich)
            rules.push_back({Ln2PostWeight, "blocks.{}.ln2_post.w"});
        append(rules, mlpRules(spec, layouts));
        if (spec.mlp_norm)
            addNormRules(rules, parts, MlpNormWeight, MlpNormBias, "blocks.{}.mlp.ln");
    }
    if (spec.final_norm)
        addNormRules(rules, {parts.gains, parts.biases && !spec.final_norm_kind}, LnFinalWeight,
                     LnFinalBias, "ln_final");
    leaveOutAbsentBiases(rules, config, file);
    rules.push_back({W_U, "unembed.W_U", layouts.W_U});
    if (hasTensorEnding(file, "unembed.b_U"))
        rules.push_back({b_U, "unembed.b_U"});
    else if (hasTensorEnding(file, "unembed.W_U"))
        config.note("The file has no unembed.b_U: the biases of the logits are 0, as in "
                    "TransformerLens.");
    return rules;
}

std::vector<ExtraRule> hookedExtras(const ModelSpec& spec, const HookedNormParts& parts) {
    const std::string encoder = "it is of a HookedEncoder, and only HookedTransformer is supported";
    std::vector<ExtraRule> extras{
        {"*.attn.mask", "the causal mask, which follows from the config"},
        {"*.attn.IGNORE", "a constant of the causal mask"},
        {"*.attn.rotary_sin", "sines, which follow from the config"},
        {"*.attn.rotary_cos", "cosines, which follow from the config"},
        {"*embed.embed.*", encoder, true},
        {"*mlm_head.*", encoder, true},
    };
    const std::string no_gain = "norms of this normalization_type have no gains";
    const std::string no_bias = "norms of this normalization_type have no biases";
    const auto refuse = [&](std::initializer_list<const char*> globs, const std::string& why) {
        for (const char* const glob : globs)
            extras.push_back({glob, why, true});
    };
    if (!parts.gains)
        refuse({"*ln?.w", "*ln_final.w"}, no_gain);
    if (!parts.biases)
        refuse({"*ln?.b", "*ln_final.b"}, no_bias);
    else if (spec.final_norm_kind)
        refuse({"*ln_final.b"}, "with final_rms the last norm has no bias");
    if (spec.positions == PositionKind::Alibi) // TransformerLens writes a table that nobody reads
        extras.push_back({"*pos_embed.W_pos", "positions of this kind read no table"});
    else if (!spec.hasPositionTable())
        refuse({"*pos_embed.W_pos"}, "positions of this positional_embedding_type have no table");
    return extras;
}

} // namespace headscope
