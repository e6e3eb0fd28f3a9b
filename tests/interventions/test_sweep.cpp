// Sweeps against one plain run per set of heads, and against other implementations.

#include "core/engine/engine.h"
#include "core/interventions/sweep.h"
#include "tests/interventions/slow_metric.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_sweep {

using namespace headscope;
using namespace headscope::test;

namespace {

const TokenIds prompt{5, 17, 3, 42, 5, 17, 9, 30, 2, 11, 60, 5};
const TokenIds another{8, 2, 50, 13, 8, 71, 66, 4, 29, 12, 1, 90};
const TokenIds shorter{8, 2, 50};

/// The kinds of ablation by the names that headscope-cli gives them.
enum class Kind { Zero, Mean, TextMean, Resample, PatternPreserving };

struct Column {
    std::size_t head;
    std::size_t dimension;
};

/// What stands for z[position] of one column, in plain words.
float standIn(Kind kind, const std::vector<const Tensor*>& references, const TensorView& z,
              Column column, std::size_t position) {
    if (kind == Kind::Zero || kind == Kind::PatternPreserving)
        return 0.0f;
    if (kind == Kind::Resample)
        return (*references.front())(position, column.head, column.dimension);
    double sum = 0.0;
    std::size_t count = 0;
    const auto add = [&](const TensorView& values) {
        for (std::size_t p = 0; p < values.shape[0]; ++p, ++count)
            sum += static_cast<double>(values(p, column.head, column.dimension));
    };
    if (kind == Kind::Mean)
        add(z);
    else
        for (const Tensor* reference : references)
            add(reference->view());
    return static_cast<float>(sum / static_cast<double>(count));
}

/// One run with a set of heads ablated by hooks of its own.
class SlowAblation {
public:
    SlowAblation(std::shared_ptr<const Model> model, Kind kind,
                 const std::vector<TokenIds>& references)
        : model_(std::move(model)), kind_(kind) {
        HookSet hooks;
        hooks.capture("*hook_z");
        for (const TokenIds& ids : references)
            references_.push_back(require(runModel(model_, ids, {}, hooks)));
    }

    Tensor logits(const TokenIds& ids, const HeadSet& unit) const {
        HookSet hooks;
        const auto full = require(runModel(model_, ids));
        if (kind_ == Kind::PatternPreserving)
            hooks.edit("*hook_pattern", [full](HookPoint point, MutableTensorView pattern) {
                for (std::size_t head = 0; head < pattern.shape[0]; ++head)
                    for (std::size_t q = 0; q < pattern.shape[1]; ++q)
                        for (std::size_t k = 0; k < pattern.shape[2]; ++k)
                            pattern(head, q, k) = full->weight({point.layer, head}, q, k);
            });
        hooks.edit("*hook_z", [&](HookPoint point, MutableTensorView z) {
            for (const LayerHead head : unit)
                if (head.layer == point.layer)
                    replace(point, head.head, z);
        });
        return require(runModel(model_, ids, {}, hooks))->logits;
    }

private:
    void replace(HookPoint point, std::size_t head, const MutableTensorView& z) const {
        std::vector<const Tensor*> values;
        for (const auto& run : references_)
            values.push_back(&run->captured.at(point));
        for (std::size_t d = 0; d < z.shape[2]; ++d) {
            std::vector<float> column;
            for (std::size_t position = 0; position < z.shape[0]; ++position)
                column.push_back(standIn(kind_, values, z, {head, d}, position));
            for (std::size_t position = 0; position < z.shape[0]; ++position)
                z(position, head, d) = column[position];
        }
    }

    std::shared_ptr<const Model> model_;
    Kind kind_;
    std::vector<std::shared_ptr<const Run>> references_;
};

SweepQuestion questionOf(Kind kind, const Metric& metric) {
    SweepQuestion question;
    question.prompts = {prompt};
    question.metric = metric;
    question.preserve_patterns = kind == Kind::PatternPreserving;
    if (kind == Kind::Mean)
        question.kind = AblationKind::Mean;
    if (kind == Kind::TextMean) {
        question.kind = AblationKind::TextMean;
        question.references = {another, shorter};
    }
    if (kind == Kind::Resample) {
        question.kind = AblationKind::Resample;
        question.references = {another};
    }
    return question;
}

/// Single heads, one KV group and sets over two and all layers.
std::vector<HeadSet> manyUnits(const ModelSpec& spec) {
    std::vector<HeadSet> units = singleHeads(spec);
    units.push_back(kvGroups(spec).back());
    units.push_back({{spec.n_layers - 1, 1}, {0, 2}, {0, 0}});
    HeadSet third_of_all;
    for (std::size_t i = 0; i < spec.n_layers * spec.n_heads; i += 3)
        third_of_all.push_back({i / spec.n_heads, i % spec.n_heads});
    units.push_back(third_of_all);
    return units;
}

void checkAgainstSlowRuns(const std::shared_ptr<const Model>& model, Kind kind,
                          const SweepQuestion& question) {
    const SweepResult result = require(sweepHeads(model, question));
    const SlowAblation slow(model, kind, question.references);
    const Tensor full = require(runModel(model, prompt))->logits;
    QVERIFY(agree(result.full, slowMetric(question.metric, prompt, full, full)));
    QCOMPARE(result.values.size(), question.units.size());
    for (std::size_t i = 0; i < question.units.size(); ++i) {
        const double expected =
            slowMetric(question.metric, prompt, slow.logits(prompt, question.units[i]), full);
        QVERIFY2(agree(result.values[i], expected),
                 qPrintable(QStringLiteral("unit %1: %2, expected %3")
                                .arg(i)
                                .arg(result.values[i])
                                .arg(expected)));
    }
}

std::string messageOf(const std::shared_ptr<const Model>& model, const SweepQuestion& question) {
    const auto result = sweepHeads(model, question);
    return result ? std::string() : result.error().message;
}

} // namespace

class TestSweep : public QObject {
    Q_OBJECT

private slots:
    void kindsAreNamed() {
        SweepQuestion question;
        for (const char* const name : {"zero", "mean", "resample", "pattern-preserving"}) {
            chooseSweepKind(question, name);
            QCOMPARE(sweepKindName(question), std::string(name));
        }
        question.references = {{1, 2}};
        chooseSweepKind(question, "mean");
        QVERIFY(question.kind == AblationKind::TextMean);
        QCOMPARE(sweepText(question), sweepKindName(question) + ", one set of heads at a time");
        question.method = EffectMethod::Gradient;
        QVERIFY(sweepText(question).ends_with(", estimated by gradient"));
        QVERIFY(!question.preserve_patterns);
    }

    void isWhatSingleRunsGive_data() {
        QTest::addColumn<QString>("fixture");
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("metric");
        const std::vector<std::pair<const char*, Kind>> kinds{
            {"zero", Kind::Zero},
            {"mean", Kind::Mean},
            {"text mean", Kind::TextMean},
            {"resample", Kind::Resample},
            {"pattern-preserving", Kind::PatternPreserving}};
        for (const char* fixture : {"gpt2", "llama-gqa", "gemma2", "olmo2", "bert", "gptj"})
            for (const auto& [name, kind] : kinds)
                for (const MetricKind metric : {MetricKind::Loss, MetricKind::LogitDifference,
                                                MetricKind::Probability, MetricKind::Kl})
                    QTest::addRow("%s, %s, %s", fixture, name, metricName(metric).data())
                        << QString::fromLatin1(fixture) << static_cast<int>(kind)
                        << static_cast<int>(metric);
    }
    void isWhatSingleRunsGive() {
        QFETCH(QString, fixture);
        QFETCH(int, kind);
        QFETCH(int, metric);
        const auto model = loadFixture(fixture.toStdString());
        SweepQuestion question = questionOf(
            static_cast<Kind>(kind), someMetric(static_cast<MetricKind>(metric), model->spec));
        question.units = manyUnits(model->spec);
        checkAgainstSlowRuns(model, static_cast<Kind>(kind), question);
    }

    void estimateIsTheSlopeOfAGate_data() {
        QTest::addColumn<QString>("fixture");
        QTest::addColumn<int>("metric");
        for (const char* fixture : {"gpt2", "llama-gqa", "bert"})
            for (const MetricKind metric :
                 {MetricKind::Loss, MetricKind::LogitDifference, MetricKind::Probability})
                QTest::addRow("%s, %s", fixture, metricName(metric).data())
                    << QString::fromLatin1(fixture) << static_cast<int>(metric);
    }
    /// Against the metric's own change when a hook turns the gates of a set of heads down a little.
    void estimateIsTheSlopeOfAGate() {
        QFETCH(QString, fixture);
        QFETCH(int, metric);
        const auto model = loadFixture(fixture.toStdString());
        SweepQuestion question =
            questionOf(Kind::Zero, someMetric(static_cast<MetricKind>(metric), model->spec));
        const LayerHead last{model->spec.n_layers - 1, model->spec.n_heads - 1};
        question.units = {{{0, 1}}, {{0, 0}, last}};
        const SweepResult exact = require(sweepHeads(model, question));
        question.method = EffectMethod::Gradient;
        const SweepResult estimated = require(sweepHeads(model, question));
        QVERIFY(std::abs(estimated.full - exact.full) < 1e-5);
        constexpr float kStep = 0.02f;
        for (std::size_t unit = 0; unit < question.units.size(); ++unit) {
            const auto withGate = [&](float gate) {
                double sum = 0.0;
                for (const TokenIds& ids : question.prompts) {
                    HookSet hooks;
                    for (const LayerHead head : question.units[unit])
                        hooks.edit(
                            HookPoint{HookKind::Z, head.layer},
                            [gate](HookPoint, MutableTensorView z) {
                                for (std::size_t t = 0; t < z.shape[0]; ++t)
                                    for (std::size_t d = 0; d < z.shape[2]; ++d)
                                        z(t, 0, d) *= gate;
                            },
                            head.head);
                    const auto run = require(runModel(model, ids, {}, hooks));
                    sum += require(PromptMetric::make(question.metric, model->spec, ids))
                               .value(run->logits);
                }
                return sum / static_cast<double>(question.prompts.size());
            };
            const double slope = (withGate(1.0f + kStep) - withGate(1.0f - kStep)) / (2.0 * kStep);
            const double largest = std::max(std::abs(slope), 1e-3);
            QVERIFY2(std::abs(estimated.difference(unit) + slope) <= 0.02 * largest,
                     qPrintable(QStringLiteral("unit %1: %2 and %3")
                                    .arg(unit)
                                    .arg(estimated.difference(unit))
                                    .arg(-slope)));
        }
    }

    void estimatesWhatHasASlopeOnly() {
        const auto model = loadFixture("gpt2");
        SweepQuestion question = questionOf(Kind::Mean, someMetric(MetricKind::Loss, model->spec));
        question.method = EffectMethod::Gradient;
        QVERIFY(!sweepHeads(model, question));
        question.kind = AblationKind::Zero;
        question.metric = someMetric(MetricKind::Kl, model->spec);
        const auto refused = sweepHeads(model, question);
        QVERIFY(!refused);
        QVERIFY(refused.error().message.starts_with("The gradient estimates what is lost when"));
        question.metric = someMetric(MetricKind::Loss, model->spec);
        QVERIFY(sweepHeads(model, question));
        question.preserve_patterns = true;
        QVERIFY(!sweepHeads(model, question));
    }

    void isWhatOthersComputed_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"attn-only-2l", "gpt2-mini-6l", "llama-mini-gqa-4l"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void isWhatOthersComputed() {
        QFETCH(QString, name);
        const auto model = loadSample(name.toStdString());
        const ReferenceFile reference(sampleReference(name.toStdString()));
        for (const AblationKind kind : {AblationKind::Zero, AblationKind::Mean}) {
            SweepQuestion question;
            question.prompts = {reference.ids("ablation/input_ids")};
            question.kind = kind;
            const SweepResult result = require(sweepHeads(model, question));
            QVERIFY(std::abs(result.full - reference.number("ablation/loss")) <= 1e-4);
            const Tensor losses = reference.floats(
                kind == AblationKind::Zero ? "ablation/zero_loss" : "ablation/mean_loss");
            QCOMPARE(result.values.size(), losses.size());
            for (std::size_t i = 0; i < losses.size(); ++i)
                QVERIFY(std::abs(result.values[i] - static_cast<double>(losses.data()[i])) <= 1e-4);
        }
    }

    void promptsAreAveraged() {
        const auto model = loadFixture("gpt2");
        SweepQuestion question = questionOf(Kind::Zero, {});
        const SweepResult first = require(sweepHeads(model, question));
        question.prompts = {shorter};
        const SweepResult second = require(sweepHeads(model, question));
        question.prompts = {prompt, shorter};
        const SweepResult both = require(sweepHeads(model, question));
        QVERIFY(agree(both.full, (first.full + second.full) / 2.0));
        for (std::size_t i = 0; i < both.values.size(); ++i)
            QVERIFY(agree(both.values[i], (first.values[i] + second.values[i]) / 2.0));
    }

    void promptsAreTheirOwnText() {
        const auto model = loadFixture("gpt2");
        SweepQuestion question = questionOf(Kind::TextMean, {});
        question.prompts = {prompt, shorter};
        question.references = question.prompts;
        const SweepResult named = require(sweepHeads(model, question));
        question.references.clear();
        QCOMPARE(require(sweepHeads(model, question)).values, named.values);
    }

    void groupsShareKeysAndValues() {
        const ModelSpec spec = loadFixture("llama-gqa")->spec;
        const auto groups = kvGroups(spec);
        QCOMPARE(groups.size(), spec.n_layers * spec.n_kv_heads);
        for (const HeadSet& group : groups) {
            QCOMPARE(group.size(), spec.headsPerGroup());
            for (const LayerHead head : group)
                QCOMPARE(spec.kvHeadOf(head), spec.kvHeadOf(group.front()));
        }
        QCOMPARE(kvGroups(loadFixture("gpt2")->spec), singleHeads(loadFixture("gpt2")->spec));
    }

    void withoutUnitsEveryHeadIsOne() {
        const auto model = loadFixture("gpt2");
        const SweepResult result = require(sweepHeads(model, questionOf(Kind::Zero, {})));
        QCOMPARE(result.question.units, singleHeads(model->spec));
        QCOMPARE(result.difference(3), result.values[3] - result.full);
    }

    void manyUnitsTakeSeveralBatches() {
        const auto model = loadFixture("gpt2");
        SweepQuestion question = questionOf(Kind::Zero, {});
        question.units.assign(400, {{1, 2}});
        question.units[399] = {{1, 3}};
        std::size_t batches = 0;
        const SweepResult result =
            require(sweepHeads(model, question, [&](double, std::string_view) { ++batches; }));
        QVERIFY(batches > 1 && batches < 400);
        question.units = {{{1, 2}}, {{1, 3}}};
        const SweepResult two = require(sweepHeads(model, question));
        for (std::size_t i = 0; i < 399; ++i)
            QVERIFY(agree(result.values[i], two.values[0]));
        QVERIFY(agree(result.values[399], two.values[1]));
    }

    void progressGrowsToOne() {
        const auto model = loadFixture("gpt2");
        std::vector<double> fractions;
        std::string last;
        const auto result = sweepHeads(model, questionOf(Kind::Zero, {}),
                                       [&](double fraction, std::string_view stage) {
                                           fractions.push_back(fraction);
                                           last = stage;
                                       });
        QVERIFY(result);
        QVERIFY(fractions.size() >= model->spec.n_layers);
        QVERIFY(std::ranges::is_sorted(fractions));
        QCOMPARE(fractions.back(), 1.0);
        QCOMPARE(last, std::string("12 of 12 ablations"));
    }

    void stops() {
        std::stop_source source;
        const auto result = sweepHeads(
            loadFixture("gpt2"), questionOf(Kind::Zero, {}),
            [&](double, std::string_view) { source.request_stop(); }, source.get_token());
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::Cancelled);
    }

    void refuses() {
        const auto model = loadFixture("gpt2");
        SweepQuestion question = questionOf(Kind::Zero, {});
        question.units = {{{0, 1}}, {{3, 0}}};
        QCOMPARE(messageOf(model, question),
                 std::string("There is no head 3.0: this network has layers 0 to 2 and heads 0 to "
                             "3."));
        question.units = {{}};
        QCOMPARE(messageOf(model, question),
                 std::string("A set of heads to ablate is empty; name at least one head."));
        question.prompts.clear();
        question.units.clear();
        QCOMPARE(messageOf(model, question),
                 std::string("There is no prompt to measure on; give one."));
        question = questionOf(Kind::Resample, {});
        question.references = {shorter};
        QCOMPARE(messageOf(model, question),
                 std::string("The prompt has 12 tokens and the one to resample has 3; give two of "
                             "the same length."));
        question.references.clear();
        QCOMPARE(messageOf(model, question),
                 std::string("Resampling needs one other prompt for each of the 1 prompts; found "
                             "0."));
        question = questionOf(Kind::Zero, {});
        question.prompts = {{5, 4000}};
        QVERIFY(messageOf(model, question).find("4000 is outside the vocabulary") !=
                std::string::npos);
    }
};

const headscope::test::TestRegistration<TestSweep> registration;

} // namespace test_sweep

#include "test_sweep.moc"
