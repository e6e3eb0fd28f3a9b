// A graph of parts: where its nodes stand, clicks and keys, and its figure.

#include "tests/support/runner.h"
#include "ui/widgets/trace_graph.h"

#include <QFile>
#include <QImage>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace test_trace_graph {

using namespace headscope::ui;

namespace {

/// A head over two tokens, one of which stands beside a second part of its cell.
TraceContent smallTrace() {
    TraceContent content;
    content.columns = {QStringLiteral("0 a"), QStringLiteral("1 b")};
    content.rows = {QStringLiteral("tokens"), QStringLiteral("layer 0"), QStringLiteral("layer 1")};
    content.kinds = {QStringLiteral("as query"), QStringLiteral("as key"),
                     QStringLiteral("as value")};
    content.nodes = {
        {1, 2, QStringLiteral("L1 H0"), QStringLiteral("the root"), true, false},
        {0, 1, QStringLiteral("L0 H0"), QStringLiteral("a head"), false, true},
        {1, 0, QStringLiteral("token"), QStringLiteral("a token"), false, false},
        {1, 0, QStringLiteral("position"), QStringLiteral("a position"), false, false}};
    content.edges = {{1, 0, 1, 0.8, QStringLiteral("key")},
                     {2, 0, 0, -0.3, QStringLiteral("query")}};
    content.title = QStringLiteral("Why");
    return content;
}

} // namespace

class TestTraceGraph : public QObject {
    Q_OBJECT

private slots:
    void nodesStandByTokenAndDepth() {
        TraceGraph graph;
        graph.resize(500, 300);
        graph.setContent(smallTrace());
        const auto at = [&](int node) { return graph.nodeRect(node).center(); };
        QVERIFY(at(0).y() < at(1).y() && at(1).y() < at(2).y()); // later layers above
        QVERIFY(at(1).x() < at(0).x());                          // earlier tokens to the left
        QCOMPARE(at(2).y(), at(3).y());
        QVERIFY(!graph.nodeRect(2).intersects(graph.nodeRect(3)));
        QVERIFY(at(2).x() < at(0).x() && at(0).x() < at(3).x()); // alone, it is in the middle
        for (int node = 0; node < 4; ++node)
            QVERIFY(QRectF(graph.rect()).contains(graph.nodeRect(node)));
        graph.resize(graph.minimumSizeHint());
        for (int node = 0; node < 4; ++node)
            QVERIFY(QRectF(graph.rect()).contains(graph.nodeRect(node)));
        QVERIFY(!graph.nodeRect(2).intersects(graph.nodeRect(3)));
    }

    void clicksAndKeysChooseNodes() {
        TraceGraph graph;
        graph.resize(500, 300);
        graph.show();
        graph.setContent(smallTrace());
        QSignalSpy clicked(&graph, &TraceGraph::nodeClicked);
        QSignalSpy activated(&graph, &TraceGraph::nodeActivated);
        QTest::mouseClick(&graph, Qt::LeftButton, {}, graph.nodeRect(1).center().toPoint());
        QCOMPARE(clicked.takeFirst().front().toInt(), 1);
        QCOMPARE(graph.current(), 1);
        QTest::mouseClick(&graph, Qt::LeftButton, {}, QPoint(2, 2));
        QCOMPARE(clicked.size(), 0);
        QTest::mouseDClick(&graph, Qt::LeftButton, {}, graph.nodeRect(1).center().toPoint());
        QCOMPARE(activated.takeFirst().front().toInt(), 1);
        clicked.clear();
        QTest::keyClick(&graph, Qt::Key_Right);
        QTest::keyClick(&graph, Qt::Key_Space);
        QCOMPARE(clicked.takeFirst().front().toInt(), 2);
        QTest::keyClick(&graph, Qt::Key_Left);
        QTest::keyClick(&graph, Qt::Key_Left);
        QTest::keyClick(&graph, Qt::Key_Left); // no further than the first
        QTest::keyClick(&graph, Qt::Key_Return);
        QCOMPARE(activated.takeFirst().front().toInt(), 0);
        QVERIFY(graph.accessibleDescription().contains(QStringLiteral("the root")));
        QTest::keyClick(&graph, Qt::Key_Right);
        QVERIFY(graph.accessibleDescription().contains(QStringLiteral("a head")));
    }

    void anEmptyGraphTakesEverything() {
        TraceGraph graph;
        graph.show();
        graph.setContent({});
        QSignalSpy clicked(&graph, &TraceGraph::nodeClicked);
        QTest::keyClick(&graph, Qt::Key_Space);
        QTest::mouseClick(&graph, Qt::LeftButton, {}, QPoint(20, 20));
        QVERIFY(!graph.grab().isNull());
        QCOMPARE(clicked.size(), 0);
    }

    void savesAFigure() {
        const QTemporaryDir folder;
        TraceGraph graph;
        graph.setContent(smallTrace());
        for (const char* name : {"why.svg", "why.pdf", "why.png"})
            QVERIFY(bool(graph.saveFigure(folder.filePath(QString::fromLatin1(name)))));
        QFile svg(folder.filePath(QStringLiteral("why.svg")));
        QVERIFY(svg.open(QIODevice::ReadOnly));
        const QByteArray text = svg.readAll();
        for (const char* word : {"L1 H0", "tokens", "0 a", "as key", "against"})
            QVERIFY2(text.contains(word), word);
        const QImage png(folder.filePath(QStringLiteral("why.png")));
        QCOMPARE(png.pixelColor(1, 1), QColor(Qt::white)); // whatever the theme
    }
};

const headscope::test::TestRegistration<TestTraceGraph> registration;

} // namespace test_trace_graph

#include "test_trace_graph.moc"
