#include "core/model/memory_bill.h"

#include "core/base/checked.h"
#include "core/base/text.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace headscope {

namespace {

/// float32 bytes of a tensor, or nothing when they cannot be counted.
std::optional<std::size_t> floatBytes(const Shape& shape) {
    const auto count = checkedProduct(shape);
    return count ? checkedMultiply(*count, sizeof(float)) : std::nullopt;
}

} // namespace

Result<MemoryBill> memoryBill(const TensorPlan& plan, const ModelSpec& spec,
                              std::string_view file) {
    MemoryBill bill;
    for (const PlannedTensor& planned : plan.tensors) {
        const auto bytes = floatBytes(roleInfo(planned.role).shape(spec));
        const bool copy = planned.copy_of != nullptr;
        const auto weights =
            bytes ? checkedAdd(bill.weights, copy ? std::size_t{0} : *bytes) : std::nullopt;
        if (!weights)
            return Error{ErrorCode::TooLarge, std::string(file) +
                                                  " describes a network too large to count, at the "
                                                  "tensor '" +
                                                  planned.tensor->name + "'; correct the config."};
        bill.weights = *weights;
        bill.staging = std::max(bill.staging, *bytes);
    }
    return bill;
}

Result<void> checkMemory(const MemoryBill& bill, std::size_t available, std::string_view file) {
    const auto total = checkedAdd(bill.weights, bill.staging);
    if (total && *total <= available)
        return {};
    return Error{ErrorCode::TooLarge,
                 std::string(file) + " needs " + byteText(bill.weights) +
                     " of memory for its weights as float32 and " + byteText(bill.staging) +
                     " while loading, but " + byteText(available) +
                     " are available; close other programs or open a smaller model."};
}

std::optional<std::size_t> availableMemory() {
    std::ifstream lines("/proc/meminfo");
    std::string key;
    std::string unit;
    std::size_t kibibytes = 0;
    while (lines >> key >> kibibytes && std::getline(lines, unit))
        if (key == "MemAvailable:")
            return checkedMultiply(kibibytes, 1024);
    return std::nullopt;
}

} // namespace headscope
