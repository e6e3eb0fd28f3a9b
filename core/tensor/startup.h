#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace headscope {

/// How many threads a batch system gives this process: `slurm_cpus`, the value of
/// SLURM_CPUS_PER_TASK (null: not set), or else the processor quota of its control group and those
/// around it, of either version, rounded down; at least one. Nothing where none is said. `root` is
/// where /proc and /sys are.
std::optional<std::size_t> allowedThreads(const char* slurm_cpus,
                                          const std::filesystem::path& root = "/");

// An OpenBLAS that is older than the processor does not know it and falls back to kernels for the
// Prescott of 2004, which need about five times as long: 0.3.21 of Debian 12 does so on Intel's
// Emerald Rapids.

/// The kernels that OpenBLAS should be told to take, by its name for them; nothing where it knows
/// the processor, the processor is as old, or the user has set OPENBLAS_CORETYPE.
std::optional<std::string> missedBlasKernels();

/// Starts the program anew with the kernels that OpenBLAS missed, which it takes only while it is
/// loaded. Returns where it missed none, or the system refuses. main() has to call this first.
void restartWithMissedBlasKernels(char** argv);

/// Whether this program was started so, and not OPENBLAS_CORETYPE set by the user.
bool wereBlasKernelsMissed();

} // namespace headscope
