// Direct logit attribution: what the parts add up to, and single heads against numpy.

#include "core/attribution/logit_attribution.h"
#include "core/engine/engine.h"
#include "core/model/random_model.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

namespace test_logit_attribution {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr double kRelative = 1e-4;

/// `scale` is that of the largest part: parts may cancel.
bool close(double found, double expected, double scale) {
    return std::abs(found - expected) <= kRelative * scale;
}

double largestPart(const LogitAttribution& attribution) {
    double largest = std::abs(attribution.logit);
    for (const LogitPart& part : attribution.parts)
        largest = std::max(largest, std::abs(part.value));
    return largest;
}
std::size_t count(const LogitAttribution& attribution, LogitPartKind kind) {
    return static_cast<std::size_t>(std::ranges::count(attribution.parts, kind, &LogitPart::kind));
}

} // namespace

class TestLogitAttribution : public QObject {
    Q_OBJECT

private slots:
    void partsAddUpToTheLogit_data() {
        QTest::addColumn<std::shared_ptr<const Model>>("model");
        for (const auto& names : {fixtureNames(), variantNames()})
            for (const std::string& name : names)
                if (const auto model = loadFixture(name);
                    model->spec.output == OutputHead::Unembed && model->spec.predictsTokens())
                    QTest::newRow(name.c_str()) << model;
        for (const char* name : {"attn-only-2l", "gpt2-mini-6l", "llama-mini-gqa-4l", "microgpt"})
            QTest::newRow(name) << loadSample(name);
        QTest::newRow("post-norm") << postNormModel(false, MlpKind::Plain);
        QTest::newRow("post-norm, parallel") << postNormModel(true, MlpKind::Plain);
        QTest::newRow("post-norm, attention only") << postNormModel(false, MlpKind::None);
    }
    void partsAddUpToTheLogit() {
        QFETCH(std::shared_ptr<const Model>, model);
        const ModelSpec& spec = model->spec;
        const TokenIds ids = someIds(spec, 12);
        const auto run = require(runModel(model, ids));
        for (const std::size_t position : {std::size_t{0}, ids.size() / 2, ids.size() - 1})
            for (const std::optional<TokenId> against : {std::optional<TokenId>(), {TokenId{5}}}) {
                const auto found =
                    require(attributeLogit(model, {ids, position, TokenId{2}, against}));
                const double scale = largestPart(found);
                QVERIFY2(close(found.sum(), found.logit, scale),
                         qPrintable(QStringLiteral("%1 is not %2, parts up to %3")
                                        .arg(found.sum())
                                        .arg(found.logit)
                                        .arg(scale)));
                compareWithRun(found, run->logits, spec);
                checkParts(found, spec);
                checkSources(found, spec);
            }
    }

    /// " Mary" against " John" where the next name is due, of gpt2-mini-6l in float64 numpy.
    void singlePartsAgainstNumpy() {
        const auto found = require(attributeLogit(loadSample("gpt2-mini-6l"), story()));
        QVERIFY(near(found.logit, 7.802748));
        QVERIFY(near(found.of({4, 1}), 7.691463));
        QVERIFY(near(found.of({4, 5}), -4.111159));
        QVERIFY(near(found.of({5, 3}), 0.140779));
        QVERIFY(near(found.of({0, 0}), -0.111878));
        QVERIFY(near(valueOf(found, LogitPartKind::Embedding, 0), 0.018847));
        QVERIFY(near(valueOf(found, LogitPartKind::Positions, 0), -0.014870));
        QVERIFY(near(valueOf(found, LogitPartKind::Biases, 4), -0.166062));
        QVERIFY(near(valueOf(found, LogitPartKind::Mlp, 0), 2.126505));
        QVERIFY(near(valueOf(found, LogitPartKind::OutputBias, 0), -0.359584));
        QVERIFY(near(static_cast<double>(found.sources(4, 1, 2)), 7.552251)); // the first " Mary"
        QVERIFY(near(static_cast<double>(found.sources(4, 1, 11)), 0.215563));
        QVERIFY(near(static_cast<double>(found.sources(4, 1, 4)), -0.040784));
    }

    void hooksEditTheRun() {
        const auto model = loadSample("gpt2-mini-6l");
        HookSet hooks;
        hooks.edit(
            "blocks.4.attn.hook_z",
            [](HookPoint, const MutableTensorView& z) {
                for (std::size_t position = 0; position < z.shape[0]; ++position)
                    for (std::size_t dimension = 0; dimension < z.shape[2]; ++dimension)
                        z(position, 0u, dimension) = 0.0f;
            },
            1);
        const auto found = require(attributeLogit(model, story(), hooks));
        QVERIFY(near(found.logit, -1.042294));
        QVERIFY(near(found.sum(), found.logit));
        QCOMPARE(found.of({4, 1}), 0.0);
        QVERIFY(near(found.of({5, 7}), 0.543355));
    }

    void headsCanBeAblated() {
        const auto model = loadSample("gpt2-mini-6l");
        LogitQuestion question = story();
        question.ablated.set({4, 1}, AblationKind::Zero);
        const auto found = require(attributeLogit(model, question));
        QVERIFY(near(found.logit, -1.042294)); // as by the hook above
        QCOMPARE(found.of({4, 1}), 0.0);
        question.ablated.set({4, 1}, AblationKind::TextMean);
        QCOMPARE(attributeLogit(model, question).error().code, ErrorCode::InvalidArgument);
    }

    /// The same run says what is predicted and why.
    void predictionsAreTakenApart() {
        const auto model = loadSample("gpt2-mini-6l");
        const PredictionQuestion question{story().ids, 14};
        const auto best = require(attributePrediction(model, question));
        const auto run = require(runModel(model, question.ids));
        const auto expected = topPredictions(run->logits, 14, 10);
        QCOMPARE(best.predictions.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
            QCOMPARE(best.predictions[i].id, expected[i].id);
        QCOMPARE(best.token, expected.front().id);
        QCOMPARE(best.attribution->question.token, best.token);
        QVERIFY(near(best.attribution->logit, static_cast<double>(expected.front().logit)));
        const auto asked = require(
            attributePrediction(model, {question.ids, 14, TokenId{658}, TokenId{596}, {}, 1}));
        QCOMPARE(asked.predictions.size(), 1u);
        QVERIFY(near(asked.attribution->of({4, 1}), 7.691463));
    }

    void predictionsOfOtherNetworksStandAlone() {
        const auto bert = require(attributePrediction(loadFixture("bert"), {{1, 2}, 1}));
        QVERIFY(!bert.predictions.empty());
        QCOMPARE(bert.token, bert.predictions.front().id);
        QVERIFY(bert.attribution.error().message.find("not linear") != std::string::npos);
        const auto nothing = attributePrediction(loadSample("notebook"), {{0, 1}, 0});
        QVERIFY(nothing.error().message.find("no unembedding") != std::string::npos);
        const auto gpt2 = loadFixture("gpt2");
        QVERIFY(!attributePrediction(gpt2, {{1, 2}, 2}));
        QVERIFY(!attributePrediction(gpt2, {{1, 2}, 0, TokenId{-1}}));
        QVERIFY(!attributePrediction(gpt2, {{1, 2}, 0, {}, TokenId{100000}}));
    }

    void oneToken() {
        const auto model = loadFixture("gpt2");
        const auto found = require(attributeLogit(model, {{3}, 0, 2, {}}));
        QVERIFY(close(found.sum(), found.logit, largestPart(found)));
        QCOMPARE(found.sources.shape(), (Shape{model->spec.n_layers, model->spec.n_heads, 1}));
    }

    void refusals_data() {
        QTest::addColumn<std::shared_ptr<const Model>>("model");
        QTest::addColumn<LogitQuestion>("question");
        QTest::addColumn<std::string>("named");
        const auto gpt2 = loadFixture("gpt2");
        QTest::newRow("masked-LM head")
            << loadFixture("bert") << LogitQuestion{{1, 2}, 0, 1, {}} << std::string("not linear");
        QTest::newRow("no unembedding") << loadSample("notebook") << LogitQuestion{{0, 1}, 0, 1, {}}
                                        << std::string("no unembedding");
        QTest::newRow("position") << gpt2 << LogitQuestion{{1, 2}, 2, 1, {}}
                                  << std::string("no position 2");
        QTest::newRow("token") << gpt2 << LogitQuestion{{1, 2}, 0, -1, {}}
                               << std::string("Token id -1");
        QTest::newRow("other token")
            << gpt2 << LogitQuestion{{1, 2}, 0, 1, 100000} << std::string("Token id 100000");
        QTest::newRow("no prompt")
            << gpt2 << LogitQuestion{{}, 0, 1, {}} << std::string("no position 0");
        QTest::newRow("not finite")
            << withNan(*gpt2) << LogitQuestion{{1, 2}, 0, 1, {}} << std::string("not finite");
    }
    void refusals() {
        QFETCH(std::shared_ptr<const Model>, model);
        QFETCH(LogitQuestion, question);
        QFETCH(std::string, named);
        const auto found = attributeLogit(model, question);
        QVERIFY(!found);
        QVERIFY2(found.error().message.find(named) != std::string::npos,
                 found.error().message.c_str());
    }

    void stops() {
        std::stop_source stop;
        stop.request_stop();
        const auto found =
            attributeLogit(loadFixture("gpt2"), {{1, 2}, 0, 1, {}}, {}, stop.get_token());
        QVERIFY(!found);
        QCOMPARE(found.error().code, ErrorCode::Cancelled);
    }

private:
    /// "<|endoftext|>When Mary and John went to the store, John gave a drink to"
    static LogitQuestion story() {
        return {{0, 1385, 658, 281, 596, 694, 275, 261, 678, 13, 596, 838, 260, 718, 275},
                14,
                658,
                596};
    }

    static bool near(double found, double expected) { return std::abs(found - expected) <= 2e-5; }

    static double valueOf(const LogitAttribution& found, LogitPartKind kind, std::size_t layer) {
        for (const LogitPart& part : found.parts)
            if (part.kind == kind && part.of.layer == layer)
                return part.value;
        return std::numeric_limits<double>::quiet_NaN();
    }

    static std::shared_ptr<const Model> withNan(const Model& model) {
        auto broken = std::make_shared<Model>(model);
        broken->weights.layers[0].attn.W_O.floats().values()[0] =
            std::numeric_limits<float>::quiet_NaN();
        return broken;
    }

    static void compareWithRun(const LogitAttribution& found, const Tensor& logits,
                               const ModelSpec& spec) {
        if (found.question.against)
            return;
        const auto logit = static_cast<double>(logits(found.question.position, 2));
        const double cap = spec.logit_softcap;
        const double capped = cap == 0.0 ? found.logit : cap * std::tanh(found.logit / cap);
        QVERIFY(std::abs(capped - logit) <= 1e-5 * std::max(1.0, std::abs(logit)));
    }

    static void checkParts(const LogitAttribution& found, const ModelSpec& spec) {
        QCOMPARE(count(found, LogitPartKind::Head), spec.n_layers * spec.n_heads);
        QCOMPARE(count(found, LogitPartKind::Biases), spec.n_layers);
        QCOMPARE(count(found, LogitPartKind::Mlp), spec.mlp == MlpKind::None ? 0 : spec.n_layers);
        QCOMPARE(found.parts.front().kind, LogitPartKind::Embedding);
        QCOMPARE(found.parts.back().kind, LogitPartKind::OutputBias);
    }

    static void checkSources(const LogitAttribution& found, const ModelSpec& spec) {
        for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
            for (std::size_t head = 0; head < spec.n_heads; ++head) {
                double sum = 0.0;
                for (std::size_t key = 0; key < found.question.ids.size(); ++key) {
                    const float source = found.sources(layer, head, key);
                    sum += static_cast<double>(source);
                    if (spec.causal && key > found.question.position)
                        QCOMPARE(source, 0.0f);
                }
                QVERIFY(close(sum, found.of({layer, head}), largestPart(found)));
            }
    }
};

const headscope::test::TestRegistration<TestLogitAttribution> registration;

} // namespace test_logit_attribution

#include "test_logit_attribution.moc"
