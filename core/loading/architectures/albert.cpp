#include "core/loading/architectures/bert_like.h"

#include <string>
#include <vector>

// ALBERT (Lan et al. 2020): BERT with a narrow embedding, whose layers share one set of weights.

namespace headscope {

namespace {

/// transformers can share weights within several groups of layers, and run several layers in each
/// place; no released model does.
void refuseAlbertGroups(ConfigReader& config) {
    for (const char* key : {"num_hidden_groups", "inner_group_num"})
        if (config.sizeOr({key}, 1) != 1)
            config.fail(
                ErrorCode::Unsupported,
                "has '" + std::string(key) +
                    "' other than 1; layers that share weights are supported only where all "
                    "do.");
}

std::vector<TensorRule> albertEncoder() {
    using enum WeightRole;
    using enum Layout;
    const std::string embeddings = "albert.embeddings.";
    const std::string layer = "albert.encoder.albert_layer_groups.0.albert_layers.0.";
    std::vector<TensorRule> rules{
        {W_E, embeddings + "word_embeddings.weight"},
        {W_pos, embeddings + "position_embeddings.weight"},
        {W_token_type, embeddings + "token_type_embeddings.weight"},
        {W_Q, layer + "attention.query.weight", Transposed},
        {b_Q, layer + "attention.query.bias"},
        {W_K, layer + "attention.key.weight", Transposed},
        {b_K, layer + "attention.key.bias"},
        {W_V, layer + "attention.value.weight", Transposed},
        {b_V, layer + "attention.value.bias"},
        {W_O, layer + "attention.dense.weight", Transposed},
        {b_O, layer + "attention.dense.bias"},
        {W_in, layer + "ffn.weight", Transposed},
        {b_in, layer + "ffn.bias"},
        {W_out, layer + "ffn_output.weight", Transposed},
        {b_out, layer + "ffn_output.bias"},
    };
    append(rules, layerNorm(LnEmbedWeight, LnEmbedBias, embeddings + "LayerNorm"));
    append(rules, layerNorm(Ln1Weight, Ln1Bias, layer + "attention.LayerNorm"));
    append(rules, layerNorm(Ln2Weight, Ln2Bias, layer + "full_layer_layer_norm"));
    return rules;
}

} // namespace

Architecture describeAlbert(ConfigReader& config, const TensorSource& file) {
    refuseAlbertGroups(config);
    Architecture albert;
    ModelSpec& spec = albert.spec;
    spec = encoderSpec();
    readBertSizes(config, spec, {.activation = "gelu_new"});
    albert.base_prefix = "albert.";
    albert.tensors = albertEncoder();
    addNarrowEmbedding(albert, config.sizeOr({"embedding_size"}, 128),
                       "albert.encoder.embedding_hidden_mapping_in");
    spec.output = OutputHead::None;
    if (hasTensorLike(file, "predictions."))
        addMaskedLmHead(albert, file,
                        {"predictions", "predictions.dense", "predictions.LayerNorm"});
    albert.extras = {{"*embeddings.position_ids", "the numbers 0, 1, 2, …, a constant"},
                     {"*pooler.*", "the pooler classifies sentences; no token passes it"},
                     {"*sop_classifier.*", "tells the order of sentences; no token passes it"}};
    if (spec.n_layers > 1)
        config.note("All layers share one set of weights; each has a copy of it here, and all "
                    "copies are counted.");
    // Of the code that trained the first models; transformers reads none of them.
    config.passOver({"down_scale_factor", "gap_size", "layers_to_keep", "net_structure_type",
                     "num_memory_blocks"});
    return albert;
}

} // namespace headscope
