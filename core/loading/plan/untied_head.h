#pragma once

#include "core/io/tensor_source.h"
#include "core/loading/architectures/architecture.h"
#include "core/loading/config/config_reader.h"
#include "core/loading/plan/tensor_plan.h"

#include <string>

namespace headscope {

// Where a config ties embedding and unembedding, and the file has both with different numbers, the
// two are not tied, as in transformers since 5.0 (PreTrainedModel.tie_weights). Likewise the two
// biases of BERT's head. Whether the matrices differ is known only when the weights are read.

/// Whether this tensor may hold other numbers than the embedding it should be a copy of, which
/// would make it an unembedding of its own.
bool mayBeUntied(const PlannedTensor& planned, const ModelSpec& spec);

/// Makes the tensor that was tied to the embedding an unembedding of its own.
void untieHead(Architecture& architecture);

/// The same where reading the weights of `loaded` told that they are not tied.
void tieAsIn(const ModelSpec& loaded, Architecture& architecture);

/// For the user, of a tensor for which mayBeUntied() was true.
std::string untiedNote(const TensorInfo& first, const TensorInfo& other);

/// Compares the two biases of a head that the config ties, with a note where they differ.
void untieStoredBias(ConfigReader& config, const TensorSource& file, Architecture& architecture);

} // namespace headscope
