#include "app/cli/terminal.h"

#include "core/base/text.h"
#include "core/base/utf8.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string_view>
#include <utility>

namespace headscope::cli {

namespace {

constexpr std::string_view kClearLine = "\r\x1b[K";

/// Holds text back until it is flushed.
class EscapingBuffer : public std::stringbuf {
public:
    explicit EscapingBuffer(std::streambuf* out) : out_(out) {}

protected:
    int sync() override {
        const std::string text = str();
        str({});
        std::size_t begin = 0;
        while (begin < text.size()) {
            const std::size_t end = std::min(text.find_first_of("\n\t", begin), text.size());
            put(escapeControls(std::string_view(text).substr(begin, end - begin)));
            put(std::string_view(text).substr(end, 1));
            begin = end + 1;
        }
        return out_->pubsync() == 0 && good_ ? 0 : -1;
    }

private:
    void put(std::string_view text) {
        const auto size = static_cast<std::streamsize>(text.size());
        good_ = good_ && out_->sputn(text.data(), size) == size;
    }

    std::streambuf* out_;
    bool good_ = true;
};

} // namespace

EscapedOutput::EscapedOutput(std::ostream& out)
    : out_(out), escaping_(std::make_unique<EscapingBuffer>(out.rdbuf())),
      plain_(out.rdbuf(escaping_.get())) {}

EscapedOutput::~EscapedOutput() {
    out_.flush();
    out_.rdbuf(plain_);
}

void printData(const std::string& text) {
    if (isatty(STDOUT_FILENO) == 1) {
        std::cout << text;
        return;
    }
    std::cout.flush();
    if (std::fwrite(text.data(), 1, text.size(), stdout) < text.size() || std::fflush(stdout) != 0)
        std::cout.setstate(std::ios::badbit);
}

ProgressLine::ProgressLine() : shown_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
    if (shown_)
        std::cerr << kClearLine;
}

namespace {

/// For a program: a line for each further percent.
Progress progressLines() {
    return [told = -1](double fraction, std::string_view stage) mutable {
        const int percent = static_cast<int>(fraction * 100.0);
        if (percent != std::exchange(told, percent))
            std::cerr << kProgressMark << percent << ' ' << escapeControls(stage) << '\n'
                      << std::flush;
    };
}

bool isReadByProgram() {
    const char* const asked = std::getenv("HEADSCOPE_PROGRESS");
    return asked != nullptr && std::string_view(asked) == "lines";
}

} // namespace

Progress ProgressLine::progress() const {
    if (!shown_)
        return isReadByProgram() ? progressLines() : Progress();
    return [](double fraction, std::string_view stage) {
        std::cerr << kClearLine << static_cast<int>(fraction * 100.0) << " % "
                  << escapeControls(stage) << std::flush;
    };
}

std::string rowsText(std::vector<Row> rows) {
    std::vector<std::size_t> widths;
    for (Row& row : rows) {
        std::ranges::transform(row, row.begin(), escapeControls);
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t column = 0; column < row.size(); ++column)
            widths[column] = std::max(widths[column], characterCount(row[column]));
    }
    std::vector<std::string> lines;
    for (const Row& row : rows) {
        std::string& line = lines.emplace_back();
        for (std::size_t column = 0; column < row.size(); ++column) {
            line += row[column];
            line.append(widths[column] - characterCount(row[column]) + 2, ' ');
        }
        line.resize(line.find_last_not_of(' ') + 1);
    }
    return join(lines, "\n");
}

void printRows(std::ostream& out, std::vector<Row> rows) {
    if (!rows.empty())
        out << rowsText(std::move(rows)) << '\n';
}

void printTable(std::ostream& out, const Table& table) {
    std::vector<std::size_t> shown;
    Row headings;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        if (!table.columns[i].title.empty()) {
            shown.push_back(i);
            headings.push_back(headingText(table.columns[i]));
        }
    out << table.caption << '\n';
    if (shown.empty())
        return;
    std::vector<Row> rows{std::move(headings)};
    for (const TableRow& cells : table.rows) {
        Row& row = rows.emplace_back();
        for (const std::size_t i : shown)
            row.push_back(shownText(cells[i], table.columns[i].decimals));
    }
    out << '\n';
    printRows(out, std::move(rows));
}

} // namespace headscope::cli
