#pragma once

#include "core/io/tensor_source.h"
#include "core/loading/architectures/architecture.h"
#include "core/loading/config/config_reader.h"
#include "core/loading/plan/tensor_plan.h"

#include <string>

namespace headscope {

// Where a config ties embedding and unembedding, and the file has both with different numbers, the
// two are not tied, as in transformers since 5.0 (PreTrainedModel.tie_weights). Likewise the two
// biases of BERT's head. Only reading the weights tells of the matrices.

/// Whether other numbers than those that it is a copy of make this tensor an unembedding of its
/// own.
bool mayBeUntied(const PlannedTensor& planned, const ModelSpec& spec);

/// Takes what was tied to the embedding for the unembedding.
void untieHead(Architecture& architecture);

/// The same where reading the weights of `loaded` told that they are not tied.
void tieAsIn(const ModelSpec& loaded, Architecture& architecture);

/// For the user, of a tensor for which mayBeUntied() was true.
std::string untiedNote(const TensorInfo& first, const TensorInfo& other);

/// Compares the two biases of a head that the config ties, with a note where they differ.
void untieStoredBias(ConfigReader& config, const TensorSource& file, Architecture& architecture);

} // namespace headscope
