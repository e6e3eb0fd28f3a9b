#pragma once

#include "core/base/progress.h"

#include <nlohmann/json_fwd.hpp>

namespace headscope::cli {

/// A line on stderr that shows how far a job is; nothing unless stderr is a terminal. The line goes
/// when the object does.
class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    Progress progress() const;

private:
    bool shown_;
};

/// Indented JSON with sorted keys and a line end, to stdout. Bytes that are not UTF-8 become
/// U+FFFD.
void printJson(const nlohmann::json& value);

} // namespace headscope::cli
