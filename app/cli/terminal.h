#pragma once

#include "core/base/progress.h"

#include <memory>
#include <ostream>
#include <streambuf>
#include <string>

namespace headscope::cli {

/// For as long as it lives, what is written to `out` goes on with the control characters that text
/// from files may hold escaped, all but line ends and tabs.
class EscapedOutput {
public:
    explicit EscapedOutput(std::ostream& out);
    ~EscapedOutput();
    EscapedOutput(const EscapedOutput&) = delete;
    EscapedOutput& operator=(const EscapedOutput&) = delete;

private:
    std::ostream& out_;
    std::unique_ptr<std::streambuf> escaping_;
    std::streambuf* plain_;
};

/// CSV or JSON to stdout: as it is, for whatever program reads it, unless stdout is a terminal.
void printData(const std::string& text);

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

} // namespace headscope::cli
