#include "core/engine/engine.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"
#include "ui/document/prompt_run.h"
#include "ui/document/sample_models.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace test_prompt_run {

using namespace headscope;
using namespace headscope::ui;

namespace {

const std::string kStory = "When Mary and John went to the store, John gave a drink to";

std::shared_ptr<const RunResult> run(const RunQuestion& question) {
    return test::require(runPrompt(question, {}));
}

void compareNumbers(const std::vector<double>& found, const std::vector<double>& expected,
                    const char* what) {
    QCOMPARE(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        QVERIFY2((std::isnan(found[i]) && std::isnan(expected[i])) ||
                     std::abs(found[i] - expected[i]) <= 1e-4,
                 qPrintable(QStringLiteral("%1 %2: %3, not %4")
                                .arg(QLatin1String(what))
                                .arg(i)
                                .arg(found[i])
                                .arg(expected[i])));
}

std::vector<double> probabilities(const std::vector<Prediction>& predictions) {
    std::vector<double> found;
    for (const Prediction& prediction : predictions)
        found.push_back(prediction.probability);
    return found;
}

void compareScores(const HeadScores& found, const HeadScores& expected) {
    const auto readings = [](const HeadScores& scores) {
        std::vector<double> all;
        for (const HeadScore& score : scores.scores)
            all.insert(all.end(), {score.score, score.baseline, score.variant});
        return all;
    };
    QVERIFY(found.types == expected.types);
    compareNumbers(readings(found), readings(expected), "score");
}

void compareWatched(const WatchedRun& found, const WatchedRun& expected) {
    compareNumbers(found.token_losses, expected.token_losses, "loss");
    compareNumbers(found.divergences, expected.divergences, "divergence");
    compareNumbers(probabilities(found.predictions), probabilities(expected.predictions),
                   "probability");
    QCOMPARE(found.predictions.front().id, expected.predictions.front().id);
    QCOMPARE(found.logits.shape(), expected.logits.shape());
    if (!expected.logits.empty())
        QVERIFY(test::difference(found.logits.view(), expected.logits.view()).relative <= 1e-5);
    compareScores(*found.head_scores, *expected.head_scores);
    for (const LayerHead head : found.run->model->spec.allHeads())
        QVERIFY(
            test::difference(found.run->pattern(head).view(), expected.run->pattern(head).view())
                .absolute <= 1e-5);
}

/// Whether the keys of the first tokens are those of another run, bit by bit.
bool sharesKeys(const Run& run, const Run& other, std::size_t positions) {
    const auto keys = [positions](const Run& of) {
        const Tensor& k = of.attention.back().k;
        return k.values().first(positions * k.dim(1) * k.dim(2));
    };
    return std::ranges::equal(keys(run), keys(other));
}

} // namespace

class TestPromptRun : public QObject {
    Q_OBJECT

private slots:
    void predictsTheNextToken() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const auto result = run({model, kStory, BosMode::Auto, {}, nullptr});
        QCOMPARE(*result->predicted_at, result->prompt.ids.size() - 1);
        QCOMPARE(model->tokenizer->piece(result->predictions.front().id), std::string(" Mary"));
        QCOMPARE(result->full_loss, result->masked_loss);
        QCOMPARE(result->token_losses.size(), result->prompt.ids.size() - 1);
        QVERIFY(result->full == result->masked);
    }

    void maskedRunIsThatOfAnIndependentEditor() {
        const auto model = test::loadSample("gpt2-mini-6l");
        HeadMask mask;
        mask.set({4, 1}, AblationKind::Zero);
        const auto result = run({model, kStory, BosMode::Auto, mask, nullptr});
        HookSet hooks;
        hooks.edit("blocks.4.attn.hook_z", [](HookPoint, MutableTensorView z) {
            for (std::size_t p = 0; p < z.shape[0]; ++p)
                for (std::size_t d = 0; d < z.shape[2]; ++d)
                    z(p, 1, d) = 0.0f;
        });
        const auto expected = test::require(runModel(model, result->prompt.ids, {}, hooks));
        QCOMPARE(*result->masked_loss, *meanNextTokenLoss(expected->logits, expected->ids));
        QVERIFY(*result->masked_loss != *result->full_loss);
    }

    void fullRunIsKeptForTheSameTokens() {
        const auto model = test::loadSample("gpt2-mini-6l");
        const auto first = run({model, kStory, BosMode::Auto, {}, nullptr});
        HeadMask mask;
        mask.set({0, 0}, AblationKind::Zero);
        const auto second = run({model, kStory, BosMode::Auto, mask, first});
        QVERIFY(second->full == first->full);
        const auto other = run({model, kStory + " the", BosMode::Auto, mask, first});
        QVERIFY(other->full != first->full);
    }

    void typingGivesWhatTheWholeTextGives_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("kind"); // of ablation; -1: none
        for (const char* name : {"gpt2-mini-6l", "llama-mini-gqa-4l", "attn-only-2l"})
            for (const int kind :
                 {-1, static_cast<int>(AblationKind::Zero), static_cast<int>(AblationKind::Mean)})
                QTest::addRow("%s, %d", name, kind) << QString::fromLatin1(name) << kind;
    }

    /// Each text is run behind the run of the one before, and anew.
    void typingGivesWhatTheWholeTextGives() {
        QFETCH(QString, name);
        QFETCH(int, kind);
        const auto model = test::loadSample(name.toStdString());
        HeadMask mask;
        if (kind >= 0) {
            mask.set({0, 1}, static_cast<AblationKind>(kind));
            mask.set({1, 0}, static_cast<AblationKind>(kind));
        }
        std::shared_ptr<const RunResult> previous;
        std::vector<std::string> texts{
            kStory, kStory + " M", kStory + " Mary and", kStory + " Mary", "When Mary ran",
            "Tom",  kStory};
        if (!model->tokenizer)
            texts = {"1 2 3 4 5 6", "1 2 3 4 5 6 7", "1 2 3 4 9 9 9 9", "1 2 3 4", "7"};
        for (const std::string& text : texts) {
            const auto behind = run({model, text, BosMode::Auto, mask, previous});
            const auto anew = run({model, text, BosMode::Auto, mask, nullptr});
            compareWatched(*behind->watched_full, *anew->watched_full);
            compareWatched(*behind->watched_masked, *anew->watched_masked);
            QCOMPARE(behind->divergence.has_value(), !mask.empty());
            if (behind->divergence)
                QVERIFY(std::abs(*behind->divergence - *anew->divergence) <= 1e-5);
            previous = behind;
        }
    }

    void theStartIsNotRunAgain() {
        const auto model = test::loadSample("gpt2-mini-6l");
        HeadMask mask;
        mask.set({0, 1}, AblationKind::Zero);
        const auto before = run({model, kStory, BosMode::Auto, mask, nullptr});
        auto marked = std::make_shared<RunResult>(*before);
        const auto mark = [](const WatchedRun& watched) {
            auto run = std::make_shared<Run>(*watched.run);
            run->attention.back().k.values().front() += 1.0f;
            auto changed = std::make_shared<WatchedRun>(watched);
            changed->run = run;
            return changed;
        };
        marked->watched_full = mark(*before->watched_full);
        marked->watched_masked = mark(*before->watched_masked);
        const std::size_t known = before->prompt.ids.size() - 1;
        const auto next = run({model, kStory + " Mary", BosMode::Auto, mask, marked});
        QVERIFY(sharesKeys(*next->full, *marked->watched_full->run, known));
        QVERIFY(sharesKeys(*next->masked, *marked->watched_masked->run, known));

        mask.set({0, 2}, AblationKind::Zero); // other heads: only the whole network is known
        const auto other = run({model, kStory + " Mary", BosMode::Auto, mask, marked});
        QVERIFY(sharesKeys(*other->full, *marked->watched_full->run, known));
        QVERIFY(!sharesKeys(*other->masked, *marked->watched_masked->run, 1));
    }

    void typesAreReadOffTheRunAsWhileItRuns_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("kind"); // of ablation; -1: none
        for (const int kind :
             {-1, static_cast<int>(AblationKind::Zero), static_cast<int>(AblationKind::Mean)})
            QTest::addRow("gpt2-mini-6l, %d", kind) << QStringLiteral("gpt2-mini-6l") << kind;
        QTest::newRow("bert-mini-4l") << QStringLiteral("bert-mini-4l") << -1;
    }

    void typesAreReadOffTheRunAsWhileItRuns() {
        QFETCH(QString, name);
        QFETCH(int, kind);
        const auto model = test::loadSample(name.toStdString());
        HeadMask mask;
        if (kind >= 0)
            mask.set({1, 0}, static_cast<AblationKind>(kind));
        const auto together = run({model, kStory, BosMode::Auto, mask, nullptr});
        const auto after = run({model, kStory, BosMode::Auto, mask, nullptr, false});
        QVERIFY(!after->prompt_scores);
        compareScores(test::require(readPromptScores(*after, {})), *together->prompt_scores);
    }

    void theTypesOfALongPromptAreNotWaitedFor() {
        const auto model = test::loadSample("gpt2-mini-6l");
        std::string text;
        for (int i = 0; i < 12; ++i)
            text += kStory + ". ";
        const auto result = run({model, text, BosMode::Auto, {}, nullptr});
        QVERIFY(result->prompt.ids.size() > 128);
        QVERIFY(!result->prompt_scores);
    }

    void saysAfterWhichLayerItIs() {
        const auto model = test::loadSample("gpt2-mini-6l");
        HeadMask mask;
        mask.set({1, 0}, AblationKind::Zero);
        std::vector<double> fractions;
        std::string last;
        const auto progress = [&](double fraction, std::string_view stage) {
            fractions.push_back(fraction);
            last = stage;
        };
        QVERIFY(runPrompt({model, kStory, BosMode::Auto, mask, nullptr}, {}, progress));
        QCOMPARE(fractions.size(), 2 * model->spec.n_layers); // the whole network and without it
        QVERIFY(std::ranges::is_sorted(fractions));
        QCOMPARE(fractions.back(), 1.0);
        QCOMPARE(last, std::string("layer 6 of 6"));
    }

    void anotherModelKnowsNothing() {
        const auto previous =
            run({test::loadSample("gpt2-mini-6l"), kStory, BosMode::Auto, {}, nullptr});
        const auto model = test::loadSample("gpt2-mini-6l"); // of its own
        const auto anew = run({model, kStory + " Mary", BosMode::Auto, {}, previous});
        QVERIFY(anew->full->model == model);
    }

    void maskedLanguageModelPredictsAtItsMask() {
        const auto model = test::loadSample("bert-mini-4l");
        const auto hidden =
            run({model, defaultPrompt(*model).toStdString(), BosMode::Auto, {}, nullptr});
        QVERIFY(hidden->predicted_at.has_value());
        QCOMPARE(hidden->prompt.ids[*hidden->predicted_at], *model->spec.mask_token);
        QVERIFY(!hidden->predictions.empty());
        QVERIFY(!hidden->full_loss.has_value());
        const auto open = run({model, "Mary went home.", BosMode::Auto, {}, nullptr});
        QVERIFY(!open->predicted_at.has_value());
    }

    void modelWithoutVocabularyStillRuns() {
        const auto model = test::loadSample("notebook");
        const auto result =
            run({model, defaultPrompt(*model).toStdString(), BosMode::Auto, {}, nullptr});
        QCOMPARE(result->prompt.ids.size(), std::size_t{5});
        QVERIFY(result->predictions.empty());
    }

    void everySampleRunsItsDefaultPrompt_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"gpt2-mini-6l", "llama-mini-gqa-4l", "bert-mini-4l",
                                 "attn-only-2l", "microgpt", "notebook", "induction-circuit"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void everySampleRunsItsDefaultPrompt() {
        QFETCH(QString, name);
        const auto model = test::loadSample(name.toStdString());
        const QString prompt = defaultPrompt(*model);
        QVERIFY(!prompt.isEmpty());
        const auto result =
            runPrompt({model, prompt.toStdString(), BosMode::Auto, {}, nullptr}, {});
        QVERIFY2(bool(result), result ? "" : result.error().message.c_str());
        QVERIFY((*result)->prompt.ids.size() >= 4);
    }

    void tokenIdsStandInForAMissingTokenizer() {
        const auto model = test::loadFixture("gpt2");
        if (model->tokenizer)
            QSKIP("this fixture carries a tokenizer");
        const auto result = run({model, "1, 2 3", BosMode::No, {}, nullptr});
        QCOMPARE(result->prompt.ids, (TokenIds{1, 2, 3}));
        const auto text = runPrompt({model, "hello", BosMode::Auto, {}, nullptr}, {});
        QVERIFY(!text);
    }
};

const headscope::test::TestRegistration<TestPromptRun> registration;

} // namespace test_prompt_run

#include "test_prompt_run.moc"
