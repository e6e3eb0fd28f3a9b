#include "core/heads/head_type.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/widgets/head_mosaic.h"
#include "ui/widgets/score_bar.h"

#include <QCheckBox>
#include <QLabel>
#include <QPushButton>

#include <set>

namespace test_thresholds {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

class TestThresholds : public QObject {
    Q_OBJECT

    static void editThresholds(WindowUnderTest& window) {
        QTest::mouseClick(window.find<QCheckBox>("editThresholds"), Qt::LeftButton, {}, {8, 8});
    }

private slots:
    void draggingAThresholdChangesTheLabels() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        window.document().selection().select({4, 1});
        editThresholds(window);
        const auto* grid = window.find<HeadMosaic>("headGrid");
        auto* bar = window.find<ScoreBar>("bar_induction");
        QVERIFY(grid->cell(4, 1).letters.contains(QLatin1Char('I')));
        const QPoint handle(8 + qRound(0.3 * (bar->width() - 16)), bar->rect().center().y());
        QTest::mousePress(bar, Qt::LeftButton, {}, handle);
        QTest::mouseMove(bar, QPoint(bar->width() - 1, handle.y()));
        QTest::mouseRelease(bar, Qt::LeftButton, {}, QPoint(bar->width() - 1, handle.y()));
        QVERIFY(window.document().thresholds().of(HeadTypeId::Induction) > 0.9);
        QVERIFY(!grid->cell(4, 1).letters.contains(QLatin1Char('I')));
        QTest::mouseClick(window.find<QPushButton>("resetThresholds"), Qt::LeftButton);
        QCOMPARE(window.document().thresholds(), Thresholds());
        QVERIFY(grid->cell(4, 1).letters.contains(QLatin1Char('I')));
    }

    void theKeyboardMovesThemToo() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        editThresholds(window);
        auto* bar = window.find<ScoreBar>("bar_sink");
        bar->setFocus();
        QTest::keyClick(bar, Qt::Key_End);
        QCOMPARE(window.document().thresholds().of(HeadTypeId::Sink), 1.0);
    }

    void theyStayWhereTheyAreUntilTheyAreOpened() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        window.document().selection().select({4, 1});
        auto* bar = window.find<ScoreBar>("bar_induction");
        QCOMPARE(bar->focusPolicy(), Qt::NoFocus);
        const QPoint handle(8 + qRound(0.3 * (bar->width() - 16)), bar->rect().center().y());
        QTest::mousePress(bar, Qt::LeftButton, {}, handle);
        QTest::mouseMove(bar, QPoint(bar->width() - 1, handle.y()));
        QTest::mouseRelease(bar, Qt::LeftButton, {}, QPoint(bar->width() - 1, handle.y()));
        QTest::keyClick(bar, Qt::Key_End);
        QCOMPARE(window.document().thresholds(), Thresholds());
        QVERIFY(!window.find<QPushButton>("resetThresholds")->isVisible());
    }

    void headingsWithoutTypesAreHidden() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("induction-circuit")));
        QTest::mouseClick(window.find<QCheckBox>("allTypes"), Qt::LeftButton, {}, {8, 8});
        std::set<TypeGroup> measured;
        for (const HeadTypeId type : window.document().headScorer().scores()->types)
            measured.insert(headType(type).group);
        std::size_t hidden = 0;
        for (const HeadType& type : headTypes()) {
            const auto* heading = window->findChild<QLabel*>(
                QStringLiteral("typeHeading_%1").arg(static_cast<int>(type.group)));
            QCOMPARE(heading->isVisibleTo(heading->parentWidget()), measured.contains(type.group));
            hidden += measured.contains(type.group) ? 0 : 1;
        }
        QVERIFY(hidden > 0);
    }

    void thePanelFollowsTheSource() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        auto* input = window.find<QLabel>("scoreInput");
        const QString random = input->text();
        window.document().setScoreSource(ScoreSource::Prompt);
        QVERIFY(input->text() != random);
    }
};

const headscope::test::TestRegistration<TestThresholds> registration;

} // namespace test_thresholds

#include "test_thresholds.moc"
