#include "app/cli/terminal.h"

#include "core/base/utf8.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string_view>

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

Progress ProgressLine::progress() const {
    if (!shown_)
        return {};
    return [](double fraction, std::string_view stage) {
        std::cerr << kClearLine << static_cast<int>(fraction * 100.0) << " % "
                  << escapeControls(stage) << std::flush;
    };
}

} // namespace headscope::cli
