#pragma once

#include "core/base/result.h"

#include <algorithm>
#include <cstddef>
#include <stop_token>

namespace headscope {

/// As much as is read between two looks at the stop token: milliseconds.
inline constexpr std::size_t kSlabBytes = std::size_t{4} << 20;

/// Error messages are reasons.
inline Error readingStopped() {
    return {ErrorCode::Cancelled, "reading was stopped"};
}

/// Calls `visit(first, count)` for runs of elements that together are all `elements`, each of at
/// most kSlabBytes, until one fails or a stop is requested.
template <class Visit>
Result<void> forEachSlab(std::size_t elements, std::size_t element_bytes,
                         const std::stop_token& stop, Visit visit) {
    const std::size_t most = std::max<std::size_t>(1, kSlabBytes / element_bytes);
    for (std::size_t first = 0; first < elements; first += most) {
        if (stop.stop_requested())
            return readingStopped();
        if (Result<void> done = visit(first, std::min(most, elements - first)); !done)
            return done;
    }
    return {};
}

} // namespace headscope
