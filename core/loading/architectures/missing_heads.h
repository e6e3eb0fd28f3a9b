#pragma once

#include "core/loading/architectures/architecture.h"

namespace headscope {

/// Heads that transformers cut out of the file (pruned_heads), where it could.
void readPrunedHeads(ConfigReader& config, const Family& family, ModelSpec& spec);

/// Which heads each layer still has, of a file that Headscope cut (core/loading/model_texts.h).
void readKeptHeads(ConfigReader& config, Architecture& architecture);

/// What is left of removed heads may be a bias of families that have none there.
void readOutputBias(ConfigReader& config, Architecture& architecture);

} // namespace headscope
