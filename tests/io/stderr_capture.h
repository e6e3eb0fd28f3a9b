#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

namespace headscope::test {

/// Catches all that this process writes to its error output, from here until text() is called.
class StderrCapture {
public:
    StderrCapture() {
        std::fflush(stderr);
        ::dup2(::fileno(caught_), STDERR_FILENO);
    }
    StderrCapture(const StderrCapture&) = delete;
    StderrCapture& operator=(const StderrCapture&) = delete;
    ~StderrCapture() {
        stop();
        std::fclose(caught_);
        ::close(before_);
    }

    /// What was caught; ends the catching.
    const std::string& text() {
        stop();
        return text_;
    }

private:
    void stop() {
        if (stopped_)
            return;
        stopped_ = true;
        std::fflush(stderr);
        ::dup2(before_, STDERR_FILENO);
        std::rewind(caught_);
        for (int c = std::fgetc(caught_); c != EOF; c = std::fgetc(caught_))
            text_ += static_cast<char>(c);
    }

    int before_ = ::dup(STDERR_FILENO);
    std::FILE* caught_ = std::tmpfile();
    std::string text_;
    bool stopped_ = false;
};

} // namespace headscope::test
