#pragma once

#include "core/base/result.h"

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

struct pollfd;

namespace headscope::cli {

/// A program of Headscope that is asked one question, and how.
struct AskedProgram {
    std::string path;
    std::vector<std::string> words;       ///< its arguments
    std::vector<std::string> environment; ///< "NAME=value" beside what this process has
    std::string folder;                   ///< that it works in
};

/// A process of its own for one question. Neither its end nor its memory is this one's, and a
/// signal ends it wherever it is.
class RunningProgram {
public:
    /// Called with percent and what is being done.
    using Told = std::function<void(int percent, std::string_view stage)>;

    static Result<RunningProgram> start(const AskedProgram& asked);

    RunningProgram(RunningProgram&& other) noexcept;
    RunningProgram& operator=(RunningProgram&&) = delete;
    /// Ends the process.
    ~RunningProgram();

    /// Those that poll() shall look at.
    void addTo(std::vector<pollfd>& polled) const;
    /// Reads what is there, and calls `told` for what it says of its progress. False once it has
    /// said all.
    bool read(const Told& told);
    /// Waits for its end: its exit status, or the negative number of the signal that ended it.
    int wait();
    /// Asks it to end, and not at once: it first removes what it was writing.
    void stop() const;

    const std::string& out() const { return out_; }
    /// What it said on its standard error, without its progress and its name: a sentence.
    std::string sentence() const;

private:
    RunningProgram(pid_t pid, int out, int error) : pid_(pid), out_end_(out), error_end_(error) {}

    void tellLines(const Told& told);

    pid_t pid_;
    int out_end_; ///< of pipes; -1: it was read to its end
    int error_end_;
    std::string out_;
    std::string error_;
    std::string line_; ///< of its standard error, not yet whole
};

} // namespace headscope::cli
