#include "core/tensor/loading_watch.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/uio.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace headscope {

namespace {

/// Long enough for a busy machine to load the program.
constexpr itimerval kPatience{{}, {5, 0}};
constexpr int kStandardError = 2;

/// Of signals: calls nothing that another thread may hold.
void giveUp(int) {
    static char reason[] = ": There is not enough memory to load the program, whose OpenBLAS takes "
                           "a buffer for each thread; allow more (ulimit -v) or set "
                           "OPENBLAS_NUM_THREADS=1.\n";
    const iovec parts[]{{program_invocation_short_name, std::strlen(program_invocation_short_name)},
                        {reason, sizeof reason - 1}};
    [[maybe_unused]] const auto written = ::writev(kStandardError, parts, 2);
    std::_Exit(EXIT_FAILURE);
}

void beginLoadingWatch(int, char**, char**) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return;
    std::signal(SIGALRM, giveUp);
    ::setitimer(ITIMER_REAL, &kPatience, nullptr);
}

/// The loader calls what stands in this section before it initialises the libraries.
[[gnu::section(".preinit_array"), gnu::used]] void (*before_libraries)(int, char**,
                                                                       char**) = beginLoadingWatch;

} // namespace

void endLoadingWatch() {
    constexpr itimerval kOff{};
    ::setitimer(ITIMER_REAL, &kOff, nullptr);
    std::signal(SIGALRM, SIG_DFL);
}

} // namespace headscope
