#pragma once

#include "app/cli/work.h"

#include <string>

namespace CLI {
class App;
}

namespace headscope::cli {

struct PartsOptions {
    std::string command;
    std::string plan;
    std::string model;   ///< of merging: where it is on this machine; empty: where the plan says
    std::string parts;   ///< the folder
    bool strict = false; ///< of merging: parts of several kinds of machines are refused
    const CLI::App* app = nullptr; ///< of merging: the command, which names what it writes
};

/// Lets `work`, whose output options were read, deliver what all parts come to. Refuses parts that
/// are missing, damaged or foreign, by name. Where they come from machines of several kinds, it
/// says so on stderr, or refuses them when it is strict.
Result<void> mergeParts(Work& work, const PartsOptions& options);

/// Prints how many parts there are, and which are missing, damaged or foreign; `json`: as JSON.
Result<void> printState(const PartsOptions& options, bool json);

} // namespace headscope::cli
