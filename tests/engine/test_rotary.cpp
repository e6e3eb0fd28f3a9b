#include "core/engine/rotary.h"
#include "core/model/rotary_frequencies.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>
#include <complex>
#include <numbers>

namespace test_rotary {

using namespace headscope;

namespace {

/// [position, head, d_head] with heads side by side in a row.
MutableMatrixView wide(Tensor& x) {
    const std::size_t cols = x.dim(1) * x.dim(2);
    return {x.data(), x.dim(0), cols, cols};
}

} // namespace

class TestRotary : public QObject {
    Q_OBJECT

private slots:
    void rotatesPairsAsComplexNumbers_data();
    void rotatesPairsAsComplexNumbers();
    void dynamicScalingLooksAtThePrompt();
    void longRopeLooksAtThePrompt();
    void yarnKeepsFastPairs();
    void leavesTheRestOfTheHeadAlone();
    void linearScalingStretchesPositions();
    void llama3ScalingKeepsShortWavelengths();
};

void TestRotary::rotatesPairsAsComplexNumbers_data() {
    QTest::addColumn<bool>("adjacent");
    QTest::addColumn<double>("amplitude");
    QTest::newRow("halves") << false << 1.0;
    QTest::newRow("adjacent") << true << 1.0;
    QTest::newRow("halves, stretched") << false << 1.25;
}

void TestRotary::rotatesPairsAsComplexNumbers() {
    QFETCH(bool, adjacent);
    QFETCH(double, amplitude);
    RotarySpec rotary;
    rotary.pairs = adjacent ? RotaryPairs::Adjacent : RotaryPairs::Halves;
    rotary.amplitude = amplitude;
    rotary.d_rotary = 6;
    Tensor x({5, 2, 6});
    for (std::size_t i = 0; i < x.size(); ++i)
        x.values()[i] = std::sin(static_cast<float>(i));
    const Tensor before = x;
    applyRotary(rotaryTable(rotary, 5), x.dim(1), 0, wide(x));
    for (std::size_t p = 0; p < 5; ++p) {
        for (std::size_t head = 0; head < 2; ++head) {
            for (std::size_t i = 0; i < 3; ++i) {
                const double angle =
                    static_cast<double>(p) * std::pow(10000.0, -2.0 * static_cast<double>(i) / 6.0);
                const std::size_t first = adjacent ? 2 * i : i;
                const std::size_t second = adjacent ? 2 * i + 1 : i + 3;
                const std::complex<double> pair(before(p, head, first), before(p, head, second));
                const auto turned = pair * std::polar(amplitude, angle);
                QVERIFY(std::abs(x(p, head, first) - turned.real()) < 1e-6);
                QVERIFY(std::abs(x(p, head, second) - turned.imag()) < 1e-6);
            }
        }
    }
}

void TestRotary::leavesTheRestOfTheHeadAlone() {
    RotarySpec rotary;
    rotary.d_rotary = 4;
    Tensor x({3, 1, 8}, 1.0f);
    applyRotary(rotaryTable(rotary, 3), x.dim(1), 0, wide(x));
    QVERIFY(x(2, 0, 0) != 1.0f);
    for (std::size_t d = 4; d < 8; ++d)
        QCOMPARE(x(2, 0, d), 1.0f);
}

void TestRotary::linearScalingStretchesPositions() {
    RotarySpec rotary;
    rotary.d_rotary = 4;
    const auto plain = rotaryFrequencies(rotary, 5);
    rotary.scaling = RotaryScalingKind::Linear;
    rotary.factor = 4.0;
    const auto stretched = rotaryFrequencies(rotary, 5);
    for (std::size_t i = 0; i < plain.size(); ++i)
        QCOMPARE(stretched[i], plain[i] / 4.0);
}

void TestRotary::llama3ScalingKeepsShortWavelengths() {
    RotarySpec rotary;
    rotary.d_rotary = 16;
    rotary.base = 500000.0;
    const auto plain = rotaryFrequencies(rotary, 5);
    rotary.scaling = RotaryScalingKind::Llama3;
    rotary.factor = 8.0;
    rotary.low_freq_factor = 1.0;
    rotary.high_freq_factor = 4.0;
    rotary.original_context = 64.0;
    const auto scaled = rotaryFrequencies(rotary, 5);
    QCOMPARE(scaled.front(), plain.front());                     // wavelength 6.3 < 64 / 4
    QCOMPARE(scaled.back(), plain.back() / 8.0);                 // far longer than 64
    const double wavelength = 2.0 * std::numbers::pi / plain[1]; // 32.4: between 16 and 64
    const double smooth = (64.0 / wavelength - 1.0) / 3.0;
    QVERIFY(std::abs(scaled[1] - plain[1] * ((1.0 - smooth) / 8.0 + smooth)) < 1e-12);
}

/// Within the context nothing changes; beyond it the slowest pair turns as far as it did at its
/// end, divided by the stretch, and the fastest as ever.
void TestRotary::dynamicScalingLooksAtThePrompt() {
    RotarySpec rotary;
    rotary.d_rotary = 8;
    const auto plain = rotaryFrequencies(rotary, 5);
    rotary.scaling = RotaryScalingKind::Dynamic;
    rotary.factor = 2.0;
    rotary.original_context = 16.0;
    QCOMPARE(rotaryFrequencies(rotary, 16), plain);
    const auto longer = rotaryFrequencies(rotary, 32); // 2 · 32/16 − 1 = 3 times the context
    QCOMPARE(longer.front(), plain.front());
    QVERIFY(std::abs(longer.back() * 3.0 - plain.back()) < 1e-12);
}

void TestRotary::longRopeLooksAtThePrompt() {
    RotarySpec rotary;
    rotary.d_rotary = 4;
    const auto plain = rotaryFrequencies(rotary, 5);
    rotary.scaling = RotaryScalingKind::LongRope;
    rotary.original_context = 16.0;
    rotary.short_factors = {1.0, 2.0};
    rotary.long_factors = {4.0, 8.0};
    QCOMPARE(rotaryFrequencies(rotary, 16)[1], plain[1] / 2.0);
    QCOMPARE(rotaryFrequencies(rotary, 17)[0], plain[0] / 4.0);
    QCOMPARE(rotaryFrequencies(rotary, 17)[1], plain[1] / 8.0);
}

void TestRotary::yarnKeepsFastPairs() {
    RotarySpec rotary;
    rotary.d_rotary = 32;
    const auto plain = rotaryFrequencies(rotary, 5);
    rotary.scaling = RotaryScalingKind::Yarn;
    rotary.factor = 4.0;
    rotary.original_context = 4096.0;
    const auto stretched = rotaryFrequencies(rotary, 5);
    QCOMPARE(stretched.front(), plain.front());    // 652 turns in the original context, over 32
    QCOMPARE(stretched.back(), plain.back() / 4);  // a tenth of a turn, under 1
    const double middle = stretched[8] / plain[8]; // 6.5 turns
    QVERIFY(middle > 0.25 && middle < 1.0);
}

const headscope::test::TestRegistration<TestRotary> registration;

} // namespace test_rotary

#include "test_rotary.moc"
