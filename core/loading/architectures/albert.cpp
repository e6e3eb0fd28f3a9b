#include "core/loading/architectures/bert_like.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
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

/// The tensors of the one layer that all layers share.
std::vector<TensorRule> albertEncoder() {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> names{
        {{"encoder.layer.{}.", "encoder.albert_layer_groups.0.albert_layers.0."},
         {"attention.self.", "attention."},
         {"attention.output.dense", "attention.dense"},
         {"attention.output.LayerNorm", "attention.LayerNorm"},
         {"intermediate.dense", "ffn"},
         {"output.dense", "ffn_output"},
         {"output.LayerNorm", "full_layer_layer_norm"}}};
    return bertEncoder("albert.", names);
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
    // Keys of the code that trained the first models; transformers reads none of them.
    config.passOver({"down_scale_factor", "gap_size", "layers_to_keep", "net_structure_type",
                     "num_memory_blocks"});
    return albert;
}

} // namespace headscope
