#include "core/engine/engine.h"
#include "core/engine/head_mask.h"
#include "core/export/save_smaller_model.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/export/export_dialog.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/window/messages.h"
#include "ui/widgets/head_mosaic.h"
#include "ui/widgets/heatmap.h"

#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QToolButton>

namespace test_smaller_model_in_window {

using namespace headscope;
using namespace headscope::test;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

/// Two heads in front, one in the middle, and the whole last layer.
const HeadSet kRemoved{{0, 0}, {0, 1}, {4, 0}, {5, 0}, {5, 1}, {5, 2},
                       {5, 3}, {5, 4}, {5, 5}, {5, 6}, {5, 7}};

QString savedWithout(const TemporarySettings& settings, const HeadSet& removed) {
    const auto whole = loadSample("gpt2-mini-6l");
    const QString path = settings.path(QStringLiteral("smaller.h5"));
    const std::vector<TokenIds> check_on{{1, 2, 3, 4, 5}};
    require(saveSmallerModel(whole, {removed, {}}, path.toStdString(), check_on));
    return path;
}

QPoint centreOf(const HeadMosaic* grid, int row, int column) {
    return grid->cellRect(row, column).center();
}

} // namespace

class TestSmallerModelInWindow : public QObject {
    Q_OBJECT

private slots:
    void headsKeepTheirNumbers() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.startOn(savedWithout(settings, kRemoved)));
        const auto* grid = window.find<HeadMosaic>("headGrid");
        QCOMPARE(grid->columns(), 8);
        for (int row = 0; row < 6; ++row)
            for (int column = 0; column < 8; ++column)
                QCOMPARE(grid->cell(row, column).removed,
                         std::ranges::count(kRemoved, LayerHead{static_cast<std::size_t>(row),
                                                                static_cast<std::size_t>(column)}) >
                             0);
        QCOMPARE(grid->cell(4, 0).tooltip.html(),
                 QStringLiteral("L4 H0 was removed from this network."));
        QVERIFY(grid->cell(4, 1).tooltip.html().startsWith(QStringLiteral("<b>L4 H1</b>")));
        QVERIFY(!grid->cell(4, 1).letters.isEmpty());
        const auto scores = window.document().headScorer().scores();
        QCOMPARE(scores->heads.size(), 48 - kRemoved.size());
    }

    void textsCountTheHeadsThatAreLeft() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        window->openPath(savedWithout(settings, kRemoved));
        QVERIFY(window.settled());
        const QString said = window.find<MessageBar>("messageBar")->text();
        QVERIFY2(said.contains(QStringLiteral("gpt2 · 6 layers, 37 heads ·")), qPrintable(said));
        QVERIFY(window.hasRun());
        const OpenedDialog<ExportDialog> dialog(window, "actionExport", "exportDialog");
        auto* what = dialog.find<QComboBox>("exportWhat");
        what->setCurrentIndex(what->findData(static_cast<int>(ExportWhat::AllHeads)));
        const QString summary = dialog.find<QLabel>("exportSummary")->text();
        QVERIFY2(summary.startsWith(QStringLiteral("6 layers with 37 heads in all, of each ")),
                 qPrintable(summary));
    }

    void gapsCannotBeChosen() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.startOn(savedWithout(settings, kRemoved)));
        Document& document = window.document();
        auto* grid = window.find<HeadMosaic>("headGrid");
        QTest::mouseClick(grid, Qt::LeftButton, {}, centreOf(grid, 4, 1));
        QCOMPARE(document.selection().head(), (LayerHead{4, 1}));
        QTest::mouseClick(grid, Qt::LeftButton, {}, centreOf(grid, 4, 0));
        QTest::mouseDClick(grid, Qt::LeftButton, {}, centreOf(grid, 5, 3));
        QTest::keyClick(grid, Qt::Key_Left);
        QTest::keyClick(grid, Qt::Key_Down);
        QTest::keyClick(grid, Qt::Key_PageDown); // the last layer that has heads is this one
        QCOMPARE(document.selection().head(), (LayerHead{4, 1}));
        QTest::keyClick(grid, Qt::Key_PageUp); // L0 H1 is gone
        QCOMPARE(document.selection().head(), (LayerHead{1, 1}));
        QTest::keyClick(grid, Qt::Key_Right);
        QTest::keyClick(grid, Qt::Key_Up);
        QCOMPARE(document.selection().head(), (LayerHead{0, 2}));
        document.selection().move(0, 3);
        document.selection().move(0, -5);
        QCOMPARE(document.selection().head(), (LayerHead{0, 5}));
        document.selection().move(0, -3);
        QTest::keyClick(grid, Qt::Key_Home);
        QCOMPARE(document.selection().head(), (LayerHead{0, 2}));
        document.selection().select({4, 0});
        document.ablation().toggleHead({4, 0});
        QCOMPARE(document.selection().head(), (LayerHead{0, 2}));
        QVERIFY(document.ablation().mask().empty());
    }

    void patternsAndAblationsAreThoseOfTheWholeNetwork() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.startOn(savedWithout(settings, kRemoved)));
        Document& document = window.document();
        QTest::mouseClick(window.find<QToolButton>("allHeadsButton"), Qt::LeftButton);
        const auto* patterns = window.find<HeadMosaic>("allHeads");
        QTRY_VERIFY_WITH_TIMEOUT(patterns->rows() == 6 && !patterns->cell(4, 7).thumbnail.isNull(),
                                 kPatience);
        QVERIFY(patterns->cell(5, 3).removed && patterns->cell(5, 3).thumbnail.isNull());
        document.ablation().toggleHead({4, 1});
        document.ablation().toggleHead({0, 2});
        QVERIFY(window.settled());
        const auto result = document.promptRunner().result();
        const auto whole = loadSample("gpt2-mini-6l");
        HeadMask mask = document.ablation().mask();
        for (const LayerHead head : kRemoved)
            mask.set(head, AblationKind::Zero);
        HookSet hooks;
        addAblation(hooks, mask, whole->spec);
        const auto expected = require(runModel(whole, result->prompt.ids, {}, hooks));
        for (const LayerHead head : result->masked->model->spec.allHeads())
            QVERIFY(difference(result->masked->pattern(head).view(), expected->pattern(head).view())
                        .absolute < 1e-5);
    }

    void networkWithoutAnyHeadIsRefused() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const auto before = window.document().model();
        const QSignalSpy refused(&window.document(), &Document::loadFailed);
        window.document().open(savedWithout(settings, loadSample("gpt2-mini-6l")->spec.allHeads()));
        QTRY_COMPARE_WITH_TIMEOUT(refused.size(), 1, kPatience);
        QVERIFY(refused.front().back().toString().contains(QStringLiteral("no attention")));
        QCOMPARE(window.document().model(), before);
    }
};

const headscope::test::TestRegistration<TestSmallerModelInWindow> registration;

} // namespace test_smaller_model_in_window

#include "test_smaller_model_in_window.moc"
