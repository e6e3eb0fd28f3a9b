// The lineage of BERT: BERT, RoBERTa and its like, MPNet, ELECTRA, DistilBERT.

#include "core/base/text.h"
#include "core/loading/architectures/bert_like.h"

#include <array>
#include <string_view>
#include <utility>

namespace headscope {

namespace {

/// Refuses what makes a config of BERT's keys another network.
void refuseBertVariants(ConfigReader& config) {
    config.refuse("is_decoder", "BERT as a decoder is not supported");
    const std::string positions = config.textOr({"position_embedding_type"}, "absolute");
    if (positions != "absolute")
        config.fail(ErrorCode::Unsupported, "has position_embedding_type '" + positions +
                                                "', expected 'absolute'; relative positions are "
                                                "not supported.");
}

void readBertSizes(ConfigReader& config, ModelSpec& spec) {
    readEncoderSizes(config, spec);
    spec.n_ctx = config.size({"max_position_embeddings"});
    spec.n_token_types = config.sizeOr({"type_vocab_size"}, 2);
    spec.norm.eps = config.positiveOr({"layer_norm_eps"}, 1e-12);
    spec.activation = readActivation(config, {"hidden_act"}, "gelu");
}

/// Of families whose masked-LM head does not ask the config.
void requireGelu(ConfigReader& config, const ModelSpec& spec) {
    if (spec.activation != Activation::GeluErf)
        config.fail(ErrorCode::Unsupported,
                    "has a hidden_act other than gelu, which the masked-LM head always uses; two "
                    "activations in one network are not supported.");
}

/// The encoder under BERT's names, which begin with `prefix` ("bert.").
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

} // namespace

// BERT (Devlin et al. 2019): bidirectional, norms after the residual sums, masked-LM head.
Architecture describeBert(ConfigReader& config, const TensorSource& file) {
    refuseBertVariants(config);
    Architecture bert;
    bert.spec = encoderSpec();
    readBertSizes(config, bert.spec);
    bert.base_prefix = "bert.";
    bert.tensors = bertEncoder("bert.");
    bert.extras = bertExtras();
    bert.spec.output = OutputHead::None;
    if (hasTensorLike(file, "cls.predictions."))
        addMaskedLmHead(bert, file,
                        {"cls.predictions", "cls.predictions.transform.dense",
                         "cls.predictions.transform.LayerNorm"});
    bert.extras.push_back(
        {"*cls.seq_relationship.*", "next-sentence prediction; no token passes it"});
    return bert;
}

// RoBERTa (Liu et al. 2019), XLM-RoBERTa, CamemBERT: BERT whose positions begin behind the padding.

namespace {

/// The row of the first position; the table has as many rows more than the context.
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

void addRobertaHead(ConfigReader& config, const TensorSource& file, Architecture& roberta) {
    addMaskedLmHead(roberta, file, {"lm_head", "lm_head.dense", "lm_head.layer_norm"});
    requireGelu(config, roberta.spec);
}

} // namespace

Architecture describeRoberta(ConfigReader& config, const TensorSource& file) {
    refuseBertVariants(config);
    Architecture roberta;
    roberta.spec = encoderSpec();
    readBertSizes(config, roberta.spec);
    readPositionOffset(config, roberta.spec, config.sizeOr({"pad_token_id"}, 1, 0));
    roberta.base_prefix = "roberta.";
    roberta.tensors = bertEncoder("roberta.");
    roberta.extras = bertExtras();
    roberta.spec.output = OutputHead::None;
    if (hasTensorLike(file, "lm_head."))
        addRobertaHead(config, file, roberta);
    return roberta;
}

// MPNet (Song et al. 2020), the encoder of all-mpnet-base-v2: RoBERTa with biases on the scores by
// the distance from query to key.

namespace {

constexpr std::size_t kMpnetBuckets = 32; // whatever the config says, in transformers
constexpr std::size_t kMpnetPadding = 1;

/// Under MPNet's names where they are not BERT's.
std::vector<TensorRule> mpnetEncoder() {
    const std::array<std::pair<std::string_view, std::string_view>, 5> names{
        {{"attention.self.query", "attention.attn.q"},
         {"attention.self.key", "attention.attn.k"},
         {"attention.self.value", "attention.attn.v"},
         {"attention.output.dense", "attention.attn.o"},
         {"attention.output.LayerNorm", "attention.LayerNorm"}}};
    std::vector<TensorRule> rules = bertEncoder("mpnet.");
    for (TensorRule& rule : rules)
        for (const auto& [bert, mpnet] : names)
            rule.name = replaceAll(rule.name, bert, mpnet);
    std::erase_if(rules,
                  [](const TensorRule& rule) { return rule.role == WeightRole::W_token_type; });
    append(rules, {{WeightRole::W_rel_pos, "mpnet.encoder.relative_attention_bias.weight"}});
    return rules;
}

} // namespace

Architecture describeMpnet(ConfigReader& config, const TensorSource& file) {
    Architecture mpnet;
    ModelSpec& spec = mpnet.spec;
    spec = encoderSpec();
    readBertSizes(config, spec);
    readPositionOffset(config, spec, kMpnetPadding);
    spec.n_token_types = 0;
    spec.relative_buckets = config.sizeOr({"relative_attention_num_buckets"}, kMpnetBuckets);
    if (spec.relative_buckets != kMpnetBuckets)
        config.fail(ErrorCode::Unsupported,
                    "has " + std::to_string(spec.relative_buckets) +
                        " relative_attention_num_buckets, expected 32, which is what the family "
                        "computes with.");
    mpnet.base_prefix = "mpnet.";
    mpnet.tensors = mpnetEncoder();
    mpnet.extras = bertExtras();
    spec.output = OutputHead::None;
    if (hasTensorLike(file, "lm_head."))
        addRobertaHead(config, file, mpnet);
    return mpnet;
}

// ELECTRA (Clark et al. 2020): BERT whose generator has a masked-LM head of other names. Its
// discriminator ends without one.

namespace {

void addGeneratorHead(Architecture& electra) {
    using enum WeightRole;
    electra.spec.output = OutputHead::MaskedLm;
    append(electra.tensors,
           {{W_mlm, "generator_predictions.dense.weight", Layout::Transposed},
            {b_mlm, "generator_predictions.dense.bias"},
            {b_U, "generator_lm_head.bias"},
            {electra.spec.tied_unembedding ? W_E : W_U, "generator_lm_head.weight"}});
    append(electra.tensors, layerNorm(LnMlmWeight, LnMlmBias, "generator_predictions.LayerNorm"));
}

} // namespace

Architecture describeElectra(ConfigReader& config, const TensorSource& file) {
    refuseBertVariants(config);
    Architecture electra;
    ModelSpec& spec = electra.spec;
    spec = encoderSpec();
    readBertSizes(config, spec);
    if (config.sizeOr({"embedding_size"}, spec.d_model) != spec.d_model)
        config.fail(ErrorCode::Unsupported,
                    "has an embedding_size other than its hidden_size; embeddings that are "
                    "normalised before they are projected are not supported.");
    electra.base_prefix = "electra.";
    electra.tensors = bertEncoder("electra.");
    electra.extras = bertExtras();
    electra.extras.push_back(
        {"*discriminator_predictions.*", "tells replaced tokens from others; no token passes it"});
    spec.output = OutputHead::None;
    if (!hasTensorLike(file, "generator_predictions."))
        return electra;
    addGeneratorHead(electra);
    requireGelu(config, spec);
    return electra;
}

// DistilBERT (Sanh et al. 2019): BERT without token types, under names and keys of its own.

namespace {

void readDistilbertSizes(ConfigReader& config, ModelSpec& spec) {
    // The table is in the file, whether it was learned or computed.
    config.flagOr({"sinusoidal_pos_embds"}, false);
    spec.n_layers = config.size({"n_layers"});
    spec.d_model = config.size({"dim"});
    spec.n_heads = config.size({"n_heads"});
    spec.n_kv_heads = spec.n_heads;
    spec.d_head = headSize(config, spec);
    spec.d_mlp = config.size({"hidden_dim"});
    spec.d_vocab = config.size({"vocab_size"});
    spec.n_ctx = config.size({"max_position_embeddings"});
    spec.attention_scale = usualAttentionScale(spec);
    spec.activation = readActivation(config, {"activation"}, "gelu");
    spec.tied_unembedding = config.flagOr({"tie_word_embeddings"}, true);
    readSpecialTokens(config, spec);
}

std::vector<TensorRule> distilbertEncoder() {
    using enum WeightRole;
    using enum Layout;
    const std::string layer = "distilbert.transformer.layer.{}.";
    std::vector<TensorRule> rules{
        {W_E, "distilbert.embeddings.word_embeddings.weight"},
        {W_pos, "distilbert.embeddings.position_embeddings.weight"},
        {W_Q, layer + "attention.q_lin.weight", Transposed},
        {b_Q, layer + "attention.q_lin.bias"},
        {W_K, layer + "attention.k_lin.weight", Transposed},
        {b_K, layer + "attention.k_lin.bias"},
        {W_V, layer + "attention.v_lin.weight", Transposed},
        {b_V, layer + "attention.v_lin.bias"},
        {W_O, layer + "attention.out_lin.weight", Transposed},
        {b_O, layer + "attention.out_lin.bias"},
        {W_in, layer + "ffn.lin1.weight", Transposed},
        {b_in, layer + "ffn.lin1.bias"},
        {W_out, layer + "ffn.lin2.weight", Transposed},
        {b_out, layer + "ffn.lin2.bias"},
    };
    append(rules, layerNorm(LnEmbedWeight, LnEmbedBias, "distilbert.embeddings.LayerNorm"));
    append(rules, layerNorm(Ln1Weight, Ln1Bias, layer + "sa_layer_norm"));
    append(rules, layerNorm(Ln2Weight, Ln2Bias, layer + "output_layer_norm"));
    return rules;
}

std::vector<TensorRule> distilbertHead(bool tied) {
    using enum WeightRole;
    std::vector<TensorRule> rules{{W_mlm, "vocab_transform.weight", Layout::Transposed},
                                  {b_mlm, "vocab_transform.bias"},
                                  {b_U, "vocab_projector.bias"},
                                  {tied ? W_E : W_U, "vocab_projector.weight"}};
    append(rules, layerNorm(LnMlmWeight, LnMlmBias, "vocab_layer_norm"));
    return rules;
}

} // namespace

Architecture describeDistilbert(ConfigReader& config, const TensorSource& file) {
    Architecture distilbert;
    distilbert.spec = encoderSpec();
    readDistilbertSizes(config, distilbert.spec);
    distilbert.base_prefix = "distilbert.";
    distilbert.tensors = distilbertEncoder();
    distilbert.spec.output = OutputHead::None;
    if (hasTensorLike(file, "vocab_transform.")) {
        distilbert.spec.output = OutputHead::MaskedLm;
        append(distilbert.tensors, distilbertHead(distilbert.spec.tied_unembedding));
    }
    distilbert.extras = bertExtras();
    return distilbert;
}

} // namespace headscope
