// The reverse of one head's attention against central differences in double, over more than two
// blocks of rows.

#include "core/base/random.h"
#include "core/engine/backward/backward_attention.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <vector>

namespace test_attention_backward {

using namespace headscope;

namespace {

constexpr std::size_t kPositions = 150;
constexpr std::size_t kHeadSize = 5;

/// What attend() reads, in double, and one score that is changed before the softmax.
struct Values {
    std::vector<double> q, k, v;
    std::size_t query = 0;
    std::size_t key = 0;
    double change = 0.0;
};

double inner(const std::vector<double>& a, std::size_t i, const std::vector<double>& b,
             std::size_t j) {
    double sum = 0.0;
    for (std::size_t d = 0; d < kHeadSize; ++d)
        sum += a[i * kHeadSize + d] * b[j * kHeadSize + d];
    return sum;
}

double score(const Values& x, const ScoreRule& rule, std::size_t i, std::size_t j) {
    double value = static_cast<double>(rule.scale) * inner(x.q, i, x.k, j);
    if (rule.softcap != 0.0f)
        value = static_cast<double>(rule.softcap) * std::tanh(value / rule.softcap);
    value += static_cast<double>(rule.distance.slope) *
             (static_cast<double>(j) - static_cast<double>(i));
    return i == x.query && j == x.key ? value + x.change : value;
}

/// Σ d_z · z
double metric(const Values& x, const ScoreRule& rule, const Tensor& d_z) {
    const std::vector<double> weights(d_z.values().begin(), d_z.values().end());
    double sum = 0.0;
    for (std::size_t i = 0; i < kPositions; ++i) {
        const PositionRange visible = rule.mask.visibleKeys(i, kPositions);
        double normaliser = 0.0;
        double row = 0.0;
        for (std::size_t j = visible.begin; j < visible.end; ++j) {
            const double weight = std::exp(score(x, rule, i, j));
            normaliser += weight;
            row += weight * inner(weights, i, x.v, j);
        }
        sum += row / normaliser;
    }
    return sum;
}

Tensor randomMatrix(Random& random) {
    Tensor matrix({kPositions, kHeadSize});
    for (float& value : matrix.values())
        value = static_cast<float>(random.below(2001)) / 1000.0f - 1.0f;
    return matrix;
}

std::vector<double> inDouble(const Tensor& x) {
    return {x.values().begin(), x.values().end()};
}

ScoreRule ruleNamed(const QString& name) {
    ScoreRule rule;
    rule.scale = 0.7f;
    rule.mask.causal = name != QLatin1String("bidirectional");
    if (name.contains(QLatin1String("window")))
        rule.mask.window = 70;
    if (name.contains(QLatin1String("soft-cap")))
        rule.softcap = 0.8f;
    if (name.contains(QLatin1String("ALiBi")))
        rule.distance.slope = 0.05f;
    return rule;
}

/// Central difference of `metric` as one number of `x` moves.
double slope(Values& x, double& number, const ScoreRule& rule, const Tensor& d_z) {
    constexpr double step = 1e-4;
    const double before = number;
    number = before + step;
    const double above = metric(x, rule, d_z);
    number = before - step;
    const double below = metric(x, rule, d_z);
    number = before;
    return (above - below) / (2.0 * step);
}

} // namespace

class TestAttentionBackward : public QObject {
    Q_OBJECT

private slots:
    void isTheSlope_data() {
        QTest::addColumn<QString>("rule");
        for (const char* name :
             {"causal", "bidirectional", "window", "soft-cap", "ALiBi", "window soft-cap ALiBi"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void isTheSlope();
    void groupsAddUp();
};

void TestAttentionBackward::isTheSlope() {
    QFETCH(QString, rule);
    Random random(5);
    const Tensor q = randomMatrix(random);
    const Tensor k = randomMatrix(random);
    const Tensor v = randomMatrix(random);
    const Tensor d_z = randomMatrix(random);
    const HeadInput head{{}, q.matrix(), k.matrix(), v.matrix(), ruleNamed(rule)};
    Tensor z({kPositions, kHeadSize});
    std::vector<RowLse> lse(kPositions);
    std::vector<float> blocks(2 * blockSize(kPositions));
    attend(head, z.matrix(), lse, blocks);

    Tensor d_q(z.shape(), 9.0f);
    Tensor d_k(z.shape());
    Tensor d_v(z.shape());
    Tensor d_scores({kPositions, kPositions});
    attendBackward(head, z.matrix(), d_z.matrix(),
                   {d_q.matrix(), d_k.matrix(), d_v.matrix(), d_scores.matrix()}, blocks);

    Values x{inDouble(q), inDouble(k), inDouble(v)};
    const auto check = [&](const char* what, float found, double& number) {
        const double expected = slope(x, number, head.rule, d_z);
        QVERIFY2(std::abs(found - expected) <= 1e-5,
                 qPrintable(QStringLiteral("%1: %2, expected %3")
                                .arg(QLatin1String(what))
                                .arg(static_cast<double>(found))
                                .arg(expected)));
    };
    for (int draw = 0; draw < 12; ++draw) {
        const std::size_t i = random.below(d_q.size());
        check("d_q", d_q.values()[i], x.q[i]);
        check("d_k", d_k.values()[i], x.k[i]);
        check("d_v", d_v.values()[i], x.v[i]);
        x.query = random.below(kPositions);
        x.key = random.below(kPositions);
        check("d_scores", d_scores(x.query, x.key), x.change);
        x.key = x.query > 3 ? x.query - 3 : 0; // seen under every rule
        check("d_scores", d_scores(x.query, x.key), x.change);
    }
}

/// Two heads that share keys and values add to the same gradient.
void TestAttentionBackward::groupsAddUp() {
    Random random(6);
    const Tensor q = randomMatrix(random);
    const Tensor k = randomMatrix(random);
    const Tensor d_z = randomMatrix(random);
    const HeadInput head{
        {}, q.matrix(), k.matrix(), k.matrix(), ruleNamed(QStringLiteral("causal"))};
    Tensor z({kPositions, kHeadSize});
    std::vector<RowLse> lse(kPositions);
    std::vector<float> blocks(2 * blockSize(kPositions));
    attend(head, z.matrix(), lse, blocks);
    Tensor d_q(z.shape());
    Tensor d_k(z.shape());
    Tensor d_v(z.shape());
    const HeadGradient gradient{d_q.matrix(), d_k.matrix(), d_v.matrix(), {}};
    attendBackward(head, z.matrix(), d_z.matrix(), gradient, blocks);
    const Tensor once_q = d_q;
    const Tensor once_k = d_k;
    const Tensor once_v = d_v;
    attendBackward(head, z.matrix(), d_z.matrix(), gradient, blocks);
    for (std::size_t i = 0; i < d_q.size(); ++i) {
        QCOMPARE(d_q.values()[i], once_q.values()[i]);
        QVERIFY(std::abs(d_k.values()[i] - 2.0f * once_k.values()[i]) <= 1e-5f);
        QVERIFY(std::abs(d_v.values()[i] - 2.0f * once_v.values()[i]) <= 1e-5f);
    }
}

const headscope::test::TestRegistration<TestAttentionBackward> registration;

} // namespace test_attention_backward

#include "test_attention_backward.moc"
