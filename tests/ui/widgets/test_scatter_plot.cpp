#include "tests/support/runner.h"
#include "ui/widgets/scatter_plot.h"

#include <QSignalSpy>
#include <QToolTip>
#include <QtTest>

#include <limits>

namespace test_scatter_plot {

using namespace headscope::ui;

namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
const QColor kBlue(0, 114, 178);

/// Four corners of a square within the axes, and one that has no place.
ScatterContent square() {
    ScatterContent content;
    const auto add = [&](double x, double y, const QString& text) {
        content.points.append({x, y, QString(), kBlue, text});
    };
    add(0.2, 0.2, QStringLiteral("low left"));
    add(0.8, 0.2, QStringLiteral("low right"));
    add(kUndefined, 0.5, QStringLiteral("nowhere"));
    add(0.2, 0.8, QStringLiteral("high left"));
    add(0.8, 0.9, QStringLiteral("high right"));
    content.x_name = QStringLiteral("previous");
    content.y_name = QStringLiteral("induction");
    content.x_threshold = 0.5;
    content.y_threshold = 0.6;
    return content;
}

} // namespace

class TestScatterPlot : public QObject {
    Q_OBJECT

private slots:
    void init() {
        plot_ = std::make_unique<ScatterPlot>();
        plot_->setContent(square());
        plot_->resize(500, 400);
        plot_->show();
        QVERIFY(QTest::qWaitForWindowExposed(plot_.get()));
        image(); // lays the axes out
    }

    void dotsLieWhereTheirValuesAre() {
        QVERIFY(plot_->placeOf(1).x() > plot_->placeOf(0).x() + 100);
        QVERIFY(plot_->placeOf(3).y() < plot_->placeOf(0).y() - 100);
        for (const int point : {0, 1, 3, 4})
            QCOMPARE(image().pixelColor(plot_->placeOf(point)), kBlue);
    }

    void thresholdsAreLines() {
        const auto column = [&] { // half way between two dots, where x is its threshold
            return image().copy((plot_->placeOf(0).x() + plot_->placeOf(1).x()) / 2 - 2,
                                plot_->placeOf(0).y() - 60, 5, 40);
        };
        const QImage with = column();
        auto content = square();
        content.x_threshold = 0.7;
        plot_->setContent(content);
        QVERIFY(column() != with);
    }

    void clickChoosesTheNearestDot() {
        const QSignalSpy chosen(plot_.get(), &ScatterPlot::chosen);
        click(plot_->placeOf(3) + QPoint(4, 3));
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(chosen.last(), (QVariantList{3}));
        QCOMPARE(plot_->selected(), 3);
        click((plot_->placeOf(0) + plot_->placeOf(4)) / 2); // no dot near
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(plot_->accessibleDescription(), QStringLiteral("high left"));
    }

    void draggingChoosesNothing() {
        const QSignalSpy chosen(plot_.get(), &ScatterPlot::chosen);
        QWidget* drawing = plot_->childAt(plot_->placeOf(3));
        const QPoint from = drawing->mapFrom(plot_.get(), plot_->placeOf(3));
        QTest::mousePress(drawing, Qt::LeftButton, {}, from - QPoint(60, 0));
        QTest::mouseMove(drawing, from);
        QTest::mouseRelease(drawing, Qt::LeftButton, {}, from);
        QVERIFY(chosen.isEmpty());
    }

    void hoveringNamesADot() {
        QWidget* drawing = plot_->childAt(plot_->placeOf(1));
        QTest::mouseMove(drawing, drawing->mapFrom(plot_.get(), plot_->placeOf(1)));
        QTRY_COMPARE(plot_->hovered(), 1);
        QCOMPARE(QToolTip::text(), QStringLiteral("low right"));
        QTest::mouseMove(drawing, QPoint(3, 3));
        QTRY_COMPARE(plot_->hovered(), -1);
    }

    void arrowsGoToNeighbours() {
        plot_->setSelected(0);
        for (const auto& [key, point] :
             {std::pair(Qt::Key_Right, 3), std::pair(Qt::Key_Right, 1), std::pair(Qt::Key_Right, 4),
              std::pair(Qt::Key_Right, 4), std::pair(Qt::Key_Left, 1), std::pair(Qt::Key_Up, 3),
              std::pair(Qt::Key_Down, 1), std::pair(Qt::Key_Down, 0)}) {
            QTest::keyClick(plot_.get(), key);
            QCOMPARE(plot_->selected(), point);
        }
    }

    void aSelectedDotIsRinged() {
        const auto around = [&] {
            const QPoint place = plot_->placeOf(4);
            return image().copy(place.x() - 9, place.y() - 9, 19, 19);
        };
        const QImage before = around();
        const QSignalSpy chosen(plot_.get(), &ScatterPlot::chosen);
        plot_->setSelected(4);
        QVERIFY(around() != before);
        QVERIFY(chosen.isEmpty());
        plot_->setSelected(2); // has no place
        QCOMPARE(plot_->selected(), -1);
        QCOMPARE(around(), before);
    }

    void zoomStaysUntilTheAxesChange() {
        const QPoint before = plot_->placeOf(0);
        QTest::keyClick(plot_.get(), Qt::Key_Plus);
        QVERIFY(plot_->placeOf(0) != before);
        plot_->setContent(square());
        QVERIFY(plot_->placeOf(0) != before);
        QTest::keyClick(plot_.get(), Qt::Key_0);
        QCOMPARE(plot_->placeOf(0), before);
        QTest::keyClick(plot_.get(), Qt::Key_Minus); // nothing lies beyond
        QCOMPARE(plot_->placeOf(0), before);
        QTest::keyClick(plot_.get(), Qt::Key_Plus);
        auto content = square();
        content.x_name = QStringLiteral("sink");
        plot_->setContent(content);
        QCOMPARE(plot_->placeOf(0).y(), before.y());
    }

    void keysZoomAroundTheSelectedDot() {
        const QPoint left = plot_->placeOf(0);
        const QPoint right = plot_->placeOf(1);
        plot_->setSelected(0);
        QTest::keyClick(plot_.get(), Qt::Key_Plus);
        QVERIFY((plot_->placeOf(0) - left).manhattanLength() <= 2);
        QVERIFY(plot_->placeOf(1).x() > right.x() + 50);
    }

    void valuesBeyondOneAreInSight() {
        auto content = square();
        content.points[1].x = -1.0;
        content.x_name = QStringLiteral("copying");
        plot_->setContent(content);
        image();
        QVERIFY(plot_->rect().contains(plot_->placeOf(1)));
        QCOMPARE(image().pixelColor(plot_->placeOf(1)), kBlue);
    }

    void showsATextWhenEmpty() {
        plot_->setContent({});
        const QImage empty = image();
        plot_->setEmptyText(QStringLiteral("No model is open."));
        QVERIFY(image() != empty);
        QCOMPARE(plot_->selected(), -1);
        QTest::keyClick(plot_.get(), Qt::Key_Right);
    }

private:
    /// As it is drawn now; drawing is put off to the event loop.
    QImage image() const {
        QCoreApplication::processEvents();
        return plot_->grab().toImage();
    }
    void click(QPoint place) const {
        QWidget* drawing = plot_->childAt(place);
        QTest::mouseClick(drawing, Qt::LeftButton, {}, drawing->mapFrom(plot_.get(), place));
    }

    std::unique_ptr<ScatterPlot> plot_;
};

const headscope::test::TestRegistration<TestScatterPlot> registration;

} // namespace test_scatter_plot

#include "test_scatter_plot.moc"
