#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/tables/head_text.h"
#include "ui/views/grid/mosaic_heads.h"
#include "ui/views/grid/type_controls.h"
#include "ui/widgets/colours.h"
#include "ui/widgets/head_mosaic.h"

#include <QAbstractItemView>
#include <QMenu>
#include <QTimer>
#include <QToolButton>

#include <limits>

namespace test_grid_by_score {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

/// The grid of a window coloured by a score, as a person makes it.
class ScoredGrid {
public:
    ScoredGrid(WindowUnderTest& window, const QString& score) : window_(window) {
        grid = window.find<HeadMosaic>("headGrid");
        box = window.find<ScoreBox>("gridScore");
        sort = window.find<QToolButton>("gridSorted");
        chooseByKeys(box, score);
    }

    double score(LayerHead head) const {
        return window_.document().headScorer().scores()->at(*box->chosen(), head).score;
    }
    /// The place of a head, by the name in its cell: (column, row).
    QPoint placeOf(LayerHead head) const {
        const QString name = QStringLiteral("H%1").arg(head.head);
        const int row = static_cast<int>(head.layer);
        for (int column = 0; column < grid->columns(); ++column)
            if (grid->cell(row, column).name == name)
                return {column, row};
        return {-1, -1};
    }
    QPoint centreOf(LayerHead head) const {
        const QPoint place = placeOf(head);
        return grid->cellRect(place.y(), place.x()).center();
    }

    HeadMosaic* grid = nullptr;
    ScoreBox* box = nullptr;
    QToolButton* sort = nullptr;

private:
    WindowUnderTest& window_;
};

/// A head whose place in the sorted layer is not its number.
LayerHead movedHead(const ScoredGrid& scored, std::size_t layer, std::size_t n_heads) {
    for (std::size_t head = 0; head < n_heads; ++head)
        if (scored.placeOf({layer, head}).x() != static_cast<int>(head))
            return {layer, head};
    return {layer, n_heads};
}

} // namespace

class TestGridByScore : public QObject {
    Q_OBJECT

private slots:
    void orderIsTheHighestFirst() {
        HeadScores scores;
        scores.heads = {2, 4};
        scores.types = {HeadTypeId::Sink};
        const double values[] = {
            0.1, std::numeric_limits<double>::quiet_NaN(), 0.9, 0.1, 0.4, 0.3, 0.2, 0.5};
        for (std::size_t i = 0; i < 8; ++i)
            scores.scores.push_back(
                {{i / 4, i % 4}, HeadTypeId::Sink, values[i], 0.0, 0.0, 0.0, 0.0});
        const HeadOrder order(scores, HeadTypeId::Sink);
        const std::size_t expected[2][4] = {{2, 0, 3, 1}, {3, 0, 1, 2}};
        for (int row = 0; row < 2; ++row)
            for (int column = 0; column < 4; ++column) {
                const LayerHead head = *order.headAt(row, column);
                QCOMPARE(head, (LayerHead{static_cast<std::size_t>(row), expected[row][column]}));
                QCOMPARE(order.columnOf(head), column);
            }
        QCOMPARE(*HeadOrder().headAt(1, 2), (LayerHead{1, 2}));
        QCOMPARE(HeadOrder().columnOf({1, 2}), 2);
    }

    void cellsShowTheScore() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const ScoredGrid scored(window, QStringLiteral("induction"));
        const double score = scored.score({4, 1});
        const MosaicCell& cell = scored.grid->cell(4, 1);
        QCOMPARE(cell.value, shortScoreText(score));
        QCOMPARE(cell.colour, colourAt(ColourMap::Viridis, score));
        QVERIFY(cell.bold && !scored.grid->cell(0, 0).bold);
        QCOMPARE(scored.grid->cell(0, 0).value, shortScoreText(scored.score({0, 0})));
        QVERIFY(cell.name.isEmpty());
        scored.box->setFocus();
        QTest::keyClick(scored.box, Qt::Key_Home);
        QCOMPARE(scored.grid->cell(4, 1).value, QString());
        QCOMPARE(scored.grid->cell(4, 1).letters.left(1), QStringLiteral("I"));
        QVERIFY(!scored.sort->isEnabled());
    }

    void sortedCellsStandForTheirHeads() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const ScoredGrid scored(window, QStringLiteral("induction"));
        QTest::mouseClick(scored.sort, Qt::LeftButton);
        Document& document = window.document();
        const LayerHead moved = movedHead(scored, 3, 8);
        QVERIFY(moved.head < 8);
        document.selection().select({0, 0});
        QTest::mouseClick(scored.grid, Qt::LeftButton, {}, scored.centreOf(moved));
        QCOMPARE(document.selection().head(), moved);
        QCOMPARE(scored.grid->selectedColumn(), scored.placeOf(moved).x());
        QVERIFY(scored.grid->cell(3, scored.placeOf(moved).x())
                    .tooltip.html()
                    .contains(headName(moved)));
        document.selection().select({4, 1});
        QCOMPARE(scored.grid->selectedColumn(), scored.placeOf({4, 1}).x());
        for (int column = 1; column < 8; ++column)
            QVERIFY(scored.score(headNamed(scored, 4, column - 1)) >=
                    scored.score(headNamed(scored, 4, column)));
        // Keys move over the grid and act on the head under them.
        document.selection().select(headNamed(scored, 4, 0));
        scored.grid->setFocus();
        QTest::keyClick(scored.grid, Qt::Key_Right);
        const LayerHead second = headNamed(scored, 4, 1);
        QCOMPARE(document.selection().head(), second);
        QTest::keyClick(scored.grid, Qt::Key_Space);
        QVERIFY(document.ablation().mask().isAblated(second));
        QVERIFY(scored.grid->cell(4, 1).ablated);
    }

    void menuOfASortedCellNamesItsHead() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const ScoredGrid scored(window, QStringLiteral("induction"));
        QTest::mouseClick(scored.sort, Qt::LeftButton);
        const LayerHead moved = movedHead(scored, 2, 8);
        QString first;
        QTimer::singleShot(0, this, [&] {
            auto* menu = window.find<QMenu>("gridMenu");
            first = menu ? menu->actions().first()->text() : QString();
            if (menu)
                menu->close();
        });
        const QPoint place = scored.placeOf(moved);
        emit scored.grid->contextMenuRequested(place.y(), place.x(), QPoint(5, 5));
        QVERIFY2(first.contains(headName(moved)), qPrintable(first));
    }

    void groupsAreMarkedOnlyWhileTheySitTogether() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("llama-mini-gqa-4l")));
        const ScoredGrid scored(window, QStringLiteral("induction"));
        const auto gapAfter = [&](int column) {
            return scored.grid->cellRect(0, column + 1).left() -
                   scored.grid->cellRect(0, column).right();
        };
        const int group = static_cast<int>(window.document().model()->spec.headsPerGroup());
        QVERIFY(group > 1);
        QVERIFY(gapAfter(group - 1) > gapAfter(0));
        QTest::mouseClick(scored.sort, Qt::LeftButton);
        QCOMPARE(gapAfter(group - 1), gapAfter(0));
        QTest::mouseClick(scored.sort, Qt::LeftButton);
        QVERIFY(gapAfter(group - 1) > gapAfter(0));
        QVERIFY(scored.grid->cell(0, 0).name.isEmpty());
    }

    void legendFiltersScoresToo() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const ScoredGrid scored(window, QStringLiteral("induction"));
        QTest::mouseClick(window.find<QToolButton>("legend_previous"), Qt::LeftButton);
        QCOMPARE(scored.grid->cell(4, 1).value, QString());
        QVERIFY(!scored.grid->cell(4, 1).colour.isValid());
        QCOMPARE(scored.grid->cell(0, 0).value, shortScoreText(scored.score({0, 0})));
    }

    void patternsOfAllHeadsStayInOrder() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const ScoredGrid scored(window, QStringLiteral("induction"));
        QTest::mouseClick(scored.sort, Qt::LeftButton);
        QTest::mouseClick(window.find<QToolButton>("allHeadsButton"), Qt::LeftButton);
        const auto* patterns = window.find<HeadMosaic>("allHeads");
        QTRY_COMPARE_WITH_TIMEOUT(patterns->rows(), 6, kPatience);
        window.document().selection().select({4, 1});
        QCOMPARE(patterns->selectedColumn(), 1);
        QCOMPARE(patterns->cell(4, 1).letters.left(1), QStringLiteral("I"));
        QCOMPARE(patterns->cell(4, 1).value, QString());
    }

    void theChoiceIsKept() {
        const TemporarySettings settings;
        {
            WindowUnderTest window;
            QVERIFY(window.start(QStringLiteral("microgpt")));
            const ScoredGrid scored(window, QStringLiteral("attention sink"));
            QTest::mouseClick(scored.sort, Qt::LeftButton);
            window.close();
        }
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        QCOMPARE(window.find<ScoreBox>("gridScore")->chosen(), std::optional(HeadTypeId::Sink));
        QVERIFY(window.find<QToolButton>("gridSorted")->isChecked());
        QVERIFY(!window.find<HeadMosaic>("headGrid")->cell(0, 0).name.isEmpty());
    }

    void aScoreThatTheModelLacksComesBack() {
        const TemporarySettings settings;
        QSettings().setValue(QStringLiteral("view/gridScore"), QStringLiteral("next"));
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt"))); // causal: nothing looks ahead
        const auto* box = window.find<ScoreBox>("gridScore");
        QCOMPARE(box->chosen(), std::nullopt);
        QCOMPARE(box->currentText(), QStringLiteral("types"));
        window->openPath(samplePath(QStringLiteral("bert-mini-4l")));
        QTRY_COMPARE_WITH_TIMEOUT(window.document().model()->name, std::string("bert-mini-4l"),
                                  kPatience);
        QVERIFY(window.settled());
        QCOMPARE(box->chosen(), std::optional(HeadTypeId::Next));
    }

    void commandsReachBothChoices() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const ScoredGrid scored(window, QStringLiteral("induction"));
        window.find<QAction>("actionSortHeads")->trigger();
        QVERIFY(scored.sort->isChecked());
        window.find<QAction>("actionColourBy")->trigger();
        QVERIFY(scored.box->view()->isVisible());
        scored.box->hidePopup();
    }

private:
    static LayerHead headNamed(const ScoredGrid& scored, int row, int column) {
        return {static_cast<std::size_t>(row), scored.grid->cell(row, column).name.mid(1).toUInt()};
    }
};

const headscope::test::TestRegistration<TestGridByScore> registration;

} // namespace test_grid_by_score

#include "test_grid_by_score.moc"
