#include "core/export/formats/weight_stream.h"

#include "core/base/text.h"
#include "core/io/slabs.h"
#include "core/tensor/half.h"
#include "core/tensor/tensor.h"

#include <algorithm>
#include <span>

namespace headscope {

namespace {

bool isTurned(const TensorInfo& tensor) {
    return tensor.transposed && tensor.shape.size() == 2;
}

Shape promisedShape(const TensorInfo& tensor) {
    return isTurned(tensor) ? Shape(tensor.shape.rbegin(), tensor.shape.rend()) : tensor.shape;
}

/// [rows, cols] to [cols, rows]
std::vector<float> turned(const std::vector<float>& values, std::size_t rows, std::size_t cols) {
    std::vector<float> result(values.size());
    transposeInto({values.data(), rows, cols, cols}, {result.data(), cols, rows, rows});
    return result;
}

} // namespace

FloatFormat commonFormat(const TensorSource& weights) {
    const auto allAre = [&weights](StoredType type) {
        return std::ranges::all_of(weights.tensors(), [type](const TensorInfo& tensor) {
            return tensor.type == type || !isFloat(tensor.type);
        });
    };
    if (allAre(StoredType::Float16))
        return FloatFormat::Float16;
    return allAre(StoredType::BFloat16) ? FloatFormat::BFloat16 : FloatFormat::Float32;
}

double packedShare(const TensorSource& weights) {
    double stored = 0.0;
    double plain = 0.0;
    for (const TensorInfo& tensor : weights.tensors()) {
        if (!isFloat(tensor.type) || tensor.type == StoredType::Quantized)
            continue;
        const std::size_t bytes = tensor.type == StoredType::Float64
                                      ? sizeof(double)
                                      : bytesPerNumber(formatFor(tensor.type));
        stored += static_cast<double>(tensor.stored_bytes);
        plain += static_cast<double>(elementCount(tensor.shape) * bytes);
    }
    return stored > 0.0 ? stored / plain : 1.0;
}

WeightStream::WeightStream(const TensorSource& weights, std::optional<FloatFormat> format,
                           const Progress& progress, const std::stop_token& stop)
    : weights_(weights), format_(format), progress_(progress), stop_(stop) {
    for (const TensorInfo& tensor : weights.tensors()) {
        if (!isFloat(tensor.type)) {
            left_out_.push_back(tensor.name);
            continue;
        }
        tensors_.push_back(&tensor);
        total_ += static_cast<double>(elementCount(tensor.shape));
    }
}

std::vector<StreamedArray> WeightStream::arrays() const {
    std::vector<StreamedArray> arrays;
    arrays.reserve(tensors_.size());
    for (const TensorInfo* tensor : tensors_)
        arrays.push_back({tensor->name, promisedShape(*tensor), formatOf(*tensor)});
    return arrays;
}

Result<void> WeightStream::produce(std::size_t array, const AppendBytes& append) {
    const TensorInfo& tensor = *tensors_[array];
    report(progress_, done_ / total_, "writing " + tensor.name);
    std::vector<float> values(elementCount(tensor.shape));
    if (auto read = weights_.read(tensor, values, stop_); !read)
        return read;
    done_ += static_cast<double>(values.size());
    if (isTurned(tensor))
        values = turned(values, tensor.shape[0], tensor.shape[1]);
    return forEachSlab(
        values.size(), sizeof(float), stop_, [&](std::size_t first, std::size_t count) {
            return appendSlab(tensor, std::span(values).subspan(first, count), append);
        });
}

Result<void> WeightStream::appendSlab(const TensorInfo& tensor, std::span<const float> values,
                                      const AppendBytes& append) {
    if (formatOf(tensor) == FloatFormat::Float32)
        return append(std::as_bytes(values));
    words_.resize(values.size());
    if (const auto beyond = narrow(formatOf(tensor), values, words_))
        return tooLarge(tensor, *beyond);
    return append(std::as_bytes(std::span(words_)));
}

Error WeightStream::tooLarge(const TensorInfo& tensor, float value) const {
    const bool is_float16 = formatOf(tensor) == FloatFormat::Float16;
    return {ErrorCode::Unsupported, "Cannot convert " + weights_.path().filename().string() +
                                        ": tensor '" + tensor.name + "' holds " +
                                        numberText(value) + ", beyond the largest " +
                                        (is_float16 ? "float16, 65504; choose bfloat16 or float32."
                                                    : "bfloat16; choose float32.")};
}

FloatFormat WeightStream::formatOf(const TensorInfo& tensor) const {
    if (format_)
        return *format_;
    if (tensor.type == StoredType::Float16)
        return FloatFormat::Float16;
    return tensor.type == StoredType::BFloat16 ? FloatFormat::BFloat16 : FloatFormat::Float32;
}

} // namespace headscope
