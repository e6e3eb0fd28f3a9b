#include "tests/support/runner.h"
#include "ui/widgets/complex_plane.h"

#include <QTest>

#include <complex>

namespace test_complex_plane {

using namespace headscope::ui;

namespace {

using Complex = std::complex<double>;

} // namespace

class TestComplexPlane : public QObject {
    Q_OBJECT

private slots:
    void zeroIsInTheMiddleAndAxesAreAlike() {
        ComplexPlane plane;
        plane.resize(400, 300);
        plane.setNumbers({Complex(2.0, 0.0), Complex(0.0, -1.0)});
        const QPointF zero = plane.pointOf({0.0, 0.0});
        QCOMPARE(zero, QPointF(200.0, 150.0));
        const double unit = plane.pointOf({1.0, 0.0}).x() - zero.x();
        QVERIFY(unit > 0.0);
        QCOMPARE(zero.y() - plane.pointOf({0.0, 1.0}).y(), unit);
        QVERIFY(plane.rect().contains(plane.pointOf({2.0, 0.0}).toPoint()));
    }

    void signsHaveColours() {
        ComplexPlane plane;
        plane.resize(400, 400);
        plane.setNumbers({Complex(1.0, 1.0), Complex(-1.0, 1.0)});
        const QImage image = plane.grab().toImage();
        const auto colourAt = [&](Complex number) {
            return image.pixelColor(plane.pointOf(number).toPoint());
        };
        QVERIFY(colourAt({1.0, 1.0}).red() > colourAt({1.0, 1.0}).blue());
        QVERIFY(colourAt({-1.0, 1.0}).blue() > colourAt({-1.0, 1.0}).red());
    }

    void nothingAndZerosAreFine() {
        ComplexPlane plane;
        QVERIFY(!plane.grab().isNull());
        plane.setNumbers({Complex(0.0, 0.0)});
        QVERIFY(!plane.grab().isNull());
    }
};

const headscope::test::TestRegistration<TestComplexPlane> registration;

} // namespace test_complex_plane

#include "test_complex_plane.moc"
