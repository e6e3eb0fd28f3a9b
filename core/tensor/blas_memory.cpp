#include "core/tensor/blas_memory.h"

#include "core/tensor/parallel.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

// Functions of OpenBLAS, which has no header for them. A product takes a buffer and gives it back
// to be used by the next one.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): OpenBLAS's names
void* blas_memory_alloc(int purpose);
void blas_memory_free(void* buffer);
// NOLINTEND(readability-identifier-naming)
}

namespace headscope {

namespace {

using namespace std::chrono_literals;

using Clock = std::chrono::steady_clock;

/// Long enough for threads of a busy machine to get their turn.
constexpr auto kPatience = 5s;

void takeBuffers(std::size_t count) {
    std::vector<void*> buffers(count);
    std::ranges::generate(buffers, [] { return blas_memory_alloc(0); });
    std::ranges::for_each(buffers, blas_memory_free);
}

/// "S" of "4711 (headscope) S 1 …", the third field of a thread's stat; empty when it has ended.
std::string stateOf(const std::filesystem::path& thread) {
    std::ifstream file(thread / "stat");
    std::string text;
    std::getline(file, text);
    const std::size_t name_end = text.rfind(") ");
    return name_end == std::string::npos ? "" : text.substr(name_end + 2, 1);
}

bool isAddressSpaceLimited() {
    rlimit limit{};
    return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// OpenBLAS's own threads, which start with the program, sleep a tenth of a second after they have
/// their buffers.
bool onlyThisThreadIsAwake() {
    std::error_code ignored;
    std::size_t awake = 0;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
        const std::string state = stateOf(thread.path());
        awake += state.empty() || state == "S" ? 0 : 1;
    }
    return awake <= 1;
}

bool othersSleepBy(Clock::time_point end) {
    while (!onlyThisThreadIsAwake()) {
        if (Clock::now() > end)
            return false;
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

// OpenBLAS 0.3.29 asks for its first buffers while the program is loaded, so that main() may never
// be reached.

constexpr itimerval kLoadingPatience{{}, {5, 0}};
constexpr int kStandardError = 2;

/// Handles a signal: calls nothing that another thread may hold.
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
    if (!isAddressSpaceLimited())
        return;
    std::signal(SIGALRM, giveUp);
    ::setitimer(ITIMER_REAL, &kLoadingPatience, nullptr);
}

/// The loader calls the functions in this section before it initialises the libraries.
[[gnu::section(".preinit_array"), gnu::used]] void (*before_libraries)(int, char**,
                                                                       char**) = beginLoadingWatch;

void endLoadingWatch() {
    constexpr itimerval kOff{};
    ::setitimer(ITIMER_REAL, &kOff, nullptr);
    std::signal(SIGALRM, SIG_DFL);
}

} // namespace

Result<void> reserveBlasMemory() {
    endLoadingWatch();
    const Error refused{
        ErrorCode::TooLarge,
        "There is not enough memory for OpenBLAS, which takes a buffer for each of " +
            std::to_string(threads()) +
            " threads; allow more (ulimit -v) or set OPENBLAS_NUM_THREADS=1."};
    std::packaged_task<void(std::size_t)> taking(takeBuffers);
    auto taken = taking.get_future();
    try {
        std::thread(std::move(taking), threads()).detach();
    } catch (const std::system_error&) {
        return Error{ErrorCode::TooLarge,
                     "The system allows this program no further thread; allow more threads "
                     "(ulimit -u) or more memory for their stacks (ulimit -v)."};
    }
    const auto end = Clock::now() + kPatience;
    if (taken.wait_until(end) == std::future_status::timeout)
        return refused;
    taken.get();
    if (isAddressSpaceLimited() && !othersSleepBy(end))
        return refused;
    return {};
}

} // namespace headscope
