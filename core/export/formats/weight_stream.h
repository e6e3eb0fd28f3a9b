#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/io/streamed_arrays.h"
#include "core/io/tensor_source.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// The narrowest format that holds all tensors as they are stored.
FloatFormat commonFormat(const TensorSource& weights);

/// The bytes that the file takes for floating-point numbers, over those that they have: below 1
/// where they are packed, as by h5py's compression='gzip'.
double packedShare(const TensorSource& weights);

/// The weights of a model on their way into a file, tensor by tensor: every matrix is turned to
/// what its name promises, and narrowed to its format.
class WeightStream {
public:
    /// Without a format every tensor keeps that of its TensorInfo. What is passed must outlive it.
    WeightStream(const TensorSource& weights, std::optional<FloatFormat> format,
                 const Progress& progress, const std::stop_token& stop);

    /// Tensors of floating-point numbers, as the file will hold them.
    std::vector<StreamedArray> arrays() const;
    /// Names of the others.
    const std::vector<std::string>& leftOut() const { return left_out_; }

    /// The bytes of one of arrays(). float16 takes no numbers that would become infinite.
    Result<void> produce(std::size_t array, const AppendBytes& append);

private:
    FloatFormat formatOf(const TensorInfo& tensor) const;
    Result<void> appendSlab(const TensorInfo& tensor, std::span<const float> values,
                            const AppendBytes& append);
    Error tooLarge(const TensorInfo& tensor, float value) const;

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

} // namespace headscope
