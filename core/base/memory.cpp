#include "core/base/memory.h"

#include <malloc.h>

#include <fstream>
#include <string>

namespace headscope {

Error memoryIsUsedUp() {
    return {ErrorCode::TooLarge,
            "Memory is used up; close other programs or ask for less at a time."};
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

void shareFreedMemory() {
    // One for the thread of the window, which must not wait for one that computes.
    constexpr int kArenas = 2;
    mallopt(M_ARENA_MAX, kArenas);
}

} // namespace headscope
