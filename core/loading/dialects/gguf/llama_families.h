#pragma once

#include "core/loading/dialects/gguf/gguf_families.h"

#include <vector>

namespace headscope {

/// The lineage of Llama, and Gemma.
std::vector<GgufFamily> llamaGgufFamilies();

/// Granite, Cohere, GLM and the others that came later.
std::vector<GgufFamily> llamaKinGgufFamilies();

/// Mixtures of experts in that lineage; Mixtral has the architecture of Llama.
std::vector<GgufFamily> mixtureGgufFamilies();

/// BERT, ModernBERT and Nomic BERT.
std::vector<GgufFamily> encoderGgufFamilies();

/// GPT-2 and its kin, Falcon, BLOOM and MPT.
std::vector<GgufFamily> otherGgufFamilies();

// Names that several of them share.

/// Norms that multiply by 1 + weight.
std::vector<GgufName> gainPlusOneGgufNames(const TensorSource& file);
/// Norms of queries and keys.
std::vector<GgufName> normedGgufNames(const TensorSource& file);
/// The same, and norms of what branches add.
std::vector<GgufName> olmo2GgufNames(const TensorSource& file);

} // namespace headscope
