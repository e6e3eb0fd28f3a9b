#include "core/pruning/grouping_losses.h"
#include "core/pruning/verdict.h"
#include "tests/support/runner.h"
#include "tests/ui/views/open_pruning.h"
#include "ui/document/pruning_reading.h"
#include "ui/tables/number_table.h"
#include "ui/widgets/layer_bars.h"

#include <QStandardItemModel>
#include <QTabWidget>
#include <QTableView>

namespace test_prune_heads {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

class TestPruneHeads : public QObject {
    Q_OBJECT

private slots:
    void curvesAndVerdictAreThoseOfCore() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        const OpenPruning bench(window);
        QVERIFY(bench.dialog->isVisible() && !bench.dialog->isModal());
        QVERIFY(bench.readsFew());
        QVERIFY(bench.plot()->emptyText().contains(QStringLiteral("“Measure”")));
        QVERIFY(bench.measures(
            {QStringLiteral("weight"), QStringLiteral("gradient"), QStringLiteral("random")}));
        const Expected expected(window.document().model(),
                                {OrderKind::WeightNorm, OrderKind::Gradient});
        const CurvePlotContent& shown = bench.plot()->content();
        QCOMPARE(shown.lines.size(), 2);
        QCOMPARE(shown.band.x.size(), 4);
        for (int line = 0; line < 2; ++line)
            for (int point = 0; point < 4; ++point)
                QCOMPARE(
                    shown.lines[line].points[point].y,
                    expected.loss(static_cast<std::size_t>(line), static_cast<std::size_t>(point)));
        QCOMPARE(*shown.level, meanOf(expected.result, expected.result.whole.sums).loss);
        QVERIFY(bench.text("pruneVerdict").contains(QStringLiteral("; random orders: ")));
        QVERIFY(
            bench.text("calibrationInfo").contains(QStringLiteral(" tokens of 6 documents in ")));
        bench.find<QComboBox>("curveMeasure")->setCurrentIndex(3);
        QCOMPARE(*bench.plot()->content().level, 1.0);
        QCOMPARE(bench.plot()->content().lines[1].points[2].y,
                 meanOf(expected.result, expected.result.curves[1].points[2].sums).agreement);
    }

    void tasksAreDrawn_data() {
        QTest::addColumn<QString>("sample");
        QTest::addColumn<bool>("does_them");
        QTest::newRow("decoder") << QStringLiteral("gpt2-mini-6l") << true;
        QTest::newRow("encoder") << QStringLiteral("bert-mini-4l") << false;
    }

    /// Tasks that the model does are drawn as shares of right choices; others cannot be chosen.
    void tasksAreDrawn() {
        QFETCH(QString, sample);
        QFETCH(bool, does_them);
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(sample));
        const OpenPruning bench(window);
        QVERIFY(bench.readsFew() && bench.measures({QStringLiteral("weight")}));
        auto* const measure = bench.find<QComboBox>("curveMeasure");
        const auto* const items = qobject_cast<QStandardItemModel*>(measure->model());
        for (const int task : {4, 5})
            QCOMPARE(items->item(task)->isEnabled(), does_them);
        if (!does_them)
            return;
        measure->setCurrentIndex(4);
        const double whole = *bench.plot()->content().level;
        QVERIFY(whole >= kDoesTask && whole <= 1.0);
        QVERIFY(bench.plot()->content().lines[0].points.back().y < whole);
        bench.hover({0, 1});
        QVERIFY(bench.says("prunePoint", QStringLiteral("Indirect object right for")));
    }

    void hoveringTellsWhichHeadsAreCut() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        const OpenPruning bench(window);
        QVERIFY(bench.readsFew() && bench.measures({QStringLiteral("weight")}));
        const Expected expected(window.document().model(), {OrderKind::WeightNorm});
        bench.hover({0, 1});
        QVERIFY(bench.says("prunePoint", QStringLiteral("weight: 8 of 16 heads removed (50 %)")));
        QVERIFY(bench.text("prunePoint").endsWith(headsText(expected.removed(0, 1))));
        QVERIFY(window.document().ablation().mask().empty());
    }

    void clicksAndDragsAblateAndAreOneStep() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        window.document().ablation().toggleHead({1, 7});
        const OpenPruning bench(window);
        QVERIFY(bench.readsFew() && bench.measures({QStringLiteral("weight")}));
        const Expected expected(window.document().model(), {OrderKind::WeightNorm});
        bench.hover({0, 0});
        QTest::mousePress(bench.drawing(), Qt::LeftButton, {}, bench.onDrawing({0, 0}));
        QCOMPARE(headsOf(window.document().ablation().mask()), sorted(expected.removed(0, 0)));
        bench.dragTo({0, 2});
        bench.dragTo({0, 1});
        // What is read out is what is ablated, and not where the drag began.
        QVERIFY2(bench.text("prunePoint").endsWith(headsText(expected.removed(0, 1))),
                 qPrintable(bench.text("prunePoint")));
        QTest::mouseRelease(bench.drawing(), Qt::LeftButton, {}, bench.onDrawing({0, 1}));
        QCOMPARE(headsOf(window.document().ablation().mask()), sorted(expected.removed(0, 1)));
        QVERIFY(bench.text("pruneState").startsWith(QStringLiteral("8 heads are ablated")));
        QCOMPARE(bench.find<LayerBars>("layersLeft")->layers().size(), 2);
        QVERIFY(window.settled());
        QCOMPARE(window.document().promptRunner().result()->mask.size(), std::size_t{8});
        QTest::keySequence(bench.dialog, QKeySequence::Undo);
        QCOMPARE(headsOf(window.document().ablation().mask()), (HeadSet{{1, 7}}));
        bench.click("applyCut");
        QCOMPARE(window.document().ablation().mask().size(), std::size_t{8});
        QVERIFY(window.settled());
    }

    void escapeGivesADragUpAndOnlyThenCloses() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        const OpenPruning bench(window);
        QVERIFY(bench.readsFew() && bench.measures({QStringLiteral("weight")}));
        QTest::mousePress(bench.drawing(), Qt::LeftButton, {}, bench.onDrawing({0, 0}));
        bench.dragTo({0, 2});
        QVERIFY(!window.document().ablation().mask().empty());
        QTest::keyClick(bench.plot(), Qt::Key_Escape);
        QVERIFY(window.document().ablation().mask().empty());
        QVERIFY(!window.document().ablation().undoStack()->canUndo());
        QVERIFY(bench.dialog->isVisible());
        QTest::mouseRelease(bench.drawing(), Qt::LeftButton, {}, bench.onDrawing({0, 2}));
        QTest::keyClick(bench.plot(), Qt::Key_Escape);
        QVERIFY(!bench.dialog->isVisible());
        // What was measured is there again.
        const OpenPruning again(window);
        QCOMPARE(again.dialog, bench.dialog);
        QCOMPARE(again.plot()->content().lines.size(), 1);
        QVERIFY(window.settled());
    }

    void keysReachAPoint() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        const OpenPruning bench(window);
        QVERIFY(bench.readsFew() && bench.measures({QStringLiteral("weight")}));
        QTest::keyClick(bench.plot(), Qt::Key_Down);
        QTest::keyClick(bench.plot(), Qt::Key_Home);
        while (bench.plot()->chosenPlace() != CurvePlotPlace{0, 3})
            QTest::keyClick(bench.plot(), Qt::Key_Right);
        QVERIFY(window.document().ablation().mask().empty());
        QTest::keyClick(bench.plot(), Qt::Key_Return);
        QCOMPARE(window.document().ablation().mask().size(), std::size_t{16});
        QVERIFY(window.settled());
    }

    void worstTokensAndCostsAreThoseOfCore() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        const OpenPruning bench(window);
        bench.find<QComboBox>("pruneCompensation")->setCurrentIndex(1);
        QVERIFY(bench.readsFew() && bench.measures({QStringLiteral("weight")}));
        bench.find<QTabWidget>("prunePages")->setCurrentIndex(1);
        QTest::mouseClick(bench.drawing(), Qt::LeftButton, {}, bench.onDrawing({0, 2}));
        const QTableView* table = bench.find<QWidget>("worstTokens")->findChild<QTableView*>();
        QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 50, kPatience);
        const auto model = window.document().model();
        Expected expected(model, {OrderKind::WeightNorm});
        expected.question.compensation = Compensation::Bias;
        const HeadSet removed = expected.removed(0, 2);
        const auto tokens = *worstTokens(model, expected.texts.calibration, expected.texts.test,
                                         expected.question, removed, 50);
        QCOMPARE(table->model()->index(0, 4).data().toString(),
                 numberText(tokens[0].cut - tokens[0].whole, 3));
        QStringList gains;
        for (const QLabel* label : bench.find<QWidget>("pruneGains")->findChildren<QLabel*>())
            gains << label->text();
        const Cut cut =
            *compensatedCut(model, expected.texts.calibration, removed, Compensation::Bias);
        QVERIFY2(gains.contains(QStringLiteral("→ ") + QLocale(QLocale::English)
                                                           .toString(static_cast<qulonglong>(
                                                               costAfter(*model, cut).parameters))),
                 qPrintable(gains.join(QLatin1Char(' '))));
        QVERIFY(window.settled());
    }

    void groupingsAreThoseOfCore() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        const OpenPruning bench(window);
        QVERIFY(bench.readsFew());
        bench.find<QTabWidget>("prunePages")->setCurrentIndex(2);
        QVERIFY(bench.text("groupingSummary").startsWith(QStringLiteral("What would grouped")));
        const QWidget* page = bench.find<QWidget>("groupings");
        QVERIFY(!page->isVisible());
        bench.click("measureGroupings");
        QVERIFY(bench.says("groupingSummary", QStringLiteral("Keys and values of 8 heads in 4")));
        const auto model = window.document().model();
        const Expected expected(model, {OrderKind::WeightNorm});
        const GroupingResult result =
            *measureGroupings(model, expected.texts.calibration, expected.texts.test);
        QCOMPARE(bench.text("groupingSummary"), QString::fromStdString(groupingText(result)));
        QVERIFY(page->isVisible());
        const QAbstractItemModel* rows = page->findChild<QTableView*>()->model();
        QCOMPARE(rows->rowCount(), 7);
        QCOMPARE(rows->index(6, 0).data().toString(), QStringLiteral("1"));
        QCOMPARE(rows->index(6, 1).data().toString(), QStringLiteral("least squares"));
        QCOMPARE(rows->index(6, 2).data().toString(),
                 numberText(meanOf(result.layout, result.points.back().sums).loss, 4));
        bench.find<QSpinBox>("testTokens")->setValue(600);
        QVERIFY(bench.isReady());
        QVERIFY(!page->isVisible()); // they were of another text
        QVERIFY(bench.find<QPushButton>("measureGroupings")->isEnabled());
        QVERIFY(bench.text("groupingSummary").startsWith(QStringLiteral("What would grouped")));
    }

    void cancelKeepsWhatIsMeasured() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const OpenPruning bench(window);
        QVERIFY(bench.readsFew());
        bench.tick({QStringLiteral("weight"), QStringLiteral("greedy")});
        bench.click("pruneMeasure");
        QVERIFY(bench.says("pruneState", QStringLiteral("4 points are measured")));
        QTRY_VERIFY_WITH_TIMEOUT(bench.find<QPushButton>("jobCancel")->isVisible(), kPatience);
        bench.click("jobCancel");
        QCOMPARE(bench.text("pruneState"),
                 QStringLiteral("Stopped after 4 points; “Measure” goes on from there."));
        QCOMPARE(bench.plot()->content().lines[0].points.size(), 4);
        QVERIFY(bench.text("pruneVerdict").contains(QStringLiteral("can go at no more than")));
        QVERIFY(bench.measures({QStringLiteral("weight"), QStringLiteral("random")}));
    }

    void anotherModelAndClosingEndWhatRuns() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const OpenPruning bench(window);
        QVERIFY(bench.readsFew());
        bench.tick({QStringLiteral("greedy")});
        bench.click("pruneMeasure");
        QVERIFY(bench.says("pruneState", QStringLiteral("0 points are measured")));
        window->openPath(samplePath(QStringLiteral("attn-only-2l")));
        QTRY_VERIFY_WITH_TIMEOUT(
            bench.dialog->windowTitle().contains(QStringLiteral("attn-only-2l")), kPatience);
        QVERIFY(bench.isReady());
        QCOMPARE(bench.text("pruneState"), QString());
        QVERIFY(!bench.find<QPushButton>("applyCut")->isEnabled());
        bench.click("pruneMeasure");
        QVERIFY(bench.says("pruneState", QStringLiteral("0 points are measured")));
        bench.click("closeDialog");
        QVERIFY(!bench.dialog->isVisible());
        const OpenPruning again(window);
        QVERIFY(again.text("pruneState").startsWith(QStringLiteral("Stopped after 0 points")));
    }

    void controlsAreNamedAndExplained() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const OpenPruning bench(window);
        for (const QWidget* control : bench.dialog->findChildren<QWidget*>()) {
            const bool asked = qobject_cast<const QAbstractButton*>(control) ||
                               qobject_cast<const QComboBox*>(control) ||
                               qobject_cast<const QAbstractSpinBox*>(control);
            if (!asked || control->objectName().startsWith(QStringLiteral("qt_")) ||
                control->objectName() == QStringLiteral("jobCancel") ||
                control->parentWidget()->inherits("QTabBar") ||
                control->parentWidget()->inherits("QTableView") ||
                control->parentWidget()->inherits("QLineEdit"))
                continue;
            QVERIFY2(!control->objectName().isEmpty(), control->metaObject()->className());
            QVERIFY2(!control->toolTip().isEmpty(), qPrintable(control->objectName()));
            QVERIFY2(control->focusPolicy() & Qt::TabFocus, qPrintable(control->objectName()));
        }
    }
};

const headscope::test::TestRegistration<TestPruneHeads> registration;

} // namespace test_prune_heads

#include "test_prune_heads.moc"
