#include "core/base/random.h"
#include "core/tensor/nonlinear.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>
#include <vector>

namespace test_norm_backward {

using namespace headscope;

namespace {

constexpr double kEps = 0.1; // large enough to be seen in the gradient
constexpr std::size_t kRows = 3;
constexpr std::size_t kCols = 7;

Tensor randomMatrix(Random& random) {
    Tensor matrix({kRows, kCols});
    for (float& value : matrix.values())
        value = static_cast<float>(random.below(2001)) / 1000.0f - 0.7f;
    return matrix;
}

/// Σ weight · x / scale in double, x centred or not; `factor` multiplies the scale.
double metric(const std::vector<double>& x, const Tensor& weight, bool centred, double factor) {
    double sum = 0.0;
    for (std::size_t r = 0; r < kRows; ++r) {
        const double* row = x.data() + r * kCols;
        double mean = 0.0;
        for (std::size_t c = 0; centred && c < kCols; ++c)
            mean += row[c] / kCols;
        double square = 0.0;
        for (std::size_t c = 0; c < kCols; ++c)
            square += (row[c] - mean) * (row[c] - mean) / kCols;
        const double scale = factor * std::sqrt(square + kEps);
        for (std::size_t c = 0; c < kCols; ++c)
            sum += weight(r, c) * (row[c] - mean) / scale;
    }
    return sum;
}

} // namespace

class TestNormBackward : public QObject {
    Q_OBJECT

private slots:
    void isTheSlope_data() {
        QTest::addColumn<bool>("centred");
        QTest::newRow("LayerNorm") << true;
        QTest::newRow("RMSNorm") << false;
    }
    void isTheSlope();
};

/// Central differences in double.
void TestNormBackward::isTheSlope() {
    QFETCH(bool, centred);
    constexpr double step = 1e-5;
    Random random(3);
    const Tensor x = randomMatrix(random);
    const Tensor weight = randomMatrix(random);
    Tensor y = x;
    if (centred)
        centreRows(y.matrix());
    std::vector<float> scale(kRows);
    rmsOfRows(y.matrix(), kEps, scale);
    divideRows(y.matrix(), scale);

    Tensor d = weight;
    std::vector<float> d_scale(kRows);
    scaleGradient(y.matrix(), scale, d.matrix(), d_scale);
    divideByRmsBackward(y.matrix(), scale, d_scale, d.matrix());
    if (centred)
        centreRows(d.matrix());

    const std::vector<double> at(x.values().begin(), x.values().end());
    for (std::size_t i = 0; i < at.size(); ++i) {
        std::vector<double> above = at;
        std::vector<double> below = at;
        above[i] += step;
        below[i] -= step;
        const double slope =
            (metric(above, weight, centred, 1.0) - metric(below, weight, centred, 1.0)) /
            (2.0 * step);
        QVERIFY2(std::abs(d.values()[i] - slope) <= 2e-6, qPrintable(QString::number(i)));
    }
    // All scales grow by one factor: its slope is Σ d_scale · scale.
    const double by_factor =
        (metric(at, weight, centred, 1.0 + step) - metric(at, weight, centred, 1.0 - step)) /
        (2.0 * step);
    double found = 0.0;
    for (std::size_t r = 0; r < kRows; ++r)
        found += static_cast<double>(d_scale[r]) * scale[r];
    QVERIFY(std::abs(found - by_factor) <= 1e-5);
}

const headscope::test::TestRegistration<TestNormBackward> registration;

} // namespace test_norm_backward

#include "test_norm_backward.moc"
