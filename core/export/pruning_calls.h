#pragma once

#include "core/base/result.h"
#include "core/export/call.h"
#include "core/pruning/pruning_curve.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

/// The texts of a pruning measurement, as files. Empty paths: the bundled ones.
struct PruningTextFiles {
    std::filesystem::path calibration = {};
    std::filesystem::path test = {};
    std::size_t calibration_tokens = 4096;
    std::size_t test_tokens = 4096;
    std::size_t length = 128;
    std::uint64_t seed = 0;
    std::vector<std::string> domains = {}; ///< as PruningWords::domains
};

/// The curves of all orders. `list` is the file of OrderKind::OwnList, `tolerance` that of the
/// verdict in percent. Fails for a file with a comma in its path, which parts orders.
Result<Call> pruningCall(const LoadedModel& loaded, const PruningTextFiles& texts,
                         const PruningQuestion& question, const std::filesystem::path& list,
                         double tolerance);

/// What sharing keys and values among more queries costs.
Call groupingCall(const LoadedModel& loaded, const PruningTextFiles& texts);

} // namespace headscope
