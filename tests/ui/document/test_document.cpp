#include "tests/support/runner.h"
#include "tests/support/sample_scores.h"
#include "ui/document/document.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <memory>

namespace test_document {

using namespace headscope;
using headscope::test::scoreSamplesOnce;
using namespace headscope::ui;

namespace {

constexpr int kPatience = 60000; // milliseconds

QString sample(const char* name) {
    return QStringLiteral(HEADSCOPE_SAMPLE_MODELS "/%1.h5").arg(QLatin1String(name));
}

bool settled(Document& document) {
    return QTest::qWaitFor(
        [&] {
            return document.model() && !document.loader()->isBusy() &&
                   !document.promptRunner().worker()->isBusy() &&
                   !document.headScorer().worker()->isBusy() &&
                   !document.headScorer().promptReader()->isBusy();
        },
        kPatience);
}

bool opened(Document& document, const char* name) {
    document.open(sample(name));
    return QTest::qWaitFor([&] { return document.model() && document.model()->name == name; },
                           kPatience) &&
           settled(document);
}

} // namespace

class TestDocument : public QObject {
    Q_OBJECT

private slots:
    void opensRunsAndScores() {
        Document document;
        QVERIFY(opened(document, "gpt2-mini-6l"));
        QVERIFY(document.promptRunner().result() != nullptr);
        QVERIFY(document.headScorer().scores() != nullptr);
        // The strongest induction head of this model is looked at first.
        QCOMPARE(document.selection().head(), (LayerHead{4, 1}));
    }

    /// A window that listens to the steps outlives the document, and would read what is gone.
    void saysNothingOfItsStepsWhenItGoes() {
        auto document = std::make_unique<Document>(scoreSamplesOnce);
        QVERIFY(opened(*document, "microgpt"));
        int changes = 0;
        connect(document->ablation().undoStack(), &QUndoStack::indexChanged, this,
                [&] { ++changes; });
        document->ablation().toggleHead({0, 3});
        QCOMPARE(changes, 1);
        document.reset();
        QCOMPARE(changes, 1);
    }

    /// All that a drag does is one step, and a drag back to its beginning is none.
    void gesturesAreUndoneAsOne() {
        Document document(scoreSamplesOnce);
        QVERIFY(opened(document, "microgpt"));
        Ablation& ablation = document.ablation();
        ablation.toggleHead({0, 3});
        for (std::size_t heads = 1; heads <= 3; ++heads)
            ablation.ablateOnly(std::vector<LayerHead>{{0, 0}, {0, 1}, {0, 2}}, AblationKind::Mean,
                                QStringLiteral("%1").arg(heads), 7);
        ablation.ablateOnly({{0, 0}, {0, 1}}, AblationKind::Mean, QStringLiteral("two"), 7);
        QCOMPARE(ablation.mask().size(), std::size_t{2});
        QCOMPARE(ablation.undoStack()->count(), 2);
        QCOMPARE(ablation.undoStack()->undoText(), QStringLiteral("two"));
        ablation.ablateOnly({{0, 2}}, AblationKind::Mean, QStringLiteral("next"), 8);
        ablation.ablateOnly({{0, 0}, {0, 1}}, AblationKind::Mean, QStringLiteral("back"), 8);
        QCOMPARE(ablation.undoStack()->count(), 2);
        ablation.undoStack()->undo();
        QVERIFY(ablation.mask().isAblated({0, 3}) && ablation.mask().size() == 1);
        QCOMPARE(ablation.kind(), AblationKind::Zero);
        QVERIFY(settled(document));
    }

    /// What is read from repeats is there before what is read from weights.
    void scoresArriveInParts() {
        Document document;
        QList<std::size_t> types;
        connect(&document, &Document::labelsChanged, this, [&] {
            if (document.headScorer().scores())
                types << document.headScorer().scores()->types.size();
        });
        QVERIFY(opened(document, "attn-only-2l"));
        QVERIFY(std::ranges::is_sorted(types));
        QVERIFY(types.front() < types.back());
        QVERIFY(document.headScorer().scores()->has(HeadTypeId::CopyingWeights));
        // Measured again, they stay whole meanwhile.
        types.clear();
        document.scoreHeads();
        QTRY_VERIFY_WITH_TIMEOUT(!document.headScorer().worker()->isBusy(), kPatience);
        QVERIFY(types.front() == types.back());
    }

    void promptFollowsTheModelUntilItIsTheUsers() {
        Document document(scoreSamplesOnce);
        QVERIFY(opened(document, "gpt2-mini-6l"));
        QVERIFY(opened(document, "bert-mini-4l"));
        QVERIFY(document.promptText().contains(QStringLiteral("[MASK]")));
        document.setPromptText(QStringLiteral("Mary had a lamb"));
        QVERIFY(opened(document, "llama-mini-gqa-4l"));
        QCOMPARE(document.promptText(), QStringLiteral("Mary had a lamb"));
        QVERIFY(opened(document, "microgpt")); // which knows lower-case letters only
        QCOMPARE(document.promptText(), QStringLiteral("emma"));
        QVERIFY(opened(document, "gpt2-mini-6l")); // where the user's own can run again
        QCOMPARE(document.promptText(), QStringLiteral("Mary had a lamb"));
    }

    void effectsAreKeptForEachSource() {
        Document document(scoreSamplesOnce);
        QVERIFY(opened(document, "microgpt"));
        QTRY_VERIFY_WITH_TIMEOUT(document.headScorer().measuredScores(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!document.headScorer().worker()->isBusy(), kPatience);
        document.testEffect({0, 1});
        QTRY_VERIFY_WITH_TIMEOUT(document.effectTester().effect({0, 1}), kPatience);
        const double on_repeats = document.effectTester().effect({0, 1})->difference;
        document.setScoreSource(ScoreSource::Prompt);
        QVERIFY(!document.effectTester().effect({0, 1}));
        QTRY_VERIFY_WITH_TIMEOUT(document.headScorer().scores(), kPatience);
        document.testEffect({0, 1});
        QTRY_VERIFY_WITH_TIMEOUT(document.effectTester().effect({0, 1}), kPatience);
        QVERIFY(document.effectTester().effect({0, 1})->difference != on_repeats);
        document.setPromptText(QStringLiteral("olivia"));
        QTRY_VERIFY_WITH_TIMEOUT(!document.effectTester().effect({0, 1}), kPatience);
        document.setScoreSource(ScoreSource::RandomRepeats);
        QCOMPARE(document.effectTester().effect({0, 1})->difference, on_repeats);
    }

    void testedHeadsStayWhenTheRestIsCancelled() {
        Document document(scoreSamplesOnce);
        QVERIFY(opened(document, "gpt2-mini-6l"));
        QTRY_VERIFY_WITH_TIMEOUT(document.headScorer().measuredScores(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!document.headScorer().worker()->isBusy(), kPatience);
        const auto tested = [&] {
            std::size_t count = 0;
            for (const LayerHead head : document.model()->spec.allHeads())
                count += document.effectTester().effect(head) ? 1 : 0;
            return count;
        };
        document.testAllEffects();
        QTRY_VERIFY_WITH_TIMEOUT(tested() > 0, kPatience);
        QVERIFY(document.effectTester().worker()->isBusy()); // others are still to come
        document.effectTester().worker()->cancel();
        QVERIFY(tested() > 0);
    }

    void aFailedLoadLeavesEverything() {
        Document document(scoreSamplesOnce);
        QVERIFY(opened(document, "microgpt"));
        document.selection().select({0, 2});
        const auto model = document.model();
        const auto result = document.promptRunner().result();
        QSignalSpy failed(&document, &Document::loadFailed);
        document.open(QStringLiteral("/nowhere/model.h5"));
        QVERIFY(failed.wait(kPatience));
        QVERIFY(failed.first().at(1).toString().contains(QStringLiteral("/nowhere/model.h5")));
        QVERIFY(document.model() == model);
        QVERIFY(document.promptRunner().result() == result);
        QCOMPARE(document.selection().head(), (LayerHead{0, 2}));
    }

    void aBadPromptKeepsTheLastGoodRun() {
        Document document(scoreSamplesOnce);
        QVERIFY(opened(document, "microgpt"));
        const auto result = document.promptRunner().result();
        document.setPromptText(QString(40, QLatin1Char('a'))); // the context holds 16
        QTRY_VERIFY_WITH_TIMEOUT(!document.promptRunner().error().isEmpty(), kPatience);
        QVERIFY(document.promptRunner().result() == result);
        document.setPromptText(QStringLiteral("anna"));
        QTRY_VERIFY_WITH_TIMEOUT(document.promptRunner().error().isEmpty(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(document.promptRunner().result() != result, kPatience);
    }

    void switchingHeadsOffCanBeUndone() {
        Document document(scoreSamplesOnce);
        QVERIFY(opened(document, "gpt2-mini-6l"));
        Ablation& ablation = document.ablation();
        ablation.toggleHead({4, 1});
        ablation.toggleHead({3, 5});
        QCOMPARE(ablation.mask().size(), std::size_t{2});
        ablation.setKind(AblationKind::Mean);
        QCOMPARE(ablation.mask().heads().at({4, 1}), AblationKind::Mean);
        ablation.undoStack()->undo();
        QCOMPARE(ablation.kind(), AblationKind::Zero);
        QCOMPARE(ablation.mask().heads().at({4, 1}), AblationKind::Zero);
        ablation.clearMask();
        QVERIFY(ablation.mask().empty());
        ablation.undoStack()->undo();
        QCOMPARE(ablation.mask().text(), std::string("3.5 4.1"));
        QVERIFY(settled(document));
        QCOMPARE(document.promptRunner().result()->mask, ablation.mask());
        QVERIFY(*document.promptRunner().result()->masked_loss !=
                *document.promptRunner().result()->full_loss);
    }

    /// Nothing is read of the old kind by then, and nothing of the new run.
    void viewsShowTheMaskBeforeItIsRun() {
        QStringList heard;
        Document document(scoreSamplesOnce);
        QVERIFY(opened(document, "microgpt"));
        document.ablation().toggleHead({0, 3});
        QVERIFY(settled(document));
        connect(&document.effectTester(), &EffectTester::effectsChanged, this,
                [&] { heard << QStringLiteral("effects"); });
        connect(&document.ablation(), &Ablation::changed, this,
                [&] { heard << QStringLiteral("ablation"); });
        connect(document.promptRunner().worker(), &JobRunner::busyChanged, this, [&](bool busy) {
            if (busy)
                heard << QStringLiteral("run");
        });
        document.ablation().setKind(AblationKind::Mean);
        QCOMPARE(heard.join(QLatin1Char(' ')), QStringLiteral("effects ablation run"));
        heard.clear();
        document.ablation().toggleHeads({{0, 3}, {7, 7}});
        QVERIFY(heard.isEmpty()); // there is no such head
        QVERIFY(settled(document));
    }

    void aGroupGoesTogether() {
        Document document(scoreSamplesOnce);
        QVERIFY(opened(document, "llama-mini-gqa-4l"));
        document.ablation().toggleGroup({2, 5});
        QCOMPARE(document.ablation().mask().text(), std::string("2.4 2.5 2.6 2.7"));
        document.ablation().undoStack()->undo();
        QVERIFY(document.ablation().mask().empty());
    }

    void selectionStopsAtTheEdge() {
        Document document(scoreSamplesOnce);
        QVERIFY(opened(document, "microgpt"));
        Selection& selection = document.selection();
        selection.select({0, 3});
        selection.move(0, 1);
        selection.move(1, 0);
        QCOMPARE(selection.head(), (LayerHead{0, 3}));
        selection.move(-1, -1);
        QCOMPARE(selection.head(), (LayerHead{0, 2}));
        selection.select({7, 7});
        QCOMPARE(selection.head(), (LayerHead{0, 2}));
    }

    /// What they read of heads when they hear of the model is of that model already.
    void viewsHearOfTheModelFirst() {
        QStringList heard;
        Document document(scoreSamplesOnce);
        QVERIFY(opened(document, "gpt2-mini-6l"));
        document.selection().select({5, 7});
        document.selection().lockRow(1);
        document.ablation().toggleHead({5, 7});
        QVERIFY(settled(document));
        connect(&document, &Document::modelChanged, this, [&] {
            heard << QStringLiteral("model");
            QCOMPARE(document.selection().head(), (LayerHead{0, 0}));
            QVERIFY(!document.selection().lockedRow());
            QVERIFY(document.ablation().mask().empty());
        });
        connect(&document.selection(), &Selection::headChanged, this,
                [&] { heard << QStringLiteral("head"); });
        connect(&document.selection(), &Selection::chosenChanged, this,
                [&] { heard << QStringLiteral("chosen"); });
        connect(&document.ablation(), &Ablation::changed, this,
                [&] { heard << QStringLiteral("ablation"); });
        QVERIFY(opened(document, "microgpt"));
        QVERIFY(
            heard.join(QLatin1Char(' ')).startsWith(QStringLiteral("model head chosen ablation")));
        // Scores then suggest a head, but none to a user who has selected one.
        document.selection().select({0, 1});
        document.selection().suggest({0, 2});
        QCOMPARE(document.selection().head(), (LayerHead{0, 1}));
    }

    void scoresOfThePromptStandInWhereRepeatsDoNotFit() {
        Document document(scoreSamplesOnce);
        QVERIFY(opened(document, "notebook")); // a context of five tokens
        QCOMPARE(document.headScorer().source(), ScoreSource::RandomRepeats);
        QVERIFY(!document.headScorer().error().isEmpty());
        QVERIFY(document.headScorer().scores() != nullptr);
        QCOMPARE(document.headScorer().effectiveSource(), ScoreSource::Prompt);
    }

    void typesOfALongPromptAreReadOffItsRun() {
        Document document(scoreSamplesOnce);
        QVERIFY(opened(document, "gpt2-mini-6l"));
        document.setPromptText(QStringLiteral("Mary and John went to the store. ").repeated(30));
        const auto hasRun = [&] {
            const auto result = document.promptRunner().result();
            return result && result->prompt.ids.size() > 128 && settled(document);
        };
        QTRY_VERIFY_WITH_TIMEOUT(hasRun(), kPatience);
        QVERIFY(!document.headScorer().isMeasuring()); // nobody asks for them
        document.setScoreSource(ScoreSource::Prompt);
        QVERIFY(!document.headScorer().scores() && document.headScorer().isMeasuring());
        QVERIFY(settled(document));
        const auto scores = document.headScorer().scores();
        QVERIFY(scores != nullptr);
        document.setPromptText(QStringLiteral("Mary"));
        QTRY_VERIFY_WITH_TIMEOUT(document.headScorer().scores() != scores, kPatience);
        QVERIFY(settled(document));
        QCOMPARE(document.headScorer().scores(), document.promptRunner().result()->prompt_scores);
    }

    void canBeClosedInTheMiddleOfEverything() {
        for (int i = 0; i < 5; ++i) {
            Document document(scoreSamplesOnce);
            document.open(sample("gpt2-mini-6l"));
            if (i > 0)
                QTRY_VERIFY_WITH_TIMEOUT(document.model(), kPatience);
            document.setPromptText(QStringLiteral("Mary %1").arg(i));
        }
    }
};

const headscope::test::TestRegistration<TestDocument> registration;

} // namespace test_document

#include "test_document.moc"
