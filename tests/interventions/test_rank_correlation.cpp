// Spearman's ρ of lists worked out by hand.

#include "core/interventions/statistics/rank_correlation.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <vector>

namespace test_rank_correlation {

using namespace headscope;
using namespace headscope::test;

namespace {

bool isNear(double found, double expected) {
    return std::abs(found - expected) < 1e-12;
}

using Numbers = std::vector<double>;

} // namespace

class TestRankCorrelation : public QObject {
    Q_OBJECT

private slots:
    /// 1 − 6 Σ d² / (n (n² − 1)) without ties.
    void withoutTies() {
        QVERIFY(isNear(rankCorrelation(Numbers{1, 2, 3, 4}, Numbers{10, 200, 3000, 40000}), 1.0));
        QVERIFY(isNear(rankCorrelation(Numbers{1, 2, 3, 4}, Numbers{4, 3, 2, -90}), -1.0));
        QVERIFY(isNear(rankCorrelation(Numbers{5, -1, 2}, Numbers{0, 7, 8}), -0.5));
        QVERIFY(isNear(rankCorrelation(Numbers{1, 2, 3, 4, 5}, Numbers{2, 1, 4, 3, 5}), 0.8));
    }

    /// Ranks 1.5 1.5 3 and 1 2 3, less 2: Σ 1.5 over √(1.5 · 2).
    void tiesShareTheirRank() {
        QVERIFY(isNear(rankCorrelation(Numbers{0, 0, 6}, Numbers{-1, 1, 4}), std::sqrt(0.75)));
        QVERIFY(isNear(rankCorrelation(Numbers{0, 0, 6}, Numbers{1, -1, 4}), std::sqrt(0.75)));
        QVERIFY(isNear(rankCorrelation(Numbers{0, 0, 6, 6}, Numbers{3, 3, 9, 9}), 1.0));
    }

    void notDefined() {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        QVERIFY(std::isnan(rankCorrelation({}, {})));
        QVERIFY(std::isnan(rankCorrelation(Numbers{1}, Numbers{2})));
        QVERIFY(std::isnan(rankCorrelation(Numbers{1, 1}, Numbers{2, 3})));
        QVERIFY(std::isnan(rankCorrelation(Numbers{1, nan, 2}, Numbers{2, 3, 4})));
    }
};

const headscope::test::TestRegistration<TestRankCorrelation> registration;

} // namespace test_rank_correlation

#include "test_rank_correlation.moc"
