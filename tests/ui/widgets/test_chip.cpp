#include "tests/support/runner.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/colours.h"

#include <QImage>
#include <QPainter>
#include <QtTest>

#include <array>

namespace test_chip {

using namespace headscope::ui;

namespace {

constexpr std::array kLooks{ChipLook::Full,   ChipLook::Ringed,  ChipLook::Hollow,
                            ChipLook::Dashed, ChipLook::Striped, ChipLook::Faint};

struct Painted {
    QImage image;
    QColor letter;
};

Painted painted(ChipLook look, const QColor& colour, const QColor& ground, int side) {
    QImage image(side, side, QImage::Format_RGB32);
    image.fill(ground);
    QPainter painter(&image);
    const QColor letter = paintChip(painter, QRectF(0, 0, side, side), 3.0, look, colour, ground);
    painter.end();
    return {image, letter};
}

} // namespace

class TestChip : public QObject {
    Q_OBJECT

private slots:
    /// In grey, too: no two of them differ by their hue alone.
    void looksStayApartWithoutHues() {
        for (const QColor ground : {QColor(Qt::white), QColor(40, 40, 40)})
            for (std::size_t a = 0; a < kLooks.size(); ++a)
                for (std::size_t b = a + 1; b < kLooks.size(); ++b) {
                    const auto grey = [&](ChipLook look) {
                        return painted(look, typeColour(1), ground, 24)
                            .image.convertToFormat(QImage::Format_Grayscale8);
                    };
                    const QImage one = grey(kLooks[a]);
                    const QImage other = grey(kLooks[b]);
                    int differing = 0;
                    for (int y = 0; y < one.height(); ++y)
                        for (int x = 0; x < one.width(); ++x)
                            differing +=
                                qAbs(qGray(one.pixel(x, y)) - qGray(other.pixel(x, y))) > 24;
                    QVERIFY2(differing > 20, qPrintable(QString::number(differing)));
                }
    }

    void aFullOneHasItsColourAndAHollowOneTheGround() {
        const QColor colour = typeColour(0);
        QCOMPARE(painted(ChipLook::Full, colour, Qt::white, 24).image.pixelColor(12, 12), colour);
        const Painted hollow = painted(ChipLook::Hollow, colour, Qt::white, 24);
        QCOMPARE(hollow.image.pixelColor(12, 12), QColor(Qt::white));
        QCOMPARE(hollow.letter, QColor(Qt::black));
        QVERIFY(hollow.image.pixelColor(12, 0) != QColor(Qt::white));
    }

    void aPaleColourStillHasALine() {
        const QColor yellow = typeColour(6);
        const QColor line =
            painted(ChipLook::Hollow, yellow, Qt::white, 40).image.pixelColor(20, 0);
        QVERIFY2(line.lightness() < yellow.lightness(), qPrintable(line.name()));
    }

    void smallOnesShowWhatIsKnownByTheirStrength() {
        const QColor colour = typeColour(0);
        const auto shown = [&](ChipLook look) {
            return painted(look, colour, Qt::white, 5).image.pixelColor(2, 2).lightness();
        };
        QCOMPARE(shown(ChipLook::Full), colour.lightness());
        QVERIFY(shown(ChipLook::Hollow) > shown(ChipLook::Full));
        QVERIFY(shown(ChipLook::Faint) > shown(ChipLook::Hollow));
    }
};

const headscope::test::TestRegistration<TestChip> registration;

} // namespace test_chip

#include "test_chip.moc"
