#include "core/tensor/norm.h"

#include <QTest>

#include <cmath>
#include <vector>

using namespace headscope;

class TestNorm : public QObject {
    Q_OBJECT

private slots:
    void layerNormByHand();
    void rmsNormByHand();
    void scaleAndShiftWithoutWeights();
};

void TestNorm::layerNormByHand() {
    Tensor x({2, 4});
    const std::vector<float> values{1, 2, 3, 6, -5, -5, -5, -5};
    std::copy(values.begin(), values.end(), x.data());
    centreRows(x.matrix());
    std::vector<float> scale(2);
    rmsOfRows(x.matrix(), 1e-5, scale);
    // Row 0: mean 3, variance (4 + 1 + 0 + 9) / 4. Row 1 is constant: only eps is left.
    QVERIFY(std::abs(scale[0] - std::sqrt(3.5 + 1e-5)) < 1e-6);
    QVERIFY(std::abs(scale[1] - std::sqrt(1e-5)) < 1e-8);
    divideRows(x.matrix(), scale);
    const std::vector<float> weight{1, 2, 3, 4};
    const std::vector<float> bias{0.5f, 0, 0, -1};
    scaleAndShift(x.matrix(), weight, bias);
    QVERIFY(std::abs(x(0, 0) - (-2.0 / std::sqrt(3.50001) + 0.5)) < 1e-6);
    QVERIFY(std::abs(x(0, 3) - (4 * 3.0 / std::sqrt(3.50001) - 1.0)) < 1e-6);
    QCOMPARE(x(1, 3), -1.0f);
}

void TestNorm::rmsNormByHand() {
    Tensor x({1, 2});
    x(0, 0) = 3.0f;
    x(0, 1) = 4.0f;
    std::vector<float> scale(1);
    rmsOfRows(x.matrix(), 0.5, scale);
    QVERIFY(std::abs(scale[0] - std::sqrt(13.0)) < 1e-6);
}

void TestNorm::scaleAndShiftWithoutWeights() {
    Tensor x({1, 2}, 3.0f);
    scaleAndShift(x.matrix(), {}, {});
    QCOMPARE(x(0, 1), 3.0f);
}

QTEST_GUILESS_MAIN(TestNorm)
#include "test_norm.moc"
