#pragma once

#include "core/base/result.h"
#include "core/io/tensor_source.h"
#include "core/loading/plan/tensor_plan.h"
#include "core/model/weights.h"

#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

/// Brings planned tensors from the file into Weights. Not thread-safe.
class WeightReader {
public:
    WeightReader(const TensorSource& file, const ModelSpec& spec, std::stop_token stop)
        : file_(file), spec_(spec), stop_(std::move(stop)) {}

    /// Reads one tensor, checks that every number is finite, and puts it into its place, which is
    /// allocated when this is the first part of it. A copy is compared with what is there.
    Result<void> read(const PlannedTensor& planned, Weights& weights);

private:
    Result<void> stage(const PlannedTensor& planned);
    Result<void> readInto(const PlannedTensor& planned, std::span<float> values) const;
    MutableMatrixView rowsOf(const PlannedTensor& planned, MutableMatrixView whole) const;
    Result<void> checkFinite(const PlannedTensor& planned, std::span<const float> values) const;
    Result<void> place(const PlannedTensor& planned, MutableMatrixView target) const;
    Result<void> compare(const PlannedTensor& planned, MatrixView original) const;
    Error cancelled() const;
    std::string named(const PlannedTensor& planned) const;

    const TensorSource& file_;
    const ModelSpec& spec_;
    std::stop_token stop_;
    std::vector<float> staged_;                 ///< one tensor in the order of the file
    const TensorInfo* staged_tensor_ = nullptr; ///< which one that is; null: none
};

} // namespace headscope
