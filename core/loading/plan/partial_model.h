#pragma once

#include "core/base/result.h"
#include "core/loading/plan/tensor_plan.h"
#include "core/model/model_spec.h"

#include <string>

namespace headscope {

/// What a network still is without the tensors that its plan misses:
///   the unembedding                   a network that ends with its residual stream (base models)
///   anything else outside attention   attention as weights, which cannot be run
/// Changes `spec` to that and returns a sentence for the user, empty when nothing is missing. Fails
/// when a layer lacks a part of its attention.
Result<std::string> withoutMissing(const TensorPlan& plan, ModelSpec& spec);

} // namespace headscope
