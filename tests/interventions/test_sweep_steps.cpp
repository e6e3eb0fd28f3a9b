#include "core/interventions/sweep.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>
#include <vector>

namespace test_sweep_steps {

using namespace headscope;
using headscope::test::loadSample;
using headscope::test::require;

namespace {

SweepQuestion questionOf(std::size_t prompts) {
    SweepQuestion question;
    for (std::size_t i = 0; i < prompts; ++i)
        question.prompts.push_back({5, 17, static_cast<TokenId>(3 + i), 42, 5, 17, 9});
    return question;
}

bool sameBits(const SweepResult& a, const SweepResult& b) {
    return a.full == b.full && a.values == b.values;
}

} // namespace

class TestSweepSteps : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { model_ = loadSample("attn-only-2l"); }

    void stepsCoverEveryUnitOfEveryPrompt() {
        const SweepSteps steps = require(SweepSteps::make(model_, questionOf(3)));
        QCOMPARE(steps.steps().size(), 3 * model_->spec.n_layers);
        QCOMPARE(steps.steps()[3].name(), std::string("prompt 1, layer 1"));
        QVERIFY(steps.steps()[0].cost > steps.steps()[1].cost); // more layers are run
        std::vector<int> seen(steps.question().units.size());
        for (const SweepStep& step : steps.steps())
            for (const std::size_t unit : step.units)
                ++seen[unit];
        QVERIFY(std::ranges::count(seen, 3) == static_cast<std::ptrdiff_t>(seen.size()));
    }

    void manyPromptsAreTakenWhole() {
        const SweepSteps steps = require(SweepSteps::make(model_, questionOf(kPromptsTakenWhole)));
        QCOMPARE(steps.steps().size(), kPromptsTakenWhole);
        QCOMPARE(steps.steps()[7].name(), std::string("prompt 7"));
    }

    void anyOrderGivesTheSameBits_data() {
        QTest::addColumn<int>("kind");
        QTest::newRow("zero") << 0;
        QTest::newRow("mean over other prompts") << 1;
        QTest::newRow("patterns preserved") << 2;
        QTest::newRow("divergence") << 3;
        QTest::newRow("gradient") << 4;
    }
    void anyOrderGivesTheSameBits() {
        QFETCH(int, kind);
        SweepQuestion question = questionOf(3);
        question.kind = kind == 1 ? AblationKind::TextMean : AblationKind::Zero;
        question.preserve_patterns = kind == 2;
        question.metric.kind = kind == 3 ? MetricKind::Kl : MetricKind::Loss;
        question.method = kind == 4 ? EffectMethod::Gradient : EffectMethod::Exact;
        const SweepResult plain = require(sweepHeads(model_, question));
        SweepSteps backwards = require(SweepSteps::make(model_, question));
        std::vector<SweepPart> parts(backwards.steps().size());
        for (std::size_t step = parts.size(); step-- > 0;)
            parts[step] = require(backwards.run(step));
        QVERIFY(sameBits(backwards.merge(parts), plain));
        const std::size_t last = parts.size() - 1; // one step of each prompt
        QVERIFY(std::abs(plain.full -
                         (parts[0].full + parts[last / 2].full + parts[last].full) / 3.0) < 1e-12);
        for (std::size_t step = 0; step < parts.size(); ++step) // each by itself
            parts[step] = require(require(SweepSteps::make(model_, question)).run(step));
        QVERIFY(sameBits(backwards.merge(parts), plain));
    }

    void valuesAreMeansOverPrompts() {
        const SweepQuestion question = questionOf(3);
        const SweepResult all = require(sweepHeads(model_, question));
        double full = 0.0;
        std::vector<double> values(all.values.size());
        for (const TokenIds& ids : question.prompts) {
            SweepQuestion one = question;
            one.prompts = {ids};
            const SweepResult result = require(sweepHeads(model_, one));
            full += result.full / 3.0;
            for (std::size_t unit = 0; unit < values.size(); ++unit)
                values[unit] += result.values[unit] / 3.0;
        }
        QVERIFY(std::abs(all.full - full) < 1e-12);
        for (std::size_t unit = 0; unit < values.size(); ++unit)
            QVERIFY(std::abs(all.values[unit] - values[unit]) < 1e-12);
    }

    /// Not after hours of other prompts.
    void aPromptThatDoesNotFitIsRefusedAtOnce() {
        SweepQuestion question = questionOf(3);
        question.prompts.push_back({5}); // nothing follows it
        const auto steps = SweepSteps::make(model_, question);
        QVERIFY(!steps);
        QCOMPARE(steps.error().code, ErrorCode::InvalidArgument);
    }

private:
    std::shared_ptr<const Model> model_;
};

const headscope::test::TestRegistration<TestSweepSteps> registration;

} // namespace test_sweep_steps

#include "test_sweep_steps.moc"
