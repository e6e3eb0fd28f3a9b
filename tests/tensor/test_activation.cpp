#include "core/tensor/activation.h"

#include <QTest>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

using namespace headscope;

namespace {

using Scalar = double (*)(double);
using Kernel = void (*)(std::span<float>);

double gelu(double x) {
    return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2));
}
double geluNew(double x) {
    return 0.5 * x *
           (1.0 + std::tanh(std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}
double quick(double x) {
    return x / (1.0 + std::exp(-1.702 * x));
}
double swish(double x) {
    return x / (1.0 + std::exp(-x));
}
double rectified(double x) {
    return x > 0.0 ? x : 0.0;
}

struct Pair {
    const char* name;
    Kernel kernel;
    Scalar reference;
};

constexpr Pair pairs[] = {{"relu", relu, rectified},
                          {"gelu erf", geluErf, gelu},
                          {"gelu tanh", geluTanh, geluNew},
                          {"quick gelu", quickGelu, quick},
                          {"silu", silu, swish}};

} // namespace

class TestActivation : public QObject {
    Q_OBJECT

private slots:
    void agreesWithDouble_data();
    void agreesWithDouble();
};

void TestActivation::agreesWithDouble_data() {
    QTest::addColumn<int>("index");
    for (int i = 0; i < static_cast<int>(std::size(pairs)); ++i)
        QTest::newRow(pairs[i].name) << i;
}

void TestActivation::agreesWithDouble() {
    QFETCH(int, index);
    std::vector<float> x;
    for (int i = -400; i <= 400; ++i)
        x.push_back(static_cast<float>(i) / 20.0f);
    x.insert(x.end(), {-1e4f, -100.0f, 0.0f, 100.0f, 1e4f});
    std::vector<float> y = x;
    pairs[index].kernel(y);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double expected = pairs[index].reference(x[i]);
        const double tolerance = 1e-6 * (1.0 + std::abs(expected));
        QVERIFY2(std::abs(y[i] - expected) <= tolerance, qPrintable(QString::number(x[i])));
    }
}

QTEST_GUILESS_MAIN(TestActivation)
#include "test_activation.moc"
