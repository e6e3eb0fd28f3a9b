#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <limits>
#include <optional>
#include <span>

namespace headscope {

/// a · b, or nothing when the product does not fit.
constexpr std::optional<std::size_t> checkedMultiply(std::size_t a, std::size_t b) {
    if (a != 0 && b > std::numeric_limits<std::size_t>::max() / a)
        return std::nullopt;
    return a * b;
}

/// a + b, or nothing when the sum does not fit.
constexpr std::optional<std::size_t> checkedAdd(std::size_t a, std::size_t b) {
    if (b > std::numeric_limits<std::size_t>::max() - a)
        return std::nullopt;
    return a + b;
}

/// The product of all sizes (1 for none), or nothing when it does not fit.
constexpr std::optional<std::size_t> checkedProduct(std::span<const std::size_t> sizes) {
    std::size_t product = 1;
    for (const std::size_t size : sizes) {
        const auto next = checkedMultiply(product, size);
        if (!next)
            return std::nullopt;
        product = *next;
    }
    return product;
}

/// What std::bad_alloc says to the user, where no better sentence is known.
Error memoryIsUsedUp();

/// Bytes that the system can give without swapping (MemAvailable); nothing where it does not say.
std::optional<std::size_t> availableMemory();

/// Lets later threads take what earlier ones freed. By default the C library keeps freed memory
/// apart for up to eight threads per core, and a window whose jobs run on threads of their own
/// would hold several times what it uses. Must be called before the first thread is started.
void shareFreedMemory();

} // namespace headscope
