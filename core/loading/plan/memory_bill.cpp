#include "core/loading/plan/memory_bill.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <algorithm>
#include <optional>

namespace headscope {

namespace {

/// Bytes of one number in the file, where reading it takes a conversion.
std::size_t conversionWidth(StoredType type) {
    switch (type) {
    case StoredType::Float32:
        return 0;
    case StoredType::Float16:
    case StoredType::BFloat16:
    case StoredType::Quantized:
        return 2;
    default:
        return 8;
    }
}

/// Bytes of one number while it is read and converted.
std::size_t stagingWidth(const PlannedTensor& planned, FloatFormat kept) {
    return kept == FloatFormat::Float32 ? sizeof(float) + conversionWidth(planned.tensor->type)
                                        : bytesPerNumber(kept);
}

} // namespace

MemoryFormats::MemoryFormats(const TensorPlan& plan) {
    for (const PlannedTensor& planned : plan.tensors) {
        if (planned.copy_of != nullptr)
            continue;
        const RoleInfo& role = roleInfo(planned.role);
        const FloatFormat format = role.isVector() || planned.factor != 1.0
                                       ? FloatFormat::Float32
                                       : formatFor(planned.tensor->type);
        const auto [known, is_new] =
            formats_.try_emplace({role.tensor.edit, planned.layer}, format);
        if (known->second != format)
            known->second = FloatFormat::Float32;
    }
}

FloatFormat MemoryFormats::of(const PlannedTensor& planned) const {
    const auto found = formats_.find({roleInfo(planned.role).tensor.edit, planned.layer});
    return found == formats_.end() ? FloatFormat::Float32 : found->second;
}

Result<MemoryBill> memoryBill(const TensorPlan& plan, const ModelSpec& spec,
                              std::string_view file) {
    MemoryBill bill;
    const MemoryFormats formats(plan);
    for (const PlannedTensor& planned : plan.tensors) {
        const FloatFormat format = formats.of(planned);
        const std::size_t kept = planned.copy_of == nullptr ? bytesPerNumber(format) : 0;
        const std::size_t width = stagingWidth(planned, format);
        const auto each = checkedProduct(planned.layout == Layout::OneHead
                                             ? planned.tensor->shape
                                             : roleInfo(planned.role).shape(spec, planned.layer));
        const auto count = each ? checkedMultiply(*each, planned.copies(spec)) : std::nullopt;
        const auto stored = checkedProduct(planned.tensor->shape);
        const auto staging = count && stored ? checkedMultiply(*stored, width) : std::nullopt;
        const auto weights = staging ? checkedAdd(bill.weights, *count * kept) : std::nullopt;
        if (!weights)
            return Error{ErrorCode::TooLarge, std::string(file) +
                                                  " describes a network too large to count, at the "
                                                  "tensor '" +
                                                  planned.tensor->name + "'; correct the config."};
        bill.weights = *weights;
        bill.staging = std::max(bill.staging, *staging);
    }
    return bill;
}

Result<void> checkMemory(const MemoryBill& bill, std::size_t available, std::string_view file) {
    const auto total = checkedAdd(bill.weights, bill.staging);
    if (total && *total <= available)
        return {};
    return Error{ErrorCode::TooLarge,
                 std::string(file) + " needs " + byteText(bill.weights) +
                     " of memory for its weights and " + byteText(bill.staging) +
                     " while loading, but " + byteText(available) +
                     " are available; close other programs or open a smaller model."};
}

} // namespace headscope
