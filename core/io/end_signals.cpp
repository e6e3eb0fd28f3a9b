#include "core/io/end_signals.h"

#include "core/io/files/new_path.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <system_error>
#include <thread>

namespace headscope {

namespace {

// All that a signal handler may touch: it wakes a thread, which may do everything.
int wake_pipe = -1;
pid_t owner = 0;
volatile std::sig_atomic_t end_asked = 0;

void wakeCleaner(int signal) {
    // A forked child has nothing to clean up, and its handler is gone: the signal ends it.
    if (::getpid() != owner) {
        ::raise(signal);
        return;
    }
    const int before = errno;
    const auto number = static_cast<std::uint8_t>(signal);
    static_cast<void>(!::write(wake_pipe, &number, 1));
    errno = before;
}

void noteEnd(int signal) {
    if (end_asked != 0) {
        std::signal(signal, SIG_DFL);
        wakeCleaner(signal);
    }
    end_asked = 1;
}

/// Under another name, since a folder is still being filled under this one.
void removeWhileWritten(const std::filesystem::path& path) {
    const std::filesystem::path moved = newNameBeside(path);
    std::error_code failed;
    std::filesystem::rename(path, moved, failed);
    std::filesystem::remove_all(failed ? path : moved, failed);
}

/// Waits all its life for the number of a signal.
void cleanUpAndEnd(int pipe) {
    std::uint8_t signal = 0;
    ssize_t bytes = 0;
    while ((bytes = ::read(pipe, &signal, 1)) < 0 && errno == EINTR) {
    }
    if (bytes != 1)
        return; // nobody has asked for the end; a second signal then ends the process
    // Never given back: nobody makes another name or puts a file in its place from here on.
    HiddenNames& names = hiddenNames();
    names.mutex.lock();
    for (const std::filesystem::path& path : names.paths)
        removeWhileWritten(path);
    std::signal(signal, SIG_DFL);
    ::kill(owner, signal);
}

void cleanUpOn(int signal) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_DFL)
        return;
    action.sa_handler = wakeCleaner;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    ::sigaction(signal, &action, nullptr);
}

} // namespace

void cleanUpOnEndSignals() {
    std::signal(SIGXFSZ, SIG_IGN);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return;
    owner = ::getpid();
    wake_pipe = ends[1];
    try {
        std::thread(cleanUpAndEnd, ends[0]).detach();
    } catch (const std::system_error&) {
        return; // no thread can be had; what is left goes with the next write
    }
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        cleanUpOn(signal);
}

void endBetweenSteps() {
    struct sigaction action {};
    ::sigaction(SIGTERM, nullptr, &action);
    if (action.sa_handler == SIG_IGN)
        return;
    action.sa_handler = noteEnd;
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGTERM, &action, nullptr);
}

bool endIsAskedFor() {
    return end_asked != 0;
}

} // namespace headscope
