#pragma once

#include "core/base/progress.h"
#include "core/base/table.h"

#include <memory>
#include <ostream>
#include <streambuf>
#include <string>
#include <vector>

namespace headscope::cli {

/// While it exists, control characters in what is written to `out` are escaped, as text from files
/// may hold them; all but line ends and tabs.
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

/// What a line of progress on stderr begins with, where HEADSCOPE_PROGRESS=lines asks for such
/// lines: this, the percent that are done, a space, and what is being done.
constexpr char kProgressMark = '\x1e';

/// A line on stderr that shows how far a job is; nothing unless stderr is a terminal, or a program
/// reads it (kProgressMark). The line goes when the object does.
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

using Row = std::vector<std::string>;

/// Rows with their columns aligned to the left, two spaces apart, and a line end between any two. A
/// cell stays on its line, whatever control characters it holds.
std::string rowsText(std::vector<Row> rows);
/// The same with a line end after each.
void printRows(std::ostream& out, std::vector<Row> rows);

/// The caption, an empty line, the headings and the rows.
void printTable(std::ostream& out, const Table& table);

} // namespace headscope::cli
