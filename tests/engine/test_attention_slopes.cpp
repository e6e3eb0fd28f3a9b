// The reverse pass from one attention weight or score, and from an embedding that was put in,
// against differences of forward passes.

#include "tests/engine/slope_metric.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>

namespace test_attention_slopes {

using namespace headscope;
using namespace headscope::test;

namespace {

/// As the forward pass had it, in single precision.
double entryOf(const std::shared_ptr<const Model>& model, const AttentionEntry& entry,
               const HookSet& edits) {
    float found = NAN;
    HookSet hooks = edits;
    const HookKind kind = entry.score ? HookKind::AttnScores : HookKind::Pattern;
    hooks.observe(HookPoint{kind, entry.head.layer}, [&](HookPoint, const TensorView& value) {
        found = value(model->spec.headPlace(entry.head), entry.query, entry.key);
    });
    Request request;
    request.layers = entry.head.layer + 1;
    request.logits = false;
    static_cast<void>(require(runModel(model, kPrompt, request, hooks)));
    return static_cast<double>(found);
}

double slopeOf(const std::shared_ptr<const Model>& model, const AttentionEntry& entry,
               HookPoint hook, double step, const Tensor& direction) {
    const auto at = [&](double distance) {
        HookSet hooks;
        hooks.edit(hook, [&](HookPoint, const MutableTensorView& value) {
            move(value, distance, direction);
        });
        return entryOf(model, entry, hooks);
    };
    return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
}

QString messageOf(const Result<Gradients>& result) {
    return result ? QStringLiteral("no error") : QString::fromStdString(result.error().message);
}

} // namespace

class TestAttentionSlopes : public QObject {
    Q_OBJECT

private slots:
    void areDifferences_data() {
        QTest::addColumn<QString>("fixture");
        QTest::addColumn<bool>("score");
        for (const char* name : {"gpt2", "bert", "llama-gqa", "gemma2", "olmo2", "bloom", "gptj",
                                 "qwen3", "gpt_neox", "granitemoe", "gpt_oss", "hunyuan_v1_dense"})
            for (const bool score : {false, true})
                QTest::addRow("%s, %s", name, score ? "score" : "weight")
                    << QString::fromLatin1(name) << score;
    }
    /// Along random directions at every point before the scores that is read by position alone.
    void areDifferences() {
        QFETCH(QString, fixture);
        QFETCH(bool, score);
        const auto model = loadFixture(fixture.toStdString());
        const std::size_t layer = model->spec.n_layers - 1;
        const AttentionEntry entry{{layer, 1}, 9, 7, score};
        const std::vector<HookPoint> points{{HookKind::Embed, 0},
                                            {HookKind::ResidPre, layer},
                                            {HookKind::Z, layer - 1},
                                            {HookKind::Q, layer},
                                            {HookKind::K, layer}};
        BackwardRequest request;
        request.hooks.assign(points.begin(), points.end());
        const Gradients found = require(runBackward(model, kPrompt, entry, request));
        Random random(3);
        for (const HookPoint point : points) {
            const Tensor& gradient = found.hooks.at(point);
            const Tensor direction = randomTensor(random, gradient.shape());
            const double slope = slopeOf(model, entry, point, 0.004, direction);
            const double usual = length(gradient) * length(direction) /
                                 std::sqrt(static_cast<double>(gradient.size()));
            QVERIFY(usual > 0.0);
            QVERIFY2(std::abs(inner(gradient, direction) - slope) <= 0.01 * usual + 2e-5,
                     qPrintable(QStringLiteral("%1: %2 in place of %3")
                                    .arg(QString::fromStdString(hookName(model->spec, point)))
                                    .arg(inner(gradient, direction))
                                    .arg(slope)));
        }
    }

    /// What comes behind that attention has no part in it.
    void endsWithItsLayer() {
        const auto model = loadFixture("gpt2");
        const Gradients found =
            require(runBackward(model, kPrompt, AttentionEntry{{1, 1}, 9, 7}, {{"*"}}));
        QVERIFY(found.hooks.contains({HookKind::Q, 1}));
        QVERIFY(!found.hooks.contains({HookKind::Z, 1}));
        QVERIFY(!found.hooks.contains({HookKind::ResidPre, 2}));
        QVERIFY((found.gates[{0, 1}] != 0.0f));
        for (std::size_t head = 0; head < model->spec.n_heads; ++head)
            QCOMPARE((found.gates[{1, head}]), 0.0f);
    }

    void needsNoLogits() {
        const Gradients found = require(runBackward(loadFixture("notebook"), {0, 1, 2},
                                                    AttentionEntry{{0, 0}, 2, 1}, {{"*hook_q"}}));
        QVERIFY(length(found.hooks.at({HookKind::Q, 0})) > 0.0);
    }

    /// The pass from an embedding is that of the run with it.
    void embeddingPutIn() {
        const auto model = loadFixture("gpt2");
        const Metric metric = metricOf(model);
        Random random(4);
        Tensor embed = metric.valueAt({HookKind::Embed, 0});
        const Gradients before = metric.gradients({{HookPoint{HookKind::Embed, 0}}, embed});
        const Gradients plain = metric.gradients({{HookPoint{HookKind::Embed, 0}}});
        const HookPoint point{HookKind::Embed, 0};
        QVERIFY(difference(before.hooks.at(point).view(), plain.hooks.at(point).view()).relative <=
                1e-6);
        const Tensor offset = randomTensor(random, embed.shape());
        const Tensor direction = randomTensor(random, embed.shape());
        const auto moved = [&](double step) {
            Tensor both = offset;
            move(both.view(), step, direction);
            return metric.moved(point, 1.0, both);
        };
        const double slope =
            (8 * (moved(0.01) - moved(-0.01)) - (moved(0.02) - moved(-0.02))) / 0.12;
        move(embed.view(), 1.0, offset);
        const Tensor gradient = metric.gradients({{point}, embed}).hooks.at(point);
        const double usual =
            length(gradient) * length(direction) / std::sqrt(static_cast<double>(gradient.size()));
        QVERIFY(std::abs(inner(gradient, direction) - slope) <= 0.01 * usual);
        QVERIFY(std::abs(inner(plain.hooks.at(point), direction) - slope) > 0.05 * usual);
    }

    void refuses() {
        const auto model = loadFixture("gpt2");
        const auto message = [&](const AttentionEntry& entry) {
            return messageOf(runBackward(model, {1, 2, 3}, entry));
        };
        QVERIFY(message({{9, 1}, 1, 0}).contains(QStringLiteral("9.1")));
        QCOMPARE(message({{0, 1}, 3, 0}),
                 QStringLiteral("There is no position 3: the prompt has 3 tokens, the first at "
                                "position 0."));
        QCOMPARE(message({{0, 1}, 1, 2}),
                 QStringLiteral("Head 0.1 cannot look from position 1 to 2: its mask hides that "
                                "key."));
        QCOMPARE(messageOf(runBackward(model, {1, 2, 3}, AttentionEntry{{0, 1}, 1, 0},
                                       {{}, Tensor({2, model->spec.d_model})})),
                 QStringLiteral("The embeddings to start from have the shape [2, 48], but this "
                                "prompt needs [3, 48]."));
        QVERIFY(messageOf(runBackward(model, {1, 2, 3}, AttentionEntry{{0, 1}, 1, 0},
                                      {{HookPoint{HookKind::Z, 2}}}))
                    .contains(QStringLiteral("does not reach")));
    }
};

const headscope::test::TestRegistration<TestAttentionSlopes> registration;

} // namespace test_attention_slopes

#include "test_attention_slopes.moc"
