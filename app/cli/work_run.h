#pragma once

#include "app/cli/work.h"
#include "app/cli/work_task.h"

#include <optional>
#include <string>

namespace headscope::cli {

struct RunOptions {
    std::string command;
    std::string plan;
    std::string model; ///< where it lies here; empty: where the plan says
    std::string parts; ///< the folder
    std::optional<Shard> shard;
};

/// Computes the parts of a task that are not there. Says on stderr how far it is, in JSON lines.
/// Fails with ErrorCode::Cancelled where a SIGTERM came, after the part that was being computed.
Result<void> runTask(const MakeWork& make, const RunOptions& options);

} // namespace headscope::cli
