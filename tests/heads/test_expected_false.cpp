// How many labels are expected to be chance, against Benjamini and Hochberg by hand.

#include "core/heads/expected_false.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>

namespace test_expected_false {

using namespace headscope;

namespace {

/// One type, a head for each p-value; those with `score` 1 have the label.
HeadScores scoresOf(const std::vector<std::pair<double, double>>& scores_and_p_values) {
    HeadScores scores;
    scores.heads = HeadIndex(1, scores_and_p_values.size());
    scores.types = {HeadTypeId::Current};
    scores.measured_on = {{"here", "without BOS", 10}};
    for (const LayerHead head : scores.heads) {
        const auto& [score, p_value] = scores_and_p_values[head.head];
        HeadScore found{.head = head,
                        .type = HeadTypeId::Current,
                        .score = score,
                        .baseline = 0.1,
                        .low = score,
                        .high = score};
        found.control = 0.0;
        found.above_control = score;
        found.p_value = p_value;
        scores.scores.push_back(found);
    }
    return scores;
}

ExpectedFalse expectedOf(const std::vector<std::pair<double, double>>& scores) {
    return expectedFalse(scoresOf(scores), {});
}

} // namespace

class TestExpectedFalse : public QObject {
    Q_OBJECT

private slots:
    // p.adjust(c(.001, .01, .04, .5, .9), "BH") of R: .005 .025 .0666… .625 .9
    void theLargestAdjustedOfTheLabels() {
        const ExpectedFalse two =
            expectedOf({{1.0, 0.001}, {1.0, 0.01}, {0.2, 0.04}, {0.2, 0.5}, {0.2, 0.9}});
        QCOMPARE(two.labels, std::size_t{2});
        QCOMPARE(two.tests, std::size_t{5});
        QCOMPARE(two.count, 2 * 0.025);
        const ExpectedFalse three =
            expectedOf({{0.2, 0.5}, {1.0, 0.04}, {1.0, 0.001}, {0.2, 0.9}, {1.0, 0.01}});
        QVERIFY(std::abs(three.count - 3 * 0.04 * 5 / 3) < 1e-12);
    }

    // p.adjust(c(.02, .021), "BH"): .021 .021
    void aLargerOneMayGiveLess() { QCOMPARE(expectedOf({{1.0, 0.02}, {0.2, 0.021}}).count, 0.021); }

    void whatWasNotTestedIsLeftOut() {
        const double none = std::nan("");
        const ExpectedFalse expected = expectedOf({{1.0, 0.01}, {1.0, none}, {0.2, none}});
        QCOMPARE(expected.labels, std::size_t{1});
        QCOMPARE(expected.tests, std::size_t{1});
        QCOMPARE(expected.count, 0.01);
    }

    void itIsSaid() {
        QCOMPARE(expectedFalseText({0.31, 41, 1344}),
                 std::string("of the model’s 41 labels, about 0.3 are expected to be chance "
                             "(Benjamini–Hochberg, 1344 tests)"));
        QCOMPARE(expectedFalseText({0.0, 41, 1344}),
                 std::string("of the model’s 41 labels, fewer than 0.1 are expected to be chance "
                             "(Benjamini–Hochberg, 1344 tests)"));
        QCOMPARE(expectedFalseText({}), std::string());
    }
};

const headscope::test::TestRegistration<TestExpectedFalse> registration;

} // namespace test_expected_false

#include "test_expected_false.moc"
