#include "tests/support/runner.h"
#include "ui/widgets/colours.h"
#include "ui/widgets/heatmap_cells.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace test_heatmap_cells {

using namespace headscope;
using namespace headscope::ui;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Tensor matrix(Shape shape, std::initializer_list<float> values) {
    Tensor tensor(std::move(shape));
    std::copy(values.begin(), values.end(), tensor.data());
    return tensor;
}

QRgb viridis(double fraction) {
    return colourAt(ColourMap::Viridis, fraction).rgb();
}

} // namespace

class TestHeatmapCells : public QObject {
    Q_OBJECT

private slots:
    void drawsEachCellCrisply();
    void leavesNaNTransparent();
    void keepsAThinDiagonalWhenShrunk();
    void keepsTheStrongestNegativeDifference();
    void drawsOnlyWhatIsInSight();
    void scalesValuesAlongTheMap();
    void scalesDifferencesFromTheMiddle();
    void marksOfAScaleLieOnItAndAscend();
    void findsTheRangeOfValues_data();
    void findsTheRangeOfValues();
};

void TestHeatmapCells::scalesValuesAlongTheMap() {
    CellColours colours{ColourMap::Viridis, 0.0, 0.5};
    QCOMPARE(fractionOf(0.125, colours), 0.25);
    colours.scale = ValueScale::SquareRoot;
    QCOMPARE(fractionOf(0.125, colours), 0.5);
    QCOMPARE(fractionOf(0.0, colours), 0.0);
    colours.scale = ValueScale::Logarithmic; // four powers of ten
    QCOMPARE(fractionOf(0.5, colours), 1.0);
    QVERIFY(std::abs(fractionOf(0.05, colours) - 0.75) < 1e-12);
    QCOMPARE(fractionOf(0.000001, colours), 0.0);
    QCOMPARE(fractionOf(0.0, colours), 0.0);
    QCOMPARE(cellColour(0.05f, colours), viridis(0.75));
}

void TestHeatmapCells::scalesDifferencesFromTheMiddle() {
    CellColours colours{ColourMap::Diverging, -0.4, 0.4};
    for (const ValueScale scale :
         {ValueScale::Linear, ValueScale::SquareRoot, ValueScale::Logarithmic}) {
        colours.scale = scale;
        QCOMPARE(fractionOf(0.0, colours), 0.5);
        QCOMPARE(fractionOf(-0.4, colours), 0.0);
        QCOMPARE(fractionOf(0.4, colours), 1.0);
        QVERIFY(std::abs(fractionOf(0.1, colours) + fractionOf(-0.1, colours) - 1.0) < 1e-12);
    }
    colours.scale = ValueScale::SquareRoot;
    QCOMPARE(fractionOf(0.1, colours), 0.75);
}

void TestHeatmapCells::marksOfAScaleLieOnItAndAscend() {
    for (const ColourMap map : {ColourMap::Viridis, ColourMap::Diverging})
        for (const ValueScale scale : {ValueScale::SquareRoot, ValueScale::Logarithmic}) {
            const CellColours colours{map, map == ColourMap::Diverging ? -0.3 : 0.0, 0.3, scale};
            const std::vector<double> marks = scaleMarks(colours);
            QVERIFY(marks.size() >= 4);
            QVERIFY(std::ranges::is_sorted(marks));
            QCOMPARE(marks.back(), 0.3);
            QVERIFY(marks.front() >= colours.low);
        }
}

void TestHeatmapCells::drawsEachCellCrisply() {
    const Tensor values = matrix({2, 2}, {0.0f, 0.25f, 0.5f, 1.0f});
    const QImage image = renderCells(values.matrix(), QRectF(0, 0, 2, 2), QSize(20, 20), {});
    QCOMPARE(image.pixel(0, 0), viridis(0.0));
    QCOMPARE(image.pixel(9, 9), viridis(0.0));
    QCOMPARE(image.pixel(10, 9), viridis(0.25));
    QCOMPARE(image.pixel(9, 10), viridis(0.5));
    QCOMPARE(image.pixel(19, 19), viridis(1.0));
}

void TestHeatmapCells::leavesNaNTransparent() {
    const Tensor values = matrix({2, 2}, {1.0f, kNaN, 0.5f, 0.5f});
    const QImage image = renderCells(values.matrix(), QRectF(0, 0, 2, 2), QSize(4, 4), {});
    QCOMPARE(qAlpha(image.pixel(3, 0)), 0);
    QCOMPARE(qAlpha(image.pixel(0, 0)), 255);
    // On a pixel shared by all four, the visible ones count.
    const QImage one = renderCells(values.matrix(), QRectF(0, 0, 2, 2), QSize(1, 1), {});
    QCOMPARE(one.pixel(0, 0), viridis(1.0));
}

void TestHeatmapCells::keepsAThinDiagonalWhenShrunk() {
    constexpr std::size_t kSize = 1000;
    Tensor values({kSize, kSize}, 0.0f);
    // Beside the corners of the pixels, so that picking one cell of each would miss it.
    for (std::size_t i = 7; i < kSize; ++i)
        values(i, i - 7) = 1.0f;
    const QImage image =
        renderCells(values.matrix(), QRectF(0, 0, kSize, kSize), QSize(70, 70), {});
    for (int i = 0; i < 70; ++i)
        QCOMPARE(image.pixel(i, i), viridis(1.0));
    QCOMPARE(image.pixel(60, 3), viridis(0.0));
}

void TestHeatmapCells::keepsTheStrongestNegativeDifference() {
    const Tensor values = matrix({1, 3}, {0.1f, -0.9f, 0.4f});
    const CellColours colours{ColourMap::Diverging, -1.0, 1.0};
    const QImage image = renderCells(values.matrix(), QRectF(0, 0, 3, 1), QSize(1, 1), colours);
    QCOMPARE(image.pixel(0, 0), cellColour(-0.9f, colours));
}

void TestHeatmapCells::drawsOnlyWhatIsInSight() {
    const Tensor values = matrix({1, 4}, {0.0f, 0.3f, 0.6f, 1.0f});
    const QImage image = renderCells(values.matrix(), QRectF(1.5, 0, 2, 1), QSize(8, 2), {});
    QCOMPARE(image.pixel(0, 0), viridis(0.3));
    QCOMPARE(image.pixel(1, 0), viridis(0.3));
    QCOMPARE(image.pixel(2, 0), viridis(0.6));
    QCOMPARE(image.pixel(7, 1), viridis(1.0));
}

void TestHeatmapCells::findsTheRangeOfValues_data() {
    QTest::addColumn<bool>("diverging");
    QTest::addColumn<float>("smallest");
    QTest::addColumn<float>("largest");
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::newRow("sequential starts at 0") << false << 0.25f << 0.5f << 0.0 << 0.5;
    QTest::newRow("all zero") << false << 0.0f << 0.0f << 0.0 << 1.0;
    QTest::newRow("nothing visible") << false << kNaN << kNaN << 0.0 << 1.0;
    QTest::newRow("diverging is symmetric") << true << -0.5f << 0.25f << -0.5 << 0.5;
}

void TestHeatmapCells::findsTheRangeOfValues() {
    QFETCH(bool, diverging);
    QFETCH(float, smallest);
    QFETCH(float, largest);
    const Tensor values = matrix({1, 3}, {smallest, kNaN, largest});
    const ColourMap map = diverging ? ColourMap::Diverging : ColourMap::Viridis;
    const CellColours found = coloursFor(map, std::nullopt, values.matrix());
    QTEST(found.low, "low");
    QTEST(found.high, "high");
    QCOMPARE(coloursFor(map, std::pair(0.0, 2.0), values.matrix()).high, 2.0);
}

const headscope::test::TestRegistration<TestHeatmapCells> registration;

} // namespace test_heatmap_cells

#include "test_heatmap_cells.moc"
