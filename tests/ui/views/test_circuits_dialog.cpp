#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/document/circuit_reading.h"
#include "ui/tables/head_text.h"
#include "ui/views/circuits/circuits_dialog.h"
#include "ui/widgets/head_graph.h"
#include "ui/widgets/head_mosaic.h"
#include "ui/widgets/heatmap.h"

#include <QApplication>
#include <QComboBox>
#include <QHelpEvent>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QToolTip>

namespace test_circuits_dialog {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

struct OpenCircuits : OpenedDialog<CircuitsDialog> {
    explicit OpenCircuits(WindowUnderTest& window)
        : OpenedDialog(window, "actionCircuits", "circuitsDialog") {}

    QTableView* table(const char* page) const {
        return find<QWidget>(page)->findChild<QTableView*>();
    }
    QTableView* edges() const { return table("compositionList"); }
    Heatmap* matrix() const { return find<Heatmap>("compositionMatrix"); }
    QString note() const { return find<QLabel>("circuitsNote")->text(); }
    QString pair() const { return find<QLabel>("compositionPair")->text(); }

    bool isRead() const {
        return QTest::qWaitFor([&] { return !note().isEmpty(); }, kPatience);
    }
    void chooseKind(Qt::Key letter) const {
        QTest::keyClick(find<QComboBox>("compositionKind"), letter);
    }
};

QString cellOf(const QTableView* view, int row, int column) {
    return view->model()->index(row, column).data().toString();
}

void clickRow(QTableView* view, int row) {
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                      view->visualRect(view->model()->index(row, 0)).center());
}

CompositionScores scoresOf(const Document& document, std::optional<Offset> offset = std::nullopt) {
    return *compositionScores(foldWeights(document.model()), offset);
}

} // namespace

class TestCircuitsDialog : public QObject {
    Q_OBJECT

private slots:
    void strongestConnectionsAreListed() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const OpenCircuits dialog(window);
        QVERIFY(dialog.isRead());
        dialog.chooseKind(Qt::Key_V);
        const auto scores = scoresOf(window.document());
        const auto strongest = strongestEdges(scores, 20, CompositionKind::V);
        QCOMPARE(dialog.edges()->model()->rowCount(), 20);
        QCOMPARE(cellOf(dialog.edges(), 0, 0), headName(strongest.front().from));
        QCOMPARE(cellOf(dialog.edges(), 0, 1), headName(strongest.front().to));
        QCOMPARE(cellOf(dialog.edges(), 0, 3), numberText(strongest.front().above_baseline, 4));
        dialog.find<QSpinBox>("compositionCount")->setValue(7);
        QCOMPARE(dialog.edges()->model()->rowCount(), 7);
        QVERIFY(dialog.note().startsWith(QStringLiteral("Folded: ")));
    }

    void aRowSelectsTheLaterHead() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const OpenCircuits dialog(window);
        QVERIFY(dialog.isRead());
        clickRow(dialog.edges(), 3);
        QCOMPARE(headName(window.document().selection().head()), cellOf(dialog.edges(), 3, 1));
        QVERIFY2(dialog.pair().startsWith(QStringLiteral("%1 → %2").arg(
                     cellOf(dialog.edges(), 3, 0), cellOf(dialog.edges(), 3, 1))),
                 qPrintable(dialog.pair()));
        QCOMPARE(dialog.find<HeadGraph>("compositionGraph")->current(), 3);
    }

    void headsOfTheGraphSayWhatTheyAre() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const OpenCircuits dialog(window);
        QVERIFY(dialog.isRead());
        auto* graph = dialog.find<HeadGraph>("compositionGraph");
        const QPoint at = graph->centre({1, 4}).toPoint();
        QHelpEvent help(QEvent::ToolTip, at, graph->mapToGlobal(at));
        QApplication::sendEvent(graph, &help);
        QCOMPARE(QToolTip::text(), window.find<HeadMosaic>("headGrid")->cell(4, 1).tooltip.html());
        QVERIFY(QToolTip::text().contains(QStringLiteral("induction 0.")));
    }

    void aLineSelectsTheLaterHead() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        const OpenCircuits dialog(window);
        QVERIFY(dialog.isRead());
        dialog.find<QSpinBox>("compositionCount")->setValue(2);
        auto* graph = dialog.find<HeadGraph>("compositionGraph");
        QTest::mouseClick(graph, Qt::LeftButton, {}, graph->middleOf(1).toPoint());
        const int current = graph->current();
        QVERIFY(current >= 0);
        QCOMPARE(headName(window.document().selection().head()),
                 cellOf(dialog.edges(), current, 1));
        QCOMPARE(dialog.edges()->currentIndex().row(), current);
    }

    void aCellSelectsTheLaterHead() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("llama-mini-gqa-4l")));
        const OpenCircuits dialog(window);
        QVERIFY(dialog.isRead());
        Heatmap* matrix = dialog.matrix();
        QTest::mouseClick(matrix->childAt(matrix->rect().center()), Qt::LeftButton, {},
                          matrix->cellCentre(3, 26));
        QCOMPARE(window.document().selection().head(), (LayerHead{3, 2}));
        QVERIFY(dialog.pair().startsWith(QStringLiteral("L0 H3 → L3 H2")));
        // Nothing flows backwards.
        QTest::mouseClick(matrix->childAt(matrix->rect().center()), Qt::LeftButton, {},
                          matrix->cellCentre(26, 3));
        QCOMPARE(window.document().selection().head(), (LayerHead{3, 2}));
        QVERIFY(dialog.pair().contains(QStringLiteral("only heads of later layers")));
    }

    void rotaryModelsAreReadAtAnOffset() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("llama-mini-gqa-4l")));
        const OpenCircuits dialog(window);
        QVERIFY(dialog.isRead());
        auto* offset = dialog.find<QSpinBox>("compositionOffset");
        QVERIFY(offset->isVisible());
        QCOMPARE(offset->value(), 1);
        const auto shown = [&] {
            return static_cast<double>(
                dialog.matrix()->content().cells->overview().values(3u, 26u));
        };
        const auto expected = [&](Offset at) {
            return scoresOf(window.document(), at)
                .aboveBaseline(CompositionKind::K, {0, 3}, {3, 2});
        };
        QVERIFY(std::abs(shown() - expected(1)) < 1e-6);
        offset->setValue(9);
        QTRY_VERIFY_WITH_TIMEOUT(dialog.note().contains(QStringLiteral("offset 9")), kPatience);
        QVERIFY(std::abs(shown() - expected(9)) < 1e-6);
        window->openPath(samplePath(QStringLiteral("attn-only-2l")));
        QTRY_VERIFY_WITH_TIMEOUT(!dialog.note().isEmpty() && !offset->isVisible(), kPatience);
    }

    void copyingHeadsComeFirst() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        const OpenCircuits dialog(window);
        QVERIFY(dialog.isRead());
        dialog.find<QTabWidget>("circuitsTabs")->setCurrentIndex(1);
        const auto heads = strongestCopying(*copyingScores(foldWeights(window.document().model())));
        auto* table = dialog.table("copyingTable");
        QCOMPARE(table->model()->rowCount(), static_cast<int>(heads.size()));
        clickRow(table, 2);
        QCOMPARE(window.document().selection().head(), heads[2].head);
        QCOMPARE(dialog.find<QLabel>("copyingHead")->text(),
                 QStringLiteral("%1: %2 eigenvalues, score %3")
                     .arg(headName(heads[2].head))
                     .arg(heads[2].eigenvalues.size())
                     .arg(numberText(heads[2].score, 3)));
        window.document().selection().select(heads[0].head);
        QCOMPARE(table->currentIndex().row(), 0);
    }

    void withoutVocabularyAndLayersThereIsNothing() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("notebook")));
        const OpenCircuits dialog(window);
        QVERIFY(dialog.isRead());
        QVERIFY2(!dialog.find<QLabel>("copyingHead")->text().isEmpty() &&
                     !dialog.table("copyingTable")->model()->rowCount(),
                 qPrintable(dialog.find<QLabel>("copyingHead")->text()));
        QVERIFY(dialog.matrix()->accessibleDescription().contains(QStringLiteral("one layer")));
    }

    void aReadingCanBeRepeated() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("bert-mini-4l")));
        const OpenCircuits dialog(window);
        QVERIFY(dialog.isRead());
        QTest::mouseClick(dialog.find<QPushButton>("computeAgain"), Qt::LeftButton);
        QVERIFY(dialog.isRead());
        QCOMPARE(dialog.edges()->model()->rowCount(), 20);
        QTest::mouseClick(dialog.find<QPushButton>("closeDialog"), Qt::LeftButton);
        QTRY_VERIFY(!window.find<CircuitsDialog>("circuitsDialog"));
    }
};

const headscope::test::TestRegistration<TestCircuitsDialog> registration;

} // namespace test_circuits_dialog

#include "test_circuits_dialog.moc"
