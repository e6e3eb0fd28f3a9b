// Colours of heads drawn together, as people with each kind of colour-blindness see them.

#include "tests/support/runner.h"
#include "ui/widgets/colours.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>

namespace test_head_colours {

using namespace headscope::ui;

namespace {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

/// Linear RGB as seen without one kind of cone (Machado, Oliveira & Fernandes 2009, severity 1).
constexpr std::array<Matrix, 4> kVisions{{
    {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}},
    {{{0.152286, 1.052583, -0.204868},
      {0.114503, 0.786281, 0.099216},
      {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968},
      {0.280085, 0.672501, 0.047413},
      {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779},
      {-0.078411, 0.930809, 0.147602},
      {0.004733, 0.691367, 0.303900}}},
}};
/// Linear RGB to XYZ, each less than 1 for its white.
constexpr Matrix kToXyz{{{0.4124 / 0.95047, 0.3576 / 0.95047, 0.1805 / 0.95047},
                         {0.2126, 0.7152, 0.0722},
                         {0.0193 / 1.08883, 0.1192 / 1.08883, 0.9505 / 1.08883}}};

Triple times(const Matrix& matrix, const Triple& x) {
    Triple y{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            y[i] += matrix[i][j] * x[j];
    return y;
}

Triple linear(const QColor& colour) {
    const auto channel = [](double c) {
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return {channel(colour.redF()), channel(colour.greenF()), channel(colour.blueF())};
}

/// CIE 1976 L*a*b*
Triple lab(const QColor& colour, const Matrix& vision) {
    Triple seen = times(vision, linear(colour));
    for (double& value : seen)
        value = std::clamp(value, 0.0, 1.0);
    Triple f = times(kToXyz, seen);
    for (double& value : f)
        value = value > 0.008856 ? std::cbrt(value) : 7.787 * value + 16.0 / 116.0;
    return {116.0 * f[1] - 16.0, 500.0 * (f[0] - f[1]), 200.0 * (f[1] - f[2])};
}

double difference(const Triple& a, const Triple& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

double luminanceOf(const QColor& colour) {
    const Triple rgb = linear(colour);
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
}

} // namespace

class TestHeadColours : public QObject {
    Q_OBJECT

private slots:
    void areToldApart_data() {
        QTest::addColumn<QColor>("background");
        QTest::newRow("paper") << QColor(Qt::white);
        QTest::newRow("light") << QColor(0xef, 0xf0, 0xf1);
        QTest::newRow("dark") << QColor(0x1e, 0x1e, 0x1e);
    }
    void areToldApart() {
        QFETCH(QColor, background);
        for (const Matrix& vision : kVisions)
            for (int i = 0; i < kHeadColours; ++i)
                for (int j = 0; j < i; ++j) {
                    const double apart = difference(lab(headColour(i, background), vision),
                                                    lab(headColour(j, background), vision));
                    QVERIFY2(apart >= 20.0,
                             qPrintable(QStringLiteral("%1 and %2: %3").arg(i).arg(j).arg(apart)));
                }
    }

    void standOutFromTheBackground() {
        for (const QColor& background : {QColor(Qt::white), QColor(0x1e, 0x1e, 0x1e)})
            for (int i = 0; i < kHeadColours; ++i) {
                const double a = luminanceOf(headColour(i, background)) + 0.05;
                const double b = luminanceOf(background) + 0.05;
                QVERIFY(std::max(a, b) / std::min(a, b) >= 3.0);
            }
    }
};

const headscope::test::TestRegistration<TestHeadColours> registration;

} // namespace test_head_colours

#include "test_head_colours.moc"
