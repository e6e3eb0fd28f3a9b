#include "core/tensor/nonlinear.h"
#include "tests/support/runner.h"
#include "tests/tensor/kernel_cases.h"

#include <QTest>

#include <cmath>
#include <numbers>
#include <vector>

namespace test_activation {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr float kCap = 5.0f;

double reluOf(double x) {
    return x < 0.0 ? 0.0 : x;
}
double geluOf(double x) {
    return 0.5 * x * std::erfc(-x / std::numbers::sqrt2);
}
double geluNewOf(double x) {
    return x /
           (1.0 + std::exp(-2.0 * std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}
double quickGeluOf(double x) {
    return x / (1.0 + std::exp(-1.702 * x));
}
double siluOf(double x) {
    return x / (1.0 + std::exp(-x));
}
double cappedOf(double x) {
    return kCap * std::tanh(x / kCap);
}
void cap(std::span<float> x) {
    softCap(kCap, x);
}
void capBackward(std::span<const float> x, std::span<float> grad) {
    softCapBackward(kCap, x, grad);
}

struct Activation {
    const char* name;
    void (*forward)(std::span<float>);
    void (*backward)(std::span<const float>, std::span<float>);
    double (*reference)(double);
};

constexpr Activation kActivations[] = {{"relu", relu, reluBackward, reluOf},
                                       {"gelu erf", geluErf, geluErfBackward, geluOf},
                                       {"gelu tanh", geluTanh, geluTanhBackward, geluNewOf},
                                       {"quick gelu", quickGelu, quickGeluBackward, quickGeluOf},
                                       {"silu", silu, siluBackward, siluOf},
                                       {"soft cap", cap, capBackward, cappedOf}};

/// The derivative by central differences, exact to 1e-8 for |x| up to 100.
double slope(double (*f)(double), double x) {
    const double h = 1e-5;
    return (f(x + h) - f(x - h)) / (2.0 * h);
}

/// Values apart, and the places where formulas change sign, overflow or lose all their digits.
std::vector<float> manyValues() {
    std::vector<float> x;
    for (int i = -4000; i <= 4000; ++i)
        x.push_back(static_cast<float>(i) / 200.0f);
    for (const float edge : {1e-40f, 1e-20f, 1e-4f, 17.0f, 87.0f, 88.0f, 88.5f, 89.0f, 100.0f})
        x.insert(x.end(), {edge, -edge});
    return x;
}

} // namespace

class TestActivation : public QObject {
    Q_OBJECT

private slots:
    void agreesWithDouble_data() { addRows(); }
    void agreesWithDouble();
    void survivesExtremes_data() { addRows(); }
    void survivesExtremes();
    void everyLength_data() { addRows(); }
    void everyLength();
    void backwardAgreesWithDifferences_data() { addRows(); }
    void backwardAgreesWithDifferences();
    void reluHasNoSlopeAtZero();
    void squaredRelu();

private:
    static void addRows();
};

void TestActivation::addRows() {
    QTest::addColumn<std::string>("kernels");
    QTest::addColumn<std::size_t>("index");
    for (const std::string_view kernels : kernelNames())
        for (std::size_t i = 0; i < std::size(kActivations); ++i) {
            const std::string row = std::string(kernels) + ' ' + kActivations[i].name;
            QTest::newRow(row.c_str()) << std::string(kernels) << i;
        }
}

void TestActivation::agreesWithDouble() {
    QFETCH(std::string, kernels);
    QFETCH(std::size_t, index);
    useKernels(kernels);
    const Activation& activation = kActivations[index];
    const std::vector<float> x = manyValues();
    std::vector<float> y = x;
    activation.forward(y);
    for (std::size_t i = 0; i < x.size(); ++i)
        QVERIFY2(agree(y[i], activation.reference(x[i]), 3e-7, 2e-8),
                 qPrintable(QStringLiteral("f(%1) = %2").arg(x[i]).arg(y[i])));
}

void TestActivation::survivesExtremes() {
    QFETCH(std::string, kernels);
    QFETCH(std::size_t, index);
    useKernels(kernels);
    const Activation& activation = kActivations[index];
    const std::vector<float> x{1e4f,      -1e4f,      1e20f, -1e20f, 3e38f, -3e38f,
                               kInfinity, -kInfinity, kNaN,  0.0f,   -0.0f};
    std::vector<float> y = x;
    activation.forward(y);
    for (std::size_t i = 0; i < x.size(); ++i)
        QVERIFY2(agree(y[i], activation.reference(x[i]), 3e-7, 0.0),
                 qPrintable(QStringLiteral("f(%1) = %2").arg(x[i]).arg(y[i])));
}

void TestActivation::everyLength() {
    QFETCH(std::string, kernels);
    QFETCH(std::size_t, index);
    useKernels(kernels);
    const Activation& activation = kActivations[index];
    for (const std::size_t n : rowLengths()) {
        const std::vector<float> x = randomRow(n, -10.0f, 10.0f);
        FencedRow y(x);
        activation.forward(y.row());
        FencedRow grad(std::vector<float>(n, 2.0f));
        activation.backward(x, grad.row());
        QVERIFY(y.fenceStands() && grad.fenceStands());
        for (std::size_t i = 0; i < n; ++i) {
            const double derivative = slope(activation.reference, x[i]);
            QVERIFY(agree(y.row()[i], activation.reference(x[i]), 3e-7, 2e-8));
            QVERIFY(agree(grad.row()[i], 2.0 * derivative, 0.0, 2e-6));
        }
    }
}

void TestActivation::backwardAgreesWithDifferences() {
    QFETCH(std::string, kernels);
    QFETCH(std::size_t, index);
    useKernels(kernels);
    const Activation& activation = kActivations[index];
    std::vector<float> x = manyValues();
    std::erase_if(x, [](float value) { return std::abs(value) < 1e-4f; });
    std::vector<float> grad(x.size(), -3.0f);
    activation.backward(x, grad);
    for (std::size_t i = 0; i < x.size(); ++i)
        QVERIFY2(agree(grad[i], -3.0 * slope(activation.reference, x[i]), 0.0, 2e-6),
                 qPrintable(QStringLiteral("-3 f'(%1) = %2").arg(x[i]).arg(grad[i])));
}

void TestActivation::reluHasNoSlopeAtZero() {
    const std::vector<float> x{0.0f, -0.0f, 1e-40f};
    std::vector<float> grad(3, 4.0f);
    reluBackward(x, grad);
    QCOMPARE(grad, (std::vector<float>{0.0f, 0.0f, 4.0f}));
}

/// Squares leave float32 where others of the kind do not.
void TestActivation::squaredRelu() {
    const std::vector<float> x{-kInfinity, -3.0f, -0.0f, 0.0f, 0.5f, 3.0f, 1e19f, 1e20f, kInfinity};
    const std::vector<float> expected{0.0f, 0.0f,  0.0f,      0.0f,     0.25f,
                                      9.0f, 1e38f, kInfinity, kInfinity};
    std::vector<float> y = x;
    reluSquared(y);
    for (std::size_t i = 0; i < x.size(); ++i)
        QVERIFY(agree(y[i], expected[i], 3e-7, 0.0));
    std::vector<float> not_a_number{kNaN};
    reluSquared(not_a_number);
    QVERIFY(std::isnan(not_a_number[0]));
    std::vector<float> grad(x.size(), -1.0f);
    reluSquaredBackward(x, grad);
    QCOMPARE(grad, (std::vector<float>{0.0f, 0.0f, 0.0f, 0.0f, -1.0f, -6.0f, -2e19f, -2e20f,
                                       -kInfinity}));
}

const headscope::test::TestRegistration<TestActivation> registration;

} // namespace test_activation

#include "test_activation.moc"
