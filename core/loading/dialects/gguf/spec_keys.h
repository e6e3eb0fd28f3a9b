#pragma once

#include "core/io/gguf_writer.h"
#include "core/loading/architectures/architecture.h"
#include "core/model/model_spec.h"

#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// A vector of numbers that a GGUF keeps as a tensor, because it is no key.
struct GgufNumbers {
    std::string tensor; ///< "rope_freqs.weight"
    std::vector<float> values;
};

/// What GGUF says of a network in metadata and small tensors.
struct GgufDescription {
    std::vector<GgufEntry> metadata;
    std::vector<GgufNumbers> numbers;
};

/// `tensors` are those of the model's family, whose factors some of the keys are.
GgufDescription describeForGguf(const ModelSpec& spec, const std::vector<TensorRule>& tensors,
                                std::string_view architecture);

} // namespace headscope
