// One head by one type on sequences that were run before, as often as each is given.

#include "core/heads/score_sequences.h"
#include "core/heads/sequences.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>

namespace test_score_of_readings {

using namespace headscope;
using headscope::test::loadSample;
using headscope::test::require;

class TestScoreOfReadings : public QObject {
    Q_OBJECT

private slots:
    void allOnceGiveTheScore() {
        const auto model = loadSample("induction-circuit");
        const auto sequences = require(repeatedRandomSequences(*model, {.sequences = 4}));
        const HeadScores scores = require(scoreSequences(model, sequences, "here"));
        const auto readings = require(measureSequences(model, sequences));
        std::vector<const SequenceReading*> all;
        for (const SequenceReading& reading : readings)
            all.push_back(&reading);
        for (const LayerHead head : scores.heads) {
            const HeadScore& whole = scores.at(HeadTypeId::Previous, head);
            const HeadScore found = scoreOfReadings(head, HeadTypeId::Previous, all);
            QCOMPARE(found.score, whole.score);
            QCOMPARE(found.baseline, whole.baseline);
            QCOMPARE(found.low, whole.low);
            QCOMPARE(found.high, whole.high);
        }
    }

    void aSequenceCountsAsOftenAsItIsGiven() {
        const auto model = loadSample("gpt2-mini-6l");
        const auto sequences = require(repeatedRandomSequences(*model, {.sequences = 2}));
        const auto readings = require(measureSequences(model, sequences));
        const auto score = [&](std::vector<std::size_t> drawn) {
            std::vector<const SequenceReading*> chosen;
            for (const std::size_t i : drawn)
                chosen.push_back(&readings[i]);
            return scoreOfReadings({1, 0}, HeadTypeId::Current, chosen).score;
        };
        QVERIFY(score({0}) != score({1}));
        QVERIFY(std::abs(score({0, 0, 1}) - (2.0 * score({0}) + score({1})) / 3.0) < 1e-12);
    }

    void whatNoSequenceHasIsNotDefined() {
        const auto model = loadSample("induction-circuit");
        const auto sequences = require(repeatedRandomSequences(*model, {.sequences = 2}));
        const auto readings = require(measureSequences(model, sequences));
        const std::vector<const SequenceReading*> first{&readings.front()};
        QVERIFY(std::isnan(scoreOfReadings({1, 0}, HeadTypeId::NameMover, first).score));
        QVERIFY(std::isnan(scoreOfReadings({1, 0}, HeadTypeId::Previous, {}).score));
    }
};

const headscope::test::TestRegistration<TestScoreOfReadings> registration;

} // namespace test_score_of_readings

#include "test_score_of_readings.moc"
