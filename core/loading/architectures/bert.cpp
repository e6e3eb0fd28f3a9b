// The lineage of BERT: BERT, RoBERTa and its like, MPNet, ELECTRA, DistilBERT.

#include "core/loading/architectures/bert_like.h"

#include <array>
#include <string_view>
#include <utility>

namespace headscope {

// BERT (Devlin et al. 2019): bidirectional, norms after the residual sums, masked-LM head.
Architecture describeBert(ConfigReader& config, const TensorSource& file) {
    return bertUnder("bert.", config, file);
}

// RoBERTa (Liu et al. 2019), XLM-RoBERTa, CamemBERT: BERT whose positions begin after the padding.
Architecture describeRoberta(ConfigReader& config, const TensorSource& file) {
    return robertaUnder("roberta.", config, file);
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
    std::vector<TensorRule> rules = bertEncoder("mpnet.", names);
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
    addRobertaHead(mpnet, file);
    return mpnet;
}

// ELECTRA (Clark et al. 2020): BERT whose generator has a masked-LM head of other names. Its
// discriminator ends without one. The small ones embed into fewer dimensions.

namespace {

void addGeneratorHead(Architecture& electra) {
    using enum WeightRole;
    electra.spec.output = OutputHead::MaskedLm;
    electra.spec.head_activation = Activation::GeluErf;
    append(electra.tensors,
           {{W_mlm, "generator_predictions.dense.weight", Layout::Transposed},
            {b_mlm, "generator_predictions.dense.bias"},
            {b_U, "generator_lm_head.bias"},
            {electra.spec.tied_unembedding ? W_E : W_U, "generator_lm_head.weight"}});
    append(electra.tensors, layerNorm(LnMlmWeight, LnMlmBias, "generator_predictions.LayerNorm"));
}

} // namespace

Architecture describeElectra(ConfigReader& config, const TensorSource& file) {
    Architecture electra;
    ModelSpec& spec = electra.spec;
    spec = encoderSpec();
    readBertSizes(config, spec);
    electra.base_prefix = "electra.";
    electra.tensors = bertEncoder("electra.");
    const std::size_t d_embed = config.sizeOr({"embedding_size"}, 128);
    if (d_embed != spec.d_model)
        addNarrowEmbedding(electra, d_embed, "electra.embeddings_project");
    electra.extras = bertExtras();
    electra.extras.push_back(
        {"*discriminator_predictions.*", "tells replaced tokens from others; no token passes it"});
    spec.output = OutputHead::None;
    if (!hasTensorLike(file, "generator_predictions."))
        return electra;
    addGeneratorHead(electra);
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
