#include "core/io/reader/seal.h"

#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <string_view>
#include <system_error>

namespace headscope {

namespace {

constexpr rlim_t kMostSeconds = 10;
/// What the program and its libraries take by themselves, seen as 160 MB, and room for texts.
constexpr std::size_t kSpareMemory = std::size_t{512} << 20;
/// HDF5 keeps each part of the metadata that it has read, unpacked, several times over.
constexpr std::size_t kMemoryPerByte = 8;
constexpr std::size_t kMostMetadata = std::size_t{64} << 20;

std::string reason(std::string_view what, int error_number) {
    return std::string(what) + " failed: " + std::generic_category().message(error_number);
}

/// Where the hard limit is the higher one, reaching the other is told by a signal of its own.
bool limit(__rlimit_resource resource, rlim_t most, rlim_t spare = 0) {
    const rlimit both{most, most + spare};
    return ::setrlimit(resource, &both) == 0;
}

using Filter = std::unique_ptr<void, decltype(&seccomp_release)>;

/// What may be called in any way.
constexpr std::array kAllowed{
    SCMP_SYS(read),          SCMP_SYS(pread64),      SCMP_SYS(lseek),
    SCMP_SYS(munmap),        SCMP_SYS(mremap),       SCMP_SYS(brk),
    SCMP_SYS(madvise),       SCMP_SYS(futex),        SCMP_SYS(exit),
    SCMP_SYS(exit_group),    SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigaction),
    SCMP_SYS(getpid),        SCMP_SYS(gettid),       SCMP_SYS(getrandom),
    SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday), SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(sysinfo), // by qsort()
};

/// Memory that holds no file and never becomes code.
bool allowMemory(scmp_filter_ctx filter) {
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2,
                            SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0),
                            SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, MAP_ANONYMOUS)) == 0 &&
           seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
                            SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) == 0;
}

bool allowAnswer(scmp_filter_ctx filter, int answer_fd) {
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(write), 1,
                            SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(answer_fd))) == 0;
}

/// A crash shall look like one: abort() writes to the standard error, which is no file here, and
/// sends itself a signal.
bool allowAbort(scmp_filter_ctx filter) {
    const auto nowhere = SCMP_A0(SCMP_CMP_EQ, STDERR_FILENO);
    const auto self = SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(::getpid()));
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EBADF), SCMP_SYS(write), 1, nowhere) == 0 &&
           seccomp_rule_add(filter, SCMP_ACT_ERRNO(EBADF), SCMP_SYS(writev), 1, nowhere) == 0 &&
           seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, self) == 0;
}

std::string filterCalls(int answer_fd) {
    const Filter filter(seccomp_init(SCMP_ACT_KILL_PROCESS), &seccomp_release);
    if (!filter)
        return "seccomp_init failed";
    const bool allowed = std::ranges::all_of(kAllowed, [&](int call) {
        return seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, call, 0) == 0;
    });
    if (!allowed || !allowMemory(filter.get()) || !allowAnswer(filter.get(), answer_fd) ||
        !allowAbort(filter.get()))
        return "seccomp_rule_add failed";
    if (const int failed = seccomp_load(filter.get()); failed != 0)
        return reason("seccomp_load", -failed);
    return "";
}

} // namespace

std::string limitProcess(std::size_t file_bytes) {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return reason("prctl(PR_SET_PDEATHSIG)", errno);
    [[maybe_unused]] const std::size_t memory =
        kSpareMemory + kMemoryPerByte * std::min(file_bytes, kMostMetadata);
    if (!limit(RLIMIT_CORE, 0) || !limit(RLIMIT_FSIZE, 0) || !limit(RLIMIT_CPU, kMostSeconds, 1))
        return reason("setrlimit", errno);
#ifndef HEADSCOPE_SANITIZED // the sanitizers take terabytes of addresses
    if (!limit(RLIMIT_AS, memory))
        return reason("setrlimit(RLIMIT_AS)", errno);
#endif
    return "";
}

std::string sealProcess(int answer_fd, std::size_t file_bytes) {
    if (std::string problem = limitProcess(file_bytes); !problem.empty())
        return problem;
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return reason("prctl(PR_SET_NO_NEW_PRIVS)", errno);
    return filterCalls(answer_fd);
}

} // namespace headscope
