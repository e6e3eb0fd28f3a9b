#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// A file that a plan reads, and what was in it when the plan was made.
struct WorkFile {
    std::string path;
    std::string sha256;

    bool operator==(const WorkFile&) const = default;
};

/// What is computed by itself and written as one part. Any units together make a task.
struct WorkUnit {
    std::string name;       ///< "prompt 3, layer 4"; no two of a plan are the same
    std::uint64_t cost = 1; ///< in proportion to the time that it takes

    bool operator==(const WorkUnit&) const = default;
};

/// A run of units in their order.
struct UnitRange {
    std::size_t begin = 0;
    std::size_t end = 0; ///< behind the last
};

/// One question, cut into units that any number of tasks compute apart. It holds no time and no
/// place but the paths that were given: the same question makes the same plan.
struct WorkPlan {
    std::string command; ///< "sweep"
    std::string app_version = HEADSCOPE_VERSION;
    std::string model_name;         ///< as results call it; empty: none is read
    WorkFile model;                 ///< empty likewise
    std::vector<std::string> words; ///< the options of the command, without MODEL and outputs
    std::vector<WorkFile> files;    ///< that the words name
    /// SHA-256 of what was read from all that: other tokens are another question.
    std::string question;
    std::vector<WorkUnit> units;

    /// JSON with sorted keys and a line end.
    std::string json() const;
    /// Fails for what is no plan, is one of another version of Headscope, or holds anything that a
    /// plan does not; `name` is the file's.
    static Result<WorkPlan> read(std::string_view text, const std::string& name);
    static Result<WorkPlan> read(const std::filesystem::path& path);

    /// Of a unit's part: SHA-256 of command, versions, words, question, the contents of model and
    /// files, and the unit's name.
    std::string key(const WorkUnit& unit) const;

    /// The units of task `index` of `count`, counted from 0: consecutive ones, which share what
    /// they read, and for each task about as much cost.
    UnitRange shard(std::size_t index, std::size_t count) const;

    bool operator==(const WorkPlan&) const = default;
};

} // namespace headscope
