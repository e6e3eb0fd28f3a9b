#pragma once

#include "core/loading/architectures/common.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

/// What the families that descend from BERT share.

/// Bidirectional, learned positions, a LayerNorm after the embedding and after each sum; sizes and
/// head are the family's own.
ModelSpec encoderSpec();

/// What all of them call alike: layers, widths, vocabulary, ties, special tokens.
void readEncoderSizes(ConfigReader& config, ModelSpec& spec);

/// What a config of BERT's keys means that does not say it.
struct BertDefaults {
    double eps = 1e-12;
    std::size_t n_token_types = 2;
    std::size_t fewest_token_types = 1;
    std::string_view positions = "absolute"; ///< the position_embedding_type that is described
    std::string_view activation = "gelu";
};

/// The sizes under BERT's keys; refuses what makes such a config another network.
void readBertSizes(ConfigReader& config, ModelSpec& spec, const BertDefaults& defaults = {});

/// RoBERTa's positions begin after those of the padding: the row of the first one; the table has
/// as many rows more than the context.
void readPositionOffset(ConfigReader& config, ModelSpec& spec, std::size_t padding);

/// Fails where the embedding is narrower than the network.
void requireWideEmbedding(ConfigReader& config, const ModelSpec& spec);

/// All of the embedding is so wide, and the Linear `projection` leads to the network.
void addNarrowEmbedding(Architecture& bert, std::size_t d_embed, const std::string& projection);

/// Whether the file has a tensor of the masked-LM head, which no config says; `part` is in its name
/// and in no other's.
bool hasTensorLike(const TensorSource& file, std::string_view part);

/// Gain and bias of one LayerNorm. Old files say gamma and beta: alternatives of one role.
std::vector<TensorRule> layerNorm(WeightRole weight, WeightRole bias, const std::string& name);

/// The encoder under BERT's names, which begin with `prefix` ("bert.").
std::vector<TensorRule> bertEncoder(const std::string& prefix);

/// The same where a family has other names: parts of BERT's and its own, replaced in this order.
std::vector<TensorRule>
bertEncoder(const std::string& prefix,
            std::span<const std::pair<std::string_view, std::string_view>> names);

/// BERT and RoBERTa under names that begin with `prefix`, with their heads where the file has one.
Architecture bertUnder(const std::string& prefix, ConfigReader& config, const TensorSource& file);
Architecture robertaUnder(const std::string& prefix, ConfigReader& config, const TensorSource& file,
                          const BertDefaults& defaults = {});

/// The names of a masked-LM head: norm(act(x · dense)), then the unembedding inside `scope`.
struct MaskedLmNames {
    std::string scope; ///< "lm_head"
    std::string dense;
    std::string norm;
    bool scope_has_bias = true; ///< beside that of the decoder
    bool always_gelu = false;   ///< whatever activation the config asks for
};

/// Where the config ties the unembedding to the embedding, it is a copy of it, and its bias has two
/// names; where not, only the bias of the decoder counts.
void addMaskedLmHead(Architecture& bert, const TensorSource& file, const MaskedLmNames& names);

/// The masked-LM head where the file has one, under BERT's names, which reads the config's
/// activation, and under RoBERTa's, which always uses GELU.
void addBertHead(Architecture& bert, const TensorSource& file);
void addRobertaHead(Architecture& roberta, const TensorSource& file);

/// Constants, and parts that no token passes.
std::vector<ExtraRule> bertExtras();

} // namespace headscope
