#include "core/export/formats/model_file.h"

#include "core/base/text.h"
#include "core/io/half.h"
#include "core/io/slabs.h"
#include "core/loading/load_model.h"
#include "core/model/model.h"
#include "core/tensor/transpose.h"

#include <algorithm>
#include <cmath>
#include <new>

namespace headscope {

namespace {

/// "h.0.w" → "h/0/w"
std::string pathOf(std::string name) {
    std::ranges::replace(name, '.', '/');
    return name;
}

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

/// Writes one model; keeps count of the bytes read.
class ModelWriter {
public:
    ModelWriter(const TensorSource& weights, std::optional<FloatFormat> format,
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

    Result<WrittenModel> write(const std::filesystem::path& path, const ModelFileTexts& texts,
                               const InspectFile& inspect) {
        if (tensors_.empty())
            return Error{ErrorCode::NotFound, weights_.path().filename().string() +
                                                  " holds no floating-point numbers to convert; "
                                                  "choose the weight file of a model."};
        std::vector<Hdf5StreamedArray> arrays;
        for (const TensorInfo* tensor : tensors_)
            arrays.push_back({pathOf(tensor->name), promisedShape(*tensor), formatOf(*tensor)});
        const auto produce = [this](std::size_t array, const AppendBytes& append) {
            return appendTensor(*tensors_[array], append);
        };
        if (auto written = writeHdf5Streamed(path, arrays, attributes(texts), produce, inspect);
            !written)
            return written.error();
        report(progress_, 1.0, "written");
        return WrittenModel{tensors_.size(), std::move(left_out_)};
    }

private:
    FloatFormat formatOf(const TensorInfo& tensor) const {
        if (format_)
            return *format_;
        if (tensor.type == StoredType::Float16)
            return FloatFormat::Float16;
        return tensor.type == StoredType::BFloat16 ? FloatFormat::BFloat16 : FloatFormat::Float32;
    }

    std::vector<Hdf5Attribute> attributes(const ModelFileTexts& texts) const {
        std::vector<Hdf5Attribute> all{{"format", "headscope"},
                                       {"format_version", "1"},
                                       {"converted_from", weights_.path().filename().string()}};
        const auto add = [&](const char* name, const std::string& text) {
            if (!text.empty())
                all.push_back({name, text});
        };
        add("config", texts.config);
        add("tokenizer", texts.tokenizer);
        add("description", texts.description);
        add(kSquareMatrices, texts.square_matrices);
        add(kHeadMatrices, texts.head_matrices);
        return all;
    }

    Result<void> appendTensor(const TensorInfo& tensor, const AppendBytes& append) {
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

    Result<void> appendSlab(const TensorInfo& tensor, std::span<const float> values,
                            const AppendBytes& append) {
        if (formatOf(tensor) == FloatFormat::Float32)
            return append(std::as_bytes(values));
        words_.resize(values.size());
        const auto narrow =
            formatOf(tensor) == FloatFormat::Float16 ? narrowToFloat16 : narrowToBFloat16;
        if (const auto beyond = narrow(values, words_))
            return tooLarge(tensor, *beyond);
        return append(std::as_bytes(std::span(words_)));
    }

    Error tooLarge(const TensorInfo& tensor, float value) const {
        const bool is_float16 = formatOf(tensor) == FloatFormat::Float16;
        return {ErrorCode::Unsupported,
                "Cannot convert " + weights_.path().filename().string() + ": tensor '" +
                    tensor.name + "' holds " + numberText(value) + ", beyond the largest " +
                    (is_float16 ? "float16, 65504; choose bfloat16 or float32."
                                : "bfloat16; choose float32.")};
    }

    const TensorSource& weights_;
    std::optional<FloatFormat> format_;
    const Progress& progress_;
    const std::stop_token& stop_;
    std::vector<const TensorInfo*> tensors_;
    std::vector<std::string> left_out_;
    std::vector<std::uint16_t> words_; ///< of one slab
    double total_ = 0.0;               ///< numbers in all tensors
    double done_ = 0.0;
};

} // namespace

Result<WrittenModel> writeModelFile(const std::filesystem::path& path, const TensorSource& weights,
                                    const ModelFileTexts& texts, std::optional<FloatFormat> format,
                                    const Progress& progress, const std::stop_token& stop,
                                    const InspectFile& inspect) {
    try {
        return ModelWriter(weights, format, progress, stop).write(path, texts, inspect);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::TooLarge, "There is not enough memory to convert " +
                                              weights.path().filename().string() +
                                              "; close other programs."};
    }
}

} // namespace headscope
