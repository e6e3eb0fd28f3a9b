#include "core/base/random.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <vector>

namespace test_random {

using namespace headscope;

namespace {

std::vector<std::size_t> draws(std::uint64_t seed, std::size_t bound, std::size_t count) {
    Random random(seed);
    std::vector<std::size_t> values(count);
    for (std::size_t& value : values)
        value = random.below(bound);
    return values;
}

} // namespace

// Expected values from an independent implementation of mt19937-64 (Nishimura 2000).
class TestRandom : public QObject {
    Q_OBJECT

private slots:
    void sequenceIsFixed() {
        const std::vector<std::size_t> percent{94, 67, 33, 78, 96, 18, 63, 44, 18, 33};
        const std::vector<std::size_t> tokens{43036, 9008, 32789, 22253, 8779, 11456, 9018, 41455};
        QCOMPARE(draws(0, 100, 10), percent);
        QCOMPARE(draws(7, 50257, 8), tokens);
    }

    void drawsThatWouldBiasAreThrownAway() {
        // With a bound just above 2^63 nearly every second draw of the engine lies beyond it.
        const std::vector<std::size_t> expected{3611203882987592167u, 6389378623318638229u,
                                                6664858249272180068u, 7796649511920467688u};
        QCOMPARE(draws(3, (std::size_t{1} << 63) + 1, 4), expected);
    }

    void boundIsNeverReached() {
        const std::vector<std::size_t> zeros(50, 0);
        QCOMPARE(draws(1, 1, 50), zeros);
    }
};

const headscope::test::TestRegistration<TestRandom> registration;

} // namespace test_random

#include "test_random.moc"
