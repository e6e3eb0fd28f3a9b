#include "tests/support/runner.h"
#include "ui/widgets/curve_plot.h"

#include <QSignalSpy>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QToolTip>
#include <QtTest>

#include <memory>
#include <utility>

namespace test_curve_plot {

using namespace headscope::ui;

namespace {

CurvePlotLine line(const QString& name, int style, const QVector<double>& values) {
    CurvePlotLine made{name, style, {}};
    for (int i = 0; i < values.size(); ++i)
        made.points.append(
            {2.0 * (i + 1), values[i], name + QLatin1Char(' ') + QString::number(i)});
    return made;
}

/// Two lines of four points, 2 to 8, that lie apart.
CurvePlotContent twoLines() {
    CurvePlotContent content;
    content.lines = {line(QStringLiteral("gradient"), 0, {3.0, 3.1, 3.3, 4.0}),
                     line(QStringLiteral("weight"), 9, {3.5, 4.2, 4.6, 5.0})};
    content.band = {QStringLiteral("3 random orders"), {2, 8}, {3.8, 5.0}, {4.0, 5.5}, {4.4, 6.0}};
    content.level = 2.9;
    content.level_name = QStringLiteral("whole network");
    content.x_name = QStringLiteral("heads removed");
    content.y_name = QStringLiteral("loss");
    content.x_most = 8.0;
    content.title = QStringLiteral("A <title>");
    content.note = QStringLiteral("A note");
    return content;
}

} // namespace

class TestCurvePlot : public QObject {
    Q_OBJECT

private slots:
    void init() {
        plot_ = std::make_unique<CurvePlot>();
        plot_->setContent(twoLines());
        plot_->resize(600, 420);
        plot_->show();
        QVERIFY(QTest::qWaitForWindowExposed(plot_.get()));
        plot_->grab(); // lays the axes out
    }

    void hoveringNamesAPoint() {
        const QSignalSpy changed(plot_.get(), &CurvePlot::hoverChanged);
        QTest::mouseMove(drawing(), onDrawing({1, 2}));
        QTRY_COMPARE(plot_->hoveredPlace(), std::optional(CurvePlotPlace{1, 2}));
        QCOMPARE(QToolTip::text(), QStringLiteral("weight 2"));
        QVERIFY(!plot_->chosenPlace());
        QTest::mouseMove(drawing(), QPoint(drawing()->width() - 12, drawing()->height() - 70));
        QTRY_VERIFY(!plot_->hoveredPlace());
        QCOMPARE(changed.size(), 2);
    }

    void aClickTakesThePointAndADragGoesAlongItsLine() {
        QSignalSpy taken(plot_.get(), &CurvePlot::taken);
        QTest::mousePress(drawing(), Qt::LeftButton, {}, onDrawing({0, 1}));
        QCOMPARE(plot_->chosenPlace(), std::optional(CurvePlotPlace{0, 1}));
        // High above its line: the drag stays on it.
        const QPoint beyond(onDrawing({0, 3}).x(), 20);
        dragTo(beyond);
        QCOMPARE(plot_->chosenPlace(), std::optional(CurvePlotPlace{0, 3}));
        dragTo(beyond + QPoint(1, 1));
        QTest::mouseRelease(drawing(), Qt::LeftButton, {}, beyond);
        QCOMPARE(taken.size(), 2);
        QCOMPARE(taken[0][1].toBool(), true);
        QCOMPARE(taken[1][1].toBool(), false);
        dragTo(onDrawing({0, 0}));
        QCOMPARE(taken.size(), 2);
    }

    void aPressBesideAllLinesTakesNothing() {
        const QSignalSpy taken(plot_.get(), &CurvePlot::taken);
        QTest::mouseClick(drawing(), Qt::LeftButton, {},
                          QPoint(drawing()->width() - 12, drawing()->height() - 70));
        QCOMPARE(taken.size(), 0);
    }

    void escapeGivesADragUpAndOtherwiseGoesOn() {
        const QSignalSpy cancelled(plot_.get(), &CurvePlot::dragCancelled);
        QTest::keyClick(plot_.get(), Qt::Key_Escape);
        QCOMPARE(cancelled.size(), 0);
        QTest::mousePress(drawing(), Qt::LeftButton, {}, onDrawing({0, 1}));
        QTest::keyClick(plot_.get(), Qt::Key_Escape);
        QCOMPARE(cancelled.size(), 1);
    }

    void keysGoAlongAndAcross() {
        const QSignalSpy chosen(plot_.get(), &CurvePlot::chosen);
        const QSignalSpy taken(plot_.get(), &CurvePlot::taken);
        QTest::keyClick(plot_.get(), Qt::Key_Return);
        QCOMPARE(taken.size(), 0);
        QTest::keyClick(plot_.get(), Qt::Key_Right);
        QCOMPARE(plot_->chosenPlace(), std::optional(CurvePlotPlace{0, 0}));
        QTest::keyClick(plot_.get(), Qt::Key_Right);
        QTest::keyClick(plot_.get(), Qt::Key_Down);
        QCOMPARE(plot_->chosenPlace(), std::optional(CurvePlotPlace{1, 1}));
        QCOMPARE(plot_->accessibleDescription(), QStringLiteral("weight 1"));
        for (int i = 0; i < 5; ++i)
            QTest::keyClick(plot_.get(), Qt::Key_Left);
        QCOMPARE(plot_->chosenPlace(), std::optional(CurvePlotPlace{1, 0}));
        QCOMPARE(chosen.size(), 4);
        QTest::keyClick(plot_.get(), Qt::Key_Return);
        QCOMPARE(taken.size(), 1);
    }

    void pointsThatArriveKeepTheChosenOne() {
        plot_->setChosen(CurvePlotPlace{1, 3});
        CurvePlotContent more = twoLines();
        more.lines[0].points.append({9.0, 9.0, {}});
        more.x_most = 9.0;
        plot_->setContent(more);
        QCOMPARE(plot_->chosenPlace(), std::optional(CurvePlotPlace{1, 3}));
        plot_->grab();
        QVERIFY(plot_->rect().contains(plot_->placeOf({0, 4}))); // in sight
        more.lines.removeLast();
        plot_->setContent(more);
        QVERIFY(!plot_->chosenPlace());
    }

    void saysWhatIsMissing() {
        plot_->setEmptyText(QStringLiteral("Nothing is measured."));
        plot_->setContent({});
        QCOMPARE(plot_->accessibleDescription(), QStringLiteral("Nothing is measured."));
        QTest::keyClick(plot_.get(), Qt::Key_Right);
        QVERIFY(!plot_->chosenPlace());
    }

    void figuresHoldTitleNamesAndNote() {
        const QTemporaryDir folder;
        const QString svg = folder.filePath(QStringLiteral("curve.svg"));
        QVERIFY(plot_->saveFigure(svg, {600, 420}));
        const QByteArray bytes = read(svg);
        QVERIFY(QSvgRenderer(bytes).isValid());
        for (const char* text : {"A &lt;title&gt;", "A note", "gradient", "weight",
                                 "3 random orders", "whole network", "heads removed"})
            QVERIFY2(bytes.contains(text), text);
        const QString again = folder.filePath(QStringLiteral("again.svg"));
        QVERIFY(plot_->saveFigure(again, {600, 420}));
        QCOMPARE(read(again), bytes);
        const QString pdf = folder.filePath(QStringLiteral("curve.pdf"));
        QVERIFY(plot_->saveFigure(pdf, {600, 420}));
        QVERIFY(read(pdf).startsWith("%PDF"));
        const QString png = folder.filePath(QStringLiteral("curve.png"));
        QVERIFY(plot_->saveFigure(png, {600, 420}, 1.0));
        const QImage image(png);
        QCOMPARE(image.size(), QSize(600, 420));
        QCOMPARE(image.pixelColor(2, 2), QColor(Qt::white));
        QVERIFY(!plot_->saveFigure(folder.filePath(QStringLiteral("curve.gif")), {600, 420}));
    }

private:
    QWidget* drawing() const { return plot_->childAt(plot_->rect().center()); }
    QPoint onDrawing(CurvePlotPlace place) const {
        return drawing()->mapFrom(plot_.get(), plot_->placeOf(place));
    }
    void dragTo(QPoint position) const {
        QMouseEvent move(QEvent::MouseMove, position, drawing()->mapToGlobal(position),
                         Qt::NoButton, Qt::LeftButton, {});
        QCoreApplication::sendEvent(drawing(), &move);
    }
    static QByteArray read(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    std::unique_ptr<CurvePlot> plot_;
};

const headscope::test::TestRegistration<TestCurvePlot> registration;

} // namespace test_curve_plot

#include "test_curve_plot.moc"
