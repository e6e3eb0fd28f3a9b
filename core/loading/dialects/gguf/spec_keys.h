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

/// What llama.cpp would compute in another way than the model, or would not open, whatever its GGUF
/// says, and what to do: the end of a sentence; empty where there is nothing. What `came_from_gguf`
/// is for llama.cpp what it was: a file of GPT-OSS leaves out whether the ramp of YaRN is rounded,
/// and so does the next one.
std::string notInLlamaCpp(const ModelSpec& spec, std::string_view architecture,
                          bool came_from_gguf);

/// Where llama.cpp computes another network only as it is started, a sentence; else empty.
std::string sometimesInLlamaCpp(const ModelSpec& spec);

/// `tensors` are those of the model's family, whose factors some of the keys are.
GgufDescription describeForGguf(const ModelSpec& spec, const std::vector<TensorRule>& tensors,
                                std::string_view architecture);

} // namespace headscope
