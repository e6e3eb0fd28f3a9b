#include "core/tensor/half.h"
#include "core/tensor/kernels.h"
#include "tests/support/runner.h"
#include "tests/tensor/kernel_cases.h"

#include <QObject>
#include <QTest>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace test_half {

using namespace headscope;
using headscope::test::addKernelRows;

namespace {

/// The value of a 16-bit float, from the definition of its fields.
double valueOf(std::uint16_t word, int exponent_bits, int mantissa_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = word >> mantissa_bits & ((1 << exponent_bits) - 1);
    const int mantissa = word & ((1 << mantissa_bits) - 1);
    const double sign = word >> 15 != 0 ? -1.0 : 1.0;
    if (exponent == (1 << exponent_bits) - 1)
        return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                             : sign * std::numeric_limits<double>::infinity();
    if (exponent == 0)
        return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
    return sign * std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
}

bool same(float found, double expected) {
    if (std::isnan(expected))
        return std::isnan(found);
    return found == expected && std::signbit(found) == std::signbit(expected);
}

std::vector<std::uint16_t> allWords() {
    std::vector<std::uint16_t> words(65536);
    std::iota(words.begin(), words.end(), std::uint16_t{0});
    return words;
}

} // namespace

class TestHalf : public QObject {
    Q_OBJECT

private slots:
    void cleanup() { useKernels(kernelNames().front()); }

    void everyWord_data() { addKernelRows(); }
    void everyWord() {
        QFETCH(std::string, kernels);
        useKernels(kernels);
        const auto words = allWords();
        std::vector<float> float16(words.size());
        std::vector<float> bfloat16(words.size());
        widen(FloatFormat::Float16, words, float16);
        widen(FloatFormat::BFloat16, words, bfloat16);
        for (std::size_t i = 0; i < words.size(); ++i) {
            const QByteArray word = QByteArray::number(qulonglong(i));
            QVERIFY2(same(float16[i], valueOf(words[i], 5, 10)), word);
            QVERIFY2(same(bfloat16[i], valueOf(words[i], 8, 7)), word);
        }
    }

    void nanKeepsItsPayload() {
        QCOMPARE(std::bit_cast<std::uint32_t>(float16ToFloat32(0xFE01)), 0xFFC02000u);
        QCOMPARE(std::bit_cast<std::uint32_t>(bfloat16ToFloat32(0x7FA5)), 0x7FA50000u);
    }

    void wordsComeBack() {
        for (const std::uint16_t word : allWords()) {
            if (std::isnan(float16ToFloat32(word)))
                QVERIFY(std::isnan(float16ToFloat32(float32ToFloat16(float16ToFloat32(word)))));
            else
                QCOMPARE(float32ToFloat16(float16ToFloat32(word)), word);
            if (std::isnan(bfloat16ToFloat32(word)))
                QVERIFY(std::isnan(bfloat16ToFloat32(float32ToBFloat16(bfloat16ToFloat32(word)))));
            else
                QCOMPARE(float32ToBFloat16(bfloat16ToFloat32(word)), word);
        }
    }

    /// Between two words next to each other lies their middle, which goes to the even one.
    void roundsToTheNearest_data() {
        QTest::addColumn<bool>("bfloat16");
        QTest::newRow("float16") << false;
        QTest::newRow("bfloat16") << true;
    }
    void roundsToTheNearest() {
        QFETCH(bool, bfloat16);
        const auto widen = bfloat16 ? bfloat16ToFloat32 : float16ToFloat32;
        const auto narrow = bfloat16 ? float32ToBFloat16 : float32ToFloat16;
        const std::uint16_t largest = bfloat16 ? 0x7F7F : 0x7BFF;
        for (std::uint16_t word = 0; word < largest; ++word) {
            const auto next = static_cast<std::uint16_t>(word + 1);
            const float middle = std::midpoint(widen(word), widen(next));
            QCOMPARE(narrow(middle), word % 2 == 0 ? word : next);
            QCOMPARE(narrow(-middle), static_cast<std::uint16_t>(0x8000u | narrow(middle)));
            QCOMPARE(narrow(std::nextafter(middle, 0.0f)), word);
            QCOMPARE(narrow(std::nextafter(middle, std::numeric_limits<float>::max())), next);
        }
    }

    void overflowsToInfinity() {
        QCOMPARE(float32ToFloat16(65519.996f), 0x7BFF);
        QCOMPARE(float32ToFloat16(65520.0f), 0x7C00);
        QCOMPARE(float32ToFloat16(-1e30f), 0xFC00);
        QCOMPARE(float32ToBFloat16(std::numeric_limits<float>::max()), 0x7F80);
    }

    void knownValues() {
        QCOMPARE(float16ToFloat32(0x3C00), 1.0f);
        QCOMPARE(float16ToFloat32(0x7BFF), 65504.0f);
        QCOMPARE(float16ToFloat32(0x0001), 0x1p-24f);
        QCOMPARE(bfloat16ToFloat32(0xC040), -3.0f);
    }
};

const headscope::test::TestRegistration<TestHalf> registration;

} // namespace test_half

#include "test_half.moc"
