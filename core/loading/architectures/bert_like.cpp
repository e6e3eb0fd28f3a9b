#include "core/loading/architectures/bert_like.h"

#include "core/base/text.h"

#include <algorithm>

namespace headscope {

ModelSpec encoderSpec() {
    ModelSpec spec;
    spec.causal = false;
    spec.norm = {NormKind::LayerNorm, 1e-12};
    spec.norm_placement = NormPlacement::Post;
    spec.norm_after_embedding = true;
    spec.final_norm = false;
    spec.embedding_hook_prefix = "embed.";
    return spec;
}

void readEncoderSizes(ConfigReader& config, ModelSpec& spec) {
    spec.n_layers = config.size({"num_hidden_layers"});
    spec.d_model = config.size({"hidden_size"});
    spec.n_heads = config.size({"num_attention_heads"});
    spec.n_kv_heads = spec.n_heads;
    spec.d_head = headSize(config, spec);
    spec.d_mlp = config.size({"intermediate_size"});
    spec.d_vocab = config.size({"vocab_size"});
    spec.attention_scale = usualAttentionScale(spec);
    spec.tied_unembedding = config.flagOr({"tie_word_embeddings"}, true);
    readSpecialTokens(config, spec);
}

void readBertSizes(ConfigReader& config, ModelSpec& spec, const BertDefaults& defaults) {
    config.refuse("is_decoder", "BERT as a decoder is not supported");
    const std::string positions = config.textOr({"position_embedding_type"}, defaults.positions);
    if (positions != defaults.positions)
        config.fail(ErrorCode::Unsupported, "has position_embedding_type '" + positions +
                                                "', expected '" + std::string(defaults.positions) +
                                                "'; other positions are not supported.");
    readEncoderSizes(config, spec);
    spec.n_ctx = config.size({"max_position_embeddings"});
    spec.n_token_types =
        config.sizeOr({"type_vocab_size"}, defaults.n_token_types, defaults.fewest_token_types);
    spec.norm.eps = config.positiveOr({"layer_norm_eps"}, defaults.eps);
    spec.activation = readActivation(config, {"hidden_act"}, defaults.activation);
}

void readPositionOffset(ConfigReader& config, ModelSpec& spec, std::size_t padding) {
    spec.position_offset = padding + 1;
    spec.uncounted_token = static_cast<TokenId>(padding);
    if (spec.n_ctx > spec.position_offset)
        spec.n_ctx -= spec.position_offset;
    else
        config.fail(ErrorCode::Mismatch, "has " + std::to_string(spec.n_ctx) +
                                             " max_position_embeddings, of which the first " +
                                             std::to_string(spec.position_offset) +
                                             " are padding; correct the config.");
}

void requireWideEmbedding(ConfigReader& config, const ModelSpec& spec) {
    if (config.sizeOr({"embedding_size"}, spec.d_model) != spec.d_model)
        config.fail(ErrorCode::Unsupported,
                    "has an embedding_size other than its hidden_size; embeddings that are "
                    "normalised before they are projected are not supported.");
}

void addNarrowEmbedding(Architecture& bert, std::size_t d_embed, const std::string& projection) {
    bert.spec.d_embed = d_embed;
    bert.spec.narrow_embedding = true;
    append(bert.tensors, {{WeightRole::W_project_in, projection + ".weight", Layout::Transposed},
                          {WeightRole::b_project_in, projection + ".bias"}});
}

bool hasTensorLike(const TensorSource& file, std::string_view part) {
    return std::ranges::any_of(file.tensors(), [part](const TensorInfo& tensor) {
        return tensor.name.find(part) != std::string::npos;
    });
}

std::vector<TensorRule> layerNorm(WeightRole weight, WeightRole bias, const std::string& name) {
    return {{weight, name + ".weight"},
            {weight, name + ".gamma"},
            {bias, name + ".bias"},
            {bias, name + ".beta"}};
}

std::vector<TensorRule> bertEncoder(const std::string& prefix) {
    using enum WeightRole;
    using enum Layout;
    const std::string layer = prefix + "encoder.layer.{}.";
    std::vector<TensorRule> rules{
        {W_E, prefix + "embeddings.word_embeddings.weight"},
        {W_pos, prefix + "embeddings.position_embeddings.weight"},
        {W_token_type, prefix + "embeddings.token_type_embeddings.weight"},
        {W_Q, layer + "attention.self.query.weight", Transposed},
        {b_Q, layer + "attention.self.query.bias"},
        {W_K, layer + "attention.self.key.weight", Transposed},
        {b_K, layer + "attention.self.key.bias"},
        {W_V, layer + "attention.self.value.weight", Transposed},
        {b_V, layer + "attention.self.value.bias"},
        {W_O, layer + "attention.output.dense.weight", Transposed},
        {b_O, layer + "attention.output.dense.bias"},
        {W_in, layer + "intermediate.dense.weight", Transposed},
        {b_in, layer + "intermediate.dense.bias"},
        {W_out, layer + "output.dense.weight", Transposed},
        {b_out, layer + "output.dense.bias"},
    };
    append(rules, layerNorm(LnEmbedWeight, LnEmbedBias, prefix + "embeddings.LayerNorm"));
    append(rules, layerNorm(Ln1Weight, Ln1Bias, layer + "attention.output.LayerNorm"));
    append(rules, layerNorm(Ln2Weight, Ln2Bias, layer + "output.LayerNorm"));
    return rules;
}

std::vector<TensorRule>
bertEncoder(const std::string& prefix,
            std::span<const std::pair<std::string_view, std::string_view>> names) {
    std::vector<TensorRule> rules = bertEncoder(prefix);
    for (TensorRule& rule : rules)
        for (const auto& [bert, own] : names)
            rule.name = replaceAll(rule.name, bert, own);
    return rules;
}

Architecture bertUnder(const std::string& prefix, ConfigReader& config, const TensorSource& file) {
    Architecture bert;
    bert.spec = encoderSpec();
    readBertSizes(config, bert.spec);
    bert.base_prefix = prefix;
    bert.tensors = bertEncoder(prefix);
    bert.extras = bertExtras();
    addBertHead(bert, file);
    return bert;
}

Architecture robertaUnder(const std::string& prefix, ConfigReader& config, const TensorSource& file,
                          const BertDefaults& defaults) {
    Architecture roberta;
    roberta.spec = encoderSpec();
    readBertSizes(config, roberta.spec, defaults);
    readPositionOffset(config, roberta.spec, config.sizeOr({"pad_token_id"}, 1, 0));
    roberta.base_prefix = prefix;
    roberta.tensors = bertEncoder(prefix);
    roberta.extras = bertExtras();
    addRobertaHead(roberta, file);
    return roberta;
}

void addMaskedLmHead(Architecture& bert, const TensorSource& file, const MaskedLmNames& names) {
    using enum WeightRole;
    bert.spec.output = OutputHead::MaskedLm;
    if (names.always_gelu)
        bert.spec.head_activation = Activation::GeluErf;
    const bool tied = bert.spec.tied_unembedding;
    append(bert.tensors, {{W_mlm, names.dense + ".weight", Layout::Transposed},
                          {b_mlm, names.dense + ".bias"},
                          {tied ? W_E : W_U, names.scope + ".decoder.weight"}});
    append(bert.tensors, layerNorm(LnMlmWeight, LnMlmBias, names.norm));
    const bool decoder_alone = !tied && hasTensorLike(file, names.scope + ".decoder.bias");
    if (names.scope_has_bias && !decoder_alone)
        append(bert.tensors, {{b_U, names.scope + ".bias"}});
    else if (names.scope_has_bias)
        bert.extras.push_back({"*" + names.scope + ".bias",
                               "not read where the unembedding is not the embedding: it has a bias "
                               "of its own"});
    append(bert.tensors, {{b_U, names.scope + ".decoder.bias"}});
}

void addBertHead(Architecture& bert, const TensorSource& file) {
    bert.spec.output = OutputHead::None;
    bert.extras.push_back(
        {"*cls.seq_relationship.*", "next-sentence prediction; no token passes it"});
    if (hasTensorLike(file, "cls.predictions."))
        addMaskedLmHead(bert, file,
                        {"cls.predictions", "cls.predictions.transform.dense",
                         "cls.predictions.transform.LayerNorm"});
}

void addRobertaHead(Architecture& roberta, const TensorSource& file) {
    roberta.spec.output = OutputHead::None;
    if (!hasTensorLike(file, "lm_head."))
        return;
    addMaskedLmHead(roberta, file, {"lm_head", "lm_head.dense", "lm_head.layer_norm", true, true});
}

std::vector<ExtraRule> bertExtras() {
    return {{"*embeddings.position_ids", "the numbers 0, 1, 2, …, a constant"},
            {"*pooler.dense.*", "the pooler classifies sentences; no token passes it"}};
}

} // namespace headscope
