#pragma once

#include "core/io/tensor_source.h"
#include "core/loading/architectures/architecture.h"
#include "core/loading/config/config_reader.h"

namespace headscope {

/// Where a config ties embedding and unembedding, and the file has both with different numbers, the
/// two are not tied, with a note: as transformers does since 5.0
/// (PreTrainedModel.tie_weights). Likewise the two biases of BERT's head. Reads these tensors.
void untieStoredHead(ConfigReader& config, const TensorSource& file, Architecture& architecture);

} // namespace headscope
