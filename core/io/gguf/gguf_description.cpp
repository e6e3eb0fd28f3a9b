#include "core/io/gguf/gguf_description.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/io/gguf/blocks.h"
#include "core/io/tensor_source.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace headscope {

namespace {

Error doesNotFit(const std::string& what) {
    return {ErrorCode::Malformed, "its description does not fit the file (" + what +
                                      "); download or copy the file again"};
}

bool isName(const std::string& name) {
    return !name.empty() && name.size() <= kMaxTensorNameBytes &&
           firstInvalidUtf8(name) == std::string::npos;
}

/// Bytes of the numbers; nothing for what no tensor can be.
std::optional<std::size_t> bytesOf(const Shape& shape, const BlockFormat& format) {
    const std::size_t row = shape.empty() ? 1 : shape.back();
    const auto elements = checkedProduct(shape);
    return elements && row % format.elements == 0
               ? checkedMultiply(*elements / format.elements, format.bytes)
               : std::nullopt;
}

/// The tensor, if a file of `file_bytes` bytes can hold it; moves the entry then.
std::optional<GgufTensor> tensorOf(DescribedTensor& entry, std::size_t file_bytes) {
    const BlockFormat* const format = blockFormat(entry.format);
    if (format == nullptr || entry.shape.size() > kMostGgufAxes)
        return std::nullopt;
    const auto bytes = bytesOf(entry.shape, *format);
    const auto end = bytes ? checkedAdd(entry.offset, *bytes) : std::nullopt;
    if (!end || *end > file_bytes)
        return std::nullopt;
    return GgufTensor{std::move(entry.name), format, std::move(entry.shape), entry.offset, *bytes};
}

bool overlap(const std::vector<GgufTensor>& tensors) {
    std::vector<std::pair<std::size_t, std::size_t>> places;
    places.reserve(tensors.size());
    for (const GgufTensor& tensor : tensors)
        places.emplace_back(tensor.offset, tensor.offset + tensor.bytes);
    std::ranges::sort(places);
    const auto beginsBeforeTheEnd = [](const auto& one, const auto& next) {
        return next.first < one.second;
    };
    return std::ranges::adjacent_find(places, beginsBeforeTheEnd) != places.end();
}

} // namespace

GgufAnswer describe(GgufHeader header) {
    GgufAnswer description{.metadata = std::move(header.metadata),
                           .tensors = {},
                           .split_number = header.split_number,
                           .split_count = header.split_count,
                           .split_tensors = header.split_tensors};
    for (GgufTensor& tensor : header.tensors)
        description.tensors.push_back({std::move(tensor.name), tensor.format->number,
                                       std::move(tensor.shape), tensor.offset});
    return description;
}

Result<GgufHeader> checkedHeader(GgufAnswer description, std::size_t file_bytes) {
    GgufHeader header{.metadata = std::move(description.metadata),
                      .tensors = {},
                      .split_number = description.split_number,
                      .split_count = description.split_count,
                      .split_tensors = description.split_tensors};
    if (header.split_number >= header.split_count)
        return doesNotFit("it says it is a part that is not there");
    header.tensors.reserve(description.tensors.size());
    for (DescribedTensor& entry : description.tensors) {
        if (!isName(entry.name))
            return doesNotFit("a tensor has no valid name");
        if (!header.tensors.empty() && header.tensors.back().name >= entry.name)
            return doesNotFit("its tensors are in no order");
        auto tensor = tensorOf(entry, file_bytes);
        if (!tensor)
            return doesNotFit("tensor " + inQuotes(entry.name) + " cannot be in it");
        header.tensors.push_back(*std::move(tensor));
    }
    if (overlap(header.tensors))
        return doesNotFit("two tensors share bytes");
    return header;
}

} // namespace headscope
