#include "tests/support/runner.h"
#include "ui/widgets/colours.h"

#include <QSet>
#include <QtTest>

#include <limits>

namespace test_colour_map {

using namespace headscope;
using namespace headscope::ui;

/// Expected colours are those of matplotlib 3.11 (`colormaps[name].colors`, rounded to 8 bits).
class TestColourMap : public QObject {
    Q_OBJECT

private slots:
    void equalsMatplotlib_data();
    void equalsMatplotlib();
    void clampsOutsideTheMap();
    void showsNaNAsGrey();
    void divergingIsWhiteInTheMiddle();
    void divergingIsBlueBelowAndRedAbove();
    void divergingOnDarkIsLighterTheStronger();
    void offersSequentialMapsWithNames();
    void typeColoursDiffer();
    void readableTextHasTheLargerContrast();
    void blendsBetweenColours();
};

void TestColourMap::equalsMatplotlib_data() {
    QTest::addColumn<int>("map");
    QTest::addColumn<int>("entry");
    QTest::addColumn<QString>("colour");
    const auto row = [](ColourMap map, int entry, const char* colour) {
        QTest::addRow("%s %d", qPrintable(colourMapName(map)), entry)
            << static_cast<int>(map) << entry << QString::fromLatin1(colour);
    };
    row(ColourMap::Viridis, 0, "#440154");
    row(ColourMap::Viridis, 1, "#440256");
    row(ColourMap::Viridis, 37, "#46337f");
    row(ColourMap::Viridis, 64, "#3b528b");
    row(ColourMap::Viridis, 127, "#21908d");
    row(ColourMap::Viridis, 128, "#21918c");
    row(ColourMap::Viridis, 159, "#27ad81");
    row(ColourMap::Viridis, 200, "#70cf57");
    row(ColourMap::Viridis, 254, "#fbe723");
    row(ColourMap::Viridis, 255, "#fde725");
    row(ColourMap::Cividis, 0, "#00224e");
    row(ColourMap::Cividis, 1, "#00234f");
    row(ColourMap::Cividis, 37, "#233c6e");
    row(ColourMap::Cividis, 64, "#434e6c");
    row(ColourMap::Cividis, 127, "#7c7b78");
    row(ColourMap::Cividis, 128, "#7d7c78");
    row(ColourMap::Cividis, 159, "#9a9376");
    row(ColourMap::Cividis, 200, "#c4b468");
    row(ColourMap::Cividis, 254, "#fee636");
    row(ColourMap::Cividis, 255, "#fee838");
    row(ColourMap::Greys, 0, "#ffffff");
    row(ColourMap::Greys, 255, "#000000");
}

void TestColourMap::equalsMatplotlib() {
    QFETCH(int, map);
    QFETCH(int, entry);
    QFETCH(QString, colour);
    const auto which = static_cast<ColourMap>(map);
    QCOMPARE(colourAt(which, (entry + 0.5) / 256.0).name(), colour);
    QCOMPARE(QColor::fromRgb(colourTable(which)[static_cast<std::size_t>(entry)]).name(), colour);
}

void TestColourMap::clampsOutsideTheMap() {
    for (const ColourMap map : {ColourMap::Viridis, ColourMap::Diverging}) {
        QCOMPARE(colourAt(map, -3.0), colourAt(map, 0.0));
        QCOMPARE(colourAt(map, 7.0), colourAt(map, 1.0));
        QCOMPARE(colourAt(map, 1.0), QColor::fromRgb(colourTable(map)[255]));
    }
}

void TestColourMap::showsNaNAsGrey() {
    QCOMPARE(colourAt(ColourMap::Viridis, std::numeric_limits<double>::quiet_NaN()),
             QColor(128, 128, 128));
}

void TestColourMap::divergingIsWhiteInTheMiddle() {
    QCOMPARE(colourAt(ColourMap::Diverging, 0.5), QColor(Qt::white));
}

void TestColourMap::divergingIsBlueBelowAndRedAbove() {
    for (const ColourMap map : {ColourMap::Diverging, ColourMap::DivergingDark}) {
        const QColor below = colourAt(map, 0.2);
        const QColor above = colourAt(map, 0.8);
        QVERIFY(below.blue() > below.red() + 40);
        QVERIFY(above.red() > above.blue() + 40);
    }
}

void TestColourMap::divergingOnDarkIsLighterTheStronger() {
    QCOMPARE(divergingOn(Qt::white), ColourMap::Diverging);
    QCOMPARE(divergingOn(QColor(30, 32, 36)), ColourMap::DivergingDark);
    const auto lightness = [](double share) {
        return colourAt(ColourMap::DivergingDark, 0.5 + share / 2.0).lightnessF();
    };
    QVERIFY(lightness(0.0) < 0.2f);
    for (const double sign : {-1.0, 1.0})
        for (double share = 0.0; share < 0.95; share += 0.1)
            QVERIFY(lightness(sign * (share + 0.1)) > lightness(sign * share));
}

void TestColourMap::offersSequentialMapsWithNames() {
    QSet<QString> names;
    for (const ColourMap map : sequentialColourMaps())
        names.insert(colourMapName(map));
    QCOMPARE(names, (QSet<QString>{QStringLiteral("Viridis"), QStringLiteral("Cividis"),
                                   QStringLiteral("Greys")}));
}

void TestColourMap::typeColoursDiffer() {
    QSet<QRgb> colours;
    for (int i = 0; i < 8; ++i)
        colours.insert(typeColour(i).rgb());
    QCOMPARE(colours.size(), 8);
    QCOMPARE(typeColour(0), QColor(0x00, 0x72, 0xb2));
    QVERIFY(typeColour(8) != typeColour(0)); // the same hue, paler
    QVERIFY(typeColour(8).lightnessF() > typeColour(0).lightnessF());
}

void TestColourMap::readableTextHasTheLargerContrast() {
    QCOMPARE(readableOn(Qt::white), QColor(Qt::black));
    QCOMPARE(readableOn(Qt::black), QColor(Qt::white));
    QCOMPARE(readableOn(QColor(0xf0, 0xe4, 0x42)), QColor(Qt::black));
    QCOMPARE(readableOn(QColor(0x44, 0x01, 0x54)), QColor(Qt::white));
}

void TestColourMap::blendsBetweenColours() {
    QCOMPARE(blend(Qt::black, Qt::white, 0.0).rgb(), QColor(Qt::black).rgb());
    QCOMPARE(blend(Qt::black, Qt::white, 1.0).rgb(), QColor(Qt::white).rgb());
    QCOMPARE(blend(Qt::black, Qt::white, 0.5).red(), 128);
}

const headscope::test::TestRegistration<TestColourMap> registration;

} // namespace test_colour_map

#include "test_colour_map.moc"
