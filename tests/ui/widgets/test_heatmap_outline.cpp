#include "tests/support/runner.h"
#include "tests/ui/widgets/heatmap_contents.h"
#include "ui/widgets/heatmap/cell_outline.h"

#include <QImage>
#include <QTemporaryDir>
#include <QtTest>

#include <set>

namespace test_heatmap_outline {

using namespace headscope;
using namespace headscope::ui;

namespace {

constexpr QRgb kRed = 0xffd55e00;
constexpr std::size_t kSize = 10;

/// The given cells (row, column).
MarkedColumns marking(std::set<std::pair<std::size_t, std::size_t>> cells) {
    return [cells = std::move(cells)](std::size_t row) {
        std::vector<std::size_t> columns;
        for (const auto& [marked_row, column] : cells)
            if (marked_row == row)
                columns.push_back(column);
        return columns;
    };
}

MarkedColumns diagonal() {
    return [](std::size_t row) { return std::vector{row}; };
}

CellSquares all(std::size_t size, std::size_t step = 1) {
    return {{0, size}, {0, size}, step, step};
}

std::set<std::array<double, 4>> asSet(const QList<QLineF>& lines) {
    std::set<std::array<double, 4>> set;
    for (const QLineF& line : lines)
        set.insert({line.x1(), line.y1(), line.x2(), line.y2()});
    return set;
}
using Lines = std::set<std::array<double, 4>>;

bool isNear(QRgb found, QRgb expected) {
    return std::abs(qRed(found) - qRed(expected)) < 40 &&
           std::abs(qGreen(found) - qGreen(expected)) < 40 &&
           std::abs(qBlue(found) - qBlue(expected)) < 40;
}

int countOf(const QImage& image, QRgb colour) {
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            count += isNear(image.pixel(x, y), colour);
    return count;
}

} // namespace

class TestHeatmapOutline : public QObject {
    Q_OBJECT

private slots:
    void oneCellHasFourSides() {
        const Lines expected{{2, 1, 3, 1}, {2, 2, 3, 2}, {2, 1, 2, 2}, {3, 1, 3, 2}};
        QCOMPARE(asSet(outlineAround(marking({{1, 2}}), all(4))), expected);
    }

    void aColumnHasOneLineAroundIt() {
        const Lines expected{{0, 1, 1, 1}, {0, 4, 1, 4}, {0, 1, 0, 4}, {1, 1, 1, 4}};
        QCOMPARE(asSet(outlineAround(marking({{1, 0}, {2, 0}, {3, 0}}), all(4))), expected);
    }

    void squaresOfSeveralCellsAreMarkedByAnyOfThem() {
        // Seven cells in squares of three: the last one is cut by the edge of the matrix.
        const Lines expected{{6, 6, 7, 6}, {6, 7, 7, 7}, {6, 6, 6, 7}, {7, 6, 7, 7}};
        QCOMPARE(asSet(outlineAround(marking({{6, 6}}), all(7, 3))), expected);
        const Lines middle{{3, 0, 6, 0}, {3, 3, 6, 3}, {3, 0, 3, 3}, {6, 0, 6, 3}};
        QCOMPARE(asSet(outlineAround(marking({{1, 4}, {2, 3}}), all(7, 3))), middle);
    }

    void partOfAMatrix() {
        std::set<std::size_t> asked;
        const MarkedColumns marked = [&](std::size_t row) {
            asked.insert(row);
            return std::vector<std::size_t>{5, 90}; // 90 is out of sight
        };
        const Lines expected{{5, 4, 6, 4}, {5, 8, 6, 8}, {5, 4, 5, 8}, {6, 4, 6, 8}};
        QCOMPARE(asSet(outlineAround(marked, {{4, 8}, {2, 9}, 1, 1})), expected);
        QCOMPARE(asked, (std::set<std::size_t>{4, 5, 6, 7}));
    }

    void isDrawnAroundItsCells() {
        QCOMPARE(countOf(shown({}), kRed), 0);
        const QImage image = shown(diagonal());
        QVERIFY(countOf(image, kRed) > 100);
        // Inside a cell its colour stays, and its left edge has the line.
        const QPoint centre = heatmap_->cellCentre(5, 5);
        const QPoint next = heatmap_->cellCentre(5, 6);
        const QPoint edge = (heatmap_->cellCentre(5, 4) + centre) / 2;
        QVERIFY(!isNear(image.pixel(centre), kRed));
        int on_edge = 0;
        for (int x = -2; x <= 2; ++x)
            on_edge += isNear(image.pixel(edge + QPoint(x, 0)), kRed);
        QVERIFY(on_edge >= 1 && on_edge <= 3);
        QVERIFY(!isNear(image.pixel(next), kRed));
    }

    void followsTheZoom() {
        shown(marking({{9, 9}}));
        heatmap_->setFocus();
        const auto inSight = [this] { return countOf(picture(), kRed) > 0; };
        QVERIFY(inSight());
        for (int i = 0; i < 4; ++i)
            QTest::keyClick(heatmap_.get(), Qt::Key_Plus);
        QVERIFY(heatmap_->visibleCells().last_row < 9);
        QVERIFY(!inSight());
        heatmap_->resetZoom();
        QVERIFY(inSight());
    }

    // Thousands of rows: one call for each in sight, and lines that can still be told apart.
    void largeMatrix() {
        constexpr std::size_t large = 4096;
        std::size_t asked = 0;
        HeatmapContent content;
        content.cells = std::make_shared<TensorCells>(Tensor({large, large}));
        content.title = QStringLiteral("large");
        content.outline = {[&](std::size_t row) {
                               ++asked;
                               return std::vector{row};
                           },
                           QColor::fromRgb(kRed)};
        heatmap_->setContent(content);
        QVERIFY(countOf(picture(), kRed) > 100);
        QVERIFY(asked >= large);
        heatmap_->setFocus();
        while (heatmap_->visibleCells().last_row - heatmap_->visibleCells().first_row > 100)
            QTest::keyClick(heatmap_.get(), Qt::Key_Plus);
        asked = 0;
        picture();
        QVERIFY(asked > 0 && asked < 1000);
    }

    void figuresHaveItToo() {
        const QTemporaryDir folder;
        const auto bytes = [&](const char* name) {
            const QString path = folder.filePath(QString::fromLatin1(name));
            if (!heatmap_->saveFigure(path, QSize(500, 500)))
                return QByteArray();
            QFile file(path);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        shown({});
        QVERIFY(!bytes("without.svg").contains("#d55e00"));
        shown(diagonal());
        QVERIFY(bytes("with.svg").contains("#d55e00"));
        QVERIFY(countOf(QImage::fromData(bytes("with.png")), kRed) > 100);
    }

private slots:
    void init() {
        heatmap_ = std::make_unique<Heatmap>();
        heatmap_->resize(500, 500);
        heatmap_->show();
        QVERIFY(QTest::qWaitForWindowExposed(heatmap_.get()));
    }

private:
    /// With everything drawn that waits to be.
    QImage picture() const {
        QCoreApplication::processEvents();
        return heatmap_->grab().toImage();
    }

    QImage shown(const MarkedColumns& marked) {
        HeatmapContent content = causalContent(kSize);
        content.outline = {marked, QColor::fromRgb(kRed)};
        heatmap_->setContent(content);
        return picture();
    }

    std::unique_ptr<Heatmap> heatmap_;
};

const headscope::test::TestRegistration<TestHeatmapOutline> registration;

} // namespace test_heatmap_outline

#include "test_heatmap_outline.moc"
