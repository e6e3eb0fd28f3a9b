// The page that says why a head looks there.

#include "core/attribution/score_trace.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/pages/number_page.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/why/why_page.h"
#include "ui/widgets/trace_graph.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>

#include <algorithm>

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

class TestWhyPage : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(window_.open(QStringLiteral("induction-circuit"))); }
    void init() {
        if (document().model()->name != "induction-circuit")
            QVERIFY(window_.openAgain(QStringLiteral("induction-circuit")));
        document().clearMask();
        document().setPromptText(QStringLiteral("a b c d a b c"));
        document().lockRow(std::nullopt);
        document().select({1, 0});
        window_->find<QAction>("actionWhy")->trigger();
        QVERIFY(window_->settled());
        QTRY_VERIFY_WITH_TIMEOUT(sentence().startsWith(QStringLiteral("<b>L1 H0</b> gives 100 %")),
                                 kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!page()->isReading(), kPatience);
    }
    void cleanupTestCase() { window_.close(); }

    /// The induction head, in words, in tables and as the graph of core.
    void explainsTheInductionHead() {
        QVERIFY2(sentence().contains(QStringLiteral("<b>7 c</b> to <b>4 d</b>")),
                 qPrintable(sentence()));
        QVERIFY2(sentence().contains(QStringLiteral("112.00 above the other keys")),
                 qPrintable(sentence()));
        QVERIFY(sentence().contains(QStringLiteral("<b>L0 H0</b> wrote at <b>4 d</b> (400 %)")));
        QCOMPARE(cell("whyKeyParts", 0, 0), QStringLiteral("L0 H0"));
        QCOMPARE(cell("whyKeyParts", 0, 2), QStringLiteral("400 %"));
        QCOMPARE(cell("whyQueryParts", 0, 0), QStringLiteral("embedding"));
        QCOMPARE(box("whyQuery")->currentText(), QStringLiteral("7 c"));
        QCOMPARE(box("whyKey")->currentText(), QStringLiteral("4 d  (100 %)"));
        QCOMPARE(box("whyKey")->count(), 8); // all keys that it sees, however small their weights
        const TraceContent& content = graph()->content();
        QCOMPARE(content.nodes.front().text, QStringLiteral("L1 H0"));
        QVERIFY(content.nodes.front().is_root);
        QCOMPARE(content.edges.size(), 7);
        QCOMPARE(content.columns, (QStringList{QStringLiteral("3 c"), QStringLiteral("4 d"),
                                               QStringLiteral("7 c")}));
    }

    void measuresAPart() {
        auto* measure = window_->find<QPushButton>("whyMeasure");
        QVERIFY(!measure->isEnabled());
        table("whyKeyParts")->selectRow(0);
        QVERIFY(measure->isEnabled());
        QTest::mouseClick(measure, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(measured().startsWith(QStringLiteral("Without what L0 H0 gives")),
                                 kPatience);
        QVERIFY2(measured().contains(QStringLiteral("should fall to −448.00, and measured it is "
                                                    "−448.00")),
                 qPrintable(measured()));
        QVERIFY2(measured().contains(QStringLiteral("The weight goes from 100 % to < 0.1 %")),
                 qPrintable(measured()));
        const int biases = rowOf("whyQueryParts", QStringLiteral("biases"));
        table("whyQueryParts")->selectRow(biases);
        QVERIFY(!measure->isEnabled());
        QVERIFY(table("whyKeyParts")->selectionModel()->selectedRows().isEmpty());
    }

    void goesToAnotherCell() {
        QComboBox* key = box("whyKey");
        const int other = key->findText(QStringLiteral("1 a"), Qt::MatchStartsWith);
        QVERIFY(other > 0);
        key->setCurrentIndex(other);
        emit key->activated(other);
        QTRY_VERIFY_WITH_TIMEOUT(sentence().contains(QStringLiteral("below the other keys")),
                                 kPatience);
        QCOMPARE(key->currentText().left(3), QStringLiteral("1 a"));
        document().lockRow(6);
        QTRY_VERIFY_WITH_TIMEOUT(sentence().contains(QStringLiteral("<b>6 b</b> to <b>3 c</b>")),
                                 kPatience);
        document().lockRow(0);
        QTRY_VERIFY_WITH_TIMEOUT(sentence().contains(QStringLiteral("sees no other key there")),
                                 kPatience);
    }

    void aNodeLeadsToItsHead() {
        const auto at = [&] {
            for (int node = 0; node < graph()->content().nodes.size(); ++node)
                if (graph()->content().nodes[node].text == QStringLiteral("L0 H0"))
                    return graph()->nodeRect(node).center().toPoint();
            return QPoint();
        };
        QTest::mouseDClick(graph(), Qt::LeftButton, {}, at());
        QCOMPARE(document().selected(), (LayerHead{0, 0}));
        QCOMPARE(document().lockedRow(), std::optional<std::size_t>(4));
        QTRY_VERIFY_WITH_TIMEOUT(sentence().contains(QStringLiteral("<b>4 d</b> to <b>3 c</b>")),
                                 kPatience);
    }

    /// The head that was ablated writes nothing, and the page follows.
    void followsTheAblation() {
        document().toggleHead({0, 0});
        QTRY_VERIFY_WITH_TIMEOUT(sentence().contains(QStringLiteral("to <b>0 <BOS></b>")
                                                         .replace(QStringLiteral("<BOS>"),
                                                                  QStringLiteral("&lt;BOS&gt;"))),
                                 kPatience);
    }

    void savesItsGraph() {
        const QString path = window_.settings().path(QStringLiteral("why.svg"));
        QVERIFY(bool((*window_)->patternView().saveFigure(path)));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("L0 H0"));
    }

    void smallerSharesShowMore() {
        openTrained();
        const auto nodes = [&] { return graph()->content().nodes.size(); };
        const qsizetype some = nodes();
        choose("whyLeast", QStringLiteral("graph from 5 %"));
        QTRY_VERIFY_WITH_TIMEOUT(nodes() > some, kPatience);
        choose("whyLeast", QStringLiteral("graph from 40 %"));
        QTRY_VERIFY_WITH_TIMEOUT(nodes() < some, kPatience);
    }

    /// A head through which too little goes to be followed at once waits for a click.
    void aHeadGrowsByAClick() {
        openTrained();
        const auto& nodes = graph()->content().nodes;
        const auto waiting = static_cast<int>(
            std::ranges::find(nodes, true, &TraceContent::Node::can_grow) - nodes.begin());
        QVERIFY(waiting < nodes.size());
        QVERIFY(nodes[waiting].tip.contains(QStringLiteral("Click to follow it")));
        const qsizetype edges = graph()->content().edges.size();
        QTest::mouseClick(graph(), Qt::LeftButton, {},
                          graph()->nodeRect(waiting).center().toPoint());
        QTRY_VERIFY_WITH_TIMEOUT(graph()->content().edges.size() > edges, kPatience);
        QVERIFY(sentence().startsWith(QStringLiteral("<b>L4 H1</b>"))); // of the same cell
    }

private:
    /// Many things at once, where the circuit made by hand has one each.
    void openTrained() {
        QVERIFY(window_.openAgain(QStringLiteral("gpt2-mini-6l")));
        window_->find<QAction>("actionWhy")->trigger();
        document().select({4, 1});
        QTRY_VERIFY_WITH_TIMEOUT(sentence().startsWith(QStringLiteral("<b>L4 H1</b>")), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!page()->isReading(), kPatience);
    }

    Document& document() { return window_->document(); }
    WhyPage* page() { return (*window_)->findChild<WhyPage*>(); }
    TraceGraph* graph() { return window_->find<TraceGraph>("whyGraph"); }
    QComboBox* box(const char* name) { return window_->find<QComboBox>(name); }
    QString sentence() { return window_->find<QLabel>("whySentence")->text(); }
    QString measured() { return window_->find<QLabel>("whyMeasured")->text(); }
    QTableView* table(const char* name) { return window_->find<NumberPage>(name)->view(); }
    QString cell(const char* name, int row, int column) {
        return table(name)->model()->index(row, column).data().toString();
    }
    int rowOf(const char* name, const QString& text) {
        int row = 0;
        while (row < table(name)->model()->rowCount() && cell(name, row, 0) != text)
            ++row;
        return row;
    }
    void choose(const char* name, const QString& text) {
        box(name)->setCurrentText(text);
        emit box(name)->activated(box(name)->currentIndex());
    }

    SharedWindow window_;
};

const headscope::test::TestRegistration<TestWhyPage> registration;
#include "test_why_page.moc"
