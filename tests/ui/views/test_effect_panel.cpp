#include "core/heads/head_type.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/scores/effect_panel.h"
#include "ui/widgets/head_mosaic.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
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
        QTRY_VERIFY_WITH_TIMEOUT(!window.document().effectTester().worker()->isBusy(), kPatience);
        QVERIFY(answer->isVisible());
        QVERIFY2(answer->text().contains(QStringLiteral("<b>Needed</b> · previous token")),
                 qPrintable(answer->text()));
        QVERIFY(answer->text().contains(QStringLiteral("of 10 other heads")));
        const auto* grid = window.find<HeadMosaic>("headGrid");
        QVERIFY(grid->cell(0, 7).effect == EffectMark::Dot);
        QVERIFY(grid->cell(0, 7).tooltip.plainText().contains(QStringLiteral("): Needed, +")));
        QVERIFY(!grid->cell(0, 6).effect);
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
        QTRY_VERIFY_WITH_TIMEOUT(!window.document().effectTester().worker()->isBusy(), kPatience);
        QVERIFY(grid->cell(0, 0).effect == EffectMark::Dot);  // the only previous-token head
        QVERIFY(grid->cell(0, 3).effect == EffectMark::Ring); // it writes nothing
        QCOMPARE(grid->cell(0, 3).effect_words, QStringLiteral("No effect found"));
        // An induction head whose twin makes up for it.
        QVERIFY(grid->cell(1, 0).effect == EffectMark::Ring);
        const auto effects = window.document().effectTester().effects({1, 0});
        QCOMPARE(effects.size(), std::size_t{1});
        QVERIFY(effects[0].verdict() == EffectVerdict::None);
        const QString tip = grid->cell(1, 0).tooltip.plainText();
        QVERIFY2(tip.contains(QStringLiteral("No effect found, +0.000 nats")), qPrintable(tip));
    }

    void anInterferingHeadAndAnIdleOneAreToldInWords() {
        AblationEffect effect;
        effect.sequences = 10;
        effect.difference = -2.6;
        effect.interval = {-3.0, -2.2};
        const auto said = [&] { return effectMarkup(effect).plainText(); };
        QVERIFY(said().startsWith(QStringLiteral("Interferes")));
        QVERIFY(said().contains(QStringLiteral("the model does better here without it")));
        effect.difference = 2.9e-6;
        effect.interval = {2.0e-6, 3.8e-6};
        QVERIFY(said().startsWith(QStringLiteral("No effect found")));
        QVERIFY(said().contains(QStringLiteral("less than 0.01 nats is not counted")));
        effect.replaced = {{{AblationKind::Zero}, 10, 0.5, {0.4, 0.6}}};
        QVERIFY2(said().contains(QStringLiteral("depends on what replaces it: by zero +0.500")),
                 qPrintable(said()));
        effect.interval = {-1.0, 1.0};
        QVERIFY(said().startsWith(QStringLiteral("Undecided")));
    }

    void backupsAreFoundOnDemand() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("induction-circuit")));
        Document& document = window.document();
        document.selection().select({1, 0});
        QTest::mouseClick(window.find<QPushButton>("testEffect"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(document.effectTester().effects({1, 0}).size() == 1, kPatience);
        const auto* answer = window.find<QLabel>("effectAnswer");
        QVERIFY(!answer->text().contains(QStringLiteral("ack")));
        window.find<QCheckBox>("effectBackups")->setChecked(true);
        QTRY_VERIFY_WITH_TIMEOUT(!document.effectTester().worker()->isBusy(), kPatience);
        QTest::mouseClick(window.find<QPushButton>("testEffect"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(
            answer->text().contains(QStringLiteral("Backed up by L1 H3 (+3.3")), kPatience);
    }

    void theLeastEffectCanBeChosen() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("induction-circuit")));
        Document& document = window.document();
        const auto tested = [&] {
            document.testEffect({0, 0});
            return QTest::qWaitFor(
                [&] {
                    return document.effectTester().effect({0, 0});
                },
                kPatience);
        };
        QVERIFY(tested());
        QVERIFY(document.effectTester().effect({0, 0})->verdict() == EffectVerdict::Needed);
        window.find<QDoubleSpinBox>("leastEffect")->setValue(8.0);
        QVERIFY(!document.effectTester().effect({0, 0})); // measured for another question
        QVERIFY(tested());
        QCOMPARE(document.effectTester().effect({0, 0})->least, 8.0);
        QVERIFY(document.effectTester().effect({0, 0})->verdict() == EffectVerdict::None);
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
        QCOMPARE(cause->verdict(), EffectVerdict::Undecided);
        QCOMPARE(cause->measure, EffectMeasure::Loss);
        window.document().setPromptText(QStringLiteral("another text"));
        QTRY_VERIFY_WITH_TIMEOUT(!window.document().effectTester().effect({0, 7}), kPatience);
    }
};

const headscope::test::TestRegistration<TestEffectPanel> registration;

} // namespace test_effect_panel

#include "test_effect_panel.moc"
