// Against tables of Student's t, and by counting how often an interval holds the true mean.

#include "core/base/random.h"
#include "core/interventions/statistics/mean_interval.h"
#include "tests/support/runner.h"

#include <QTest>

#include <array>
#include <cmath>
#include <vector>

namespace test_mean_interval {

using namespace headscope;

class TestMeanInterval : public QObject {
    Q_OBJECT

private slots:
    // R: qt(1 - error / 2, degrees)
    void quantilesAreThoseOfTables() {
        struct Row {
            double error;
            std::size_t degrees;
            double quantile;
        };
        const std::array<Row, 9> rows{{{0.05, 1, 12.706204736},
                                       {0.05, 2, 4.302652730},
                                       {0.05, 3, 3.182446305},
                                       {0.05, 4, 2.776445105},
                                       {0.05, 9, 2.262157163},
                                       {0.01, 9, 3.249835542},
                                       {0.05, 10, 2.228138852},
                                       {0.001, 20, 3.849516275},
                                       {0.05, 79, 1.990450210}}};
        for (const Row& row : rows)
            QVERIFY2(std::abs(studentQuantile(row.error, row.degrees) - row.quantile) < 1e-6,
                     qPrintable(QString::number(studentQuantile(row.error, row.degrees), 'g', 12)));
    }

    void oneValueHasNoInterval() {
        QVERIFY(std::isnan(meanInterval(std::array{1.0}, 0.05).low));
        const Interval same = meanInterval(std::array{2.0, 2.0, 2.0}, 0.05);
        QCOMPARE(same.low, 2.0);
        QCOMPARE(same.high, 2.0);
    }

    // Of 4000 samples of ten numbers about 95 % have the mean of all, 6, in their interval; the
    // standard deviation of that share is 0.35 %.
    void itHoldsWhatItSays() {
        Random random(1);
        constexpr int kSamples = 4000;
        int held = 0;
        for (int sample = 0; sample < kSamples; ++sample) {
            std::vector<double> values;
            for (int i = 0; i < 10; ++i) {
                double sum = 0.0; // twelve uniform numbers: nearly normal
                for (int k = 0; k < 12; ++k)
                    sum += static_cast<double>(random.below(1000001)) / 1e6;
                values.push_back(sum);
            }
            const Interval interval = meanInterval(values, 0.05);
            held += interval.low <= 6.0 && 6.0 <= interval.high ? 1 : 0;
        }
        const double share = static_cast<double>(held) / kSamples;
        QVERIFY2(share > 0.94 && share < 0.96, qPrintable(QString::number(share)));
    }
};

const headscope::test::TestRegistration<TestMeanInterval> registration;

} // namespace test_mean_interval

#include "test_mean_interval.moc"
