#include "core/tensor/nonlinear.h"
#include "tests/support/runner.h"
#include "tests/tensor/kernel_cases.h"

#include <QTest>

#include <cmath>
#include <vector>

namespace test_norm {

using namespace headscope;
using namespace headscope::test;

class TestNorm : public QObject {
    Q_OBJECT

private slots:
    void layerNormByHand();
    void rmsNormByHand();
    void scaleAndShiftWithoutWeights();
    void agreesWithDouble_data() { addKernelRows(); }
    void agreesWithDouble();
    void outliersDoNotDrownTheMean_data() { addKernelRows(); }
    void outliersDoNotDrownTheMean();
    void sameSumsOnAllKernels();
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

/// Two rows with a gap between them, each row on its own.
void TestNorm::agreesWithDouble() {
    QFETCH(std::string, kernels);
    useKernels(kernels);
    for (const std::size_t n : rowLengths()) {
        if (n == 0)
            continue;
        const std::size_t stride = n + 3;
        const std::vector<float> values = randomRow(stride + n, -4.0f, 6.0f);
        const std::vector<float> weight = randomRow(n, 0.5f, 2.0f);
        FencedRow buffer(values);
        const MutableMatrixView x{buffer.row().data(), 2, n, stride};
        std::vector<float> scale(2);
        centreRows(x);
        rmsOfRows(x, 1e-5, scale);
        divideRows(x, scale);
        scaleAndShift(x, weight, weight);
        QVERIFY(buffer.fenceStands());
        for (std::size_t gap = n; gap < stride; ++gap)
            QCOMPARE(buffer.row()[gap], values[gap]);
        for (std::size_t r = 0; r < 2; ++r) {
            const std::span row = std::span(values).subspan(r * stride, n);
            double mean = 0.0;
            for (const float value : row)
                mean += value / static_cast<double>(n);
            double variance = 0.0;
            for (const float value : row)
                variance += (value - mean) * (value - mean) / static_cast<double>(n);
            const double rms = std::sqrt(variance + 1e-5);
            QVERIFY(agree(scale[r], rms, 2e-7, n == 1 ? 1e-9 : 0.0));
            for (std::size_t c = 0; c < n; ++c) {
                const double expected = (row[c] - mean) / rms * weight[c] + weight[c];
                QVERIFY(agree(x(r, c), expected, 5e-7, 1e-6));
            }
        }
    }
}

/// Residual streams have dimensions a thousand times larger than the others.
void TestNorm::outliersDoNotDrownTheMean() {
    QFETCH(std::string, kernels);
    useKernels(kernels);
    std::vector<float> row(1024, 0.001f);
    row[3] = 1e4f;
    row[700] = -1e4f;
    centreRows({row.data(), 1, row.size(), row.size()});
    const double mean = 0.001f * 1022.0 / 1024.0;
    QVERIFY(agree(row[0], 0.001f - mean, 0.0, 1e-10));
}

void TestNorm::sameSumsOnAllKernels() {
    const std::vector<float> row = randomRow(1021, -3.0f, 3.0f);
    std::vector<float> scales;
    for (const std::string_view name : kernelNames()) {
        useKernels(name);
        float& scale = scales.emplace_back();
        rmsOfRows({row.data(), 1, row.size(), row.size()}, 0.0, {&scale, 1});
        QCOMPARE(scale, scales.front());
    }
}

const headscope::test::TestRegistration<TestNorm> registration;

} // namespace test_norm

#include "test_norm.moc"
