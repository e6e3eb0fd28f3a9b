#include "core/tensor/kernels.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <vector>

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace headscope {

namespace {

#ifdef __x86_64__
/// Not every compiler answers this in __builtin_cpu_supports.
bool widensFloat16() {
    unsigned int eax = 0;
    unsigned int ebx = 0;
    unsigned int ecx = 0;
    unsigned int edx = 0;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_F16C);
}
#endif

/// Widest first. The compiler's own question is asked rather than xsimd's, which does not look
/// whether the operating system keeps the wide registers.
std::vector<const KernelTable*> findUsable() {
    std::vector<const KernelTable*> usable;
#ifdef __x86_64__
    const bool has_avx2 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && widensFloat16();
    if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
        usable.push_back(&kAvx512Kernels);
    if (has_avx2)
        usable.push_back(&kAvx2Kernels);
#endif
    usable.push_back(&kBaselineKernels);
    return usable;
}

const std::vector<const KernelTable*>& usable() {
    static const std::vector<const KernelTable*> tables = findUsable();
    return tables;
}

std::atomic<const KernelTable*>& inUse() {
    static std::atomic<const KernelTable*> table = usable().front();
    return table;
}

} // namespace

const KernelTable& kernels() {
    return *inUse().load(std::memory_order_relaxed);
}

std::string kernelDescription() {
    return std::string(kernels().name) + " kernels";
}

std::span<const std::string_view> kernelNames() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> found;
        for (const KernelTable* table : usable())
            found.push_back(table->name);
        return found;
    }();
    return names;
}

void useKernels(std::string_view name) {
    const auto table = std::ranges::find(usable(), name, &KernelTable::name);
    assert(table != usable().end());
    inUse() = *table;
}

} // namespace headscope
