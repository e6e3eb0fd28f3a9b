#include "app/cli/mcp/asked_program.h"

#include "app/cli/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <system_error>
#include <thread>
#include <utility>

namespace headscope::cli {

namespace {

constexpr std::size_t kMostOutput = std::size_t{256} << 20;
constexpr std::size_t kLongestSentence = 2'000; ///< which may repeat what was asked
constexpr std::chrono::seconds kLongestEnd{5};  ///< from a request to end to the end

struct Pipe {
    int read_end = -1;
    int write_end = -1;

    bool open() {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0)
            return false;
        read_end = ends[0];
        write_end = ends[1];
        return true;
    }
};

void closeEnd(int& end) {
    if (end >= 0)
        close(end);
    end = -1;
}

std::vector<char*> pointersTo(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// The process, or nothing with errno set.
pid_t spawn(const AskedProgram& asked, const Pipe& out, const Pipe& error) {
    std::vector<std::string> words = asked.words;
    words.insert(words.begin(), asked.path);
    std::vector<std::string> variables = asked.environment;
    for (char** variable = environ; *variable != nullptr; ++variable)
        variables.emplace_back(*variable);
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, error.write_end, STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions, asked.folder.c_str());
    pid_t pid = -1;
    errno = posix_spawn(&pid, asked.path.c_str(), &actions, nullptr, pointersTo(words).data(),
                        pointersTo(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    return errno == 0 ? pid : -1;
}

/// Appends what a pipe holds; closes it at its end.
void readEnd(int& end, std::string& text) {
    std::array<char, std::size_t{1} << 16> bytes{};
    if (end < 0)
        return;
    const ssize_t count = ::read(end, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
        return;
    if (count <= 0 || text.size() > kMostOutput)
        return closeEnd(end);
    text.append(bytes.data(), static_cast<std::size_t>(count));
}

bool isReady(int end) {
    pollfd polled{end, POLLIN, 0};
    return end >= 0 && poll(&polled, 1, 0) > 0;
}

} // namespace

Result<RunningProgram> RunningProgram::start(const AskedProgram& asked) {
    Pipe out;
    Pipe error;
    pid_t pid = -1;
    if (out.open() && error.open())
        pid = spawn(asked, out, error);
    const std::string reason = std::generic_category().message(errno);
    closeEnd(out.write_end);
    closeEnd(error.write_end);
    if (pid >= 0)
        return RunningProgram(pid, out.read_end, error.read_end);
    closeEnd(out.read_end);
    closeEnd(error.read_end);
    return Error{ErrorCode::NotFound, "Cannot start " + asked.path + ": " + reason + "."};
}

RunningProgram::RunningProgram(RunningProgram&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), out_end_(std::exchange(other.out_end_, -1)),
      error_end_(std::exchange(other.error_end_, -1)), out_(std::move(other.out_)),
      error_(std::move(other.error_)), line_(std::move(other.line_)) {}

RunningProgram::~RunningProgram() {
    closeEnd(out_end_);
    closeEnd(error_end_);
    if (pid_ < 0)
        return;
    stop();
    const auto last = std::chrono::steady_clock::now() + kLongestEnd;
    while (waitpid(pid_, nullptr, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > last)
            kill(pid_, SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

void RunningProgram::addTo(std::vector<pollfd>& polled) const {
    for (const int end : {out_end_, error_end_})
        if (end >= 0)
            polled.push_back({end, POLLIN, 0});
}

bool RunningProgram::read(const Told& told) {
    if (isReady(out_end_))
        readEnd(out_end_, out_);
    if (isReady(error_end_)) {
        readEnd(error_end_, line_);
        tellLines(told);
    }
    if (error_end_ < 0)
        error_ += std::exchange(line_, {});
    return out_end_ >= 0 || error_end_ >= 0;
}

void RunningProgram::tellLines(const Told& told) {
    for (std::size_t end = line_.find('\n'); end != std::string::npos; end = line_.find('\n')) {
        const std::string line = line_.substr(0, end + 1);
        line_.erase(0, end + 1);
        int percent = 0;
        const char* const last = line.data() + line.size() - 1;
        if (!line.starts_with(kProgressMark)) {
            error_ += line;
            continue;
        }
        const auto read = std::from_chars(line.data() + 1, last, percent);
        told(percent, std::string_view(std::min(read.ptr + 1, last), last));
    }
}

int RunningProgram::wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void RunningProgram::stop() const {
    kill(pid_, SIGTERM);
}

std::string RunningProgram::sentence() const {
    std::string_view text = error_;
    text = text.substr(0, text.find("\nRun with --help"));
    while (text.ends_with('\n'))
        text.remove_suffix(1);
    for (const std::string_view name : {"headscope-cli: ", "headscope: "})
        if (const auto begin = text.rfind(name);
            begin == 0 || (begin != std::string_view::npos && text[begin - 1] == '\n'))
            text.remove_prefix(begin + name.size()); // what libraries say comes before it
    return std::string(text.substr(0, kLongestSentence));
}

} // namespace headscope::cli
