#pragma once

#include "app/cli/work.h"

#include <string>

namespace headscope::cli {

struct PartsOptions {
    std::string command;
    std::string plan;
    std::string model; ///< of merging: where it lies here; empty: where the plan says
    std::string parts; ///< the folder
};

/// Lets `work`, whose output options were read, deliver what all parts come to. Refuses parts that
/// are missing, damaged or foreign, by name, and says on stderr where they come from machines of
/// several kinds.
Result<void> mergeParts(Work& work, const PartsOptions& options);

/// Prints how many parts there are, and which are missing, damaged or foreign; `json`: as JSON.
Result<void> printState(const PartsOptions& options, bool json);

} // namespace headscope::cli
