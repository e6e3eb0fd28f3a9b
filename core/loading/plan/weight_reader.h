#pragma once

#include "core/base/result.h"
#include "core/io/tensor_source.h"
#include "core/loading/plan/memory_bill.h"
#include "core/loading/plan/tensor_plan.h"
#include "core/model/weights.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

/// Brings planned tensors from the file into Weights, the numbers of matrices as MemoryFormats has
/// them. Not thread-safe.
class WeightReader {
public:
    WeightReader(const TensorSource& file, const TensorPlan& plan, const ModelSpec& spec,
                 std::stop_token stop)
        : file_(file), formats_(plan), spec_(spec), stop_(std::move(stop)) {}

    /// Reads one tensor of the plan, checks that every number is finite, and puts it into its
    /// place, which is allocated when this is the first part of it. A copy is compared with what is
    /// there.
    Result<void> read(const PlannedTensor& planned, Weights& weights);

private:
    /// One tensor in the order of the file.
    template <class Number>
    struct Staged {
        std::vector<Number> numbers;
        const TensorInfo* tensor = nullptr; ///< which one that is; null: none

        /// Gives the memory back unless it is that one.
        void keepOnly(const TensorInfo* wanted) {
            if (tensor != wanted)
                *this = {};
        }
    };

    template <class Number>
    Result<void> readNumbers(const PlannedTensor& planned, const Shape& shape,
                             BasicTensor<Number>& tensor, Staged<Number>& staged);
    template <class Number>
    Result<void> compare(const PlannedTensor& planned, WeightMatrix original,
                         Staged<Number>& staged);
    template <class Number>
    Result<void> stage(const PlannedTensor& planned, Staged<Number>& staged) const;
    template <class Number>
    Result<void> readInto(const PlannedTensor& planned, std::span<Number> values) const;
    Error notFinite(const PlannedTensor& planned, std::size_t offset, float number) const;
    Error cancelled() const;
    std::string named(const PlannedTensor& planned) const;

    const TensorSource& file_;
    MemoryFormats formats_;
    const ModelSpec& spec_;
    std::stop_token stop_;
    Staged<float> floats_;
    Staged<std::uint16_t> words_;
};

} // namespace headscope
