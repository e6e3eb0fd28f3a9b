#include "core/interventions/metric.h"
#include "core/tensor/rounding.h"
#include "tests/interventions/slow_metric.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <thread>

namespace test_metric {

using namespace headscope;
using namespace headscope::test;

namespace {

const TokenIds ids{1, 2, 0, 2};

ModelSpec smallSpec(bool causal = true) {
    ModelSpec spec;
    spec.d_vocab = 3;
    spec.causal = causal;
    return spec;
}

/// logits [4, 3] with log sums that differ from row to row.
Tensor logitsOf(float slope) {
    Tensor logits({4, 3});
    for (std::size_t position = 0; position < 4; ++position)
        for (std::size_t token = 0; token < 3; ++token)
            logits(position, token) =
                slope * static_cast<float>(token * (position + 1)) - static_cast<float>(position);
    return logits;
}

std::span<const float> rowOf(const Tensor& logits, std::size_t position) {
    return logits.values().subspan(position * logits.dim(1), logits.dim(1));
}

double measured(PromptMetric& metric, const Tensor& logits, const Tensor& reference) {
    if (metric.needsReference())
        for (const std::size_t position : metric.positions())
            metric.keepReference(position, rowOf(reference, position));
    MetricReading reading(metric);
    for (const std::size_t position : metric.positions())
        reading.read(position, rowOf(logits, position));
    return reading.value();
}

Metric metricOf(MetricKind kind) {
    Metric metric;
    metric.kind = kind;
    metric.token = 2;
    metric.other = 1;
    return metric;
}

} // namespace

class TestMetric : public QObject {
    Q_OBJECT

private slots:
    void isItsFormula_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("positions");
        QTest::newRow("loss") << static_cast<int>(MetricKind::Loss) << 3;
        QTest::newRow("logit-diff") << static_cast<int>(MetricKind::LogitDifference) << 1;
        QTest::newRow("probability") << static_cast<int>(MetricKind::Probability) << 1;
        QTest::newRow("kl") << static_cast<int>(MetricKind::Kl) << 4;
    }
    void isItsFormula() {
        QFETCH(int, kind);
        QFETCH(int, positions);
        const Metric metric = metricOf(static_cast<MetricKind>(kind));
        QCOMPARE(std::string(metricName(metric.kind)), std::string(QTest::currentDataTag()));
        auto bound = require(PromptMetric::make(metric, smallSpec(), ids));
        QCOMPARE(bound.positions().size(), static_cast<std::size_t>(positions));
        const Tensor logits = logitsOf(0.7f);
        const Tensor reference = logitsOf(-0.4f);
        const double expected = slowMetric(metric, ids, logits, reference);
        const double found = measured(bound, logits, reference);
        QVERIFY2(std::abs(found - expected) < 1e-7,
                 qPrintable(QStringLiteral("%1, not %2").arg(found).arg(expected)));
    }

    void divergenceFromItselfIsZero() {
        auto bound = require(PromptMetric::make(metricOf(MetricKind::Kl), smallSpec(), ids));
        QCOMPARE(measured(bound, logitsOf(0.3f), logitsOf(0.3f)), 0.0);
    }

    void onePositionIsEnough() {
        for (const MetricKind kind : {MetricKind::Loss, MetricKind::Kl, MetricKind::Probability}) {
            Metric metric = metricOf(kind);
            metric.position = 1;
            const auto bound = require(PromptMetric::make(metric, smallSpec(), ids));
            QCOMPARE(bound.positions(), std::vector<std::size_t>{1});
        }
    }

    void targetsMayComeInAnyOrder() {
        Metric metric;
        metric.targets = {{3, 0}, {1, 2}};
        auto bound = require(PromptMetric::make(metric, smallSpec(false), ids));
        QCOMPARE(bound.positions(), (std::vector<std::size_t>{1, 3}));
        const Tensor logits = logitsOf(0.7f);
        QVERIFY(agree(measured(bound, logits, {}), slowMetric(metric, ids, logits, {})));
    }

    void maskTokenIsWhereEncodersPredict() {
        ModelSpec spec = smallSpec(false);
        spec.mask_token = 2;
        const auto bound =
            require(PromptMetric::make(metricOf(MetricKind::Probability), spec, ids));
        QCOMPARE(bound.positions(), std::vector<std::size_t>{1});
    }

    void orderAndThreadsDoNotMatter() {
        const auto bound = require(PromptMetric::make({}, smallSpec(), ids));
        const Tensor logits = logitsOf(0.7f);
        MetricReading ascending(bound);
        for (const std::size_t position : {0u, 1u, 2u})
            ascending.read(position, rowOf(logits, position));
        MetricReading threaded(bound);
        {
            std::vector<std::jthread> threads;
            for (const std::size_t position : {2u, 0u, 1u})
                threads.emplace_back([&threaded, &logits, position] {
                    threaded.read(position, rowOf(logits, position));
                });
        }
        QCOMPARE(threaded.value(), ascending.value());
    }

    void anUnreadPositionShows() {
        const auto bound = require(PromptMetric::make({}, smallSpec(), ids));
        MetricReading reading(bound);
        reading.read(0, rowOf(logitsOf(1.0f), 0));
        QVERIFY(std::isnan(reading.value()));
    }

    void refuses_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<QString>("message");
        QTest::newRow("no vocabulary")
            << 0
            << QStringLiteral(
                   "This network has no unembedding, so there are no predictions to measure.");
        QTest::newRow("token outside")
            << 1 << QStringLiteral("Token id 3 is outside the vocabulary, which has ids 0 to 2.");
        QTest::newRow("position outside")
            << 2 << QStringLiteral("There is no position 4: the prompt has positions 0 to 3.");
        QTest::newRow("nothing follows")
            << 3
            << QStringLiteral("The loss is that of the token which follows, and none follows the "
                              "last position of the prompt.");
        QTest::newRow("encoder without targets")
            << 4
            << QStringLiteral("A bidirectional network predicts no next token; say for the loss "
                              "which token it shall predict at which position.");
        QTest::newRow("two tokens at one position")
            << 5 << QStringLiteral("Position 1 has two tokens to predict; give one.");
        QTest::newRow("no mask token")
            << 6
            << QStringLiteral("The prompt has no mask token for which this bidirectional network "
                              "could predict one; put one in or name a position.");
        QTest::newRow("too large a reference")
            << 7
            << QStringLiteral(
                   "The KL divergence over 4 positions needs the reference run's probabilities, "
                   "320 MB of at most 134 MB; name one position or shorten the prompt.");
        QTest::newRow("no tokens") << 8
                                   << QStringLiteral("The prompt has no tokens, so there is "
                                                     "nothing to measure.");
        QTest::newRow("loss beyond the prompt")
            << 9 << QStringLiteral("There is no position 7: the prompt has positions 0 to 3.");
    }
    void refuses() {
        QFETCH(int, which);
        QFETCH(QString, message);
        ModelSpec spec = smallSpec(which != 4 && which != 6);
        Metric metric = metricOf(MetricKind::Probability);
        TokenIds prompt = ids;
        if (which == 0)
            spec.output = OutputHead::None;
        if (which == 1)
            metric.token = 3;
        if (which == 2)
            metric.position = 4;
        if (which == 3 || which == 4 || which == 5 || which == 9)
            metric.kind = MetricKind::Loss;
        if (which == 3)
            metric.position = 3;
        if (which == 5)
            metric.targets = {{1, 0}, {1, 2}};
        if (which == 7) {
            metric.kind = MetricKind::Kl;
            spec.d_vocab = 10'000'000;
        }
        if (which == 8)
            prompt = {};
        if (which == 9)
            metric.position = 7;
        const auto bound = PromptMetric::make(metric, spec, prompt);
        QVERIFY(!bound);
        QCOMPARE(QString::fromStdString(bound.error().message), message);
    }

    /// Rounding is no difference to take a share of, whatever the size of the numbers.
    void sharesOfADifference() {
        QCOMPARE(shareOfDifference(3.0, 2.0, 4.0), 0.5);
        QCOMPARE(shareOfDifference(3e-9, 2e-9, 4e-9), 0.5);
        QVERIFY(std::isnan(shareOfDifference(3.0, 2.0, 2.0 + 1e-7)));
        QVERIFY(std::isnan(shareOfDifference(3.0, 0.0, 0.0)));
        const double nan = std::numeric_limits<double>::quiet_NaN();
        QVERIFY(std::isnan(shareOfDifference(3.0, nan, 4.0)));
        QVERIFY(areDifferent(nan, 4.0));
    }
};

const headscope::test::TestRegistration<TestMetric> registration;

} // namespace test_metric

#include "test_metric.moc"
