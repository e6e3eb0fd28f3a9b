#include "tests/cli/cli_process.h"
#include "tests/support/runner.h"
#include "tests/support/sanitizer.h"

#include <QElapsedTimer>
#include <QTest>

namespace test_cli_memory {

using namespace headscope::test;

/// Little address space ends the program with one sentence, soon, and never by a signal. An address
/// sanitizer asks for terabytes of it before main() begins.
class TestCliMemory : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (isSanitized())
            QSKIP("The address sanitizer needs more address space than this gives.");
    }
    void littleAddressSpace_data() {
        QTest::addColumn<int>("megabytes");
        for (const int megabytes : {200, 700})
            QTest::addRow("%d MB", megabytes) << megabytes;
    }
    void littleAddressSpace() {
        QFETCH(int, megabytes);
        QElapsedTimer timer;
        timer.start();
        const CliResult result =
            runShell("ulimit -v " + std::to_string(megabytes) + R"(000; exec "$0" "$@")",
                     {"run", fixture("gpt2.h5"), "--ids", "1,2,3"});
        QVERIFY(timer.elapsed() < 10'000);
        QVERIFY2(result.exit_code == 0 || failedWithOneSentence(result, 1), result.err.c_str());
    }

    void littleStack() {
        const Arguments call{"run", fixture("gpt2.h5"), "--ids", "1,2,3"};
        const CliResult refused = runShell(R"(ulimit -s 64; exec "$0" "$@")", call);
        QVERIFY2(failedWithOneSentence(refused, 1), refused.err.c_str());
        QVERIFY2(contains(refused.err, "a stack of 65.5 kB (ulimit -s)"), refused.err.c_str());
        // More is allowed and taken, also for threads.
        const CliResult taken = runShell(R"(ulimit -S -s 64; exec "$0" "$@")", call);
        QVERIFY2(taken.exit_code == 0, taken.err.c_str());
    }

    void enoughAddressSpace() {
        const CliResult result =
            runShell("ulimit -v 16000000; exec \"$0\" \"$@\"", {"info", fixture("gpt2.h5")});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
    }
};

const headscope::test::TestRegistration<TestCliMemory> registration;

} // namespace test_cli_memory

#include "test_cli_memory.moc"
