// The page that says why a head looks there.

#include "core/attribution/score_parts.h"
#include "core/attribution/stream_parts.h"
#include "tests/support/runner.h"
#include "tests/ui/views/open_menu.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/export/export_dialog.h"
#include "ui/views/pages/table_pages.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/why/detail_tabs.h"
#include "ui/views/why/why_page.h"
#include "ui/widgets/head_mosaic.h"
#include "ui/widgets/heatmap.h"
#include "ui/widgets/trace_graph.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QTableView>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <optional>

namespace test_why_page {

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
        document().ablation().clearMask();
        document().setPromptText(QStringLiteral("a b c d a b c"));
        document().selection().lockRow(0); // what was chosen of another cell is forgotten
        document().selection().lockRow(std::nullopt);
        document().selection().select({1, 0});
        openTab(0);
        window_->find<QAction>("actionWhy")->trigger();
        QVERIFY(window_->settled());
        QTRY_VERIFY_WITH_TIMEOUT(
            sentence().contains(QStringLiteral("gives 100 % of its attention at <b>7 c</b>")),
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

    /// What the key holds along the strongest direction is what makes the head look there.
    void measuresADirection() {
        openTab(2);
        auto* view = window_->find<TablePage>("whyDirections")->view();
        QTRY_VERIFY_WITH_TIMEOUT(!details()->isReading(), kPatience);
        QCOMPARE(view->model()->rowCount(), 7);
        auto* measure = window_->find<QPushButton>("whyMeasure");
        QVERIFY(!measure->isEnabled());
        view->selectRow(0);
        QVERIFY(measured().contains(QStringLiteral("along direction 1")));
        QTest::mouseClick(measure, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(
            measured().startsWith(QStringLiteral("Without what direction 1 gives the key at 4 d")),
            kPatience);
        openTab(0);
        table("whyKeyParts")->selectRow(0); // a part in its place
        QVERIFY(!measured().contains(QStringLiteral("direction")));
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
        document().selection().lockRow(6);
        QTRY_VERIFY_WITH_TIMEOUT(sentence().contains(QStringLiteral("<b>6 b</b> to <b>3 c</b>")),
                                 kPatience);
        document().selection().lockRow(0);
        QTRY_VERIFY_WITH_TIMEOUT(sentence().contains(QStringLiteral("sees no other key there")),
                                 kPatience);
    }

    void comparesWithWhatIsChosen() {
        QCOMPARE(box("whyOther")->currentText(), QStringLiteral("the other keys"));
        QCOMPARE(box("whyOther")->count(), 9); // these, nothing, and seven keys
        choose("whyOther", QStringLiteral("nothing"));
        QTRY_VERIFY2_WITH_TIMEOUT(
            sentence().contains(QStringLiteral("The score is %1, most of it").arg(scoreOf(4))),
            qPrintable(sentence()), kPatience);
        const int other = box("whyOther")->findText(QStringLiteral("1 a"), Qt::MatchStartsWith);
        choose("whyOther", box("whyOther")->itemText(other));
        QTRY_VERIFY2_WITH_TIMEOUT(
            sentence().contains(QStringLiteral("The score is 448.00 above <b>1 a</b>")),
            qPrintable(sentence()), kPatience);
        QVERIFY(box("whyOther")->currentText().startsWith(QStringLiteral("1 a")));
        QVERIFY(graph()->edgeTip(0).html().contains(QStringLiteral("distance to 1 a")));
        choose("whyKey", box("whyKey")->itemText(
                             box("whyKey")->findText(QStringLiteral("1 a"), Qt::MatchStartsWith)));
        QTRY_VERIFY2_WITH_TIMEOUT(sentence().contains(QStringLiteral("below the other keys")),
                                  qPrintable(sentence()), kPatience); // not with itself
    }

    void furtherTablesAreOfTheSameCell_data() {
        QTest::addColumn<int>("tab");
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<int>("rows");
        QTest::addColumn<QString>("says");
        QTest::newRow("pairs") << 1 << QByteArray("whyPairs") << 49
                               << QStringLiteral("score's 112.00 above the other keys");
        QTest::newRow("directions")
            << 2 << QByteArray("whyDirections") << 7
            << QStringLiteral("of the 7 singular directions of the head's QK form");
        QTest::newRow("dimensions") << 3 << QByteArray("whyDimensions") << 8
                                    << QStringLiteral("add up to the score's 112.00");
        QTest::newRow("tokens") << 5 << QByteArray("whyTokens") << 8
                                << QStringLiteral(
                                       "What the 100 % of attention on 4 d change by when");
    }
    void furtherTablesAreOfTheSameCell() {
        QFETCH(int, tab);
        QFETCH(QByteArray, name);
        QFETCH(int, rows);
        QFETCH(QString, says);
        openTab(tab);
        const QString heading = QString::fromLatin1(name) + QStringLiteral("Heading");
        const auto said = [&] { return window_->find<QLabel>(heading.toLatin1())->text(); };
        QTRY_VERIFY_WITH_TIMEOUT(!details()->isReading(), kPatience);
        QTRY_VERIFY2_WITH_TIMEOUT(said().contains(says), qPrintable(said()), kPatience);
        auto* view = window_->find<TablePage>(name)->view();
        QCOMPARE(view->model()->rowCount(), rows);
        document().selection().lockRow(6); // another cell
        QTRY_VERIFY_WITH_TIMEOUT(sentence().contains(QStringLiteral("<b>6 b</b>")), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!page()->isReading() && !details()->isReading(), kPatience);
        QVERIFY(view->model()->rowCount() > 0);
        openTab(0);
    }

    void aPictureShowsEveryKeyByDimension() {
        openTab(4);
        QTRY_VERIFY_WITH_TIMEOUT(!details()->isReading(), kPatience);
        auto* picture = window_->find<Heatmap>("whyAllKeys");
        QCOMPARE(picture->content().cells->rows(), std::size_t{8});
        QCOMPARE(picture->content().cells->columns(), std::size_t{8});
        QCOMPARE(picture->content().row_labels[4], QStringLiteral("4 d"));
        auto* heading = window_->find<QLabel>("whyAllKeysHeading");
        QVERIFY(heading->text().startsWith(QStringLiteral("Query times key at 7 c")));
        emit picture->cellHovered(4, 2);
        QVERIFY2(heading->text().startsWith(QStringLiteral("4 d, dimension 2: query ")),
                 qPrintable(heading->text()));
        emit picture->hoverLeft();
        QVERIFY(heading->text().startsWith(QStringLiteral("Query times key at 7 c")));
        openTab(0);
    }

    /// Hiding the only c before takes the attention away, whatever stands at the end.
    void tokensSayWhatTheWeightDependsOn() {
        openTab(5);
        auto* view = window_->find<TablePage>("whyTokens")->view();
        QTRY_VERIFY_WITH_TIMEOUT(!details()->isReading(), kPatience);
        QCOMPARE(view->model()->rowCount(), 8);
        const auto hide = [&](int row) {
            return view->model()->index(row, 1).data(NumberTable::kSortRole).toDouble();
        };
        QVERIFY2(hide(4) < -0.99, qPrintable(QString::number(hide(4)))); // d itself
        QVERIFY(hide(3) < -0.99);                                        // c, which d comes after
        QVERIFY(std::abs(hide(1)) < 0.01);
        document().ablation().toggleHead({0, 3});
        QTRY_VERIFY_WITH_TIMEOUT(window_->find<QLabel>("whyTokensHeading")
                                     ->text()
                                     .startsWith(QStringLiteral("Tokens can be removed only in "
                                                                "the whole model")),
                                 kPatience);
        QCOMPARE(view->model()->rowCount(), 0);
        openTab(0);
    }

    void whatIsPointedAtIsLitInTheGrid() {
        auto* grid = window_->find<HeadMosaic>("headGrid");
        const auto pointAtRow = [&](const char* name, int row) {
            QTableView* view = table(name);
            QTest::mouseMove(view->viewport(), QPoint(2, 2));
            QTest::mouseMove(view->viewport(),
                             view->visualRect(view->model()->index(row, 0)).center());
        };
        pointAtRow("whyKeyParts", 0); // head 0.0
        QTRY_COMPARE(grid->pointed(), std::optional(GridCell{0, 0}));
        pointAtRow("whyQueryParts", 0); // the embedding
        QTRY_COMPARE(grid->pointed(), std::nullopt);
        const QPoint node = graph()->nodeRect(0).center().toPoint();
        scrollTo(node);
        QTest::mouseMove(graph(), node);
        QTRY_COMPARE(grid->pointed(), std::optional(GridCell{1, 0}));
        window_->find<QAction>("actionOneHead")->trigger();
        QTRY_COMPARE(grid->pointed(), std::nullopt);
    }

    void tipsShowThePatterns() {
        QTRY_COMPARE_WITH_TIMEOUT(graph()->nodeTip(0).html().count(QStringLiteral("<img")), 1,
                                  kPatience);
        const auto& edges = graph()->content().edges;
        const auto between_heads = std::ranges::find_if(edges, [&](const auto& edge) {
            return graph()->content().nodes[edge.from].text == QStringLiteral("L0 H0");
        });
        QVERIFY(between_heads != edges.end());
        const auto edge = static_cast<int>(between_heads - edges.begin());
        QCOMPARE(graph()->edgeTip(edge).html().count(QStringLiteral("<img")), 2);
    }

    void exportsItsNumbers() {
        const QByteArray graph_file =
            exported(ExportWhat::WhyTrace, window_.settings().path(QStringLiteral("why.graphml")));
        QVERIFY(graph_file.contains("head 0.0 at 4 d"));
        const QByteArray parts =
            exported(ExportWhat::WhyParts, window_.settings().path(QStringLiteral("parts.csv")));
        QVERIFY(parts.startsWith("query_part,key_part,value,share"));
        window_->find<QAction>("actionOneHead")->trigger();
        OpenedDialog<ExportDialog> elsewhere(*window_, "actionExport", "exportDialog");
        QCOMPARE(elsewhere.find<QComboBox>("exportWhat")
                     ->findData(static_cast<int>(ExportWhat::WhyTrace)),
                 -1);
        elsewhere.dialog->reject();
    }

    /// In the heatmap: its key is explained, not the strongest, until the row is another.
    void aClickedCellIsExplained() {
        window_->find<QAction>("actionOneHead")->trigger();
        auto* heatmap = window_->find<Heatmap>("heatmap");
        QTRY_VERIFY_WITH_TIMEOUT(heatmap->content().cells && heatmap->content().cells->rows() == 8,
                                 kPatience);
        const auto click = [&](std::size_t query, std::size_t key) {
            auto* plot = heatmap->childAt(heatmap->cellCentre(query, key));
            QTest::mouseClick(plot, Qt::LeftButton, {},
                              plot->mapFrom(heatmap, heatmap->cellCentre(query, key)));
        };
        click(6, 2);
        QCOMPARE(document().selection().lockedRow(), std::optional<std::size_t>(6));
        window_->find<QAction>("actionWhy")->trigger();
        QTRY_VERIFY2_WITH_TIMEOUT(sentence().contains(QStringLiteral("<b>6 b</b> to <b>2 b</b>")),
                                  qPrintable(sentence()), kPatience);
        document().selection().lockRow(5);
        QTRY_VERIFY_WITH_TIMEOUT(sentence().contains(QStringLiteral("<b>5 a</b> to <b>2 b</b>")),
                                 kPatience); // the strongest
    }

    void theMenuOfACellLeadsHere() {
        window_->find<QAction>("actionOneHead")->trigger();
        auto* heatmap = window_->find<Heatmap>("heatmap");
        QTRY_VERIFY_WITH_TIMEOUT(heatmap->content().cells && heatmap->content().cells->rows() == 8,
                                 kPatience);
        const QPoint centre = heatmap->cellCentre(6, 1);
        auto* plot = heatmap->childAt(centre);
        QTest::mouseMove(plot, plot->mapFrom(heatmap, centre));
        QTRY_COMPARE(heatmap->hoveredCell(), std::optional(HeatmapCell{6, 1}));
        chooseInMenu(*plot, plot->mapFrom(heatmap, centre), "whyPatternCell");
        QCOMPARE((*window_)->patternView().page(), PatternPage::Why);
        QTRY_VERIFY2_WITH_TIMEOUT(sentence().contains(QStringLiteral("<b>6 b</b> to <b>1 a</b>")),
                                  qPrintable(sentence()), kPatience);
    }

    /// A key that the query does not see is none.
    void aHiddenCellIsNotExplained() {
        WhyQuestion question;
        question.result = document().shown().result;
        question.head = {1, 0};
        question.query = 3;
        question.key = 6;
        const auto reading = readWhy(question, {}, {});
        QVERIFY(bool(reading));
        QVERIFY(reading->parts.question.key <= 3);
    }

    void aNodeLeadsToItsHead() {
        const auto at = [&] {
            for (int node = 0; node < graph()->content().nodes.size(); ++node)
                if (graph()->content().nodes[node].text == QStringLiteral("L0 H0"))
                    return graph()->nodeRect(node).center().toPoint();
            return QPoint();
        };
        QTest::mouseDClick(graph(), Qt::LeftButton, {}, at());
        QCOMPARE(document().selection().head(), (LayerHead{0, 0}));
        QCOMPARE(document().selection().lockedRow(), std::optional<std::size_t>(4));
        QTRY_VERIFY_WITH_TIMEOUT(sentence().contains(QStringLiteral("<b>4 d</b> to <b>3 c</b>")),
                                 kPatience);
    }

    /// The head that was ablated writes nothing, and the page follows.
    void followsTheAblation() {
        document().ablation().toggleHead({0, 0});
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
        document().selection().select({4, 1});
        QTRY_VERIFY_WITH_TIMEOUT(sentence().startsWith(QStringLiteral("<b>L4 H1</b>")), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!page()->isReading(), kPatience);
    }

    /// What the dialog writes.
    QByteArray exported(ExportWhat what, const QString& path) {
        const OpenedDialog<ExportDialog> dialog(*window_, "actionExport", "exportDialog");
        auto* choice = dialog.find<QComboBox>("exportWhat");
        choice->setCurrentIndex(choice->findData(static_cast<int>(what)));
        dialog.find<QLineEdit>("exportPath")->setText(path);
        QTest::mouseClick(dialog.find<QPushButton>("exportWrite"), Qt::LeftButton);
        QFile file(path);
        return QTest::qWaitFor([&] { return !window_->find<ExportDialog>("exportDialog"); },
                               kPatience) &&
                       file.open(QIODevice::ReadOnly)
                   ? file.readAll()
                   : QByteArray();
    }
    DetailTabs* details() { return window_->find<DetailTabs>("whyDetails"); }
    void openTab(int tab) { details()->setCurrentIndex(tab); }
    /// The score of the last query of head 1.0 for a key, as the page writes it.
    QString scoreOf(std::size_t key) {
        const auto& result = document().promptRunner().result();
        const auto run = StreamRun::read(result->full->model, {result->prompt.ids, {}});
        const auto parts =
            takeScoreApart(*run, {{1, 0}, run->positions() - 1, key, ScoreContrast::Nothing});
        return QString::number(parts->score, 'f', 2);
    }
    Document& document() { return window_->document(); }
    WhyPage* page() { return (*window_)->findChild<WhyPage*>(); }
    TraceGraph* graph() { return window_->find<TraceGraph>("whyGraph"); }
    /// The window is narrow here, and the graph is not.
    void scrollTo(QPoint in_graph) {
        for (QWidget* around = graph(); around; around = around->parentWidget())
            if (auto* area = qobject_cast<QScrollArea*>(around); area && area->widget()) {
                const QPoint place = graph()->mapTo(area->widget(), in_graph);
                area->ensureVisible(place.x(), place.y());
            }
    }
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

} // namespace test_why_page

#include "test_why_page.moc"
