#include "core/heads/head_type.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/widgets/head_mosaic.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>

namespace test_effect_panel {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

class TestEffectPanel : public QObject {
    Q_OBJECT

private slots:
    void aHeadIsTestedByOneClick() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        window.document().selection().select({0, 7});
        auto* button = window.find<QPushButton>("testEffect");
        const auto* answer = window.find<QLabel>("effectAnswer");
        QCOMPARE(button->text(), QStringLiteral("Effect of ablating L0 H7"));
        QVERIFY(!answer->isVisible());
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(!button->isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(window.document().effectTester().effect({0, 7}), kPatience);
        QVERIFY(answer->isVisible());
        QVERIFY2(answer->text().contains(QStringLiteral("Ablating it has an effect here.")),
                 qPrintable(answer->text()));
        QVERIFY(answer->text().contains(QStringLiteral("of 10 other heads")));
        const auto* grid = window.find<HeadMosaic>("headGrid");
        QVERIFY(grid->cell(0, 7).has_effect == true);
        QVERIFY(!grid->cell(0, 6).has_effect);
        // The answer belongs to that head.
        window.document().selection().select({0, 6});
        QVERIFY(!answer->isVisible());
        QVERIFY(button->isEnabled());
    }

    void allTypesAreTested() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("induction-circuit")));
        window.find<QAction>("actionTestAllEffects")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(window.document().effectTester().effect({1, 3}), kPatience);
        const auto* grid = window.find<HeadMosaic>("headGrid");
        QVERIFY(grid->cell(0, 0).has_effect == true);  // the only previous-token head
        QVERIFY(grid->cell(1, 0).has_effect == false); // an induction head with a twin
        QVERIFY(grid->cell(0, 3).has_effect == false);
    }

    void anotherAblationMakesTheAnswersOld() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("induction-circuit")));
        window.document().testEffect({0, 0});
        QTRY_VERIFY_WITH_TIMEOUT(window.document().effectTester().effect({0, 0}), kPatience);
        window.document().ablation().setKind(AblationKind::Mean);
        QVERIFY(!window.document().effectTester().effect({0, 0}));
        window.document().testEffect({0, 0});
        QTRY_VERIFY_WITH_TIMEOUT(window.document().effectTester().effect({0, 0}), kPatience);
        window.document().setScoreSource(ScoreSource::Prompt);
        QVERIFY(!window.document().effectTester().effect({0, 0}));
    }

    // A local head is tested on sentences, where its type was read from.
    void sentenceTypesAreTestedOnSentences() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const auto types = labels(*window.document().headScorer().scores(), {0, 1}, {});
        QVERIFY(!types.empty() && headType(types.front()).input == InputKind::Sentences);
        window.document().testEffect({0, 1});
        QTRY_VERIFY_WITH_TIMEOUT(window.document().effectTester().effect({0, 1}), kPatience);
        QCOMPARE(window.document().effectTester().effect({0, 1})->measure, EffectMeasure::Loss);
        QVERIFY(window.document().effectTester().effect({0, 1})->sequences > 30);
    }

    void ownPromptIsTestedOnItself() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("attn-only-2l")));
        window.document().setScoreSource(ScoreSource::Prompt);
        QTRY_VERIFY_WITH_TIMEOUT(window.document().headScorer().scores(), kPatience);
        window.document().testEffect({0, 7});
        QTRY_VERIFY_WITH_TIMEOUT(window.document().effectTester().effect({0, 7}), kPatience);
        const AblationEffect* cause = window.document().effectTester().effect({0, 7});
        QCOMPARE(cause->sequences, std::size_t{1});
        QCOMPARE(cause->measure, EffectMeasure::Loss);
        window.document().setPromptText(QStringLiteral("another text"));
        QTRY_VERIFY_WITH_TIMEOUT(!window.document().effectTester().effect({0, 7}), kPatience);
    }
};

const headscope::test::TestRegistration<TestEffectPanel> registration;

} // namespace test_effect_panel

#include "test_effect_panel.moc"
