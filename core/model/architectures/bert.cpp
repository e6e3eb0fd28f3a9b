// BERT (Devlin et al. 2019): bidirectional, norms after the residual sums, masked-LM head.

#include "core/model/architectures/common.h"

#include <algorithm>

namespace headscope {

namespace {

/// Exports of the bare encoder have no head, which no config says.
bool hasMaskedLmHead(const TensorSource& file) {
    return std::ranges::any_of(file.tensors(), [](const TensorInfo& tensor) {
        return tensor.name.find("cls.predictions.") != std::string::npos;
    });
}

ModelSpec readSpec(ConfigReader& config, const TensorSource& file) {
    ModelSpec spec;
    spec.n_layers = config.size({"num_hidden_layers"});
    spec.d_model = config.size({"hidden_size"});
    spec.n_heads = config.size({"num_attention_heads"});
    spec.n_kv_heads = spec.n_heads;
    spec.d_head = headSize(config, spec);
    spec.d_mlp = config.size({"intermediate_size"});
    spec.d_vocab = config.size({"vocab_size"});
    spec.n_ctx = config.size({"max_position_embeddings"});
    spec.n_token_types = config.sizeOr({"type_vocab_size"}, 2);
    spec.causal = false;
    spec.norm = {NormKind::LayerNorm, config.positiveOr({"layer_norm_eps"}, 1e-12)};
    spec.norm_placement = NormPlacement::Post;
    spec.norm_after_embedding = true;
    spec.final_norm = false;
    spec.attention_scale = usualAttentionScale(spec);
    spec.activation = readActivation(config, {"hidden_act"}, "gelu");
    spec.output = hasMaskedLmHead(file) ? OutputHead::MaskedLm : OutputHead::None;
    spec.tied_unembedding = config.flagOr({"tie_word_embeddings"}, true);
    spec.embedding_hook_prefix = "embed.";
    readSpecialTokens(config, spec);
    return spec;
}

void checkVariant(ConfigReader& config) {
    config.refuse("is_decoder", "BERT as a decoder is not supported");
    const std::string positions = config.textOr({"position_embedding_type"}, "absolute");
    if (positions != "absolute")
        config.fail(ErrorCode::Unsupported, "has position_embedding_type '" + positions +
                                                "', expected 'absolute'; relative positions are "
                                                "not supported.");
}

/// Old files say gamma and beta; both spellings are alternatives of one role.
void appendNorm(std::vector<TensorRule>& rules, WeightRole weight, WeightRole bias,
                const std::string& name) {
    append(rules, {{weight, name + ".weight"},
                   {weight, name + ".gamma"},
                   {bias, name + ".bias"},
                   {bias, name + ".beta"}});
}

std::vector<TensorRule> encoderRules() {
    using enum WeightRole;
    using enum Layout;
    std::vector<TensorRule> rules{
        {W_E, "bert.embeddings.word_embeddings.weight"},
        {W_pos, "bert.embeddings.position_embeddings.weight"},
        {W_token_type, "bert.embeddings.token_type_embeddings.weight"},
        {W_Q, "bert.encoder.layer.{}.attention.self.query.weight", Transposed},
        {b_Q, "bert.encoder.layer.{}.attention.self.query.bias"},
        {W_K, "bert.encoder.layer.{}.attention.self.key.weight", Transposed},
        {b_K, "bert.encoder.layer.{}.attention.self.key.bias"},
        {W_V, "bert.encoder.layer.{}.attention.self.value.weight", Transposed},
        {b_V, "bert.encoder.layer.{}.attention.self.value.bias"},
        {W_O, "bert.encoder.layer.{}.attention.output.dense.weight", Transposed},
        {b_O, "bert.encoder.layer.{}.attention.output.dense.bias"},
        {W_in, "bert.encoder.layer.{}.intermediate.dense.weight", Transposed},
        {b_in, "bert.encoder.layer.{}.intermediate.dense.bias"},
        {W_out, "bert.encoder.layer.{}.output.dense.weight", Transposed},
        {b_out, "bert.encoder.layer.{}.output.dense.bias"},
    };
    appendNorm(rules, LnEmbedWeight, LnEmbedBias, "bert.embeddings.LayerNorm");
    appendNorm(rules, Ln1Weight, Ln1Bias, "bert.encoder.layer.{}.attention.output.LayerNorm");
    appendNorm(rules, Ln2Weight, Ln2Bias, "bert.encoder.layer.{}.output.LayerNorm");
    return rules;
}

void appendMaskedLmHead(std::vector<TensorRule>& rules, bool tied) {
    using enum WeightRole;
    append(rules, {{W_mlm, "cls.predictions.transform.dense.weight", Layout::Transposed},
                   {b_mlm, "cls.predictions.transform.dense.bias"},
                   {b_U, "cls.predictions.bias"},
                   {b_U, "cls.predictions.decoder.bias"},
                   {tied ? W_E : W_U, "cls.predictions.decoder.weight"}});
    appendNorm(rules, LnMlmWeight, LnMlmBias, "cls.predictions.transform.LayerNorm");
}

} // namespace

Architecture describeBert(ConfigReader& config, const TensorSource& file) {
    checkVariant(config);
    Architecture bert;
    bert.spec = readSpec(config, file);
    bert.base_prefix = "bert.";
    bert.tensors = encoderRules();
    if (bert.spec.output == OutputHead::MaskedLm)
        appendMaskedLmHead(bert.tensors, bert.spec.tied_unembedding);
    bert.extras = {{"*embeddings.position_ids", "the numbers 0, 1, 2, …, a constant"},
                   {"*pooler.dense.*", "the pooler classifies sentences; no token passes it"},
                   {"*cls.seq_relationship.*", "next-sentence prediction; no token passes it"}};
    return bert;
}

} // namespace headscope
