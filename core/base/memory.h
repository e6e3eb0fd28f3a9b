#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <optional>

namespace headscope {

/// What std::bad_alloc says to the user, where no better sentence is known.
Error memoryIsUsedUp();

/// Bytes that the system can give without swapping (MemAvailable); nothing where it does not say.
std::optional<std::size_t> availableMemory();

} // namespace headscope
