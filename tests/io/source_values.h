#pragma once

#include "core/io/tensor_source.h"
#include "core/tensor/half.h"

#include <QtGlobal>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
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

/// The same from the words that a tensor of 16-bit floats is stored in.
inline std::vector<float> readWords(const TensorSource& source, const TensorInfo& tensor) {
    std::vector<std::uint16_t> words(elementCount(tensor.shape));
    const auto read = source.read(tensor, std::span(words));
    if (!read)
        qFatal("%s", read.error().message.c_str());
    std::vector<float> values(words.size());
    widen(formatFor(tensor.type), words, values);
    return values;
}

/// All values of one tensor; of 16-bit floats read in both ways.
inline std::vector<float> readAll(const TensorSource& source, std::string_view name) {
    const TensorInfo* const tensor = source.find(name);
    if (tensor == nullptr)
        qFatal("no tensor %s", std::string(name).c_str());
    std::vector<float> values(elementCount(tensor->shape), -1.0f);
    const auto read = source.read(*tensor, values);
    if (!read)
        qFatal("%s", read.error().message.c_str());
    const auto same_bits = [](float a, float b) { // NaN is one, too
        return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
    };
    if (formatFor(tensor->type) != FloatFormat::Float32 &&
        !std::ranges::equal(readWords(source, *tensor), values, same_bits))
        qFatal("the words of %s are others", tensor->name.c_str());
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
