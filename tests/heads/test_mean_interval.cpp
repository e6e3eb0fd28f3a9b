// Against tables of Student's t, and by counting how often an interval holds the true mean.

#include "core/base/random.h"
#include "core/heads/mean_interval.h"
#include "tests/support/runner.h"

#include <QTest>

#include <array>
#include <cmath>
#include <limits>
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

    // A value that counts twice is not two values: the mean is that of both, the spread is not.
    void valuesCountByTheirWeights() {
        const std::array values{0.0, 1.0, 0.5, 0.5};
        const Interval even = meanInterval(values, std::array{1.0, 1.0, 1.0, 1.0}, 0.05);
        const Interval plain = meanInterval(values, 0.05);
        QCOMPARE(even.low, plain.low);
        QCOMPARE(even.high, plain.high);
        QCOMPARE(meanInterval(values, std::array{3.0, 3.0, 3.0, 3.0}, 0.05).low, plain.low);
        // Mean 2/3, deviations (−2/3, 1/3), squares (1·4/9 + 4·1/9)·2/1/9, (Σw)²/Σw² = 9/5.
        const Interval heavy = meanInterval(std::array{0.0, 1.0}, std::array{1.0, 2.0}, 0.05);
        const double half = 12.706204736 * std::sqrt(8.0 / 9.0 * 2.0) / 3.0;
        QVERIFY(std::abs(heavy.low - (2.0 / 3.0 - half)) < 1e-6);
        QVERIFY(std::abs(heavy.high - (2.0 / 3.0 + half)) < 1e-6);
    }

    void whatDoesNotCountIsLeftOut() {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const Interval found =
            meanInterval(std::array{0.2, nan, 0.8}, std::array{1.0, 0.0, 1.0}, 0.05);
        const Interval expected = meanInterval(std::array{0.2, 0.8}, 0.05);
        QCOMPARE(found.low, expected.low);
        QCOMPARE(found.high, expected.high);
        QVERIFY(std::isnan(meanInterval(std::array{0.2, 0.8}, std::array{0.0, 1.0}, 0.05).low));
        QVERIFY(std::isnan(meanInterval(std::array{0.2, 0.8}, std::array{0.0, 0.0}, 0.05).low));
        QVERIFY(std::isnan(meanInterval(std::array{0.2, nan}, 0.05).low));
    }

    // The density of Student's t, integrated in small steps.
    void pValuesAreThoseOfTheDensity() {
        const std::array values{0.3, 0.5, 0.4, 0.9};
        const std::array even{1.0, 1.0, 1.0, 1.0};
        QVERIFY(std::abs(meanPValue(values, even, 0.2) - 0.04497136916587341) < 1e-9);
        QVERIFY(std::abs(meanPValue(values, even, 0.6) - 0.6958207453173538) < 1e-9);
        const std::array more{0.1, 0.4, 0.2, 0.5, 0.8};
        QVERIFY(std::abs(meanPValue(more, std::array{2.0, 2.0, 2.0, 2.0, 2.0}, 0.0) -
                         0.0154529173736222) < 1e-9);
        const std::array same{0.5, 0.5};
        QCOMPARE(meanPValue(same, std::array{1.0, 1.0}, 0.4), 0.0);
        QCOMPARE(meanPValue(same, std::array{1.0, 1.0}, 0.5), 0.5);
        QCOMPARE(meanPValue(same, std::array{1.0, 1.0}, 0.6), 1.0);
        QVERIFY(std::isnan(meanPValue(std::array{0.5}, std::array{1.0}, 0.4)));
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
