#include "core/base/memory.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <array>

namespace test_checked {

using namespace headscope;

namespace {

constexpr std::size_t kLargest = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kHalfBits = std::size_t{1} << 32;

} // namespace

class TestChecked : public QObject {
    Q_OBJECT

private slots:
    void multiply() {
        QCOMPARE(checkedMultiply(12, 768), std::optional<std::size_t>(9216));
        QCOMPARE(checkedMultiply(0, kLargest), std::optional<std::size_t>(0));
        QCOMPARE(checkedMultiply(kLargest, 0), std::optional<std::size_t>(0));
        QCOMPARE(checkedMultiply(kLargest, 1), std::optional<std::size_t>(kLargest));
        QCOMPARE(checkedMultiply(kHalfBits, kHalfBits - 1),
                 std::optional<std::size_t>(kLargest - kHalfBits + 1));
        QVERIFY(!checkedMultiply(kHalfBits, kHalfBits));
        QVERIFY(!checkedMultiply(2, kLargest / 2 + 1));
    }

    void add() {
        QCOMPARE(checkedAdd(3, 4), std::optional<std::size_t>(7));
        QCOMPARE(checkedAdd(kLargest, 0), std::optional<std::size_t>(kLargest));
        QVERIFY(!checkedAdd(kLargest, 1));
        QVERIFY(!checkedAdd(1, kLargest));
    }

    void product() {
        QCOMPARE(checkedProduct({}), std::optional<std::size_t>(1));
        QCOMPARE(checkedProduct(std::array<std::size_t, 3>{2, 3, 4}),
                 std::optional<std::size_t>(24));
        QVERIFY(!checkedProduct(std::array<std::size_t, 3>{kHalfBits, kHalfBits, 1}));
        // Refused although the true product is 0: no dimension of a file may be that large.
        QVERIFY(!checkedProduct(std::array<std::size_t, 3>{kHalfBits, kHalfBits, 0}));
    }
};

const headscope::test::TestRegistration<TestChecked> registration;

} // namespace test_checked

#include "test_checked.moc"
