#include "core/tensor/gemm.h"
#include "core/tensor/rounding.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>
#include <limits>

namespace test_rounding {

using namespace headscope;

class TestRounding : public QObject {
    Q_OBJECT

private slots:
    /// Tenths in float32 add up to 0 but for their rounding.
    void sumsOfRoundedTerms() {
        const double sum =
            static_cast<double>(0.1f) + static_cast<double>(0.2f) - static_cast<double>(0.3f);
        QVERIFY(sum != 0.0);
        QVERIFY(!isMoreThanRounding(sum, 0.6));
        QVERIFY(!isMoreThanRounding(0.0, 0.0));
        QVERIFY(isMoreThanRounding(1e-5, 0.6));
        QVERIFY(isMoreThanRounding(-1e-5, 0.6));
        QVERIFY(isMoreThanRounding(1e-9, 0.0));
        QVERIFY(isMoreThanRounding(std::numeric_limits<double>::quiet_NaN(), 1.0));
    }

    void frobeniusNormOfAPartOfAMatrix() {
        Tensor x({2, 3});
        x(0, 0) = 100.0f; // outside the part
        x(0, 1) = 2.0f;
        x(0, 2) = -4.0f;
        x(1, 1) = 5.0f;
        x(1, 2) = 6.0f;
        QCOMPARE(frobeniusNorm(std::as_const(x).matrix().colRange(1, 2)), 9.0);
    }

    /// Sums of products that cancel stay below the share, those that do not lie far above it.
    void sumsThatCancel_data() {
        QTest::addColumn<int>("pairs");
        QTest::newRow("2 terms") << 1;
        QTest::newRow("768 terms") << 384;
        QTest::newRow("4096 terms") << 2048;
    }
    void sumsThatCancel() {
        QFETCH(int, pairs);
        const auto n = static_cast<std::size_t>(pairs);
        Tensor a({1, 2 * n});
        Tensor b({1, 2 * n});
        for (std::size_t i = 0; i < n; ++i) {
            const auto value = static_cast<float>(std::sin(static_cast<double>(i) + 1.0));
            a(0, i) = value;
            a(0, 2 * n - 1 - i) = -value / 3.0f;
            b(0, i) = 0.1f;
            b(0, 2 * n - 1 - i) = 0.3f;
        }
        const double noise = roundingShare(2 * n) * frobeniusNorm(std::as_const(a).matrix()) *
                             frobeniusNorm(std::as_const(b).matrix());
        QVERIFY(std::abs(static_cast<double>(dot(a.values(), b.values()))) < noise);
        b(0, 0) += 0.01f;
        QVERIFY(std::abs(static_cast<double>(dot(a.values(), b.values()))) > noise);
    }
};

const headscope::test::TestRegistration<TestRounding> registration;

} // namespace test_rounding

#include "test_rounding.moc"
