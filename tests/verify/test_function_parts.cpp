#include "core/verify/checks/function_checks.h"
#include "core/verify/function/paired.h"
#include "core/verify/function/token_counts.h"
#include "core/verify/function/weight_order.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/verify/check_access.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace test_function_parts {

using namespace headscope;
using namespace headscope::test;

namespace {

bool near(double a, double b, double tolerance = 1e-9) {
    return std::abs(a - b) <= tolerance;
}

WeightTensor counting(std::size_t rows, std::size_t cols) {
    Tensor numbers({rows, cols});
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers.values()[i] = static_cast<float>(i);
    return numbers;
}

} // namespace

class TestFunctionParts : public QObject {
    Q_OBJECT

private slots:
    /// Mean 2, standard error 1/√3 of three numbers: t = 4.3027 with two degrees of freedom.
    void intervalOfPairs() {
        const PairedMean found = pairedMean(std::array{1.0, 2.0, 3.0}, 0.05);
        QVERIFY(near(found.mean, 2.0));
        QVERIFY(near(found.low, 2.0 - 4.3027 / std::sqrt(3.0), 1e-4));
        QVERIFY(near(found.high, 2.0 + 4.3027 / std::sqrt(3.0), 1e-4));
        QVERIFY(std::isinf(pairedMean(std::array{1.0}, 0.05).high));
    }

    /// By hand: "a a b" of a vocabulary of four, two different tokens among three.
    void tokensAreCounted() {
        TokenCounts counts(4);
        counts.add(std::array{TokenId{0}, TokenId{0}, TokenId{1}});
        QVERIFY(near(counts.probability(0), (2.0 + 2.0 / 4.0) / 5.0));
        QVERIFY(near(counts.probability(3), (2.0 / 4.0) / 5.0));
        double sum = 0.0;
        double sum_after = 0.0;
        for (TokenId id = 0; id < 4; ++id) {
            sum += counts.probability(id);
            sum_after += counts.probabilityAfter(0, id);
        }
        QVERIFY(near(sum, 1.0) && near(sum_after, 1.0));
        QVERIFY(near(counts.probabilityAfter(0, 1), (1.0 + 2.0 * counts.probability(1)) / 4.0));
        QVERIFY(near(counts.probabilityAfter(2, 1), counts.probability(1)));
        counts.add(std::array{TokenId{0}, TokenId{0}, TokenId{1}}, -1);
        QVERIFY(near(counts.probability(0), 0.25));
    }

    /// A passage is judged by all texts but its own document.
    void ownDocumentIsNotCounted() {
        PassageSet text;
        text.content = {{1, 1, 1}, {2, 2, 2}};
        for (std::size_t document = 0; document < 2; ++document)
            text.passages.push_back(
                {text.content[document], {{0, text.content[document][1]}}, document});
        const CountedLosses losses = countedLosses(text, {}, 4, true, false);
        // Of the other three tokens, all alike, this one is none: (1 / 4) / 4.
        for (std::size_t passage = 0; passage < 2; ++passage)
            QVERIFY(near(losses.single[passage][0], std::log(16.0)));
    }

    void weightsAreReordered() {
        WeightTensor square = counting(3, 3);
        transpose(square);
        QCOMPARE(square(0, 2), 6.0f);
        WeightTensor wide = counting(2, 4);
        transposeColumns(wide, 1, 2);
        QCOMPARE(wide(0, 2), 5.0f); // columns 1 and 2 alone are transposed
        QCOMPARE(wide(1, 1), 2.0f);
        QCOMPARE(wide(1, 3), 7.0f);
        WeightTensor columns = counting(2, 3);
        reorderColumns(columns, Order{2, 0, 1});
        QCOMPARE(columns(0, 0), 2.0f);
        QCOMPARE(columns(1, 1), 3.0f);
        WeightTensor rows = counting(3, 2);
        reorderRows(rows, Order{1, 2, 0});
        QCOMPARE(rows(2, 1), 1.0f);
        QCOMPARE(transposedOrder(2, 3), (Order{0, 3, 1, 4, 2, 5}));
        QCOMPARE(blockOrder(Order{1, 0}, 2), (Order{2, 3, 0, 1}));
    }

    void noBetterThanCountsIsNotVerified() {
        const std::vector<double> counted{5.0, 6.0, 7.0, 6.5};
        const std::vector<double> good{3.0, 3.5, 4.0, 4.1};
        QCOMPARE(predictionCheck("counts", good, counted).outcome, Check::Passed);
        const Check same = predictionCheck("counts", counted, counted);
        QCOMPARE(same.outcome, Check::NotVerified);
        QVERIFY(same.explanation.starts_with("Not verified: "));
        // Lower on average, but not surely.
        QCOMPARE(
            predictionCheck("counts", std::vector<double>{4.0, 7.0, 5.0, 6.0}, counted).outcome,
            Check::NotVerified);
        const double nan = std::numeric_limits<double>::quiet_NaN();
        QCOMPARE(
            predictionCheck("counts", std::vector<double>{nan, nan, nan, nan}, counted).outcome,
            Check::NotVerified);
    }

    void everyOutcomeIsToldApart() {
        const std::vector<AlterationKind> kinds{{"Heads", {{"a"}, {"b"}, {"c"}, {"d"}}, ""},
                                                {"Masks", {}, "There is none."}};
        const std::vector<Trial> trials{{0, "a", Trial::Worse, {1.0, 0.5, 1.5}, ""},
                                        {0, "b", Trial::Better, {-1.0, -1.5, -0.5}, ""},
                                        {0, "c", Trial::Untold, {0.1, -0.1, 0.3}, ""},
                                        {0, "d", Trial::NoEffect, {}, "nothing changes"}};
        const auto checks = trialChecks(kinds, trials, 4.0, true);
        const auto count = [](const std::vector<Check>& all, Check::Outcome outcome) {
            return std::ranges::count(all, outcome, &Check::outcome);
        };
        QCOMPARE(checks.size(), 5u);
        QCOMPARE(count(checks, Check::NotVerified), 2);
        QCOMPARE(count(checks, Check::Passed), 1);
        QCOMPARE(count(checks, Check::NotApplicable), 2);
        QVERIFY2(
            checks[0].explanation.starts_with(
                "Not verified: with b, the loss would be lower by 1.000 nats [0.500 to 1.500]"),
            checks[0].explanation.c_str());
        // Being worse than a model that predicts nothing is no merit.
        QCOMPARE(count(trialChecks(kinds, trials, 4.0, false), Check::Passed), 0);
    }

    void modelsThatReadNoTextAreSaid_data() {
        QTest::addColumn<QString>("sample");
        QTest::addColumn<QString>("reason");
        QTest::newRow("no vocabulary") << "notebook"
                                       << "no vocabulary";
        QTest::newRow("letters alone") << "microgpt"
                                       << "no token for";
        QTest::newRow("unknown tokens") << "induction-circuit"
                                        << "does not know";
    }
    void modelsThatReadNoTextAreSaid() {
        QFETCH(QString, sample);
        QFETCH(QString, reason);
        const auto checks = require(functionChecks(loadSample(sample.toStdString())));
        QCOMPARE(checks.size(), 1u);
        QCOMPARE(checks[0].outcome, Check::NotApplicable);
        QVERIFY2(checks[0].explanation.find(reason.toStdString()) != std::string::npos,
                 checks[0].explanation.c_str());
    }

    void withoutATokenizerNothingIsChecked() {
        const auto checks = require(functionChecks(loadFixture("llama")));
        QCOMPARE(checks.size(), 1u);
        QVERIFY2(checks[0].explanation.find("no tokenizer") != std::string::npos,
                 checks[0].explanation.c_str());
    }

    /// Weights that are noise predict nothing, and no alteration of them is praised or named.
    void noiseIsNotVerified() {
        Model model = *loadSample("attn-only-2l");
        std::uint32_t state = 1;
        for (float& value : model.weights.W_E.floats().values()) {
            state = state * 1664525u + 1013904223u;
            value = 0.02f * (static_cast<float>(state >> 8) / 8388608.0f - 1.0f);
        }
        const auto checks = require(functionChecks(
            std::make_shared<const Model>(std::move(model)),
            {{"Queries, keys and values exchanged", "Another scale of attention", "Other norms"}}));
        QCOMPARE(std::ranges::count(checks, Check::Passed, &Check::outcome), 0);
        QCOMPARE(std::ranges::count(checks, Check::NotVerified, &Check::outcome), 2);
        QCOMPARE(checks[0].outcome, Check::NotVerified);
    }

    void canBeStopped() {
        std::stop_source source;
        source.request_stop();
        const auto stopped = functionChecks(loadSample("attn-only-2l"), {}, {}, source.get_token());
        QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
    }
};

const headscope::test::TestRegistration<TestFunctionParts> registration;

} // namespace test_function_parts

#include "test_function_parts.moc"
