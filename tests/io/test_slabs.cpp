#include "core/io/slabs.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <utility>
#include <vector>

namespace test_slabs {

using namespace headscope;

class TestSlabs : public QObject {
    Q_OBJECT

    using Runs = std::vector<std::pair<std::size_t, std::size_t>>;

private slots:
    void coversAllElements() {
        Runs runs;
        const std::size_t most = kSlabBytes / 8;
        const auto done = forEachSlab(2 * most + 3, 8, {}, [&](std::size_t first, std::size_t n) {
            runs.emplace_back(first, n);
            return Result<void>();
        });
        QVERIFY(done);
        QCOMPARE(runs, (Runs{{0, most}, {most, most}, {2 * most, 3}}));
    }

    void nothingToVisit() {
        QVERIFY(forEachSlab(0, 4, {}, [](std::size_t, std::size_t) {
            return Result<void>(Error{ErrorCode::Malformed, "visited"});
        }));
    }

    void stopsInTheMiddle() {
        std::stop_source stop;
        std::size_t visits = 0;
        const auto done =
            forEachSlab(10 * kSlabBytes, 1, stop.get_token(), [&](std::size_t, std::size_t) {
                if (++visits == 3)
                    stop.request_stop();
                return Result<void>();
            });
        QVERIFY(!done);
        QCOMPARE(done.error().code, ErrorCode::Cancelled);
        QCOMPARE(visits, 3u);
    }

    void endsWithTheFirstFailure() {
        std::size_t visits = 0;
        const auto done = forEachSlab(3 * kSlabBytes, 1, {}, [&](std::size_t, std::size_t) {
            ++visits;
            return Result<void>(Error{ErrorCode::Malformed, "damaged"});
        });
        QVERIFY(!done);
        QCOMPARE(done.error().message, "damaged");
        QCOMPARE(visits, 1u);
    }
};

const headscope::test::TestRegistration<TestSlabs> registration;

} // namespace test_slabs

#include "test_slabs.moc"
