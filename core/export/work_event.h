#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace headscope {

/// What a task says of its progress.
struct WorkEvent {
    std::string event; ///< "begin", "progress", "unit", "stopped", "end"
    std::size_t done = 0;
    std::size_t of = 0;                  ///< units of the task
    std::string unit = {};               ///< empty: none in particular
    std::string machine = {};            ///< empty: not said
    std::optional<double> fraction = {}; ///< of the unit, 0..1
    std::optional<double> seconds = {};  ///< that the unit took
};

/// One line of JSON with sorted keys and its end; what is not said is left out.
std::string workEventLine(const WorkEvent& event);

} // namespace headscope
