// Which tokens a value depends on: a network worked out by hand, then each method against runs with
// hooks or other ids.

#include "core/engine/engine.h"
#include "core/engine/loss.h"
#include "core/interventions/token_dependence.h"
#include "tests/interventions/slow_metric.h"
#include "tests/interventions/token_questions.h"
#include "tests/support/bare_model.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_token_dependence {

using namespace headscope;
using namespace headscope::test;

namespace {

/// One head that attends evenly and copies what it sees; the logits are the residual stream.
std::shared_ptr<const Model> evenAttention() {
    Model model = bareModel({1, 1, 1, 4, 4});
    addDiagonal(valueWeights(model, {0, 0}), 0, 0);
    addDiagonal(outputWeights(model, {0, 0}), 0, 0);
    return std::make_shared<const Model>(std::move(model));
}

TokenReading readingOf(const QString& what, const std::shared_ptr<const Model>& model) {
    const std::size_t layer = model->spec.n_layers - 1;
    if (what == QStringLiteral("weight") || what == QStringLiteral("score"))
        return AttentionEntry{{layer, 1}, 10, 8, what == QStringLiteral("score")};
    if (what == QStringLiteral("kl"))
        return someMetric(MetricKind::Kl, model->spec);
    if (what == QStringLiteral("loss"))
        return someMetric(MetricKind::Loss, model->spec);
    if (what == QStringLiteral("logit-diff"))
        return someMetric(MetricKind::LogitDifference, model->spec);
    Metric metric = someMetric(MetricKind::Probability, model->spec); // of what is probable there
    const Tensor logits = require(runModel(model, kIds))->logits;
    metric.token = topPredictions(logits, *metric.position, 1).front().id;
    return metric;
}

/// In a run with hooks, and with other ids than those whose targets the metric has.
double slowValue(const std::shared_ptr<const Model>& model, const TokenReading& reading,
                 HookSet hooks, const TokenIds& ids = kIds) {
    if (const auto* metric = std::get_if<Metric>(&reading)) {
        const Tensor reference = require(runModel(model, kIds))->logits;
        return slowMetric(*metric, kIds, require(runModel(model, ids, {}, hooks))->logits,
                          reference);
    }
    const auto& entry = std::get<AttentionEntry>(reading);
    double found = NAN;
    const HookKind kind = entry.score ? HookKind::AttnScores : HookKind::Pattern;
    hooks.observe(HookPoint{kind, entry.head.layer}, [&](HookPoint, const TensorView& value) {
        found = static_cast<double>(value(entry.head.head, entry.query, entry.key));
    });
    static_cast<void>(require(runModel(model, ids, {}, hooks)));
    return found;
}

/// The weights on one key taken away behind the softmax, and each row divided by what is left.
HookSet withoutKey(std::size_t key) {
    HookSet hooks;
    hooks.edit("*hook_pattern", [key](HookPoint, const MutableTensorView& pattern) {
        for (std::size_t head = 0; head < pattern.shape[0]; ++head)
            for (std::size_t query = 0; query < pattern.shape[1]; ++query) {
                if (query == key)
                    continue;
                pattern(head, query, key) = 0.0f;
                double sum = 0.0;
                for (std::size_t k = 0; k < pattern.shape[2]; ++k)
                    sum += static_cast<double>(pattern(head, query, k));
                for (std::size_t k = 0; k < pattern.shape[2]; ++k)
                    pattern(head, query, k) =
                        static_cast<float>(static_cast<double>(pattern(head, query, k)) / sum);
            }
    });
    return hooks;
}

/// Some way from what one token, or all of them, have at hook_embed to what `to` has there.
HookSet movedTo(const Tensor& to, double share, std::optional<std::size_t> token) {
    HookSet hooks;
    hooks.edit(HookKind::Embed, [=](HookPoint, const MutableTensorView& embed) {
        for (std::size_t t = 0; t < embed.shape[0]; ++t)
            for (std::size_t d = 0; d < embed.shape[1]; ++d)
                if (!token || t == *token)
                    embed(t, d) = static_cast<float>(embed(t, d) +
                                                     share * (static_cast<double>(to(0U, d)) -
                                                              static_cast<double>(embed(t, d))));
    });
    return hooks;
}

/// hook_embed of one token, [1, d_model].
Tensor embedded(const std::shared_ptr<const Model>& model, TokenId token) {
    HookSet hooks;
    hooks.capture(HookKind::Embed);
    return require(runModel(model, {token}, {}, hooks))->captured.at({HookKind::Embed, 0});
}

/// Its slopes jump, so that differences need shorter steps, and integrals more of them.
bool hasKinks(const Model& model) {
    return model.spec.activation == Activation::Relu;
}

std::vector<double> changesBy(const std::shared_ptr<const Model>& model,
                              const TokenQuestion& question) {
    const TokenDependence result = require(tokenDependence(model, question));
    return result.methods.front().changes;
}

double largest(const std::vector<double>& changes) {
    double most = 0.0;
    for (const double change : changes)
        most = std::max(most, std::abs(change));
    return most;
}

void compare(const std::vector<double>& found, const std::vector<double>& expected,
             double tolerance) {
    QCOMPARE(found.size(), expected.size());
    for (std::size_t t = 0; t < found.size(); ++t)
        QVERIFY2(std::abs(found[t] - expected[t]) <= tolerance,
                 qPrintable(QStringLiteral("token %1: %2, expected %3 ± %4")
                                .arg(t)
                                .arg(found[t])
                                .arg(expected[t])
                                .arg(tolerance)));
}

void addRows(const std::vector<const char*>& readings) {
    QTest::addColumn<QString>("fixture");
    QTest::addColumn<QString>("reading");
    for (const char* fixture :
         {"gpt2", "llama-gqa", "gemma2", "bert", "bloom", "gptj", "olmo2", "opt-350m"})
        for (const char* reading : readings)
            QTest::addRow("%s, %s", fixture, reading)
                << QString::fromLatin1(fixture) << QString::fromLatin1(reading);
}

} // namespace

class TestTokenDependence : public QObject {
    Q_OBJECT

private slots:
    /// At the last of three tokens the stream is e₂ + (e₀ + e₁ + e₂) / 3; what is read is its
    /// component 0 less component 3, 1/3. Token 3 is the baseline.
    void byHand() {
        TokenQuestion question;
        question.ids = {0, 1, 2};
        question.reading = difference(0, 3);
        question.baseline = TokenBaseline{3};
        const TokenDependence found = require(tokenDependence(evenAttention(), question));
        QVERIFY(std::abs(found.value - 1.0 / 3) < 1e-6);
        QVERIFY(std::abs(found.without_all + 2.0) < 1e-6);
        QCOMPARE(found.seen, 3u);
        QCOMPARE(found.methods.size(), 4u);
        // Without e₀, (e₁ + e₂) / 2 is seen; without e₁, (e₀ + e₂) / 2; the last sees itself.
        compare(found.methods[0].changes, {-1.0 / 3, 1.0 / 6, 0.0}, 1e-6);
        // All is linear where weights are even.
        for (const std::size_t method : {1u, 2u, 3u})
            compare(found.methods[method].changes, {-2.0 / 3, -1.0 / 3, -4.0 / 3}, 1e-6);
        QVERIFY(std::abs(found.completenessGap()) < 1e-6);
        QVERIFY(std::abs(found.correlation(0, 1) - 0.5) < 1e-9); // Σ d² = 2
    }

    /// Component 0 less component 3 of the mean embedding is 0.
    void meanEmbeddingByHand() {
        TokenQuestion question;
        question.ids = {0, 1, 2};
        question.reading = difference(0, 3);
        const TokenDependence found = require(tokenDependence(evenAttention(), question));
        QVERIFY(!found.question.baseline->token);
        for (const std::size_t method : {1u, 2u, 3u})
            compare(found.methods[method].changes, {-1.0 / 3, 0.0, 0.0}, 1e-6);
    }

    /// Even weights: of three keys 1/3, of two 1/2; they do not depend on what tokens say.
    void weightByHand() {
        TokenQuestion question;
        question.ids = {0, 1, 2};
        question.reading = AttentionEntry{{0, 0}, 2, 0};
        question.baseline = TokenBaseline{3};
        const TokenDependence found = require(tokenDependence(evenAttention(), question));
        QVERIFY(std::abs(found.value - 1.0 / 3) < 1e-6);
        compare(found.methods[0].changes, {-1.0 / 3, 1.0 / 6, 0.0}, 1e-6);
        for (const std::size_t method : {1u, 2u, 3u})
            compare(found.methods[method].changes, {0.0, 0.0, 0.0}, 1e-6);
        QVERIFY(std::isnan(found.correlation(0, 1)));
    }

    void hides_data() { addRows({"loss", "logit-diff", "probability", "kl", "weight", "score"}); }
    void hides() {
        QFETCH(QString, fixture);
        QFETCH(QString, reading);
        const auto model = fixtureNamed(fixture);
        const TokenReading read = readingOf(reading, model);
        const auto found = changesBy(model, questionBy(TokenMethod::Hide, read));
        const double whole = slowValue(model, read, {});
        std::vector<double> expected;
        for (std::size_t t = 0; t < kIds.size(); ++t)
            expected.push_back(slowValue(model, read, withoutKey(t)) - whole);
        QVERIFY(largest(expected) > 1e-4);
        compare(found, expected, std::min(2e-5, 0.02 * largest(expected)));
    }

    /// The score on a hidden key is that of its query and key, not −∞.
    void hiddenScoreIsReadBeforeThat() {
        const auto model = fixtureNamed(QStringLiteral("gpt2"));
        const auto changes =
            changesBy(model, questionBy(TokenMethod::Hide, AttentionEntry{{0, 1}, 10, 8, true}));
        compare(changes, std::vector<double>(kIds.size()), 1e-5); // nothing before layer 0
    }

    void replaces_data() { addRows({"loss", "logit-diff", "kl", "weight"}); }
    /// As another prompt does.
    void replaces() {
        QFETCH(QString, fixture);
        QFETCH(QString, reading);
        const auto model = fixtureNamed(fixture);
        const TokenReading read = readingOf(reading, model);
        const auto found = changesBy(model, questionBy(TokenMethod::Replace, read));
        const double whole = slowValue(model, read, {});
        std::vector<double> expected;
        for (std::size_t t = 0; t < kIds.size(); ++t) {
            TokenIds ids = kIds;
            ids[t] = 13;
            expected.push_back(slowValue(model, read, {}, ids) - whole);
        }
        QVERIFY(largest(expected) > 1e-4);
        compare(found, expected, std::min(2e-5, 0.02 * largest(expected)));
    }

    void meanEmbedding_data() { addRows({"logit-diff"}); }
    void meanEmbedding() {
        QFETCH(QString, fixture);
        const auto model = fixtureNamed(fixture);
        const TokenReading read = readingOf(QStringLiteral("logit-diff"), model);
        TokenQuestion question = questionBy(TokenMethod::Replace, read);
        question.baseline = TokenBaseline{};
        const auto found = changesBy(model, question);
        const std::size_t vocabulary = model->spec.d_vocab;
        std::vector<double> sums(model->spec.d_model);
        for (std::size_t id = 0; id < vocabulary; ++id) {
            const Tensor row = embedded(model, static_cast<TokenId>(id));
            for (std::size_t d = 0; d < sums.size(); ++d)
                sums[d] += static_cast<double>(row(0U, d));
        }
        Tensor mean({1, sums.size()});
        for (std::size_t d = 0; d < sums.size(); ++d)
            mean(0U, d) = static_cast<float>(sums[d] / static_cast<double>(vocabulary));
        const double whole = slowValue(model, read, {});
        std::vector<double> expected;
        for (std::size_t t = 0; t < kIds.size(); ++t)
            expected.push_back(slowValue(model, read, movedTo(mean, 1.0, t)) - whole);
        QVERIFY(largest(expected) > 1e-3);
        compare(found, expected, 2e-5);
    }

    void replacedByItself() {
        const auto model = fixtureNamed(QStringLiteral("gpt2"));
        TokenQuestion question =
            questionBy(TokenMethod::Replace, readingOf(QStringLiteral("logit-diff"), model));
        question.baseline = TokenBaseline{17};
        question.methods = tokenMethods();
        const TokenDependence found = require(tokenDependence(model, question));
        for (const std::size_t method : {1u, 2u, 3u})
            for (std::size_t t = 0; t < kIds.size(); ++t)
                QCOMPARE(std::abs(found.methods[method].changes[t]) > 1e-5, kIds[t] != 17);
    }

    void slopes_data() { addRows({"loss", "logit-diff", "probability", "weight", "score"}); }
    /// By differences of fourth order on the way of one token to the baseline.
    void slopes() {
        QFETCH(QString, fixture);
        QFETCH(QString, reading);
        const auto model = fixtureNamed(fixture);
        const TokenReading read = readingOf(reading, model);
        const auto found = changesBy(model, questionBy(TokenMethod::Gradient, read));
        const Tensor baseline = embedded(model, 13);
        const double step = hasKinks(*model) ? 0.001 : 0.02;
        std::vector<double> expected;
        for (std::size_t t = 0; t < kIds.size(); ++t) {
            const auto at = [&](double share) {
                return slowValue(model, read, movedTo(baseline, share, t));
            };
            expected.push_back((8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) /
                               (12 * step));
        }
        QVERIFY(largest(expected) > 1e-4);
        compare(found, expected, 0.01 * largest(expected));
    }

    void completeness_data() { addRows({"loss", "logit-diff", "weight"}); }
    void completeness() {
        QFETCH(QString, fixture);
        QFETCH(QString, reading);
        const auto model = fixtureNamed(fixture);
        const TokenReading read = readingOf(reading, model);
        TokenQuestion question = questionBy(TokenMethod::Integrated, read);
        question.steps = hasKinks(*model) ? 1024 : 256;
        const TokenDependence found = require(tokenDependence(model, question));
        const Tensor baseline = embedded(model, 13);
        const double without_all = slowValue(model, read, movedTo(baseline, 1.0, {}));
        QVERIFY(std::abs(found.without_all - without_all) <= 1e-5);
        double sum = 0.0;
        for (const double change : found.methods.front().changes)
            sum += change;
        QVERIFY(std::abs(found.without_all - found.value) > 1e-3);
        QVERIFY2(std::abs(found.completenessGap()) <= 1e-3,
                 qPrintable(QString::number(found.completenessGap())));
        QVERIFY(std::abs(sum - (without_all - found.value) - found.completenessGap()) <= 1e-5);
    }

    void moreStepsAreMoreComplete() {
        const auto model = fixtureNamed(QStringLiteral("gpt2"));
        TokenQuestion question =
            questionBy(TokenMethod::Integrated, readingOf(QStringLiteral("logit-diff"), model));
        question.steps = 1;
        const TokenDependence coarse = require(tokenDependence(model, question));
        question.steps = 64;
        const TokenDependence fine = require(tokenDependence(model, question));
        QVERIFY(std::abs(coarse.completenessGap()) > 1e-3);
        QVERIFY(std::abs(fine.completenessGap()) < 0.01 * std::abs(coarse.completenessGap()));
        QVERIFY(QString::fromStdString(coarse.note()).endsWith(QStringLiteral("more steps.")));
        QVERIFY(fine.note().empty());
    }

    void laterTokensAreNotSeen() {
        const auto model = fixtureNamed(QStringLiteral("gpt2"));
        Metric metric = difference(7, 31);
        metric.position = 4;
        TokenQuestion question = questionBy(TokenMethod::Hide, metric);
        question.methods = {TokenMethod::Integrated, TokenMethod::Hide};
        const TokenDependence found = require(tokenDependence(model, question));
        QCOMPARE(found.seen, 5u);
        QVERIFY(found.methods[0].method == TokenMethod::Integrated);
        for (const TokenChanges& each : found.methods)
            for (std::size_t t = 5; t < kIds.size(); ++t)
                QVERIFY(std::abs(each.changes[t]) < 1e-5);
        question.reading = AttentionEntry{{2, 1}, 6, 0};
        QCOMPARE(require(tokenDependence(model, question)).seen, 7u);
        const auto bert = fixtureNamed(QStringLiteral("bert"));
        question.reading = metric;
        QCOMPARE(require(tokenDependence(bert, question)).seen, kIds.size());
    }

    /// Of the first two −1, of all three 0.5.
    void correlatesWhatIsSeen() {
        TokenDependence result;
        result.methods = {{TokenMethod::Hide, {1.0, 2.0, 9.0}},
                          {TokenMethod::Replace, {2.0, 1.0, 10.0}}};
        result.seen = 2;
        QVERIFY(std::abs(result.correlation(0, 1) + 1.0) < 1e-12);
        result.seen = 3;
        QVERIFY(std::abs(result.correlation(0, 1) - 0.5) < 1e-12);
    }
};

const headscope::test::TestRegistration<TestTokenDependence> registration;

} // namespace test_token_dependence

#include "test_token_dependence.moc"
