#pragma once

#include "core/base/result.h"
#include "core/loading/plan/tensor_plan.h"
#include "core/model/model_spec.h"
#include "core/model/weight_role.h"

#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

namespace headscope {

/// The formats of the tensors of Weights in memory: a matrix as the file holds it where all its
/// parts are of one narrow format and read as they are, everything else as float32.
class MemoryFormats {
public:
    explicit MemoryFormats(const TensorPlan& plan);

    FloatFormat of(const PlannedTensor& planned) const;

private:
    /// Roles that share a tensor share its access.
    using Place = std::pair<decltype(TensorAccess::edit), std::size_t>;
    std::map<Place, FloatFormat> formats_;
};

/// What loading will take, in bytes.
struct MemoryBill {
    std::size_t weights = 0; ///< kept
    std::size_t staging = 0; ///< while loading: the largest tensor on its way to its place
};

/// Computed from the spec with checked arithmetic, before anything is allocated.
Result<MemoryBill> memoryBill(const TensorPlan& plan, const ModelSpec& spec, std::string_view file);

/// Fails, with the figures, when the bill exceeds `available` bytes.
Result<void> checkMemory(const MemoryBill& bill, std::size_t available, std::string_view file);

} // namespace headscope
