#pragma once

#include "core/loading/architectures/common.h"

#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// What the families that descend from BERT share.

/// Bidirectional, learned positions, a LayerNorm after the embedding and after each sum; sizes and
/// head are the family's own.
ModelSpec encoderSpec();

/// What all of them call alike: layers, widths, vocabulary, ties, special tokens.
void readEncoderSizes(ConfigReader& config, ModelSpec& spec);

/// Whether the file has a tensor of the masked-LM head, which no config says; `part` is in its name
/// and in no other's.
bool hasTensorLike(const TensorSource& file, std::string_view part);

/// Gain and bias of one LayerNorm. Old files say gamma and beta: alternatives of one role.
std::vector<TensorRule> layerNorm(WeightRole weight, WeightRole bias, const std::string& name);

/// The names of a masked-LM head: norm(act(x · dense)), then the unembedding inside `scope`.
struct MaskedLmNames {
    std::string scope; ///< "lm_head"
    std::string dense;
    std::string norm;
};

/// Where the config ties the unembedding to the embedding, it is a copy of it, and its bias has two
/// names; where not, only the bias of the decoder counts.
void addMaskedLmHead(Architecture& bert, const TensorSource& file, const MaskedLmNames& names);

/// Constants, and parts that no token passes.
std::vector<ExtraRule> bertExtras();

} // namespace headscope
