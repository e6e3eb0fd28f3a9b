#include "app/cli/process_memory.h"

#include "core/base/memory.h"

#include <malloc.h>

#include <fstream>
#include <string>
#include <string_view>

namespace headscope::cli {

namespace {

/// A line of /proc/self/status, such as "VmRSS:   1234 kB", in bytes.
std::optional<std::size_t> statusBytes(std::string_view key) {
    std::ifstream status("/proc/self/status");
    std::string word;
    std::size_t kibibytes = 0;
    while (status >> word)
        if (word == key && status >> kibibytes)
            return checkedMultiply(kibibytes, 1024);
    return std::nullopt;
}

/// Linux sets the peak back to what is in memory now when told "5" here.
bool resetPeak() {
    std::ofstream clear_refs("/proc/self/clear_refs");
    clear_refs << "5" << std::flush;
    return clear_refs.good();
}

} // namespace

std::optional<std::size_t> residentMemory() {
    return statusBytes("VmRSS:");
}

PeakMemory::PeakMemory() {
    malloc_trim(0);
    watched_ = resetPeak();
}

std::optional<std::size_t> PeakMemory::bytes() const {
    return watched_ ? statusBytes("VmHWM:") : std::nullopt;
}

} // namespace headscope::cli
