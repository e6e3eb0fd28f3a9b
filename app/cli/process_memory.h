#pragma once

#include <cstddef>
#include <optional>

namespace headscope::cli {

/// Bytes of this process that are in memory now; nothing where /proc does not say.
std::optional<std::size_t> residentMemory();

/// Gives memory that was freed back to the system, then watches how much comes to be in use.
class PeakMemory {
public:
    PeakMemory();

    /// The most bytes in memory at any time since; nothing where the system cannot tell.
    std::optional<std::size_t> bytes() const;

private:
    bool watched_;
};

} // namespace headscope::cli
