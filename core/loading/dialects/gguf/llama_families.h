#pragma once

#include "core/loading/dialects/gguf/gguf_families.h"

#include <vector>

namespace headscope {

/// The lineage of Llama, and Gemma.
std::vector<GgufFamily> llamaGgufFamilies();

/// Mixtures of experts in that lineage; Mixtral has the architecture of Llama.
std::vector<GgufFamily> mixtureGgufFamilies();

/// GPT-2 and its kin, Falcon, BLOOM, MPT, and BERT.
std::vector<GgufFamily> otherGgufFamilies();

} // namespace headscope
