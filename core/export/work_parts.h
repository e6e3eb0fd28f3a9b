#pragma once

#include "core/base/result.h"
#include "core/export/work_plan.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

/// A part as it lies in a file.
struct WorkPart {
    std::string machine; ///< kernels and threads that computed it
    std::string content; ///< JSON on one line
};

/// The folder of a plan's parts: "KEY.part" for each unit, written whole or not at all, so that any
/// number of tasks share it. The first line of a part is {"format", "key", "machine", "sha256" of
/// all the rest, "unit"}, the second its content.
class WorkParts {
public:
    WorkParts(std::filesystem::path folder, const WorkPlan& plan);

    /// Makes the folder unless it is there; the one around it must be.
    Result<void> makeFolder() const;

    std::filesystem::path pathOf(std::size_t unit) const;

    /// Fails for a part that is missing, damaged or of another unit; the message names unit and
    /// file.
    Result<WorkPart> read(std::size_t unit) const;
    Result<void> write(std::size_t unit, const WorkPart& part) const;

    struct State {
        std::vector<std::size_t> done;    ///< units
        std::vector<std::size_t> missing; ///< units
        std::vector<std::size_t> damaged; ///< units
        std::vector<std::string> foreign; ///< names of parts that are none of this plan, sorted
    };
    /// Reads every part. Fails where the folder cannot be read.
    Result<State> state() const;
    /// The names of State::foreign alone, which reads no part.
    Result<std::vector<std::string>> foreign() const;

private:
    std::filesystem::path folder_;
    std::vector<WorkUnit> units_;
    std::vector<std::string> keys_; ///< [unit]
};

} // namespace headscope
