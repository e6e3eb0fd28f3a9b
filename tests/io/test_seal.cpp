#include "core/io/reader/landlock.h"
#include "core/io/reader/seal.h"
#include "core/io/sealed/reader_memory.h"
#include "tests/support/runner.h"
#include "tests/support/sanitizer.h"

#include <QObject>
#include <QTest>

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <vector>

namespace test_seal {

using namespace headscope;
using headscope::test::isSanitized;

namespace {

constexpr int kAnswer = 4;
constexpr int kTriedInVain = 7;

/// The wait status of a sealed process that does `act` and ends with its result.
int statusOf(const std::function<int()>& act) {
    const pid_t child = ::fork();
    if (child == 0) {
        std::array<int, 2> ends{};
        if (::pipe(ends.data()) != 0 || ::dup2(ends[1], kAnswer) < 0 ||
            !sealProcess(kAnswer, readerMemory(Parser::Hdf5, 1'000'000)).empty())
            ::_exit(99);
        ::_exit(act());
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

using Act = std::function<int()>;

} // namespace

class TestSeal : public QObject {
    Q_OBJECT

private slots:
    void whatReadingNeeds() {
        if (isSanitized())
            QSKIP("a sanitizer takes memory in its own ways");
        const int status = statusOf([] {
            std::vector<char> memory(10'000'000, 'x');
            return ::write(kAnswer, memory.data(), 100) == 100 ? 0 : 1;
        });
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
    }

    void allElseKills_data() {
        QTest::addColumn<Act>("act");
        const auto row = [](const char* name, Act act) { QTest::newRow(name) << std::move(act); };
        row("open", [] { return ::open("/etc/passwd", O_RDONLY) < 0 ? kTriedInVain : 0; });
        row("create",
            [] { return ::open("/tmp/new", O_RDWR | O_CREAT, 0600) < 0 ? kTriedInVain : 0; });
        row("connect", [] { return ::socket(AF_INET, SOCK_STREAM, 0) < 0 ? kTriedInVain : 0; });
        row("fork", [] { return ::fork() < 0 ? kTriedInVain : 0; });
        row("execute", [] { return ::execl("/bin/true", "true", nullptr) < 0 ? kTriedInVain : 0; });
        row("write elsewhere", [] { return ::write(kAnswer + 1, "x", 1) < 0 ? kTriedInVain : 0; });
        row("code in memory", [] {
            return ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                          0) == MAP_FAILED
                       ? kTriedInVain
                       : 0;
        });
        row("map a file", [] {
            return ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, 0, 0) == MAP_FAILED ? kTriedInVain
                                                                                     : 0;
        });
        const auto cut = [] {
            return static_cast<char*>(
                ::mmap(nullptr, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        };
        row("move memory to a place", [cut] {
            char* const from = cut();
            char* const to = cut();
            return ::mremap(from, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED
                       ? kTriedInVain
                       : 0;
        });
        if (!isSanitized())
            row("advise",
                [cut] { return ::madvise(cut(), 4096, MADV_WILLNEED) != 0 ? kTriedInVain : 0; });
        for (const int operation :
             {FUTEX_REQUEUE, FUTEX_WAKE_OP, FUTEX_LOCK_PI | FUTEX_PRIVATE_FLAG})
            QTest::addRow("lock %d", operation) << Act([operation] {
                static unsigned word = 0;
                return ::syscall(SYS_futex, &word, operation, 1, nullptr, &word, 0) < 0
                           ? kTriedInVain
                           : 0;
            });
        row("signal another", [] { return ::kill(::getppid(), SIGTERM) < 0 ? kTriedInVain : 0; });
    }
    void allElseKills() {
        QFETCH(Act, act);
        const int status = statusOf(act);
        QVERIFY(WIFSIGNALED(status));
        QCOMPARE(WTERMSIG(status), SIGSYS);
    }

    void memoryGrowsAndLocksWait() {
        if (isSanitized())
            QSKIP("a sanitizer takes memory in its own ways");
        const int status = statusOf([] {
            void* memory = std::malloc(1'000'000);
            memory = std::realloc(memory, 50'000'000);
            std::memset(memory, 1, 50'000'000);
            std::free(memory);
            static unsigned word = 0;
            constexpr timespec soon{0, 1};
            const bool waited =
                ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &soon, nullptr, 0) < 0 &&
                ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0) == 0;
            return waited ? 0 : 1;
        });
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
    }

    /// Without the filter of system calls.
    void landlockIsASecondWall() {
        constexpr int has_none = 77;
        const pid_t child = ::fork();
        if (child == 0) {
            const int open_before = ::open("/etc/passwd", O_RDONLY);
            if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !forbidPathsAndPorts())
                ::_exit(has_none);
            char byte = 0;
            const bool reads = ::read(open_before, &byte, 1) == 1;
            const bool opens = ::open("/etc/passwd", O_RDONLY) >= 0 || errno != EACCES;
            const bool creates =
                ::open("/tmp/headscope-landlock", O_RDWR | O_CREAT, 0600) >= 0 || errno != EACCES;
            ::_exit(reads && !opens && !creates ? 0 : 1);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        QVERIFY(WIFEXITED(status));
        if (WEXITSTATUS(status) == has_none)
            QSKIP("this kernel has no Landlock");
        QCOMPARE(WEXITSTATUS(status), 0);
    }

    void nobodyWaits() {
        if (isSanitized())
            QSKIP("a sanitizer calls the system when a process ends");
        const int status = statusOf([] {
            constexpr timespec long_time{60, 0};
            return ::nanosleep(&long_time, nullptr) == 0 ? 0 : 1;
        });
        QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }

    void aTighterLimitOfTheSessionStays() {
        if (isSanitized())
            QSKIP("a sanitizer takes terabytes of addresses");
        const pid_t child = ::fork();
        if (child == 0) {
            constexpr rlim_t few = rlim_t{300} << 20;
            const rlimit session{few, few};
            rlimit left{};
            const bool kept = ::setrlimit(RLIMIT_AS, &session) == 0 &&
                              limitProcess(readerMemory(Parser::Hdf5, 1'000'000)).empty() &&
                              ::getrlimit(RLIMIT_AS, &left) == 0 && left.rlim_max == few;
            ::_exit(kept ? 0 : 1);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }

    /// glibc says why it gives up before it does.
    void anAbortLooksLikeOne() {
        if (isSanitized())
            QSKIP("a sanitizer has a handler of its own");
        const int status = statusOf([]() -> int {
            ::signal(SIGABRT, SIG_DFL); // Qt Test has a handler of its own
            ::abort();
        });
        QVERIFY(WIFSIGNALED(status));
        QCOMPARE(WTERMSIG(status), SIGABRT);
    }
};

const headscope::test::TestRegistration<TestSeal> registration;

} // namespace test_seal

#include "test_seal.moc"
