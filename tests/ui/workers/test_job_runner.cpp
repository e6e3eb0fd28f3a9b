#include "tests/support/runner.h"
#include "ui/workers/job_runner.h"

#include <QSemaphore>
#include <QSignalSpy>
#include <QTest>

#include <atomic>
#include <memory>

namespace test_job_runner {

using namespace headscope;
using namespace headscope::ui;

namespace {

constexpr int kPatience = 10000; // milliseconds

} // namespace

class TestJobRunner : public QObject {
    Q_OBJECT

private slots:
    void givesTheAnswerOnItsOwnThread() {
        JobRunner runner;
        QThread* worker = nullptr;
        QThread* receiver = nullptr;
        runner.start(
            [&](const Progress&, std::stop_token) {
                worker = QThread::currentThread();
                return 42;
            },
            [&](int value) {
                QCOMPARE(value, 42);
                receiver = QThread::currentThread();
            });
        QTRY_VERIFY_WITH_TIMEOUT(receiver != nullptr, kPatience);
        QCOMPARE(receiver, QThread::currentThread());
        QVERIFY(worker != receiver);
        QVERIFY(!runner.isBusy());
    }

    void partsArriveBeforeTheAnswer() {
        JobRunner runner;
        QList<int> arrived;
        runner.startInParts<int>(
            [](const Progress&, const std::stop_token&, const auto& publish) {
                publish(1);
                publish(2);
                return 3;
            },
            [&](int part) {
                QVERIFY(runner.isBusy());
                arrived << part;
            },
            [&](int value) { arrived << value; });
        QTRY_COMPARE_WITH_TIMEOUT(arrived.size(), 3, kPatience);
        QCOMPARE(arrived, (QList<int>{1, 2, 3}));
    }

    void dropsThePartsOfACancelledJob() {
        JobRunner runner;
        QSemaphore published;
        bool arrived = false;
        runner.startInParts<int>(
            [&](const Progress&, const std::stop_token&, const auto& publish) {
                publish(1);
                published.release();
                return 2;
            },
            [&](int) { arrived = true; }, [&](int) { arrived = true; });
        QVERIFY(published.tryAcquire(1, kPatience));
        runner.cancel(); // the part waits in the event queue
        QTest::qWait(50);
        QVERIFY(!arrived);
    }

    void dropsTheLateAnswerToAnOldQuestion() {
        JobRunner runner;
        QSemaphore started;
        QSemaphore release;
        QStringList answers;
        runner.start(
            [&](const Progress&, std::stop_token) {
                started.release();
                release.acquire(); // deaf to stop requests
                return QStringLiteral("old");
            },
            [&](const QString& answer) { answers << answer; });
        QVERIFY(started.tryAcquire(1, kPatience));
        runner.start([](const Progress&, std::stop_token) { return QStringLiteral("new"); },
                     [&](const QString& answer) { answers << answer; });
        release.release();
        QTRY_VERIFY_WITH_TIMEOUT(!runner.isBusy(), kPatience);
        QCoreApplication::processEvents();
        QCOMPARE(answers, QStringList{QStringLiteral("new")});
    }

    void asksTheOldJobToStop() {
        JobRunner runner;
        std::atomic<bool> stopped = false;
        bool answered = false;
        runner.start(
            [&](const Progress&, std::stop_token stop) {
                while (!stop.stop_requested())
                    QThread::msleep(1);
                stopped = true;
                return 1;
            },
            [&](int) { answered = true; });
        runner.start([](const Progress&, std::stop_token) { return 2; }, [](int) {});
        QTRY_VERIFY_WITH_TIMEOUT(stopped && !runner.isBusy(), kPatience);
        QVERIFY(!answered);
    }

    void skipsAJobThatHasNotBegun() {
        JobRunner runner;
        QSemaphore started;
        QSemaphore release;
        std::atomic<int> begun = 0;
        runner.start(
            [&](const Progress&, std::stop_token) {
                started.release();
                release.acquire();
                return 0;
            },
            [](int) {});
        QVERIFY(started.tryAcquire(1, kPatience));
        for (int i = 0; i < 5; ++i)
            runner.start([&](const Progress&, std::stop_token) { return ++begun; }, [](int) {});
        release.release();
        QTRY_VERIFY_WITH_TIMEOUT(!runner.isBusy(), kPatience);
        QCOMPARE(begun, 1);
    }

    void cancelDropsTheAnswer() {
        JobRunner runner;
        QSignalSpy busy(&runner, &JobRunner::busyChanged);
        QSemaphore release;
        QSemaphore ended;
        bool answered = false;
        runner.start(
            [&](const Progress&, std::stop_token) {
                release.acquire();
                ended.release();
                return 1;
            },
            [&](int) { answered = true; });
        runner.cancel();
        QVERIFY(!runner.isBusy());
        release.release();
        QVERIFY(ended.tryAcquire(1, kPatience));
        QTest::qWait(20);
        QVERIFY(!answered);
        QCOMPARE(busy.size(), 2);
        QCOMPARE(busy.last().first().toBool(), false);
    }

    void memoryThatIsUsedUpIsAnError() {
        JobRunner runner;
        std::optional<Result<int>> answer;
        runner.start(
            [](const Progress&, const std::stop_token&) -> Result<int> { throw std::bad_alloc(); },
            [&](const Result<int>& result) { answer = result; });
        QTRY_VERIFY(answer);
        QVERIFY(!*answer);
        QCOMPARE(answer->error().code, ErrorCode::TooLarge);
        QVERIFY(!runner.isBusy());
    }

    void withoutErrorsThereIsNoAnswer() {
        JobRunner runner;
        bool answered = false;
        runner.start([](const Progress&, const std::stop_token&) -> int { throw std::bad_alloc(); },
                     [&](int) { answered = true; });
        QTRY_VERIFY(!runner.isBusy());
        QVERIFY(!answered);
    }

    void tellsProgress() {
        JobRunner runner;
        QSignalSpy progressed(&runner, &JobRunner::progressed);
        QSemaphore release;
        runner.start(
            [&](const Progress& progress, std::stop_token) {
                report(progress, 0.25, "reading blocks.3");
                release.acquire();
                return 0;
            },
            [](int) {});
        QTRY_COMPARE_WITH_TIMEOUT(progressed.size(), 1, kPatience);
        release.release();
        QCOMPARE(progressed.first().at(0).toDouble(), 0.25);
        QCOMPARE(progressed.first().at(1).toString(), QStringLiteral("reading blocks.3"));
    }

    void doesNotSpamProgress() {
        JobRunner runner;
        QSignalSpy progressed(&runner, &JobRunner::progressed);
        bool done = false;
        runner.start(
            [](const Progress& progress, std::stop_token) {
                for (int i = 0; i < 10000; ++i)
                    report(progress, i / 10000.0, "counting");
                return 0;
            },
            [&](int) { done = true; });
        QTRY_VERIFY_WITH_TIMEOUT(done, kPatience);
        QVERIFY(progressed.size() < 1000);
    }

    void endsItsJobBeforeItDies() {
        auto finished = std::make_shared<std::atomic<bool>>(false);
        QSemaphore started;
        {
            JobRunner runner;
            runner.start(
                [&started, finished](const Progress&, std::stop_token stop) {
                    started.release();
                    while (!stop.stop_requested())
                        QThread::msleep(1);
                    *finished = true;
                    return 0;
                },
                [](int) { QFAIL("the receiver is gone"); });
            QVERIFY(started.tryAcquire(1, kPatience));
        }
        QVERIFY(*finished);
        QCoreApplication::processEvents();
    }
};

const headscope::test::TestRegistration<TestJobRunner> registration;

} // namespace test_job_runner

#include "test_job_runner.moc"
