#include "core/heads/head_type.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/tables/head_text.h"
#include "ui/tables/score_table.h"
#include "ui/views/grid/type_controls.h"
#include "ui/views/scores/scores_dialog.h"
#include "ui/widgets/scatter_plot.h"

#include <QCheckBox>
#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>

namespace test_all_scores {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

class OpenScores : public OpenedDialog<ScoresDialog> {
public:
    explicit OpenScores(WindowUnderTest& window)
        : OpenedDialog(window, "actionAllScores", "scoresDialog") {}

    /// Of the table of scores, which has a neighbour.
    template <class T>
    T* findInTable(const char* name) const {
        return find<QWidget>("scoresTable")->findChild<T*>(QString::fromLatin1(name));
    }

    QTableView* table() const { return findInTable<QTableView>("tableView"); }
    QAbstractItemModel* rows() const { return table()->model(); }
    ScatterPlot* scatter() const { return find<ScatterPlot>("scatterPlot"); }

    QString text(int row, int column) const { return rows()->index(row, column).data().toString(); }
    /// −1 where there is none.
    int columnOf(const QString& name) const {
        for (int column = 0; column < rows()->columnCount(); ++column)
            if (rows()->headerData(column, Qt::Horizontal).toString() == name)
                return column;
        return -1;
    }
    void click(int row) const {
        table()->scrollTo(rows()->index(row, 0));
        const QRect cell = table()->visualRect(rows()->index(row, 0));
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, cell.center());
    }
    QString selectedHead() const {
        const QModelIndexList chosen = table()->selectionModel()->selectedRows();
        return chosen.size() == 1 ? chosen.first().data().toString() : QString();
    }
    void search(const QString& words) const {
        findInTable<QLineEdit>("tableSearch")->clear();
        QTest::keyClicks(findInTable<QLineEdit>("tableSearch"), words);
    }
    void showScatter() const {
        find<QTabWidget>("scoresPages")->setCurrentIndex(1);
        QCoreApplication::processEvents();
        scatter()->grab(); // lays the axes out
    }
};

QByteArray bytesOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestAllScores : public QObject {
    Q_OBJECT

private slots:
    void everyHeadAndScoreIsThere() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const OpenScores dialog(window);
        QVERIFY(dialog.dialog->isVisible() && !dialog.dialog->isModal());
        const auto scores = window.document().headScorer().scores();
        QCOMPARE(dialog.rows()->rowCount(), 48);
        QCOMPARE(dialog.rows()->columnCount(),
                 ScoreTable::FirstScoreColumn + static_cast<int>(scores->types.size()));
        for (const HeadTypeId id : scores->types) {
            const int column = dialog.columnOf(toQString(headType(id).name));
            QVERIFY2(column >= 0, qPrintable(typeName(id)));
            QCOMPARE(dialog.text(33, column), scoreText(scores->at(id, {4, 1}).score));
        }
        QCOMPARE(dialog.text(33, 0), QStringLiteral("L4 H1"));
        QVERIFY(dialog.text(33, 1).startsWith(QStringLiteral("induction")));
    }

    void openingAgainShowsTheSameWindow() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const OpenScores first(window);
        const OpenScores second(window);
        QCOMPARE(second.dialog, first.dialog);
    }

    void selectionGoesBothWays() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const OpenScores dialog(window);
        QCOMPARE(dialog.selectedHead(), headName(window.document().selection().head()));
        dialog.click(2);
        QCOMPARE(window.document().selection().head(), (LayerHead{0, 2}));
        QTest::keyClick(dialog.table(), Qt::Key_Down);
        QCOMPARE(window.document().selection().head(), (LayerHead{0, 3}));
        window.document().selection().select({5, 6});
        QCOMPARE(dialog.selectedHead(), QStringLiteral("L5 H6"));
        QVERIFY(dialog.find<QLabel>("scoresHead")->text().startsWith(QStringLiteral("L5 H6 · ")));
    }

    void clickOnAHeaderSortsTheHighestFirst() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const OpenScores dialog(window);
        const int column = dialog.columnOf(QStringLiteral("Induction"));
        const QHeaderView* header = dialog.table()->horizontalHeader();
        const QScrollBar* scroll = dialog.table()->verticalScrollBar();
        window.document().selection().select({5, 7});
        QVERIFY(scroll->value() > 0);
        dialog.table()->scrollTo(dialog.rows()->index(47, column));
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                          QPoint(header->sectionViewportPosition(column) + 10, 10));
        QCOMPARE(scroll->value(), 0);
        const auto scores = window.document().headScorer().scores();
        double best = 0.0;
        for (const HeadScore& score : scores->scores)
            if (score.type == HeadTypeId::Induction)
                best = std::max(best, score.score);
        QCOMPARE(dialog.text(0, column), scoreText(best));
        QVERIFY(dialog.text(47, column).toDouble() < 0.2);
        dialog.click(0);
        QCOMPARE(scoreText(
                     scores->at(HeadTypeId::Induction, window.document().selection().head()).score),
                 scoreText(best));
    }

    void searchingDoesNotMoveTheSelection() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const OpenScores dialog(window);
        window.document().selection().select({4, 1});
        dialog.search(QStringLiteral("L2"));
        QCOMPARE(dialog.rows()->rowCount(), 8);
        QCOMPARE(window.document().selection().head(), (LayerHead{4, 1}));
        QCOMPARE(dialog.selectedHead(), QString());
        const auto* empty = dialog.findInTable<QLabel>("tableEmpty");
        QVERIFY(!empty->isVisible());
        dialog.search(QStringLiteral("9.9"));
        QVERIFY(empty->isVisible());
        QVERIFY2(empty->text().startsWith(QStringLiteral("No head fits")),
                 qPrintable(empty->text()));
        dialog.search(QString());
        QVERIFY(!empty->isVisible());
        QCOMPARE(dialog.selectedHead(), QStringLiteral("L4 H1"));
    }

    void headsWithoutATypeAreLeftOut() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const OpenScores dialog(window);
        QTest::mouseClick(dialog.find<QCheckBox>("labelledOnly"), Qt::LeftButton);
        const int labelled = dialog.rows()->rowCount();
        QVERIFY(labelled > 0 && labelled < 48);
        for (int row = 0; row < labelled; ++row)
            QVERIFY(!dialog.text(row, ScoreTable::TypesColumn).isEmpty());
        for (const HeadType& type : headTypes())
            window.document().setThreshold(type.id, 1.0);
        QVERIFY(dialog.rows()->rowCount() < labelled);
    }

    void rowsAreCopiedWithTheirNames() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const OpenScores dialog(window);
        window.document().selection().select({4, 1});
        dialog.dialog->activateWindow();
        dialog.table()->setFocus();
        QTRY_VERIFY_WITH_TIMEOUT(dialog.table()->hasFocus(), kPatience);
        QTest::keyClick(dialog.table(), Qt::Key_C, Qt::ControlModifier);
        const QStringList lines = QGuiApplication::clipboard()->text().split(QLatin1Char('\n'));
        QCOMPARE(lines.size(), 2);
        QVERIFY2(lines[0].startsWith(QStringLiteral("Head\tTypes\tPrevious token\t")),
                 qPrintable(lines[0]));
        QVERIFY2(lines[1].startsWith(QStringLiteral("L4 H1\tinduction")), qPrintable(lines[1]));
        QCOMPARE(lines[1].count(QLatin1Char('\t')), lines[0].count(QLatin1Char('\t')));
        dialog.table()->selectAll();
        QTest::mouseClick(dialog.find<QPushButton>("scoresCopy"), Qt::LeftButton);
        QCOMPARE(QGuiApplication::clipboard()->text().count(QLatin1Char('\n')), 48);
    }

    void exportsWithProvenance() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const OpenScores dialog(window);
        auto* write = dialog.find<QPushButton>("scoresExport");
        const auto* state = dialog.find<QLabel>("scoresHead");
        window.dialogs.to_save = settings.path(QStringLiteral("scores.csv"));
        QTest::mouseClick(write, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(state->text(),
                                  QStringLiteral("Written: ") + window.dialogs.to_save, kPatience);
        const QByteArray csv = bytesOf(window.dialogs.to_save);
        QVERIFY(csv.contains("\n0,1,induction,"));
        QVERIFY(csv.contains(window.document().model()->sha256.c_str()));
        window.dialogs.to_save = settings.path(QStringLiteral("scores.json"));
        QTest::mouseClick(write, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(state->text(),
                                  QStringLiteral("Written: ") + window.dialogs.to_save, kPatience);
        QVERIFY(bytesOf(window.dialogs.to_save).contains("\"provenance\""));
        window.dialogs.to_save = settings.path(QStringLiteral("scores.txt"));
        QTest::mouseClick(write, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(state->text().contains(QStringLiteral(".csv, .json or .h5")),
                                 kPatience);
    }

    void dotsAreHeads() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const OpenScores dialog(window);
        dialog.showScatter();
        ScatterPlot* scatter = dialog.scatter();
        const auto scores = window.document().headScorer().scores();
        QCOMPARE(scatter->content().points.size(), 48);
        QCOMPARE(scatter->content().points[33].x, scores->at(HeadTypeId::Previous, {4, 1}).score);
        QCOMPARE(scatter->content().points[33].y, scores->at(HeadTypeId::Induction, {4, 1}).score);
        QCOMPARE(scatter->content().points[33].letter, QStringLiteral("I"));
        QVERIFY(scatter->content().points[33].text.startsWith(QStringLiteral("L4 H1\n")));
        QCOMPARE(scatter->content().y_threshold,
                 window.document().thresholds().of(HeadTypeId::Induction));
        window.document().selection().select({0, 3});
        QCOMPARE(scatter->selected(), 3);
        const QPoint place = scatter->placeOf(33);
        QWidget* drawing = scatter->childAt(place);
        QTest::mouseClick(drawing, Qt::LeftButton, {}, drawing->mapFrom(scatter, place));
        QCOMPARE(window.document().selection().head(), (LayerHead{4, 1}));
        QCOMPARE(dialog.selectedHead(), QStringLiteral("L4 H1"));
    }

    void anyTwoScoresCanBeCompared() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const OpenScores dialog(window);
        dialog.showScatter();
        auto* up = dialog.find<ScoreBox>("scatterUp");
        QCOMPARE(up->count(),
                 static_cast<int>(window.document().headScorer().scores()->types.size()));
        QCOMPARE(up->chosen(), std::optional(HeadTypeId::Induction));
        chooseByKeys(up, QStringLiteral("attention sink"));
        QCOMPARE(up->chosen(), std::optional(HeadTypeId::Sink));
        QCOMPARE(dialog.scatter()->content().y_name, QStringLiteral("attention sink"));
        QCOMPARE(dialog.scatter()->content().points[1].y,
                 window.document().headScorer().scores()->at(HeadTypeId::Sink, {0, 1}).score);
        QTest::mouseClick(dialog.find<QToolButton>("scatterSwap"), Qt::LeftButton);
        QCOMPARE(dialog.scatter()->content().x_name, QStringLiteral("attention sink"));
        QCOMPARE(dialog.scatter()->content().y_name, QStringLiteral("previous token"));
    }

    void followsTheModelAndItsScores() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const OpenScores dialog(window);
        window->openPath(samplePath(QStringLiteral("microgpt")));
        QTRY_COMPARE_WITH_TIMEOUT(window.document().model()->name, std::string("microgpt"),
                                  kPatience);
        QVERIFY(window.settled());
        const ModelSpec& spec = window.document().model()->spec;
        QCOMPARE(dialog.rows()->rowCount(), static_cast<int>(spec.n_layers * spec.n_heads));
        QCOMPARE(dialog.scatter()->content().points.size(), dialog.rows()->rowCount());
        QVERIFY(dialog.dialog->windowTitle().contains(QStringLiteral("microgpt")));
        window.document().setScoreSource(ScoreSource::Prompt);
        QVERIFY(window.settled());
        QCOMPARE(dialog.rows()->columnCount() - ScoreTable::FirstScoreColumn,
                 static_cast<int>(window.document().headScorer().scores()->types.size()));
    }

    void saysWhatIsMissing() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const OpenScores dialog(window);
        window->openPath(samplePath(QStringLiteral("microgpt")));
        QSignalSpy changed(&window.document(), &Document::modelChanged);
        QVERIFY(changed.wait(kPatience));
        window.document().headScorer().worker()->cancel();
        const auto* empty = dialog.findInTable<QLabel>("tableEmpty");
        QVERIFY(empty->isVisible());
        QVERIFY2(empty->text().contains(QStringLiteral("Score Heads Again")),
                 qPrintable(empty->text()));
        QVERIFY(!dialog.find<QPushButton>("scoresExport")->isEnabled());
    }

    void controlsAreNamedAndExplained() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const OpenScores dialog(window);
        for (const char* name : {"labelledOnly", "scoresCopy", "scoresExport", "scatterAcross",
                                 "scatterUp", "scatterSwap"}) {
            auto* control = dialog.find<QWidget>(name);
            QVERIFY2(control, name);
            QVERIFY2(!control->toolTip().isEmpty(), name);
            QVERIFY2(control->focusPolicy() & Qt::TabFocus, name);
        }
        for (const char* name : {"tableSearch", "tableView", "scatterPlot"})
            QVERIFY2(!dialog.find<QWidget>(name)->accessibleName().isEmpty(), name);
    }
};

const headscope::test::TestRegistration<TestAllScores> registration;

} // namespace test_all_scores

#include "test_all_scores.moc"
