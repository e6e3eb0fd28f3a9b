#include "core/tensor/blas_choice.h"

#include "core/tensor/kernels.h"

#include <cblas.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace headscope {

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
