#pragma once

#include "core/io/tensor_source.h"

#include <QtGlobal>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::test {

/// The opened file; what cannot be opened ends the test.
inline std::unique_ptr<TensorSource> opened(const std::filesystem::path& path) {
    auto source = openTensorSource(path);
    if (!source)
        qFatal("%s", source.error().message.c_str());
    return *std::move(source);
}

/// All values of one tensor.
inline std::vector<float> readAll(const TensorSource& source, std::string_view name) {
    const TensorInfo* const tensor = source.find(name);
    if (tensor == nullptr)
        qFatal("no tensor %s", std::string(name).c_str());
    std::vector<float> values(elementCount(tensor->shape), -1.0f);
    const auto read = source.read(*tensor, values);
    if (!read)
        qFatal("%s", read.error().message.c_str());
    return values;
}

/// Values that every number format of the tests holds exactly, 16-bit ones too.
inline std::vector<float> exactValues(std::size_t count) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<float>(i % 97);
    return values;
}

} // namespace headscope::test
