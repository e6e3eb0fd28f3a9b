#include "core/heads/head_type.h"
#include "core/model/prompt.h"
#include "tests/support/runner.h"
#include "tests/ui/views/first_key.h"
#include "tests/ui/views/open_menu.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/prompt/prompt_bar.h"
#include "ui/widgets/head_mosaic.h"
#include "ui/widgets/heatmap.h"
#include "ui/widgets/token_strip.h"

#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QRegularExpression>
#include <QScrollArea>
#include <QTextDocument>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace test_head_grid {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

/// Whether the heatmap holds this head's pattern of the current run.
bool showsPatternOf(WindowUnderTest& window, LayerHead head) {
    const auto cells = window.find<Heatmap>("heatmap")->content().cells;
    const Tensor expected = window.document().promptRunner().result()->masked->pattern(head);
    if (!cells || cells->overview().values.shape() != expected.shape())
        return false;
    const Tensor& shown = cells->overview().values;
    for (std::size_t q = 0; q < expected.dim(0); ++q)
        for (std::size_t k = 0; k < expected.dim(1); ++k)
            if (k <= q ? std::fabs(shown(q, k) - expected(q, k)) > 1e-6f : !std::isnan(shown(q, k)))
                return false;
    return true;
}

QPoint cellCentre(const HeadMosaic* grid, int row, int column) {
    return grid->cellRect(row, column).center();
}

} // namespace

class TestHeadGrid : public QObject {
    Q_OBJECT

private slots:
    void clickingAHeadShowsItsPattern() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        showFirstKey(window);
        auto* grid = window.find<HeadMosaic>("headGrid");
        QTest::mouseClick(grid, Qt::LeftButton, {}, cellCentre(grid, 2, 1));
        QCOMPARE(window.document().selection().head(), (LayerHead{2, 1}));
        QTRY_VERIFY_WITH_TIMEOUT(showsPatternOf(window, {2, 1}), kPatience);
        QVERIFY(!showsPatternOf(window, {4, 1}));
        const QString title = window.find<Heatmap>("heatmap")->content().title;
        QVERIFY2(title.startsWith(QStringLiteral("L2 H1 · duplicate token 0.")), qPrintable(title));
    }

    void arrowKeysMoveInGridAndPattern() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        showFirstKey(window);
        window.document().selection().select({3, 3});
        auto* grid = window.find<HeadMosaic>("headGrid");
        grid->setFocus();
        QTest::keyClick(grid, Qt::Key_Right);
        QTest::keyClick(grid, Qt::Key_Down);
        QCOMPARE(window.document().selection().head(), (LayerHead{4, 4}));
        QCOMPARE(grid->selectedRow(), 4);
        auto* heatmap = window.find<Heatmap>("heatmap");
        heatmap->setFocus();
        QTest::keyClick(heatmap, Qt::Key_Left);
        QTest::keyClick(heatmap, Qt::Key_Up);
        QCOMPARE(window.document().selection().head(), (LayerHead{3, 3}));
        QTRY_VERIFY_WITH_TIMEOUT(showsPatternOf(window, {3, 3}), kPatience);
    }

    void altArrowsMoveFromThePrompt() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        showFirstKey(window);
        window.document().selection().select({0, 0});
        window->promptBar().focusPrompt();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(window.document().selection().head(), (LayerHead{0, 1}));
    }

    void typesHaveLettersAndTooltips() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        showFirstKey(window);
        const auto* grid = window.find<HeadMosaic>("headGrid");
        QCOMPARE(grid->cell(4, 1).letters.left(1), QStringLiteral("I"));
        QVERIFY(grid->cell(4, 1).tooltip.html().contains(QStringLiteral("induction")));
        QVERIFY(grid->cell(4, 1).tooltip.html().contains(QStringLiteral("· 95 % 0.")));
        QCOMPARE(grid->cell(0, 0).letters.left(1), QStringLiteral("P"));
    }

    void legendShowsOnlyTheChosenType() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        showFirstKey(window);
        const auto* grid = window.find<HeadMosaic>("headGrid");
        auto* previous = window.find<QToolButton>("legend_previous");
        QVERIFY(previous->toolTip().contains(QStringLiteral("<b>Previous token</b>"))); // whole
        QTest::mouseClick(previous, Qt::LeftButton);
        QCOMPARE(grid->cell(4, 1).letters, QString());
        QCOMPARE(grid->cell(0, 0).letters, QStringLiteral("P"));
        QTest::mouseClick(previous, Qt::LeftButton);
        QVERIFY(grid->cell(4, 1).letters.contains(QLatin1Char('I')));
    }

    void tipsHaveLinesOfAGoodLength() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const auto* induction = window.find<QToolButton>("legend_induction");
        const QString of_head = window.find<HeadMosaic>("headGrid")->cell(4, 1).tooltip.html();
        for (const QString& tip : {induction->toolTip(), of_head}) {
            QTextDocument shown; // as the label of a tool tip has it
            shown.setHtml(tip);
            shown.adjustSize();
            QVERIFY2(shown.size().width() > 300.0 && shown.size().width() < 600.0,
                     qPrintable(QString::number(shown.size().width())));
        }
        QVERIFY(induction->accessibleDescription().startsWith(QStringLiteral("Induction\n")));
    }

    void theLegendIsOneTabStop() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const auto stops = [&] {
            QStringList names;
            for (const QToolButton* button :
                 window->findChildren<QToolButton*>(QRegularExpression(QStringLiteral("^legend_"))))
                if (button->isVisible() && (button->focusPolicy() & Qt::TabFocus))
                    names << button->objectName();
            return names;
        };
        QCOMPARE(stops(), QStringList{QStringLiteral("legend_previous")});
        auto* previous = window.find<QToolButton>("legend_previous");
        previous->setFocus();
        QTest::keyClick(previous, Qt::Key_Right);
        auto* induction = window.find<QToolButton>("legend_induction");
        QVERIFY(induction->hasFocus());
        QCOMPARE(stops(), QStringList{QStringLiteral("legend_induction")});
        QTest::keyClick(induction, Qt::Key_Down);
        QVERIFY(!induction->hasFocus());
        QVERIFY(QApplication::focusWidget()->objectName().startsWith(QStringLiteral("legend_")));
        QTest::keyClick(induction, Qt::Key_Space);
        QVERIFY(induction->isChecked());
    }

    void theMenuOfAHeadCopiesItsTypes() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        auto* grid = window.find<HeadMosaic>("headGrid");
        chooseInMenu(*grid, cellCentre(grid, 4, 1), "copyTypes");
        const QString copied = QApplication::clipboard()->text();
        QVERIFY2(copied.startsWith(QStringLiteral("L4 H1: induction 0.")), qPrintable(copied));
    }

    void theMenuOfAHeadHasTheCommandsOfTheWindow() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        Document& document = window.document();
        auto* grid = window.find<HeadMosaic>("headGrid");
        document.selection().choose({{0, 2}, {4, 1}, {5, 3}}, {0, 2});
        chooseInMenu(*grid, cellCentre(grid, 4, 1), "actionAblateLayer"); // of the head pointed at
        QCOMPARE(document.selection().chosen().size(), std::size_t{3});
        QCOMPARE(document.ablation().mask().size(), std::size_t{8});
        QVERIFY(document.ablation().mask().isAblated({4, 7}));
        QVERIFY(window.find<QAction>("actionAblateLayer")->isChecked());
        document.ablation().clearMask();
        chooseInMenu(*grid, cellCentre(grid, 5, 3), "actionAblateHead"); // of all that are chosen
        QCOMPARE(document.ablation().mask().size(), std::size_t{3});
        chooseInMenu(*grid, cellCentre(grid, 1, 6), "actionBookmark"); // of a head outside
        QCOMPARE(document.selection().chosen(), (std::vector<LayerHead>{{1, 6}}));
        QVERIFY(document.notes().note({1, 6}).is_bookmarked);
        chooseInMenu(*grid, cellCentre(grid, 1, 6), "actionExport");
        QVERIFY(window.find<QDialog>("exportDialog"));
    }

    void theMenuOfThePatternLocksARow() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        showFirstKey(window);
        QTRY_VERIFY_WITH_TIMEOUT(showsPatternOf(window, window.document().selection().head()),
                                 kPatience);
        QVERIFY(window.settled());
        auto* heatmap = window.find<Heatmap>("heatmap");
        QWidget* plot = nullptr;
        QPoint at;
        const auto pointAtCell = [&] { // again where labels that came late have moved it
            plot = heatmap->childAt(heatmap->cellCentre(9, 3));
            at = plot->mapFrom(heatmap, heatmap->cellCentre(9, 3));
            QTest::mouseMove(plot, at);
            return heatmap->hoveredCell() == HeatmapCell{9, 3};
        };
        QTRY_VERIFY_WITH_TIMEOUT(pointAtCell(), kPatience);
        chooseInMenu(*plot, at, "lockPatternRow");
        QCOMPARE(window.document().selection().lockedRow(), std::optional<std::size_t>(9));
        chooseInMenu(*plot, at, "lockPatternRow");
        QVERIFY(!window.document().selection().lockedRow());
    }

    void typesThatAreFoundMoveNothing() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const auto* grid = window.find<HeadMosaic>("headGrid");
        auto* legend = window.find<QScrollArea>("typeLegend");
        const auto shown = [&] {
            return std::ranges::count_if(
                legend->findChildren<QToolButton*>(QRegularExpression(QStringLiteral("^legend_"))),
                &QToolButton::isVisible);
        };
        const auto places = [&] {
            return QList{QRect(grid->mapTo(&*window, QPoint()), grid->size()),
                         QRect(legend->mapTo(&*window, QPoint()), legend->size())};
        };
        const auto before = places();
        const auto few = shown();
        for (const HeadType& type : headTypes())
            window.document().setThreshold(type.id, 0.0);
        QTRY_VERIFY(shown() > few);
        QCoreApplication::sendPostedEvents();
        QCOMPARE(places(), before);
        auto* last = window.find<QToolButton>("legend_local");
        last->setFocus(Qt::TabFocusReason); // as the arrow keys do
        QVERIFY(legend->viewport()->rect().contains(
            QRect(last->mapTo(legend->viewport(), QPoint()), last->size())));
    }

    void aLockedRowTintsTheTokens() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        showFirstKey(window);
        QTRY_VERIFY_WITH_TIMEOUT(showsPatternOf(window, window.document().selection().head()),
                                 kPatience);
        auto* heatmap = window.find<Heatmap>("heatmap");
        QTest::mouseClick(heatmap->childAt(heatmap->cellCentre(9, 3)), Qt::LeftButton, {},
                          heatmap->childAt(heatmap->cellCentre(9, 3))
                              ->mapFrom(heatmap, heatmap->cellCentre(9, 3)));
        QTRY_COMPARE_WITH_TIMEOUT(window.document().selection().lockedRow(),
                                  std::optional<std::size_t>(9), kPatience);
        const auto& chips = window.find<TokenStrip>("tokenStrip")->chips();
        const Run& run = *window.document().promptRunner().result()->masked;
        // A row by itself is another product than a row of a tile: equal but for rounding.
        const auto weight =
            static_cast<double>(run.weight(window.document().selection().head(), 9, 3));
        QVERIFY(std::abs(*chips.at(3).weight - weight) < 1e-6);
    }

    void allHeadsAreDrawnSideBySide() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        showFirstKey(window);
        QTest::mouseClick(window.find<QToolButton>("allHeadsButton"), Qt::LeftButton);
        auto* mosaic = window.find<HeadMosaic>("allHeads");
        QTRY_VERIFY_WITH_TIMEOUT(mosaic->rows() == 6 && !mosaic->cell(5, 7).thumbnail.isNull(),
                                 kPatience);
        QTest::mouseDClick(mosaic, Qt::LeftButton, {}, cellCentre(mosaic, 1, 2));
        QCOMPARE(window.document().selection().head(), (LayerHead{1, 2}));
        QVERIFY(window.find<Heatmap>("heatmap")->isVisible());
    }
};

const headscope::test::TestRegistration<TestHeadGrid> registration;

} // namespace test_head_grid

#include "test_head_grid.moc"
