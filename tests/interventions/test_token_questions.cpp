// What tokenDependence can be asked, refuses, and does when it is stopped.

#include "core/interventions/token_dependence.h"
#include "tests/interventions/slow_metric.h"
#include "tests/interventions/token_questions.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>
#include <stop_token>
#include <string>
#include <string_view>

namespace test_token_questions {

using namespace headscope;
using namespace headscope::test;

namespace {

QString messageOf(const std::shared_ptr<const Model>& model, const TokenQuestion& question) {
    const auto result = tokenDependence(model, question);
    return result ? QStringLiteral("no error") : QString::fromStdString(result.error().message);
}

} // namespace

class TestTokenQuestions : public QObject {
    Q_OBJECT

private slots:
    void klHasNoSlope() {
        const auto model = fixtureNamed(QStringLiteral("gpt2"));
        TokenQuestion question =
            questionBy(TokenMethod::Gradient, someMetric(MetricKind::Kl, model->spec));
        QCOMPARE(messageOf(model, question),
                 QStringLiteral("The slope of KL is 0 at the prompt itself, so there is nothing to "
                                "estimate by; hide and replace tokens, or choose another metric."));
        question.methods.clear();
        const TokenDependence found = require(tokenDependence(model, question));
        QCOMPARE(found.methods.size(), 2u);
        QCOMPARE(found.value, 0.0);
        QVERIFY(std::isnan(found.without_all));
        QVERIFY(std::isnan(found.completenessGap()));
        QVERIFY(found.note().empty());
    }

    void needsNoLogits() {
        TokenQuestion question;
        question.ids = {0, 1, 2};
        question.reading = AttentionEntry{{0, 0}, 2, 1};
        const auto model = loadFixture("notebook");
        const TokenDependence found = require(tokenDependence(model, question));
        QCOMPARE(found.methods.size(), 4u);
        question.reading = Metric{};
        QVERIFY(messageOf(model, question).contains(QStringLiteral("no unembedding")));
    }

    void defaultBaselines() {
        QVERIFY(!defaultBaseline(fixtureNamed(QStringLiteral("gpt2"))->spec).token);
        ModelSpec spec;
        spec.mask_token = 4;
        spec.bos_token = 1;
        QCOMPARE(*defaultBaseline(spec).token, 4);
    }

    void refuses() {
        const auto model = fixtureNamed(QStringLiteral("gpt2"));
        const TokenReading read = difference(7, 31);
        const auto message = [&](auto change) {
            TokenQuestion question = questionBy(TokenMethod::Hide, read);
            change(question);
            return messageOf(model, question);
        };
        QCOMPARE(message([](TokenQuestion& question) { question.baseline = TokenBaseline{97}; }),
                 QStringLiteral("There is no token 97 to replace others by: the vocabulary has ids "
                                "0 to 96."));
        QCOMPARE(message([](TokenQuestion& question) { question.steps = 0; }),
                 QStringLiteral("Integrated gradients need at least one step; give a number above "
                                "0."));
        QVERIFY(message([](TokenQuestion& question) {
                    question.methods = {TokenMethod::Hide, TokenMethod::Hide};
                }).startsWith(QStringLiteral("A method is named twice")));
        QVERIFY(message([](TokenQuestion& question) {
                    question.ids = {};
                }).startsWith(QStringLiteral("The prompt has no tokens")));
        QVERIFY(message([](TokenQuestion& question) {
                    question.ids = {5, 970};
                }).contains(QStringLiteral("970")));
        QVERIFY(message([](TokenQuestion& question) {
                    question.reading = AttentionEntry{{0, 0}, 3, 4};
                }).contains(QStringLiteral("its mask hides that key")));
        QVERIFY(message([](TokenQuestion& question) {
                    question.reading = AttentionEntry{{7, 0}, 3, 2};
                }).contains(QStringLiteral("7.0")));
    }

    void stops_data() {
        QTest::addColumn<int>("method");
        for (const TokenMethod method : tokenMethods())
            QTest::newRow(tokenMethodName(method).data()) << static_cast<int>(method);
    }
    /// Before anything, and for what takes several parts in the middle of it.
    void stops() {
        QFETCH(int, method);
        const auto model = fixtureNamed(QStringLiteral("gpt2"));
        TokenQuestion question = questionBy(static_cast<TokenMethod>(method), difference(7, 31));
        std::stop_source before;
        before.request_stop();
        const auto stopped = tokenDependence(model, question, {}, before.get_token());
        QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
        question.methods.push_back(question.methods.front() == TokenMethod::Integrated
                                       ? TokenMethod::Hide
                                       : TokenMethod::Integrated);
        std::stop_source meanwhile;
        double farthest = 0.0;
        const auto stop_soon = [&](double fraction, std::string_view) {
            farthest = fraction;
            meanwhile.request_stop();
        };
        const auto result = tokenDependence(model, question, stop_soon, meanwhile.get_token());
        QVERIFY(!result && result.error().code == ErrorCode::Cancelled);
        QVERIFY(farthest > 0.0 && farthest < 1.0);
    }

    void progressEndsAtOne() {
        TokenQuestion question = questionBy(TokenMethod::Hide, difference(7, 31));
        question.methods = {};
        double last = 0.0;
        std::string stage;
        const auto keep = [&](double fraction, std::string_view text) {
            QVERIFY(fraction > last);
            last = fraction;
            stage = text;
        };
        static_cast<void>(
            require(tokenDependence(fixtureNamed(QStringLiteral("gpt2")), question, keep)));
        QCOMPARE(last, 1.0);
        QCOMPARE(stage, std::string("90 of 90 runs")); // 12 + 12 + 1 + (64 + 1)
    }
};

const headscope::test::TestRegistration<TestTokenQuestions> registration;

} // namespace test_token_questions

#include "test_token_questions.moc"
