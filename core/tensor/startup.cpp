#include "core/tensor/startup.h"

#include "core/base/text.h"
#include "core/tensor/kernels.h"

#include <cblas.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace headscope {

namespace {

namespace fs = std::filesystem;

using Allowed = std::optional<std::size_t>;

/// The numbers of a file of one line; none where it is not there or says "max".
std::vector<double> numbersIn(const fs::path& path) {
    std::ifstream file(path);
    std::vector<double> numbers;
    for (double number = 0.0; file >> number;)
        numbers.push_back(number);
    return numbers;
}

Allowed threadsOf(const std::vector<double>& quota_and_period) {
    if (quota_and_period.size() != 2 || quota_and_period[0] <= 0.0 || quota_and_period[1] <= 0.0)
        return std::nullopt;
    const double cpus = std::min(quota_and_period[0] / quota_and_period[1], 1e6);
    return std::max<std::size_t>(1, static_cast<std::size_t>(cpus));
}

Allowed fewer(Allowed a, Allowed b) {
    if (!a || !b)
        return a ? a : b;
    return std::min(*a, *b);
}

/// The quota of one group, in the files of either version.
Allowed quotaIn(const fs::path& group) {
    std::vector<double> first = numbersIn(group / "cpu.cfs_quota_us");
    const std::vector<double> period = numbersIn(group / "cpu.cfs_period_us");
    first.insert(first.end(), period.begin(), period.end());
    return fewer(threadsOf(numbersIn(group / "cpu.max")), threadsOf(first));
}

/// The least quota of a group and those around it, as far as they can be seen from here.
Allowed quotaAround(const fs::path& mounted, const std::string& group) {
    Allowed least = quotaIn(mounted);
    fs::path at = mounted;
    for (const fs::path& part : fs::path(group).relative_path()) {
        if (part == "..")
            return least; // a group outside what is mounted here
        at /= part;
        least = fewer(least, quotaIn(at));
    }
    return least;
}

} // namespace

Allowed allowedThreads(const char* slurm_cpus, const fs::path& root) {
    if (slurm_cpus != nullptr)
        if (const auto cpus = parseNumber<std::size_t>(slurm_cpus); cpus && *cpus > 0)
            return cpus;
    // "0::/user.slice" of version 2, "4:cpu,cpuacct:/docker/abc" of version 1
    std::ifstream groups(root / "proc/self/cgroup");
    Allowed least;
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos)
            continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::vector<std::string> names = split(controllers, ',');
        if (controllers.empty() || std::ranges::find(names, "cpu") != names.end())
            least = fewer(
                least, quotaAround(root / "sys/fs/cgroup" / controllers, line.substr(second + 1)));
    }
    return least;
}

namespace {

constexpr const char* kCoreType = "OPENBLAS_CORETYPE";
constexpr const char* kMissed = "HEADSCOPE_MISSED_CORETYPE"; ///< what kCoreType was set to

bool canRun(std::string_view kernels) {
    return std::ranges::find(kernelNames(), kernels) != kernelNames().end();
}

} // namespace

std::optional<std::string> missedBlasKernels() {
    const std::string_view chosen = openblas_get_corename();
    if (chosen != "Prescott" || std::getenv(kCoreType) != nullptr)
        return std::nullopt;
    if (canRun("AVX-512"))
        return "SkylakeX";
    if (canRun("AVX2"))
        return "Haswell";
    return std::nullopt;
}

void restartWithMissedBlasKernels(char** argv) {
    const auto missed = missedBlasKernels();
    if (!missed)
        return;
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error)
        return;
    ::setenv(kCoreType, missed->c_str(), 1);
    ::setenv(kMissed, missed->c_str(), 1);
    ::execv(program.c_str(), argv);
    ::unsetenv(kCoreType);
    ::unsetenv(kMissed);
}

bool wereBlasKernelsMissed() {
    const char* const type = std::getenv(kCoreType);
    const char* const missed = std::getenv(kMissed);
    return type != nullptr && missed != nullptr && std::string_view(type) == missed;
}

} // namespace headscope
