#pragma once

#include "app/cli/work.h"
#include "core/base/result.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace headscope::cli {

/// Which of how many tasks.
struct Shard {
    std::size_t index = 0; ///< from 0
    std::size_t count = 1;
};

/// "3/7", counted from 1; nothing for anything else.
std::optional<Shard> shardOf(std::string_view text);

/// The value of an environment variable; null where it is not set.
using Environment = std::function<const char*(const char* name)>;

/// The shard of this task of a Slurm array, whose numbers may begin anywhere and go up by any step;
/// all of the plan outside of arrays. Fails for an array with gaps, whose tasks cannot know their
/// places.
Result<Shard> shardOfArray(const Environment& environment);

struct TaskOptions {
    std::string command;
    std::string plan;
    std::string model; ///< where it is here; empty: where the plan says
    std::string parts; ///< the folder
    std::optional<Shard> shard;
};

/// Computes the parts of a task that are not there. Says on stderr how far it is, in JSON lines.
/// Fails with ErrorCode::Cancelled where a SIGTERM came, after the part that was being computed.
Result<void> runTask(const MakeWork& make, const TaskOptions& options);

} // namespace headscope::cli
