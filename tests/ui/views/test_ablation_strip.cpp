#include "core/interventions/sweep.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/ablation/ablation_text.h"
#include "ui/widgets/head_mosaic.h"
#include "ui/widgets/token_strip.h"

#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTextDocumentFragment>
#include <QToolButton>

namespace test_ablation_strip {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

/// A metric of core on the prompt of the window without its ablated heads, by a run of its own.
double swept(const RunResult& result, MetricKind kind, TokenId token = 0) {
    HeadSet unit;
    for (const auto& [head, ablated_by] : result.mask.heads())
        unit.push_back(head);
    SweepQuestion question;
    question.prompts = {result.prompt.ids};
    question.units = {unit};
    question.metric.kind = kind;
    question.metric.token = token;
    return headscope::test::require(sweepHeads(result.full->model, question)).values.front();
}

} // namespace

class TestAblationStrip : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(window_.open(QStringLiteral("gpt2-mini-6l")));
        strip_ = window_->find<QWidget>("ablationStrip");
    }
    void init() {
        window_->document().ablation().setKind(AblationKind::Zero);
        window_->document().ablation().clearMask();
        QVERIFY(finished());
        QVERIFY(!strip_->isVisible());
    }
    void cleanupTestCase() { window_.close(); }

    void deleteFillsIt() {
        ablate(4, 1);
        QVERIFY(strip_->isVisible());
        QCOMPARE(window_->find<QLabel>("ablatedCount")->text(), QStringLiteral("1 head ablated"));
        QVERIFY(finished());
        const RunResult& result = *window_->document().promptRunner().result();
        const QString text = effectText();
        QVERIFY2(text.contains(QStringLiteral("Loss %1 → %2")
                                   .arg(lossNumber(*result.full_loss),
                                        lossNumber(swept(result, MetricKind::Loss)))),
                 qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("KL ") + lossNumber(swept(result, MetricKind::Kl))),
                 qPrintable(text));
        const TokenId mary = result.watched_full->predictions.front().id;
        const double after = swept(result, MetricKind::Probability, mary);
        QCOMPARE(result.prediction_changes.front().id, mary);
        QVERIFY(std::abs(result.prediction_changes.front().after - after) < 1e-5);
        QVERIFY2(text.contains(QStringLiteral("·Mary")), qPrintable(text));
    }

    void thePredictionLineKeepsTheOldNumber() {
        const QString before = window_->find<QLabel>("outcomeLabel")->text();
        QVERIFY(!before.contains(QStringLiteral("was")));
        ablate(3, 5);
        QVERIFY(finished());
        const QString after = window_->find<QLabel>("outcomeLabel")->text();
        QVERIFY2(after.contains(QStringLiteral("was 99 %")), qPrintable(after));
    }

    void chipsOfTokensHaveBars() {
        auto* tokens = window_->find<TokenStrip>("tokenStrip");
        QVERIFY(!tokens->chips().at(3).change);
        ablate(0, 0);
        QVERIFY(finished());
        const RunResult& result = *window_->document().promptRunner().result();
        QCOMPARE(*tokens->chips().at(0).change, 0.0); // nothing predicts the first token
        double largest = 0.0;
        for (qsizetype i = 1; i < tokens->chips().size(); ++i) {
            const auto token = static_cast<std::size_t>(i) - 1;
            const double change =
                result.token_losses[token] - result.watched_full->token_losses[token];
            QCOMPARE(*tokens->chips().at(i).change > 0.0, change > 0.0);
            largest = std::max(largest, std::abs(*tokens->chips().at(i).change));
        }
        QCOMPARE(largest, 1.0);
        QTest::mouseClick(window_->find<QPushButton>("stripClear"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!tokens->chips().at(3).change, kPatience);
    }

    void headsComeBackByTheirCross() {
        ablate(4, 1);
        ablate(3, 5);
        QCOMPARE(window_->find<QLabel>("ablatedCount")->text(), QStringLiteral("2 heads ablated"));
        QTest::mouseClick(window_->find<QToolButton>("selectAblated_4_1"), Qt::LeftButton);
        QCOMPARE(window_->document().selection().head(), (LayerHead{4, 1}));
        QTest::mouseClick(window_->find<QToolButton>("restoreAblated_3_5"), Qt::LeftButton);
        QCOMPARE(window_->document().ablation().mask().text(), std::string("4.1"));
        QTest::mouseClick(window_->find<QToolButton>("restoreAblated_4_1"), Qt::LeftButton);
        QVERIFY(!strip_->isVisible());
    }

    void theChipsAreOneTabStop() {
        ablate(3, 5);
        ablate(4, 1);
        const auto stops = [this] {
            QStringList names;
            for (const QToolButton* button : strip_->findChildren<QToolButton*>())
                if (button->isVisible() && (button->focusPolicy() & Qt::TabFocus))
                    names << button->objectName();
            return names;
        };
        QCOMPARE(stops(), QStringList{QStringLiteral("selectAblated_3_5")});
        auto* first = window_->find<QToolButton>("selectAblated_3_5");
        first->setFocus();
        QTest::keyClick(first, Qt::Key_Right);
        auto* cross = window_->find<QToolButton>("restoreAblated_3_5");
        QVERIFY(cross->hasFocus());
        QTest::keyClick(cross, Qt::Key_Right);
        QVERIFY(window_->find<QToolButton>("selectAblated_4_1")->hasFocus());
        QCOMPARE(stops(), QStringList{QStringLiteral("selectAblated_4_1")});
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Left);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
        QCOMPARE(window_->document().ablation().mask().text(), std::string("4.1"));
        QVERIFY(window_->find<QToolButton>("restoreAblated_4_1")->hasFocus());
        QCOMPARE(stops(), QStringList{QStringLiteral("restoreAblated_4_1")});
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
        QVERIFY(window_->document().ablation().mask().empty());
    }

    void undoNamesItsStep() {
        ablate(4, 1);
        auto* undo = window_->find<QPushButton>("stripUndo");
        QCOMPARE(undo->text(), QStringLiteral("Undo ablate L4 H1"));
        auto* kind = window_->find<QComboBox>("stripKind");
        kind->setFocus();
        QTest::keyClick(kind, Qt::Key_Down);
        QCOMPARE(window_->document().ablation().mask().heads().at({4, 1}), AblationKind::Mean);
        QCOMPARE(undo->text(), QStringLiteral("Undo ablate by mean"));
        QTest::mouseClick(undo, Qt::LeftButton);
        QCOMPARE(kind->currentIndex(), 0);
        QTest::mouseClick(undo, Qt::LeftButton);
        QVERIFY(!strip_->isVisible());
    }

    void aLayerIsOneChip() {
        window_->document().selection().select({2, 3});
        window_->find<HeadMosaic>("headGrid")->setFocus();
        QTest::keyClick(window_->find<HeadMosaic>("headGrid"), Qt::Key_Delete, Qt::ControlModifier);
        QCOMPARE(window_->document().ablation().mask().size(), std::size_t{8});
        auto* chip = window_->find<QToolButton>("selectAblated_2_0");
        QCOMPARE(chip->text(), QStringLiteral("layer 2"));
        QCOMPARE(window_->find<QPushButton>("stripUndo")->text(),
                 QStringLiteral("Undo ablate layer 2"));
        QTest::mouseClick(window_->find<QToolButton>("restoreAblated_2_0"), Qt::LeftButton);
        QVERIFY(window_->document().ablation().mask().empty());
    }

    void headsOfATypeGoTogether() {
        auto* induction = window_->find<QAction>("ablateType_induction");
        QVERIFY(induction && induction->isEnabled() && !induction->isChecked());
        induction->trigger();
        QVERIFY(window_->document().ablation().mask().isAblated({4, 1}));
        QVERIFY(window_->document().ablation().mask().size() > 1);
        QVERIFY(induction->isChecked());
        QVERIFY(!window_->document().ablation().mask().isAblated({0, 0}));
        induction->trigger();
        QVERIFY(window_->document().ablation().mask().empty());
    }

    void whatHasNoRoomStandsInAMenu() {
        for (std::size_t head = 0; head < 7; ++head)
            for (std::size_t layer = 0; layer < 6; ++layer)
                window_->document().ablation().toggleHead({layer, head});
        auto* more = window_->find<QToolButton>("moreAblated");
        QTRY_VERIFY_WITH_TIMEOUT(more->isVisible(), kPatience);
        auto* last = window_->find<QToolButton>("selectAblated_5_6");
        QVERIFY(!last->isVisible());
        QVERIFY(window_->find<QToolButton>("selectAblated_0_0")->isVisible());
        const QAction* entry = more->menu()->actions().last();
        QCOMPARE(entry->text(), QStringLiteral("Restore L5 H6"));
        QVERIFY(entry->isVisible());
        QVERIFY(!more->menu()->actions().first()->isVisible());
    }

    void aModelWithoutPredictionsSaysWhyThereIsNoLoss() {
        window_->document().open(samplePath(QStringLiteral("bert-mini-4l")));
        QTRY_COMPARE_WITH_TIMEOUT(window_->document().model()->name, std::string("bert-mini-4l"),
                                  kPatience);
        QVERIFY(window_->settled());
        window_->document().ablation().toggleHead({1, 1});
        QVERIFY(finished());
        QVERIFY2(effectText().startsWith(QStringLiteral("No loss")), qPrintable(effectText()));
        QVERIFY2(effectText().contains(QStringLiteral("KL ")), qPrintable(effectText()));
    }

private:
    void ablate(int layer, int head) {
        auto* grid = window_->find<HeadMosaic>("headGrid");
        QTest::mouseClick(grid, Qt::LeftButton, {}, grid->cellRect(layer, head).center());
        QTest::keyClick(grid, Qt::Key_Delete);
    }
    bool finished() {
        return QTest::qWaitFor(
            [this] {
                const auto result = window_->document().promptRunner().result();
                return result && result->mask == window_->document().ablation().mask();
            },
            kPatience);
    }
    QString effectText() {
        return QTextDocumentFragment::fromHtml(window_->find<QLabel>("ablationEffect")->text())
            .toPlainText();
    }

    SharedWindow window_;
    QWidget* strip_ = nullptr;
};

const headscope::test::TestRegistration<TestAblationStrip> registration;

} // namespace test_ablation_strip

#include "test_ablation_strip.moc"
