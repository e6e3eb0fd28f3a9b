#include "app/loading_watch.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace headscope {

namespace {

/// Long enough for a busy machine to load the program.
constexpr unsigned kPatienceSeconds = 5;

void writeError(const char* text) {
    if (::write(STDERR_FILENO, text, std::strlen(text)) < 0)
        std::_Exit(EXIT_FAILURE);
}

/// Of signals: calls nothing that another thread may hold.
void giveUp(int) {
    writeError(program_invocation_short_name);
    writeError(
        ": There is not enough memory to load the program, whose OpenBLAS takes a buffer for "
        "each thread; allow more (ulimit -v) or set OPENBLAS_NUM_THREADS=1.\n");
    std::_Exit(EXIT_FAILURE);
}

void beginLoadingWatch(int, char**, char**) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return;
    std::signal(SIGALRM, giveUp);
    ::alarm(kPatienceSeconds);
}

/// The loader calls what stands in this section before it initialises the libraries.
[[gnu::section(".preinit_array"), gnu::used]] void (*before_libraries)(int, char**,
                                                                       char**) = beginLoadingWatch;

} // namespace

void endLoadingWatch() {
    ::alarm(0);
    std::signal(SIGALRM, SIG_DFL);
}

} // namespace headscope
