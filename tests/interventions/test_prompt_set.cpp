#include "core/engine/engine.h"
#include "core/engine/loss.h"
#include "core/export/provenance.h"
#include "core/heads/score_sequences.h"
#include "core/interventions/metric.h"
#include "core/interventions/prompt_set.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/support/show_patterns.h"

#include <QTest>

#include <cmath>

namespace test_prompt_set {

using namespace headscope;
using headscope::test::loadSample;
using headscope::test::require;
using headscope::test::showPatterns;

namespace {

constexpr const char* kLines = "When Mary and John went to the store, John gave a drink to\n"
                               "\n"
                               "  \n"
                               "{\"prompt\": \"Once upon a time there was a little girl\"}\r\n"
                               "{\"label\": 3}\n"
                               "the cat and the cat and the cat";

HeadMask maskOf(std::vector<LayerHead> heads) {
    HeadMask mask;
    for (const LayerHead head : heads)
        mask.set(head, AblationKind::Zero);
    return mask;
}

} // namespace

class TestPromptSet : public QObject {
    Q_OBJECT

private slots:
    void linesAreRead() {
        const auto model = loadSample("gpt2-mini-6l");
        const PromptSet set = require(readPromptSet(*model, kLines, "lines.txt"));
        QCOMPARE(set.prompts.size(), 3u);
        QCOMPARE(set.prompts[1].text, std::string("Once upon a time there was a little girl"));
        QCOMPARE(set.prompts[2].text, std::string("the cat and the cat and the cat"));
        QCOMPARE(set.left_out.size(), 1u);
        QCOMPARE(set.left_out[0].line, 5u);
        QVERIFY(set.left_out[0].reason.find("\"prompt\"") != std::string::npos);
    }

    void tablesAreReadByTheirHeader() {
        const auto model = loadSample("gpt2-mini-6l");
        const std::string csv = "label,text\r\n1,the cat\r\n2,\"a dog,\nand \"\"two\"\" cats\"\r\n"
                                "3,\r\n4\r\n5,the end\r\n";
        const PromptSet set = require(readPromptSet(*model, csv, "Names.CSV"));
        QCOMPARE(set.prompts.size(), 3u);
        QCOMPARE(set.prompts[0].text, std::string("the cat"));
        QCOMPARE(set.prompts[1].text, std::string("a dog,\nand \"two\" cats"));
        QCOMPARE(set.prompts[2].text, std::string("the end"));
        QCOMPARE(set.left_out.size(), 1u);
        QCOMPARE(set.left_out[0].line, 6u);
        QCOMPARE(set.left_out[0].reason,
                 std::string("The row has 1 cell, but there are 2 columns."));
        const PromptSet tabs =
            require(readPromptSet(*model, "prompt\ttext\nthe cat, a\tno\n", "names.tsv"));
        QCOMPARE(tabs.prompts.size(), 1u);
        QCOMPARE(tabs.prompts[0].text, std::string("the cat, a"));
    }

    void tablesWithoutPromptsAreRefused_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("no header")
            << QByteArray("the cat,1\na dog,2\n")
            << QByteArray("names.csv has no column named prompt or text; its "
                          "first row is the cat, 1. Name the column that "
                          "holds the prompts in the first row.");
        QTest::newRow("empty") << QByteArray("")
                               << QByteArray(
                                      "names.csv has no column named prompt or text. Name the "
                                      "column that holds the prompts in the first row.");
        QTest::newRow("broken") << QByteArray("text\n\"the cat")
                                << QByteArray(
                                       "names.csv cannot be read: the quotation mark in line "
                                       "2 is never closed.");
    }

    void tablesWithoutPromptsAreRefused() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, message);
        const auto set =
            readPromptSet(*loadSample("gpt2-mini-6l"), text.toStdString(), "names.csv");
        QVERIFY(!set);
        QCOMPARE(set.error().message, message.toStdString());
    }

    void promptsMayBeOfTwoTexts() {
        const auto model = headscope::test::loadFixture("bert-pair");
        const std::string json = R"({"text": "the cat", "text_pair": "a dog"})";
        const std::string csv = "text,text_pair\nthe cat,a dog\n";
        for (const auto& [text, name] :
             {std::pair(json, "lines.txt"), std::pair(csv, "lines.csv")}) {
            const PromptSet set = require(readPromptSet(*model, text, name));
            QCOMPARE(set.prompts.front().text, std::string("the cat[SEP]a dog"));
            QCOMPARE(set.prompts.front().segments, (std::vector<std::size_t>{0, 0, 0, 0, 1, 1, 1}));
        }
        const PromptSet single =
            require(readPromptSet(*model, "text,text_pair\nthe cat,\n", "lines.csv"));
        QCOMPARE(single.prompts.front().text, std::string("the cat"));
        const PromptSet none =
            require(readPromptSet(*model, R"({"text": "the cat", "text_pair": null})", "l.txt"));
        QCOMPARE(none.prompts.front().text, std::string("the cat"));
        const auto number =
            readPromptSet(*model, R"({"text": "the cat", "text_pair": 3})", "lines.txt");
        QVERIFY(!number);
        QVERIFY(number.error().message.find("\"text_pair\" is no text") != std::string::npos);
        const auto refused = readPromptSet(*loadSample("gpt2-mini-6l"), json, "lines.txt");
        QVERIFY(!refused);
        QVERIFY(refused.error().message.find("two texts are separated") != std::string::npos);
    }

    void idsAreReadWithoutATokenizer() {
        const auto model = headscope::test::loadFixture("gpt2");
        const PromptSet set = require(readPromptSet(*model, "1 2 3 1\n5,6\n999999\n", "ids"));
        QCOMPARE(set.prompts.size(), 2u);
        QCOMPARE(set.left_out.size(), 1u);
        QCOMPARE(set.left_out[0].line, 3u);
    }

    void aScoreIsAHeadAndAType() {
        const auto model = loadSample("gpt2-mini-6l");
        const ModelSpec& spec = model->spec;
        const HeadReadingChoice choice = require(parseHeadReading("4.1:induction", spec));
        QCOMPARE(choice.head, (LayerHead{4, 1}));
        QVERIFY(choice.type == HeadTypeId::Induction);
        for (const char* wrong : {"4.1", "4.1:", "4.1:no-type", "4.1induction", ":induction"})
            QVERIFY2(!parseHeadReading(wrong, spec), wrong);
    }

    void aTextWithoutPromptsIsRefused() {
        const auto model = loadSample("gpt2-mini-6l");
        QVERIFY(!runPromptSet(model, {}, {}));
        const auto empty = readPromptSet(*model, "\n\n", "empty.txt");
        QVERIFY(!empty);
        QCOMPARE(empty.error().message,
                 std::string("empty.txt holds no prompt: write one per line."));
        const auto wrong = readPromptSet(*model, "{\"a\": 1}", "wrong.jsonl");
        QVERIFY(!wrong);
        QVERIFY(wrong.error().message.find("line 1") != std::string::npos);
    }

    /// Every number against a run of that prompt alone.
    void outcomesAreThoseOfSingleRuns() {
        const auto model = loadSample("gpt2-mini-6l");
        const PromptSet set = require(readPromptSet(*model, kLines, "lines.txt"));
        const HeadMask mask = maskOf({{4, 1}, {2, 1}});
        const PromptSetResult result = require(runPromptSet(model, set, mask));
        QCOMPARE(result.outcomes.size(), 3u);
        for (std::size_t i = 0; i < 3; ++i) {
            const Prompt& prompt = set.prompts[i];
            const PromptOutcome& outcome = result.outcomes[i];
            HookSet hooks;
            addAblation(hooks, mask, model->spec);
            const auto whole = require(runModel(model, prompt.ids));
            const auto ablated = require(runModel(model, prompt.ids, {}, hooks));
            check(outcome.whole, *whole);
            check(outcome.ablated, *ablated);
            Metric metric;
            metric.kind = MetricKind::Kl;
            metric.position = prompt.ids.size() - 1;
            PromptMetric kl = require(PromptMetric::make(metric, model->spec, prompt.ids));
            kl.keepReference(*metric.position,
                             {whole->logits.matrix().row(*metric.position), model->spec.d_vocab});
            QVERIFY(std::abs(*outcome.divergence - kl.value(ablated->logits)) < 1e-5);
            PromptScores scores(model, prompt.ids, prompt.has_bos);
            showPatterns(*ablated, scores);
            const HeadScores single = scores.scores();
            for (const HeadTypeId type : {HeadTypeId::Previous, HeadTypeId::Induction})
                for (const LayerHead head : single.heads) {
                    const double expected = single.at(type, head).score;
                    const auto of_type = outcome.scores.find(type);
                    if (std::isnan(expected) && of_type == outcome.scores.end())
                        continue;
                    const auto found = double{of_type->second[head]};
                    QVERIFY(std::isnan(expected) ? std::isnan(found)
                                                 : std::abs(found - expected) < 1e-5);
                }
        }
    }

    void meansCountEveryPromptAlike() {
        const auto model = loadSample("gpt2-mini-6l");
        const PromptSet set = require(readPromptSet(*model, kLines, "lines.txt"));
        const PromptSetResult result = require(runPromptSet(model, set, maskOf({{4, 1}})));
        double loss = 0.0;
        double change = 0.0;
        double kept = 0.0;
        for (const PromptOutcome& outcome : result.outcomes) {
            loss += *outcome.whole.loss / 3.0;
            change += *outcome.lossChange() / 3.0;
            kept += outcome.keepsBest() ? 1.0 / 3.0 : 0.0;
        }
        const PromptSetMeans means = meansOf(result);
        QVERIFY(std::abs(*means.loss - loss) < 1e-12);
        QVERIFY(std::abs(*means.ablated_loss - *means.loss - change) < 1e-12);
        QVERIFY(std::abs(*means.kept_best - kept) < 1e-12);
        QVERIFY(means.change.low <= change && change <= means.change.high);

        // The heads' scores are those of the same sequences in the ablated network.
        const PromptSetResult whole = require(runPromptSet(model, set, {}));
        std::vector<InputSequence> sequences;
        for (const Prompt& prompt : set.prompts)
            sequences.push_back({.ids = prompt.ids, .has_bos = prompt.has_bos});
        const HeadScores expected = require(scoreSequences(model, sequences, "any"));
        QCOMPARE(whole.scores.types.size(), expected.types.size());
        QCOMPARE(whole.scores.at(HeadTypeId::Previous, {0, 0}).score,
                 expected.at(HeadTypeId::Previous, {0, 0}).score);
        QCOMPARE(whole.scores.measuredOn(HeadTypeId::Previous).input,
                 std::string("3 prompts of lines.txt"));
    }

    void withoutAblationNothingIsCompared() {
        const auto model = loadSample("gpt2-mini-6l");
        const PromptSet set = require(readPromptSet(*model, "Mary had a lamb", "one"));
        const PromptSetResult result = require(runPromptSet(model, set, {}));
        QVERIFY(!result.outcomes[0].divergence);
        const PromptSetMeans means = meansOf(result);
        QVERIFY(means.loss && !means.ablated_loss && !means.kept_best);
        const Table table = promptSetTable(result, {}, provenanceOf(*model));
        QCOMPARE(table.columns.size(), table.rows[0].size());
        QVERIFY(std::ranges::find(table.columns, "change", &Column::key) == table.columns.end());
    }

    void theTableHoldsTheChosenScore() {
        const auto model = loadSample("gpt2-mini-6l");
        const PromptSet set = require(readPromptSet(*model, kLines, "lines.txt"));
        const PromptSetResult result = require(runPromptSet(model, set, maskOf({{0, 0}})));
        const HeadReadingChoice choice{{4, 1}, HeadTypeId::Sink};
        const Table table = promptSetTable(result, choice, provenanceOf(*model));
        const std::size_t score = table.column("score");
        const std::size_t change = table.column("change");
        for (std::size_t i = 0; i < table.rows.size(); ++i) {
            QCOMPARE(table.rows[i].size(), table.columns.size());
            QCOMPARE(plainText(table.rows[i][score]),
                     plainText(float{result.outcomes[i].scores.at(HeadTypeId::Sink)[{4, 1}]}));
            QCOMPARE(plainText(table.rows[i][change]), plainText(*result.outcomes[i].lossChange()));
        }
    }

    /// Networks without logits, and those that read both ways.
    void networksThatPredictNothingKeepTheirScores() {
        const auto bert = loadSample("bert-mini-4l");
        const PromptSet set = require(readPromptSet(*bert, "the cat [MASK] .\nthe cat\n", "masks"));
        const PromptSetResult result = require(runPromptSet(bert, set, maskOf({{0, 0}})));
        QVERIFY(result.outcomes[0].whole.best && !result.outcomes[0].whole.loss);
        QVERIFY(result.outcomes[0].divergence);
        QVERIFY(!result.outcomes[1].whole.best && !result.outcomes[1].divergence);
        QVERIFY(!result.outcomes[1].scores.empty());
    }

    void stopsAndPublishes() {
        const auto model = loadSample("gpt2-mini-6l");
        std::string lines;
        for (int i = 0; i < 60; ++i)
            lines += "Mary had a little lamb and John had a little dog\n";
        const PromptSet set = require(readPromptSet(*model, lines, "many"));
        std::stop_source stop;
        std::size_t published = 0;
        const auto stopped =
            runPromptSet(model, set, {}, {}, stop.get_token(), [&](const PromptSetResult& so_far) {
                QVERIFY(so_far.outcomes.size() > published);
                published = so_far.outcomes.size();
                QVERIFY(std::abs(*meansOf(so_far).loss - *so_far.outcomes[0].whole.loss) < 1e-5);
                stop.request_stop();
            });
        QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
        QVERIFY(published > 0 && published < 60);
    }

    void ablationsThatNeedOtherPromptsAreRefused() {
        const auto model = loadSample("gpt2-mini-6l");
        const PromptSet set = require(readPromptSet(*model, "Mary", "one"));
        HeadMask mask;
        mask.set({0, 0}, AblationKind::Resample);
        QVERIFY(!runPromptSet(model, set, mask));
    }

private:
    static void check(const PromptReading& reading, const Run& run) {
        QVERIFY(std::abs(*reading.loss - *meanNextTokenLoss(run.logits, run.ids)) < 1e-5);
        const Prediction best = topPredictions(run.logits, run.ids.size() - 1, 1).front();
        QCOMPARE(reading.best->id, best.id);
        QVERIFY(std::abs(reading.best->probability - best.probability) < 1e-5);
    }
};

const headscope::test::TestRegistration<TestPromptSet> registration;

} // namespace test_prompt_set

#include "test_prompt_set.moc"
