#include "core/tensor/parallel.h"
#include "tests/support/runner.h"

#include <QTest>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

namespace test_parallel {

using namespace headscope;

class TestParallel : public QObject {
    Q_OBJECT

private slots:
    void init() {
        before_ = threads();
        setThreads(2);
    }
    void cleanup() { setThreads(before_); }

    void everyIndexIsWorkedOnOnce() {
        std::vector<std::atomic<int>> done(1000);
        parallelFor(done.size(), [&](std::size_t index, std::size_t thread) {
            QVERIFY(thread < threads());
            ++done[index];
        });
        for (const auto& times : done)
            QCOMPARE(times.load(), 1);
    }

    /// The long work of one caller ends only after that of the other, or when it gives up.
    void callersDoNotWaitForEachOther() {
        std::promise<void> begun;
        std::atomic<bool> answered = false;
        std::atomic<bool> gave_up = false;
        std::thread slow([&] {
            parallelFor(64, [&](std::size_t index, std::size_t) {
                if (index == 0)
                    begun.set_value();
                const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(20);
                while (!answered && !gave_up) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                    gave_up = gave_up || std::chrono::steady_clock::now() > last;
                }
            });
        });
        begun.get_future().wait();
        std::atomic<int> count = 0;
        parallelFor(8, [&](std::size_t, std::size_t) { ++count; });
        answered = true;
        slow.join();
        QCOMPARE(count.load(), 8);
        QVERIFY(!gave_up);
    }

private:
    std::size_t before_ = 1;
};

const headscope::test::TestRegistration<TestParallel> registration;

} // namespace test_parallel

#include "test_parallel.moc"
