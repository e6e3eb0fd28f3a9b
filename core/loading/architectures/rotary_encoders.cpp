#include "core/loading/architectures/bert_like.h"

#include <string>
#include <string_view>
#include <vector>

// Encoders that are BERT with rotary positions: GTE, Jina Embeddings 3, RoFormer.

namespace headscope {

namespace {

void readRotaryBertSizes(ConfigReader& config, ModelSpec& spec, const BertDefaults& defaults) {
    readBertSizes(config, spec, defaults);
    spec.positions = PositionKind::Rotary;
    if (config.has("head_dim")) {
        spec.d_head = config.size({"head_dim"});
        spec.attention_scale = usualAttentionScale(spec);
    }
}

/// Names that its files keep when transformers writes them.
std::vector<TensorRule> gteEncoder(const std::string& prefix) {
    using enum WeightRole;
    using enum Layout;
    const std::string layer = prefix + "encoder.layer.{}.";
    std::vector<TensorRule> rules{
        {W_E, prefix + "embeddings.word_embeddings.weight"},
        {W_QKV, layer + "attention.qkv_proj.weight", Transposed},
        {b_QKV, layer + "attention.qkv_proj.bias"},
        {W_O, layer + "attention.o_proj.weight", Transposed},
        {b_O, layer + "attention.o_proj.bias"},
        {W_in, layer + "mlp.up_gate_proj.weight", FirstHalf},
        {W_gate, layer + "mlp.up_gate_proj.weight", SecondHalf},
        {W_out, layer + "mlp.down_proj.weight", Transposed},
        {b_out, layer + "mlp.down_proj.bias"},
    };
    append(rules, layerNorm(LnEmbedWeight, LnEmbedBias, prefix + "embeddings.LayerNorm"));
    append(rules, layerNorm(Ln1Weight, Ln1Bias, layer + "attn_ln"));
    append(rules, layerNorm(Ln2Weight, Ln2Bias, layer + "mlp_ln"));
    return rules;
}

/// What the code that came with its first models could do besides.
void refuseGteVariants(ConfigReader& config) {
    config.refuse("logn_attention_scale", "scores that are scaled by the length of the prompt are "
                                          "not supported");
    auto parameters = config.object("rope_parameters");
    if (!parameters)
        parameters = config.object("rope_scaling");
    if (parameters && parameters->textOr({"rope_type", "type"}, "default") == "ntk")
        config.fail(ErrorCode::Unsupported, "scales its rotary embeddings by this family's own "
                                            "'ntk', which is not supported.");
}

} // namespace

// GTE (Zhang et al. 2024): BERT with rotary positions and a gated MLP, which has one bias.
Architecture describeGte(ConfigReader& config, const TensorSource& file) {
    using enum WeightRole;
    refuseGteVariants(config);
    Architecture gte;
    ModelSpec& spec = gte.spec;
    spec = encoderSpec();
    readRotaryBertSizes(config, spec,
                        {.n_token_types = 1, .fewest_token_types = 0, .positions = "rope"});
    spec.rotary = readRotary(config, spec, {.base = 160'000.0});
    spec.mlp = MlpKind::Gated;
    gte.base_prefix = hasTensorLike(file, "new.embeddings.") ? "new." : "gte.";
    gte.tensors = gteEncoder(gte.base_prefix);
    if (spec.n_token_types != 0)
        append(gte.tensors,
               {{W_token_type, gte.base_prefix + "embeddings.token_type_embeddings.weight"}});
    gte.extras = bertExtras();
    gte.extras.push_back(
        {"*rotary_emb.inv_freq", "rotary frequencies, which follow from the config"});
    spec.output = OutputHead::None;
    if (!hasTensorLike(file, "lm_head."))
        return gte;
    addMaskedLmHead(gte, file, {"lm_head", "lm_head.dense", "lm_head.norm", false, true});
    return gte;
}

namespace {

/// Names that its files keep, too.
std::vector<TensorRule> jinaEncoder() {
    using enum WeightRole;
    using enum Layout;
    const std::string layer = "roberta.encoder.layers.{}.";
    std::vector<TensorRule> rules{
        {W_E, "roberta.embeddings.word_embeddings.weight"},
        {W_token_type, "roberta.embeddings.token_type_embeddings.weight"},
        {W_QKV, layer + "mixer.Wqkv.weight", Transposed},
        {b_QKV, layer + "mixer.Wqkv.bias"},
        {W_O, layer + "mixer.out_proj.weight", Transposed},
        {b_O, layer + "mixer.out_proj.bias"},
        {W_in, layer + "mlp.fc1.weight", Transposed},
        {b_in, layer + "mlp.fc1.bias"},
        {W_out, layer + "mlp.fc2.weight", Transposed},
        {b_out, layer + "mlp.fc2.bias"},
    };
    append(rules, layerNorm(LnEmbedWeight, LnEmbedBias, "roberta.emb_ln"));
    append(rules, layerNorm(Ln1Weight, Ln1Bias, layer + "norm1"));
    append(rules, layerNorm(Ln2Weight, Ln2Bias, layer + "norm2"));
    return rules;
}

} // namespace

// Jina Embeddings 3 (Sturua et al. 2024): XLM-RoBERTa with rotary positions. Its adapters for tasks
// are files of their own.
Architecture describeJinaEmbeddings3(ConfigReader& config, const TensorSource& file) {
    Architecture jina;
    ModelSpec& spec = jina.spec;
    spec = encoderSpec();
    readRotaryBertSizes(config, spec, {.eps = 1e-5, .n_token_types = 1, .positions = "rotary"});
    spec.rotary = readRotary(config, spec, {.base = 20'000.0});
    jina.base_prefix = "roberta.";
    jina.tensors = jinaEncoder();
    jina.extras = bertExtras();
    jina.extras.push_back(
        {"*rotary_emb.inv_freq", "rotary frequencies, which follow from the config"});
    jina.extras.push_back({"*lora_*", "adapters are not supported; merge one of them", true});
    addRobertaHead(jina, file);
    return jina;
}

// RoFormer (Su et al. 2021): BERT with rotary positions in pairs of neighbours. Its tokenizers but
// those of single characters, which are BERT's, cut texts into words first.
Architecture describeRoformer(ConfigReader& config, const TensorSource& file) {
    config.refuse("rotary_value", "values that are turned by their position are not supported");
    Architecture roformer = bertUnder("roformer.", config, file);
    ModelSpec& spec = roformer.spec;
    requireWideEmbedding(config, spec);
    spec.positions = PositionKind::Rotary;
    spec.rotary.d_rotary = spec.d_head;
    spec.rotary.pairs = RotaryPairs::Adjacent;
    if (!config.textOr({"tokenizer_class"}, "").starts_with("Bert"))
        spec.ids_only = "texts of this family become words by Jieba's dictionary, which no file of "
                        "a tokenizer holds";
    std::erase_if(roformer.tensors,
                  [](const TensorRule& rule) { return rule.role == WeightRole::W_pos; });
    roformer.extras.push_back(
        {"*encoder.embed_positions.weight", "sines and cosines of the positions, a constant"});
    return roformer;
}

} // namespace headscope
