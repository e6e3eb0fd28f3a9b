#include "core/loading/architectures/bert_like.h"

#include <algorithm>
#include <string>
#include <vector>

// Encoders that compute what BERT or RoBERTa does, and those whose blocks normalise what their
// branches read instead of the sums.

namespace headscope {

// data2vec (Baevski et al. 2022): RoBERTa.
Architecture describeData2vecText(ConfigReader& config, const TensorSource& file) {
    return robertaUnder("data2vec_text.", config, file);
}

// ERNIE (Sun et al. 2019): BERT. Later ones add an embedding of the task, which is the first unless
// one says otherwise.
Architecture describeErnie(ConfigReader& config, const TensorSource& file) {
    Architecture ernie = bertUnder("ernie.", config, file);
    const std::size_t n_tasks = config.sizeOr({"task_type_vocab_size"}, 3);
    if (config.flagOr({"use_task_id"}, false)) {
        ernie.spec.n_task_types = n_tasks;
        append(ernie.tensors,
               {{WeightRole::W_task_type, "ernie.embeddings.task_type_embeddings.weight"}});
    }
    return ernie;
}

// I-BERT (Kim et al. 2021): RoBERTa, which it computes in floating point unless it is told to use
// integers; its files have what that would need.
Architecture describeIbert(ConfigReader& config, const TensorSource& file) {
    config.refuse("quant_mode", "arithmetic of integers is not supported");
    config.passOver({"force_dequant"});
    Architecture ibert = robertaUnder("ibert.", config, file);
    if (ibert.spec.activation != Activation::GeluErf)
        config.fail(ErrorCode::Unsupported,
                    "has a hidden_act other than gelu, which is the only one of this family.");
    for (const char* glob : {"*_integer", "*_scaling_factor", "*.x_min", "*.x_max", "*.shift"})
        ibert.extras.push_back({glob, "of integer arithmetic, which quant_mode switches on"});
    return ibert;
}

// LUKE (Yamada et al. 2020): RoBERTa that can be given entities beside the words. Without them only
// its word part computes anything.
Architecture describeLuke(ConfigReader& config, const TensorSource& file) {
    Architecture luke;
    luke.spec = encoderSpec();
    ModelSpec& spec = luke.spec;
    readBertSizes(config, spec);
    readPositionOffset(config, spec, config.sizeOr({"pad_token_id"}, 1, 0));
    // transformers 5 ties nothing that the file has.
    spec.tied_unembedding &= !hasTensorLike(file, "lm_head.decoder.weight");
    luke.base_prefix = "luke.";
    luke.tensors = bertEncoder("luke.");
    luke.extras = bertExtras();
    for (const char* glob : {"*entity_embeddings.*", "*entity_predictions.*", "*.w2e_query.*",
                             "*.e2w_query.*", "*.e2e_query.*"})
        luke.extras.push_back({glob, "of entities; no word passes it"});
    addRobertaHead(luke, file);
    config.passOver({"entity_emb_size", "entity_vocab_size", "use_entity_aware_attention"});
    config.note("Prompts are words alone, as where transformers is given no entities.");
    return luke;
}

namespace {

/// Names of norms, without .weight and .bias; those of a layer with {}.
struct PreNormNames {
    std::string attention;
    std::string mlp;
    std::string last;
    std::string embedding = {}; ///< empty: none
};

/// Puts norms before the branches and after the last block in place of those of BERT.
void normaliseInputs(Architecture& bert, const PreNormNames& names) {
    using enum WeightRole;
    bert.spec.norm_placement = NormPlacement::Pre;
    bert.spec.final_norm = true;
    bert.spec.norm_after_embedding = !names.embedding.empty();
    std::erase_if(bert.tensors, [](const TensorRule& rule) {
        return rule.role == LnEmbedWeight || rule.role == LnEmbedBias || rule.role == Ln1Weight ||
               rule.role == Ln1Bias || rule.role == Ln2Weight || rule.role == Ln2Bias;
    });
    if (bert.spec.norm_after_embedding)
        append(bert.tensors, layerNorm(LnEmbedWeight, LnEmbedBias, names.embedding));
    append(bert.tensors, layerNorm(Ln1Weight, Ln1Bias, names.attention));
    append(bert.tensors, layerNorm(Ln2Weight, Ln2Bias, names.mlp));
    append(bert.tensors, layerNorm(LnFinalWeight, LnFinalBias, names.last));
}

} // namespace

// RoBERTa-PreLayerNorm (Ott et al. 2019, fairseq's encoder_normalize_before).
Architecture describeRobertaPreLayerNorm(ConfigReader& config, const TensorSource& file) {
    const std::string scope = "roberta_prelayernorm.";
    const std::string layer = scope + "encoder.layer.{}.";
    Architecture roberta = robertaUnder(scope, config, file);
    normaliseInputs(roberta, {.attention = layer + "attention.LayerNorm",
                              .mlp = layer + "intermediate.LayerNorm",
                              .last = scope + "LayerNorm",
                              .embedding = scope + "embeddings.LayerNorm"});
    return roberta;
}

// XLM-RoBERTa-XL (Goyal et al. 2021): no norm of the embedding.
Architecture describeXlmRobertaXl(ConfigReader& config, const TensorSource& file) {
    const std::string layer = "roberta.encoder.layer.{}.";
    Architecture roberta =
        robertaUnder("roberta.", config, file, {.eps = 1e-5, .n_token_types = 1});
    normaliseInputs(roberta, {.attention = layer + "attention.self_attn_layer_norm",
                              .mlp = layer + "LayerNorm",
                              .last = "roberta.encoder.LayerNorm"});
    return roberta;
}

// Megatron-BERT (Shoeybi et al. 2019): BERT, likewise.
Architecture describeMegatronBert(ConfigReader& config, const TensorSource& file) {
    const std::string layer = "bert.encoder.layer.{}.";
    Architecture bert = bertUnder("bert.", config, file);
    normaliseInputs(
        bert,
        {.attention = layer + "attention.ln", .mlp = layer + "ln", .last = "bert.encoder.ln"});
    return bert;
}

} // namespace headscope
