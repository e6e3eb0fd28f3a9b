// Choices between two next tokens, in whole networks and without some heads.

#include "core/pruning/choice_task.h"
#include "core/pruning/pruning_curve.h"
#include "tests/pruning/pruning_cases.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_choice_task {

using namespace headscope;
using namespace headscope::test;

namespace {

/// Share right and mean difference, prompt by prompt from logits.
ChoiceReading fromLogits(const std::shared_ptr<const Model>& model, const PassageSet& task,
                         const HeadSet& at_zero) {
    HeadMask mask;
    for (const LayerHead head : at_zero)
        mask.set(head, AblationKind::Zero);
    HookSet hooks;
    addAblation(hooks, mask, model->spec);
    ChoiceReading reading;
    for (const Passage& passage : task.passages) {
        const auto run = require(runModel(model, passage.ids, {}, hooks));
        const auto logit = [&](std::size_t target) {
            return double{run->logits(passage.ids.size() - 1,
                                      static_cast<std::size_t>(passage.targets[target].token))};
        };
        const double difference = logit(0) - logit(1);
        reading.right += difference > 0.0 ? 1.0 : 0.0;
        reading.difference += difference;
    }
    const auto prompts = static_cast<double>(task.passages.size());
    return {{}, reading.right / prompts, reading.difference / prompts};
}

} // namespace

class TestChoiceTask : public QObject {
    Q_OBJECT

private slots:
    void readingIsTheDifferenceOfLosses() {
        TargetReadings readings;
        readings.loss = {1.0f, 3.0f, 2.0f, 0.5f, 4.0f, 4.5f, 1.0f, 1.0f};
        const ChoiceReading reading = choiceReading(ChoiceTaskKind::Agreement, readings);
        QCOMPARE(reading.right, 0.5);
        QCOMPARE(reading.difference, (2.0 - 1.5 + 0.5 + 0.0) / 4.0);
    }

    void promptsEndWithTwoTokens_data() {
        QTest::addColumn<int>("kind");
        QTest::newRow("indirect object") << static_cast<int>(ChoiceTaskKind::IndirectObject);
        QTest::newRow("agreement") << static_cast<int>(ChoiceTaskKind::Agreement);
    }

    void promptsEndWithTwoTokens() {
        QFETCH(int, kind);
        const auto model = loadSample("gpt2-mini-6l");
        const PassageSet task = choicePassages(*model, static_cast<ChoiceTaskKind>(kind));
        QVERIFY(task.passages.size() >= 40);
        QCOMPARE(task.targets, 2 * task.passages.size());
        for (const Passage& passage : task.passages) {
            QCOMPARE(passage.targets.size(), 2u);
            QCOMPARE(passage.ids.front(), *model->spec.bos_token);
            for (const Target& target : passage.targets) {
                QCOMPARE(target.position, passage.ids.size() - 1);
                QVERIFY(model->tokenizer->piece(target.token).starts_with(" "));
            }
            QVERIFY(passage.targets[0].token != passage.targets[1].token);
        }
    }

    void modelsThatCannotBeAsked() {
        for (const ChoiceTaskKind kind : choiceTaskKinds()) {
            QVERIFY(choicePassages(*loadSample("bert-mini-4l"), kind).passages.empty());
            QVERIFY(choicePassages(*loadFixture("gpt2"), kind).passages.empty());
        }
    }

    /// On the curve, against runs with these heads at zero.
    void curvesHoldTheChoices() {
        const auto model = loadSample("attn-only-2l");
        PruningQuestion question;
        question.orders = {{OrderKind::WeightNorm}};
        question.points = 2;
        question.tasks = {ChoiceTaskKind::IndirectObject, ChoiceTaskKind::Agreement};
        const auto result = require(pruneAndMeasure(model, randomPassages(*model, 2, 24, 1),
                                                    randomPassages(*model, 2, 24, 2), question));
        QCOMPARE(result.whole.choices.size(), 2u);
        for (const ChoiceReading& whole : result.whole.choices) {
            const PassageSet task = choicePassages(*model, whole.kind);
            QVERIFY(whole.right >= kDoesTask);
            const ChoiceReading expected = fromLogits(model, task, {});
            QCOMPARE(whole.right, expected.right);
            QVERIFY(std::abs(whole.difference - expected.difference) < 1e-4);
            const CurvePoint& point = result.curves.front().points.front();
            const ChoiceReading less = fromLogits(
                model, task, PruningResult::removedAt(result.curves.front(), point.units));
            QVERIFY(std::abs(point.choice(whole.kind)->difference - less.difference) < 1e-3);
            QVERIFY(std::abs(point.choice(whole.kind)->right - less.right) < 0.05);
            QVERIFY(std::abs(less.difference - expected.difference) > 0.01);
        }
    }

    /// Nothing can be lost of what the whole network does not do.
    void tasksThatAreNotDoneAreNotMeasured() {
        auto model = std::make_shared<Model>(*loadSample("attn-only-2l"));
        auto gain = std::make_shared<Model>(*model);
        for (float& value : gain->weights.ln_final.weight.values())
            value = -value; // the likeliest becomes the least likely
        PruningQuestion question;
        question.orders = {{OrderKind::WeightNorm}};
        question.points = 1;
        question.tasks = {ChoiceTaskKind::IndirectObject};
        const auto result = require(pruneAndMeasure(gain, randomPassages(*gain, 2, 24, 1),
                                                    randomPassages(*gain, 2, 24, 2), question));
        QVERIFY(result.whole.choices.empty());
        QVERIFY(result.curves.front().points.front().choices.empty());
    }
};

const headscope::test::TestRegistration<TestChoiceTask> registration;

} // namespace test_choice_task

#include "test_choice_task.moc"
