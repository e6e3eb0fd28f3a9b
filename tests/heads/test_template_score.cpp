// Expected scores: TransformerLens 2, head_detector.compute_head_attention_similarity_score. Its
// "abs" rounds the error to 3 digits.

#include "core/heads/template_score.h"
#include "tests/support/runner.h"

#include <QTest>

#include <array>
#include <cmath>

namespace test_template_score {

using namespace headscope;

namespace {

const TokenIds kIds{3, 1, 4, 1, 5, 3, 1, 4};

/// A[i, j] ~ 1 + (3 i + 5 j) mod 7 below and on the diagonal, rows sum to 1.
Tensor causalPattern() {
    Tensor A({kIds.size(), kIds.size()});
    for (std::size_t i = 0; i < kIds.size(); ++i) {
        float sum = 0.0f;
        for (std::size_t j = 0; j <= i; ++j)
            sum += A(i, j) = static_cast<float>(1 + (3 * i + 5 * j) % 7);
        for (std::size_t j = 0; j <= i; ++j)
            A(i, j) /= sum;
    }
    return A;
}

} // namespace

class TestTemplateScore : public QObject {
    Q_OBJECT

private slots:
    void templates_data() {
        QTest::addColumn<HeadTemplate>("kind");
        QTest::addColumn<std::vector<std::pair<std::size_t, std::size_t>>>("ones");
        using Ones = std::vector<std::pair<std::size_t, std::size_t>>;
        QTest::newRow("previous") << HeadTemplate::PreviousToken
                                  << Ones{{1, 0}, {2, 1}, {3, 2}, {4, 3}, {5, 4}, {6, 5}, {7, 6}};
        QTest::newRow("duplicate")
            << HeadTemplate::DuplicateToken << Ones{{3, 1}, {5, 0}, {6, 1}, {6, 3}, {7, 2}};
        QTest::newRow("induction")
            << HeadTemplate::InductionHead << Ones{{3, 2}, {5, 1}, {6, 2}, {6, 4}, {7, 3}};
    }
    void templates() {
        QFETCH(HeadTemplate, kind);
        using Ones = std::vector<std::pair<std::size_t, std::size_t>>;
        QFETCH(Ones, ones);
        const Tensor D = headTemplate(kind, kIds);
        Ones found;
        for (std::size_t i = 0; i < kIds.size(); ++i)
            for (std::size_t j = 0; j < kIds.size(); ++j)
                if (D(i, j) != 0.0f)
                    found.emplace_back(i, j);
        QVERIFY(found == ones);
    }

    void scoresOfTransformerLens_data() {
        QTest::addColumn<HeadTemplate>("kind");
        QTest::addColumn<std::vector<double>>("mul"); ///< exclusions: none, current, BOS, both
        QTest::addColumn<std::vector<double>>("absolute");
        using Scores = std::vector<double>;
        QTest::newRow("previous") << HeadTemplate::PreviousToken
                                  << Scores{0.2420977, 0.3561480, 0.2487498, 0.3583714}
                                  << Scores{-0.391, -0.071, -0.071, 0.125};
        QTest::newRow("duplicate")
            << HeadTemplate::DuplicateToken << Scores{0.0767652, 0.1129287, 0.1039540, 0.1497654}
            << Scores{-0.471, -0.151, -0.006, 0.190};
        QTest::newRow("induction")
            << HeadTemplate::InductionHead << Scores{0.1209719, 0.1779608, 0.1895370, 0.2730642}
            << Scores{-0.383, -0.063, -0.021, 0.174};
    }
    void scoresOfTransformerLens() {
        QFETCH(HeadTemplate, kind);
        QFETCH(std::vector<double>, mul);
        QFETCH(std::vector<double>, absolute);
        const Tensor A = causalPattern();
        const Tensor D = headTemplate(kind, kIds);
        for (std::size_t i = 0; i < 4; ++i) {
            TemplateOptions options{TemplateMeasure::Multiply, i >= 2, i % 2 == 1};
            QVERIFY(std::abs(templateScore(A.matrix(), D.matrix(), options) - mul[i]) <= 1e-6);
            options.measure = TemplateMeasure::Absolute;
            QVERIFY(std::abs(templateScore(A.matrix(), D.matrix(), options) - absolute[i]) <=
                    5.1e-4);
        }
    }

    void perfectHeadScoresOne() {
        const Tensor D = headTemplate(HeadTemplate::PreviousToken, kIds);
        const TemplateOptions by_error{TemplateMeasure::Absolute, false, false};
        QCOMPARE(templateScore(D.matrix(), D.matrix()), 1.0);
        QCOMPARE(templateScore(D.matrix(), D.matrix(), by_error), 1.0);
    }

    void oneTokenHasNoTemplate() {
        const Tensor D = headTemplate(HeadTemplate::InductionHead, TokenIds{3});
        const Tensor A({1, 1}, 1.0f);
        QCOMPARE(templateScore(A.matrix(), D.matrix()), 0.0);
        const TemplateOptions nothing_left{TemplateMeasure::Multiply, true, true};
        QVERIFY(std::isnan(templateScore(A.matrix(), D.matrix(), nothing_left)));
    }
};

const headscope::test::TestRegistration<TestTemplateScore> registration;

} // namespace test_template_score

#include "test_template_score.moc"
