#include "tests/support/runner.h"
#include "ui/widgets/head_graph.h"

#include <QHelpEvent>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>

#include <algorithm>
#include <memory>

namespace test_head_graph {

using namespace headscope::ui;

namespace {

QList<HeadGraph::Edge> twoEdges() {
    return {{{0, 0}, {3, 2}, 0.4, QStringLiteral("strong")},
            {{5, 1}, {5, 3}, 0.1, QStringLiteral("weak")}};
}

/// How many pixels around a point are of exactly this colour.
int pixelsOf(const QImage& image, QPointF around, QColor colour) {
    int count = 0;
    for (int y = -4; y <= 4; ++y)
        for (int x = -4; x <= 4; ++x)
            count += image.pixelColor(around.toPoint() + QPoint(x, y)) == colour;
    return count;
}

} // namespace

class TestHeadGraph : public QObject {
    Q_OBJECT

private slots:
    void init() {
        graph_ = std::make_unique<HeadGraph>();
        graph_->resize(400, 300);
        graph_->setGrid(4, 8);
        graph_->setEdges(twoEdges());
        graph_->show();
        QVERIFY(QTest::qWaitForWindowExposed(graph_.get()));
    }

    void aClickOnALineReportsIt() {
        QSignalSpy clicked(graph_.get(), &HeadGraph::edgeClicked);
        for (const int edge : {0, 1}) {
            QTest::mouseClick(graph_.get(), Qt::LeftButton, {}, graph_->middleOf(edge).toPoint());
            QCOMPARE(clicked.last()[0].toInt(), edge);
        }
        QTest::mouseClick(graph_.get(), Qt::LeftButton, {}, QPoint(390, 10));
        QCOMPARE(clicked.size(), 2);
    }

    void theChosenLineStandsOut() {
        const QColor highlight = graph_->palette().color(QPalette::Highlight);
        const QPointF middle = graph_->middleOf(0);
        QCOMPARE(pixelsOf(graph_->grab().toImage(), middle, highlight), 0);
        graph_->setCurrent(0);
        QVERIFY(pixelsOf(graph_->grab().toImage(), middle, highlight) > 9);
    }

    void strongerLinesAreWider() {
        const auto widthAt = [&](int edge) {
            graph_->setCurrent(edge);
            return pixelsOf(graph_->grab().toImage(), graph_->middleOf(edge),
                            graph_->palette().color(QPalette::Highlight));
        };
        QVERIFY(widthAt(0) > 2 * widthAt(1));
    }

    void headsHaveTypesAndTips() {
        const QColor type(0xe69f00);
        QList<HeadGraph::Node> nodes(32);
        for (qsizetype i = 0; i < nodes.size(); ++i)
            nodes[i].text = Markup(QStringLiteral("head %1").arg(i));
        nodes[11] = {QStringLiteral("IS"), type, Markup(QStringLiteral("L1 H3 · induction"))};
        QCOMPARE(pixelsOf(graph_->grab().toImage(), graph_->centre({3, 1}), type), 0);
        graph_->setNodes(nodes);
        QVERIFY(pixelsOf(graph_->grab().toImage(), graph_->centre({3, 1}), type) > 9);
        const auto tipAt = [&](QPointF at) {
            QHelpEvent help(QEvent::ToolTip, at.toPoint(), graph_->mapToGlobal(at.toPoint()));
            QApplication::sendEvent(graph_.get(), &help);
            return QToolTip::text();
        };
        QCOMPARE(tipAt(graph_->centre({3, 1})), asTip(Markup(QStringLiteral("L1 H3 · induction"))));
        // Where a line ends, too.
        QCOMPARE(tipAt(graph_->centre({0, 0})), asTip(Markup(QStringLiteral("head 0"))));
        QCOMPARE(tipAt(graph_->middleOf(0)), QStringLiteral("strong"));
        graph_->setGrid(2, 2); // forgets them
        QVERIFY(!graph_->grab().isNull());
    }

    void nothingToDrawIsFine() {
        graph_->setGrid(0, 0);
        QVERIFY(!graph_->grab().isNull());
        QTest::mouseClick(graph_.get(), Qt::LeftButton);
        graph_->setGrid(1, 1);
        QVERIFY(!graph_->grab().isNull());
    }

private:
    std::unique_ptr<HeadGraph> graph_;
};

const headscope::test::TestRegistration<TestHeadGraph> registration;

} // namespace test_head_graph

#include "test_head_graph.moc"
