#include "core/io/half.h"

#include <QObject>
#include <QTest>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

using namespace headscope;

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
    void everyFloat16() {
        const auto words = allWords();
        std::vector<float> values(words.size());
        widenFloat16(words, values);
        for (std::size_t i = 0; i < words.size(); ++i)
            QVERIFY2(same(values[i], valueOf(words[i], 5, 10)), QByteArray::number(qulonglong(i)));
    }

    void everyBFloat16() {
        const auto words = allWords();
        std::vector<float> values(words.size());
        widenBFloat16(words, values);
        for (std::size_t i = 0; i < words.size(); ++i)
            QVERIFY2(same(values[i], valueOf(words[i], 8, 7)), QByteArray::number(qulonglong(i)));
    }

    void nanKeepsItsPayload() {
        QCOMPARE(std::bit_cast<std::uint32_t>(float16ToFloat32(0xFE01)), 0xFFC02000u);
        QCOMPARE(std::bit_cast<std::uint32_t>(bfloat16ToFloat32(0x7FA5)), 0x7FA50000u);
    }

    void knownValues() {
        QCOMPARE(float16ToFloat32(0x3C00), 1.0f);
        QCOMPARE(float16ToFloat32(0x7BFF), 65504.0f);
        QCOMPARE(float16ToFloat32(0x0001), 0x1p-24f);
        QCOMPARE(bfloat16ToFloat32(0xC040), -3.0f);
    }
};

QTEST_GUILESS_MAIN(TestHalf)
#include "test_half.moc"
