#include "core/loading/architectures/bert_like.h"

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

void addMaskedLmHead(Architecture& bert, const TensorSource& file, const MaskedLmNames& names) {
    using enum WeightRole;
    bert.spec.output = OutputHead::MaskedLm;
    const bool tied = bert.spec.tied_unembedding;
    append(bert.tensors, {{W_mlm, names.dense + ".weight", Layout::Transposed},
                          {b_mlm, names.dense + ".bias"},
                          {tied ? W_E : W_U, names.scope + ".decoder.weight"}});
    append(bert.tensors, layerNorm(LnMlmWeight, LnMlmBias, names.norm));
    if (tied || !hasTensorLike(file, names.scope + ".decoder.bias"))
        append(bert.tensors, {{b_U, names.scope + ".bias"}});
    else
        bert.extras.push_back({"*" + names.scope + ".bias",
                               "not read where the unembedding is not the embedding: it has a bias "
                               "of its own"});
    append(bert.tensors, {{b_U, names.scope + ".decoder.bias"}});
}

std::vector<ExtraRule> bertExtras() {
    return {{"*embeddings.position_ids", "the numbers 0, 1, 2, …, a constant"},
            {"*pooler.dense.*", "the pooler classifies sentences; no token passes it"}};
}

} // namespace headscope
