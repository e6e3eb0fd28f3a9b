#include "core/io/reader/seal.h"

#include "core/io/reader/landlock.h"

#include <linux/futex.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>

namespace headscope {

namespace {

constexpr rlim_t kMostSeconds = 7; // of the processor

std::string reason(std::string_view what, int error_number) {
    return std::string(what) + " failed: " + std::generic_category().message(error_number);
}

/// Where the hard limit is the higher one, reaching the other is told by a signal of its own. What
/// the session limits further stays so.
bool limit(__rlimit_resource resource, rlim_t most, rlim_t spare = 0) {
    rlimit session{};
    if (::getrlimit(resource, &session) != 0)
        return false;
    const rlimit both{std::min(most, session.rlim_max), std::min(most + spare, session.rlim_max)};
    return ::setrlimit(resource, &both) == 0;
}

using Filter = std::unique_ptr<void, decltype(&seccomp_release)>;

/// What may be called in any way.
constexpr std::array kAllowed{
    SCMP_SYS(read),          SCMP_SYS(pread64),      SCMP_SYS(lseek),
    SCMP_SYS(munmap),        SCMP_SYS(brk),          SCMP_SYS(exit),
    SCMP_SYS(exit_group),    SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigaction),
    SCMP_SYS(getpid),        SCMP_SYS(gettid),       SCMP_SYS(getrandom),
    SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday), SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(sysinfo), // by qsort()
};

/// What an argument of a call must be.
scmp_arg_cmp isEqual(unsigned argument, scmp_datum_t value) {
    return {argument, SCMP_CMP_EQ, value, 0};
}

scmp_arg_cmp hasBits(unsigned argument, scmp_datum_t mask, scmp_datum_t bits) {
    return {argument, SCMP_CMP_MASKED_EQ, mask, bits};
}

bool addRule(scmp_filter_ctx filter, std::uint32_t action, int call,
             std::span<const scmp_arg_cmp> conditions) {
    return seccomp_rule_add_array(filter, action, call, static_cast<unsigned>(conditions.size()),
                                  conditions.data()) == 0;
}

/// Memory that holds no file and never becomes code. It grows and is given back as malloc() does
/// that, and in no other way: not to a place of the caller's choice.
bool allowMemory(scmp_filter_ctx filter) {
    const auto no_code = hasBits(2, PROT_EXEC, 0);
    const auto no_file = hasBits(3, MAP_ANONYMOUS, MAP_ANONYMOUS);
    const std::array grows{isEqual(3, MREMAP_MAYMOVE)};
#ifdef HEADSCOPE_SANITIZED // the sanitizers give more advice
    const std::array<scmp_arg_cmp, 0> given_back{};
#else
    const std::array given_back{isEqual(2, MADV_DONTNEED)};
#endif
    return addRule(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), std::array{no_code, no_file}) &&
           addRule(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), std::array{no_code}) &&
           addRule(filter, SCMP_ACT_ALLOW, SCMP_SYS(mremap), grows) &&
           addRule(filter, SCMP_ACT_ALLOW, SCMP_SYS(madvise), given_back);
}

/// Locks wait and wake. Nothing moves waiters from one lock to another, or lends a priority.
bool allowLocks(scmp_filter_ctx filter) {
    constexpr scmp_datum_t flags = FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME;
    constexpr std::array<scmp_datum_t, 3> operations{FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAIT_BITSET};
    return std::ranges::all_of(operations, [&](scmp_datum_t operation) {
        return addRule(filter, SCMP_ACT_ALLOW, SCMP_SYS(futex),
                       std::array{hasBits(1, ~flags, operation)});
    });
}

bool allowAnswer(scmp_filter_ctx filter, int answer_fd) {
    return addRule(filter, SCMP_ACT_ALLOW, SCMP_SYS(write),
                   std::array{isEqual(0, static_cast<scmp_datum_t>(answer_fd))});
}

/// HDF5 waits a moment before it reads again what does not fit its checksum. Here no time passes.
bool skipWaiting(scmp_filter_ctx filter) {
    constexpr std::array waiting{SCMP_SYS(nanosleep), SCMP_SYS(clock_nanosleep)};
    return std::ranges::all_of(
        waiting, [&](int call) { return addRule(filter, SCMP_ACT_ERRNO(0), call, {}); });
}

/// A crash shall look like one: abort() writes to the standard error, which is no file here, and
/// sends itself a signal.
bool allowAbort(scmp_filter_ctx filter) {
    const std::array to_stderr{isEqual(0, STDERR_FILENO)};
    const std::array to_self{isEqual(0, static_cast<scmp_datum_t>(::getpid()))};
    return addRule(filter, SCMP_ACT_ERRNO(EBADF), SCMP_SYS(write), to_stderr) &&
           addRule(filter, SCMP_ACT_ERRNO(EBADF), SCMP_SYS(writev), to_stderr) &&
           addRule(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), to_self);
}

std::string filterCalls(int answer_fd) {
    const Filter filter(seccomp_init(SCMP_ACT_KILL_PROCESS), &seccomp_release);
    if (!filter)
        return "seccomp_init failed";
    const bool allowed = std::ranges::all_of(
        kAllowed, [&](int call) { return addRule(filter.get(), SCMP_ACT_ALLOW, call, {}); });
    if (!allowed || !allowMemory(filter.get()) || !allowLocks(filter.get()) ||
        !allowAnswer(filter.get(), answer_fd) || !skipWaiting(filter.get()) ||
        !allowAbort(filter.get()))
        return "seccomp_rule_add failed";
    if (const int failed = seccomp_load(filter.get()); failed != 0)
        return reason("seccomp_load", -failed);
    return "";
}

} // namespace

std::string limitProcess([[maybe_unused]] std::size_t memory) {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return reason("prctl(PR_SET_PDEATHSIG)", errno);
    if (!limit(RLIMIT_CORE, 0) || !limit(RLIMIT_FSIZE, 0) || !limit(RLIMIT_CPU, kMostSeconds, 1))
        return reason("setrlimit", errno);
#ifndef HEADSCOPE_SANITIZED // the sanitizers take terabytes of addresses
    if (!limit(RLIMIT_AS, memory))
        return reason("setrlimit(RLIMIT_AS)", errno);
#endif
    return "";
}

std::string sealProcess(int answer_fd, std::size_t memory) {
    if (std::string problem = limitProcess(memory); !problem.empty())
        return problem;
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return reason("prctl(PR_SET_NO_NEW_PRIVS)", errno);
    forbidPathsAndPorts();
    return filterCalls(answer_fd);
}

} // namespace headscope
