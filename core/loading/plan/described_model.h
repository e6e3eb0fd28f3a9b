#pragma once

#include "core/base/result.h"
#include "core/io/tensor_source.h"
#include "core/loading/architectures/architecture.h"
#include "core/loading/config/config_reader.h"
#include "core/loading/plan/tensor_plan.h"
#include "core/model/model_spec.h"
#include "core/model/weight_role.h"

#include <string>

namespace headscope {

/// What the config of a file says of its network, with the record of what was read.
struct DescribedModel {
    ConfigReader config;
    Architecture architecture;
};

/// Finds the config inside the file or beside it and describes the network by it. Fails where there
/// is none, where its family is unknown, or where its sizes contradict each other.
Result<DescribedModel> describeModel(const TensorSource& file);

/// What circuits are read from; biases, sinks and norms of queries and keys are no part of them.
bool isCircuit(WeightRole role);

/// What turns the last residual into logits, with the norm before it.
bool isHead(WeightRole role);

/// What a network still is without the tensors that its plan misses:
///   the unembedding   a network that ends with its residual stream (base models)
///   the final norm    a network that ends before it
///   anything else     attention as weights, which cannot be run, of the layers that have W_Q, W_K,
///                     W_V and W_O; what is left of attention in others is ignored
/// Changes `spec` and `plan` to that and returns a sentence for the user, empty when nothing is
/// missing. Fails when no layer has all four.
Result<std::string> withoutMissing(TensorPlan& plan, ModelSpec& spec);

} // namespace headscope
