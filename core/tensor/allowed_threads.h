#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace headscope {

/// How many threads a batch system gives this process: `slurm_cpus`, the value of
/// SLURM_CPUS_PER_TASK (null: not set), or else the processor quota of its control group and those
/// around it, of either version, rounded down; at least one. Nothing where none is said. `root` is
/// where /proc and /sys lie.
std::optional<std::size_t> allowedThreads(const char* slurm_cpus,
                                          const std::filesystem::path& root = "/");

} // namespace headscope
