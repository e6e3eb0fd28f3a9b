#include "tests/support/runner.h"
#include "tests/ui/widgets/heatmap_contents.h"

#include <QMutex>
#include <QSemaphore>
#include <QTemporaryDir>
#include <QtTest>

namespace test_large_heatmap {

using namespace headscope;
using namespace headscope::ui;

namespace {

constexpr std::size_t kSize = 8192;
constexpr float kCoarse = 0.25f;
constexpr float kSharp = 0.75f;
constexpr int kPatience = 10000; // milliseconds

/// More cells than anybody could hold: one value for who asks for all of them at once, another for
/// who looks at a part, which has to wait at a gate.
class EndlessCells : public CellSource {
public:
    EndlessCells(QSemaphore& gate, float sharp) : gate_(gate), sharp_(sharp) {}

    std::size_t rows() const override { return kSize; }
    std::size_t columns() const override { return kSize; }
    Tensor pooled(const TileRequest& request) const override {
        const bool all = request.rows.size() == kSize && request.columns.size() == kSize;
        if (!all) {
            note(request);
            gate_.acquire();
        }
        return Tensor({std::min(request.most_rows, request.rows.size()),
                       std::min(request.most_columns, request.columns.size())},
                      all ? kCoarse : sharp_);
    }
    /// The parts that were asked for.
    QList<TileRequest> asked() const {
        const QMutexLocker lock(&mutex_);
        return asked_;
    }

private:
    void note(const TileRequest& request) const {
        const QMutexLocker lock(&mutex_);
        asked_.append(request);
    }

    QSemaphore& gate_;
    float sharp_;
    mutable QMutex mutex_;
    mutable QList<TileRequest> asked_;
};

} // namespace

class TestLargeHeatmap : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void drawsTheOverviewAtOnceAndSharpensIt();
    void asksForNoMoreThanTheScreenShows();
    void showsEachAnswerWhileTheHandMovesOn();
    void keepsWhatIsSharpWhilePanning();
    void dropsTheAnswerOfCellsThatAreGone();
    void drawsNoTileOfOtherCells();
    void keepsTheTileWhenOnlyTheTitleChanges();
    void writesNumbersOnceTheyAreKnown();
    void asksNothingOfAMatrixThatTheOverviewHolds();
    void figuresAreSharp_data();
    void figuresAreSharp();

private:
    std::shared_ptr<EndlessCells> show(float sharp = kSharp) {
        auto cells = std::make_shared<EndlessCells>(gate_, sharp);
        HeatmapContent content;
        content.cells = cells;
        content.title = QStringLiteral("L0 H1");
        heatmap_->setContent(content);
        return cells;
    }
    QWidget* plot() const { return heatmap_->childAt(heatmap_->rect().center()); }
    QPoint middle() const { return plot()->rect().center(); }
    void zoomIn(int notches) {
        QWheelEvent event(middle(), plot()->mapToGlobal(middle()), {}, QPoint(0, 120 * notches),
                          Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(plot(), &event);
    }
    void drag(QPoint by) {
        QTest::mousePress(plot(), Qt::LeftButton, {}, middle());
        QTest::mouseMove(plot(), middle() + by / 2);
        QTest::mouseMove(plot(), middle() + by);
        QTest::mouseRelease(plot(), Qt::LeftButton, {}, middle() + by);
    }
    bool askedForWhatIsInSight(const EndlessCells& cells) const {
        const auto [first_row, last_row, first_column, last_column] = heatmap_->visibleCells();
        const QList<TileRequest> asked = cells.asked();
        return !asked.isEmpty() && asked.last().rows == CellRange{first_row, last_row + 1} &&
               asked.last().columns == CellRange{first_column, last_column + 1};
    }
    QColor colourAtPixel(QPoint pixel) { return plot()->grab().toImage().pixelColor(pixel); }
    bool shows(float value) { return colourAtPixel(middle()) == colourOf(value); }
    static QColor colourOf(float value) {
        return colourAt(ColourMap::Viridis, static_cast<double>(value));
    }

    QSemaphore gate_;
    std::unique_ptr<Heatmap> heatmap_;
};

void TestLargeHeatmap::init() {
    gate_.acquire(gate_.available());
    heatmap_ = std::make_unique<Heatmap>();
    heatmap_->resize(640, 560);
    heatmap_->show();
    QVERIFY(QTest::qWaitForWindowExposed(heatmap_.get()));
}

void TestLargeHeatmap::cleanup() {
    gate_.release(1000);
    heatmap_.reset();
}

void TestLargeHeatmap::drawsTheOverviewAtOnceAndSharpensIt() {
    const auto cells = show();
    QVERIFY(shows(kCoarse));
    zoomIn(8);
    QVERIFY(shows(kCoarse));
    QTRY_COMPARE_WITH_TIMEOUT(cells->asked().size(), 1, kPatience);
    QVERIFY(shows(kCoarse));
    gate_.release();
    QTRY_VERIFY_WITH_TIMEOUT(shows(kSharp), kPatience);
    QCOMPARE(cells->asked().size(), 1);
}

void TestLargeHeatmap::asksForNoMoreThanTheScreenShows() {
    gate_.release(1000);
    const auto cells = show();
    zoomIn(4); // closer than the overview
    for (int i = 0; i < 6; ++i) {
        zoomIn(1);
        drag(QPoint(20, -30));
        QTRY_VERIFY_WITH_TIMEOUT(askedForWhatIsInSight(*cells), kPatience);
    }
    QVERIFY(cells->asked().size() >= 6);
    for (const TileRequest& request : cells->asked()) {
        QVERIFY(request.most_rows <= static_cast<std::size_t>(plot()->height()));
        QVERIFY(request.most_columns <= static_cast<std::size_t>(plot()->width()));
    }
}

void TestLargeHeatmap::showsEachAnswerWhileTheHandMovesOn() {
    const auto cells = show();
    zoomIn(8);
    QTRY_COMPARE_WITH_TIMEOUT(cells->asked().size(), 1, kPatience);
    for (int i = 0; i < 10; ++i) {
        drag(QPoint(-10, 5));
        plot()->grab();
        QTest::qWait(1);
    }
    QVERIFY(shows(kCoarse));
    QCOMPARE(cells->asked().size(), 1);
    gate_.release(); // most of that region is still in sight
    QTRY_VERIFY_WITH_TIMEOUT(shows(kSharp), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(cells->asked().size(), 2, kPatience);
    QVERIFY(askedForWhatIsInSight(*cells));
}

void TestLargeHeatmap::keepsWhatIsSharpWhilePanning() {
    const auto cells = show();
    zoomIn(8);
    gate_.release();
    QTRY_VERIFY_WITH_TIMEOUT(shows(kSharp), kPatience);
    drag(QPoint(-60, 0));
    QTRY_COMPARE_WITH_TIMEOUT(cells->asked().size(), 2, kPatience);
    const auto visible = heatmap_->visibleCells();
    const QPoint came = heatmap_->cellCentre(visible.first_row + 5, visible.last_column - 5);
    QCOMPARE(colourAtPixel(came), colourOf(kCoarse));
    QVERIFY(shows(kSharp));
    gate_.release();
    QTRY_COMPARE_WITH_TIMEOUT(colourAtPixel(came), colourOf(kSharp), kPatience);
}

void TestLargeHeatmap::dropsTheAnswerOfCellsThatAreGone() {
    const auto gone = show(1.0f);
    zoomIn(8);
    QTRY_COMPARE_WITH_TIMEOUT(gone->asked().size(), 1, kPatience);
    const auto cells = show();
    gate_.release();
    QTRY_COMPARE_WITH_TIMEOUT(cells->asked().size(), 1, kPatience);
    QVERIFY(shows(kCoarse));
    gate_.release();
    QTRY_VERIFY_WITH_TIMEOUT(shows(kSharp), kPatience);
}

void TestLargeHeatmap::drawsNoTileOfOtherCells() {
    show(1.0f);
    zoomIn(8);
    gate_.release();
    QTRY_VERIFY_WITH_TIMEOUT(shows(1.0f), kPatience);
    show();
    QTRY_VERIFY_WITH_TIMEOUT(shows(kCoarse), kPatience);
}

void TestLargeHeatmap::keepsTheTileWhenOnlyTheTitleChanges() {
    const auto cells = show();
    zoomIn(8);
    gate_.release();
    QTRY_VERIFY_WITH_TIMEOUT(shows(kSharp), kPatience);
    HeatmapContent content = heatmap_->content();
    content.title = QStringLiteral("L0 H1 · off");
    heatmap_->setContent(content);
    QVERIFY(shows(kSharp));
    QTest::qWait(20);
    QCOMPARE(cells->asked().size(), 1);
}

void TestLargeHeatmap::writesNumbersOnceTheyAreKnown() {
    const auto cells = show();
    zoomIn(40);
    const auto visible = heatmap_->visibleCells();
    QVERIFY(visible.last_row - visible.first_row < 8);
    const QRect cell(heatmap_->cellCentre(visible.first_row + 1, visible.first_column + 1) -
                         QPoint(16, 8),
                     QSize(32, 16));
    const auto coloursThere = [&] {
        const QImage image = plot()->grab(cell).toImage().convertToFormat(QImage::Format_RGB32);
        QSet<QRgb> colours;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                colours.insert(image.pixel(x, y));
        return colours.size();
    };
    QCOMPARE(coloursThere(), 1);
    gate_.release();
    QTRY_VERIFY_WITH_TIMEOUT(coloursThere() > 2, kPatience);
}

void TestLargeHeatmap::asksNothingOfAMatrixThatTheOverviewHolds() {
    class Counting : public TensorCells {
    public:
        using TensorCells::TensorCells;
        Tensor pooled(const TileRequest& request) const override {
            ++asked;
            return TensorCells::pooled(request);
        }
        mutable std::atomic<int> asked = 0;
    };
    const auto cells = std::make_shared<Counting>(Tensor({700, 300}, kSharp));
    HeatmapContent content;
    content.cells = cells;
    heatmap_->setContent(content);
    zoomIn(10);
    plot()->grab();
    QTest::qWait(20);
    QCOMPARE(cells->asked, 1);
}

void TestLargeHeatmap::figuresAreSharp_data() {
    QTest::addColumn<QString>("format");
    QTest::addColumn<std::size_t>("pixels"); // at most, along a side
    QTest::newRow("png at 3 ×") << QStringLiteral("png") << std::size_t{1500};
    QTest::newRow("svg") << QStringLiteral("svg") << std::size_t{1000};
}

void TestLargeHeatmap::figuresAreSharp() {
    QFETCH(QString, format);
    QFETCH(std::size_t, pixels);
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("figure.") + format);
    const auto cells = show();
    zoomIn(4);
    gate_.release(1000);
    QTRY_VERIFY_WITH_TIMEOUT(shows(kSharp), kPatience);
    QVERIFY(heatmap_->saveFigure(path, QSize(500, 500), 3.0));
    const TileRequest asked = cells->asked().last();
    QVERIFY(asked.most_columns > pixels / 2);
    QVERIFY(asked.most_columns <= pixels);
    QCOMPARE(asked.rows.begin, heatmap_->visibleCells().first_row);
    if (format == QLatin1String("png"))
        QCOMPARE(QImage(path).pixelColor(700, 750), colourOf(kSharp));
}

const headscope::test::TestRegistration<TestLargeHeatmap> registration;

} // namespace test_large_heatmap

#include "test_large_heatmap.moc"
