#pragma once

#include "core/io/tensor_source.h"
#include "core/loading/dialects/gguf/gguf_metadata.h"
#include "tests/support/models.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace headscope::test {

inline std::vector<float> valuesOf(const TensorSource& source, const TensorInfo& tensor) {
    std::vector<float> values(elementCount(tensor.shape));
    if (const auto read = source.read(tensor, values); !read)
        throw std::runtime_error(read.error().message);
    return values;
}

inline nlohmann::json metadataOf(const std::filesystem::path& path) {
    return nlohmann::json::parse(require(openTensorSource(path))->text(kGgufMetadata).value());
}

/// Names and types of the tensors, in one text.
inline std::string listing(const TensorSource& source) {
    std::string text;
    for (const TensorInfo& tensor : source.tensors())
        text += tensor.name + " " + storedTypeText(tensor) + "\n";
    return text;
}

} // namespace headscope::test
