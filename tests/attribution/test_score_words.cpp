// A score as a user asks for it: head, query and key in words.

#include "core/attribution/score_words.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

namespace test_score_words {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr std::size_t kPositions = 6;

StreamRun runOfSix() {
    return require(StreamRun::read(loadFixture("gpt2"), {{3, 1, 4, 1, 5, 9}, {}}));
}

Result<ScoreQuestion> read(const ScoreWords& words) {
    return readScoreQuestion(runOfSix(), words);
}

} // namespace

class TestScoreWords : public QObject {
    Q_OBJECT

private slots:
    void positionsCountFromTheEnd() {
        QCOMPARE(require(positionFromEnd(0, kPositions)), 0u);
        QCOMPARE(require(positionFromEnd(-1, kPositions)), 5u);
        QCOMPARE(require(positionFromEnd(-6, kPositions)), 0u);
        QVERIFY(!positionFromEnd(6, kPositions));
        QVERIFY(!positionFromEnd(-1, 0));
        QCOMPARE(positionFromEnd(-7, kPositions).error().message,
                 std::string("There is no position -7: the prompt has 6 tokens."));
    }

    /// The last query and the key that it gives most weight, against all others.
    void whatIsNotSaidIsChosen() {
        const StreamRun run = runOfSix();
        const ScoreQuestion question = require(readScoreQuestion(run, {.head = "1.0"}));
        QVERIFY(question.head == (LayerHead{1, 0}));
        QCOMPARE(question.query, 5u);
        const Tensor pattern = run.run().pattern({1, 0});
        for (std::size_t key = 0; key < kPositions; ++key)
            QVERIFY(pattern(5, question.key) >= pattern(5, key));
        QVERIFY(question.contrast == ScoreContrast::OtherKeys);
    }

    void whatIsSaidIsMeant() {
        const ScoreQuestion none =
            require(read({.head = "0.1", .query = -2, .key = 1, .against = "none"}));
        QCOMPARE(none.query, 4u);
        QCOMPARE(none.key, 1u);
        QVERIFY(none.contrast == ScoreContrast::Nothing);
        const ScoreQuestion other =
            require(read({.head = "0.1", .query = 4, .key = -6, .against = "-4"}));
        QCOMPARE(other.key, 0u);
        QVERIFY(other.contrast == ScoreContrast::Key);
        QCOMPARE(other.other, 2u);
    }

    void whatIsNotThereIsRefused() {
        QVERIFY(!read({.head = "9.0"}));
        QVERIFY(!read({.head = "0.1", .query = 6}));
        QVERIFY(!read({.head = "0.1", .key = -7}));
        QVERIFY(!read({.head = "0.1", .against = "6"}));
        QCOMPARE(read({.head = "0.1", .against = "love"}).error().message,
                 std::string("A score is compared with others, none or the position of a key, not "
                             "with \"love\"."));
    }
};

const TestRegistration<TestScoreWords> registration;

} // namespace test_score_words

#include "test_score_words.moc"
