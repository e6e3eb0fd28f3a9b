// Activation patching against one plain run per patch, and where its answer is known.

#include "core/engine/engine.h"
#include "core/interventions/activation_patching.h"
#include "tests/interventions/slow_metric.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_activation_patching {

using namespace headscope;
using namespace headscope::test;

namespace {

const TokenIds clean_ids{5, 17, 3, 42, 5, 17, 9, 30};
const TokenIds corrupted_ids{5, 17, 60, 42, 8, 17, 9, 71};

PatchQuestion questionAt(HookKind hook, const Metric& metric = {}) {
    PatchQuestion question;
    question.clean = clean_ids;
    question.corrupted = corrupted_ids;
    question.hook = hook;
    question.metric = metric;
    return question;
}

Tensor logitsOf(const std::shared_ptr<const Model>& model, const TokenIds& ids) {
    return require(runModel(model, ids))->logits;
}

/// A whole run of the corrupted prompt with one patch.
Tensor patchedLogits(const std::shared_ptr<const Model>& model, HookPoint point,
                     std::optional<std::size_t> position, std::optional<std::size_t> head) {
    HookSet keep;
    keep.capture(point);
    const auto clean = require(runModel(model, clean_ids, {}, keep));
    const bool square = point.kind == HookKind::AttnScores || point.kind == HookKind::Pattern;
    HookSet hooks;
    hooks.edit(point, [&](HookPoint, MutableTensorView value) {
        const Tensor& from = clean->captured.at(point);
        const std::size_t middle = value.rank() == 3 ? value.shape[1] : 1;
        const std::size_t inner = value.shape.back();
        for (std::size_t i = 0; i < from.size(); ++i) {
            const std::size_t first = i / (middle * inner);
            const std::size_t second = i / inner % middle;
            const std::size_t at = square ? second : first;
            const std::size_t of = square ? first : second;
            if (at != position.value_or(at) || of != head.value_or(of))
                continue;
            if (value.rank() == 3)
                value(first, second, i % inner) = from.data()[i];
            else
                value(first, i % inner) = from.data()[i];
        }
    });
    return require(runModel(model, corrupted_ids, {}, hooks))->logits;
}

void checkAgainstSlowRuns(const std::shared_ptr<const Model>& model,
                          const PatchQuestion& question) {
    const PatchResult result = require(patchActivations(model, question));
    const Tensor reference = logitsOf(model, clean_ids);
    std::vector<HookPoint> points;
    for (const HookPoint point : hookPoints(model->spec))
        if (point.kind == question.hook)
            points.push_back(point);
    QCOMPARE(result.layers(), points.size());
    QCOMPARE(result.values.size(), result.layers() * result.positions * result.heads);
    for (std::size_t layer = 0; layer < result.layers(); ++layer)
        for (std::size_t p = 0; p < result.positions; ++p)
            for (std::size_t h = 0; h < result.heads; ++h) {
                const Tensor logits = patchedLogits(
                    model, points[layer], question.by_position ? std::optional(p) : std::nullopt,
                    question.by_head ? std::optional(h) : std::nullopt);
                const double expected = slowMetric(question.metric, clean_ids, logits, reference);
                const double found = result.values[result.index(layer, p, h)];
                QVERIFY2(agree(found, expected), qPrintable(QStringLiteral("%1 %2 %3: %4, not %5")
                                                                .arg(layer)
                                                                .arg(p)
                                                                .arg(h)
                                                                .arg(found)
                                                                .arg(expected)));
            }
}

std::string messageOf(const std::shared_ptr<const Model>& model, const PatchQuestion& question) {
    const auto result = patchActivations(model, question);
    return result ? std::string() : result.error().message;
}

} // namespace

class TestActivationPatching : public QObject {
    Q_OBJECT

private slots:
    void isWhatSingleRunsGive_data() {
        QTest::addColumn<QString>("fixture");
        QTest::addColumn<int>("hook");
        QTest::addColumn<bool>("by_position");
        QTest::addColumn<bool>("by_head");
        const auto add = [](const char* fixture, const char* name, HookKind hook, bool by_position,
                            bool by_head) {
            QTest::addRow("%s, %s%s%s", fixture, name, by_position ? ", positions" : "",
                          by_head ? ", heads" : "")
                << QString::fromLatin1(fixture) << static_cast<int>(hook) << by_position << by_head;
        };
        for (const char* fixture : {"gpt2", "llama-gqa", "gemma2", "olmo2", "bert", "gptj"}) {
            add(fixture, "resid_pre", HookKind::ResidPre, true, false);
            add(fixture, "q", HookKind::Q, false, true);
            add(fixture, "k", HookKind::K, true, true);
            add(fixture, "q_input", HookKind::QInput, false, true);
            add(fixture, "attn_scores", HookKind::AttnScores, false, true);
            add(fixture, "pattern", HookKind::Pattern, true, true);
            add(fixture, "z", HookKind::Z, true, true);
            add(fixture, "result", HookKind::Result, false, true);
            add(fixture, "ln1", HookKind::Ln1Normalized, true, false);
            add(fixture, "attn_out", HookKind::AttnOut, true, false);
            add(fixture, "ln2 scale", HookKind::Ln2Scale, true, false);
            add(fixture, "mlp_out", HookKind::MlpOut, true, false);
            add(fixture, "resid_post", HookKind::ResidPost, false, false);
        }
        add("gpt2", "embed", HookKind::Embed, true, false);
        add("gpt2", "ln_final", HookKind::LnFinalNormalized, true, false);
        add("bert", "mlm norm", HookKind::MlmNormalized, true, false);
        add("qwen3", "q_norm", HookKind::QNormNormalized, false, true);
    }
    void isWhatSingleRunsGive() {
        QFETCH(QString, fixture);
        QFETCH(int, hook);
        QFETCH(bool, by_position);
        QFETCH(bool, by_head);
        const auto model = loadFixture(fixture.toStdString());
        PatchQuestion question =
            questionAt(static_cast<HookKind>(hook), someMetric(MetricKind::Loss, model->spec));
        question.by_position = by_position;
        question.by_head = by_head;
        checkAgainstSlowRuns(model, question);
    }

    void everythingAtTheStartIsTheCleanRun_data() {
        QTest::addColumn<int>("metric");
        for (const MetricKind metric : {MetricKind::Loss, MetricKind::LogitDifference,
                                        MetricKind::Probability, MetricKind::Kl})
            QTest::newRow(metricName(metric).data()) << static_cast<int>(metric);
    }
    void everythingAtTheStartIsTheCleanRun() {
        QFETCH(int, metric);
        const auto model = loadFixture("llama-gqa");
        const PatchResult result = require(patchActivations(
            model, questionAt(HookKind::ResidPre,
                              someMetric(static_cast<MetricKind>(metric), model->spec))));
        const Tensor clean = logitsOf(model, clean_ids);
        QVERIFY(agree(result.clean, slowMetric(result.question.metric, clean_ids, clean, clean)));
        QVERIFY(agree(result.corrupted, slowMetric(result.question.metric, clean_ids,
                                                   logitsOf(model, corrupted_ids), clean)));
        QVERIFY(std::abs(result.clean - result.corrupted) > 1e-4);
        for (std::size_t layer = 0; layer < result.layers(); ++layer) {
            QVERIFY(agree(result.values[layer], result.clean));
            QVERIFY(std::abs(result.normalised(layer) - 1.0) < 1e-2);
        }
        QVERIFY(result.note().empty());
    }

    void positionsThatCannotMatterChangeNothing() {
        const auto model = loadFixture("gpt2");
        Metric metric = someMetric(MetricKind::LogitDifference, model->spec);
        metric.position = 4;
        PatchQuestion question = questionAt(HookKind::ResidPre, metric);
        question.by_position = true;
        const PatchResult result = require(patchActivations(model, question));
        QCOMPARE(result.positions, clean_ids.size());
        for (std::size_t layer = 0; layer < result.layers(); ++layer)
            for (std::size_t position = 0; position < result.positions; ++position) {
                const std::size_t i = result.index(layer, position, 0);
                // The prompts are the same up to position 1; the metric reads position 4.
                const bool matters = position >= 2 && position <= 4;
                if (!matters)
                    QVERIFY(std::abs(result.normalised(i)) < 1e-4);
                if (layer == 0 && (position == 2 || position == 4))
                    QVERIFY(std::abs(result.normalised(i)) > 1e-3);
            }
    }

    void sameRunsHaveNothingToRestore() {
        PatchQuestion question = questionAt(HookKind::Z);
        question.corrupted = question.clean;
        const PatchResult result = require(patchActivations(loadFixture("gpt2"), question));
        QVERIFY(std::isnan(result.normalised(0)));
        QCOMPARE(result.note(),
                 std::string("The clean and the corrupted prompt give the same loss, so there is "
                             "no difference to restore and no normalised value."));
    }

    void stops() {
        std::stop_source source;
        const auto result = patchActivations(
            loadFixture("gpt2"), questionAt(HookKind::Z),
            [&](double, std::string_view) { source.request_stop(); }, source.get_token());
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::Cancelled);
    }

    void refuses() {
        const auto model = loadFixture("gpt2");
        PatchQuestion question = questionAt(HookKind::MlpPreLinear);
        QCOMPARE(messageOf(model, question),
                 std::string("This gpt2 model has no such hook point."));
        question = questionAt(HookKind::ResidPre);
        question.by_head = true;
        QCOMPARE(messageOf(model, question),
                 std::string("There are no heads to go by at 'blocks.0.hook_resid_pre'; choose a "
                             "hook point inside attention, such as z."));
        question = questionAt(HookKind::Z);
        question.corrupted.pop_back();
        QCOMPARE(messageOf(model, question),
                 std::string("The clean prompt has 8 tokens and the corrupted one has 7; give two "
                             "of the same length."));
        question = questionAt(HookKind::Z);
        question.metric.position = 8;
        QCOMPARE(messageOf(model, question),
                 std::string("There is no position 8: the prompt has positions 0 to 7."));
    }
};

const headscope::test::TestRegistration<TestActivationPatching> registration;

} // namespace test_activation_patching

#include "test_activation_patching.moc"
