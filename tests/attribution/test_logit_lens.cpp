// The logit lens: its last depth against the model's own logits, single readings against numpy.

#include "core/attribution/logit_lens.h"
#include "core/engine/engine.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

namespace test_logit_lens {

using namespace headscope;
using namespace headscope::test;

namespace {

TokenIds idsOf(const ModelSpec& spec, std::size_t most) {
    TokenIds ids;
    for (std::size_t i = 0; i < std::min(most, spec.n_ctx); ++i)
        ids.push_back(static_cast<TokenId>((7 * i + 3) % spec.d_vocab));
    return ids;
}

bool near(double found, double expected) {
    return std::abs(found - expected) <= 1e-5 * std::max(1.0, std::abs(expected));
}

std::shared_ptr<const Model> withNan(const Model& model) {
    auto broken = std::make_shared<Model>(model);
    broken->weights.layers[0].attn.W_O.floats().values()[0] =
        std::numeric_limits<float>::quiet_NaN();
    return broken;
}

} // namespace

class TestLogitLens : public QObject {
    Q_OBJECT

private slots:
    void lastDepthIsTheModelsOwn_data() {
        QTest::addColumn<std::shared_ptr<const Model>>("model");
        for (const auto& names : {fixtureNames(), variantNames()})
            for (const std::string& name : names)
                QTest::newRow(name.c_str()) << loadFixture(name);
    }
    void lastDepthIsTheModelsOwn() {
        QFETCH(std::shared_ptr<const Model>, model);
        LensQuestion question;
        question.ids = idsOf(model->spec, 10);
        question.top = model->spec.outputs();
        question.token = static_cast<TokenId>(std::min<std::size_t>(5, question.top - 1));
        const auto run = require(runModel(model, question.ids));
        if (run->logits.empty())
            QSKIP("no logits");
        const auto lens = require(readLogitLens(model, question));
        QCOMPARE(lens.depths, model->spec.n_layers + 1);
        float largest = 0.0f;
        for (const float logit : run->logits.values())
            largest = std::max(largest, std::abs(logit));
        for (std::size_t position = 0; position < question.ids.size(); ++position) {
            const LensReading& last = lens.at(model->spec.n_layers, position);
            QCOMPARE(last.top.size(), model->spec.outputs());
            for (const Prediction& prediction : last.top)
                QVERIFY(std::abs(prediction.logit - run->logits(position, prediction.id)) <=
                        1e-5f * largest);
            QVERIFY(std::abs(last.kl) < 1e-9);
            for (std::size_t depth = 0; depth < lens.depths; ++depth)
                checkConsistent(lens.at(depth, position));
        }
    }

    /// At the last position, whose model predicts " Mary" (658); gpt2-mini-6l in float64 numpy.
    void readingsAgainstNumpy_data() {
        QTest::addColumn<std::size_t>("depth");
        QTest::addColumn<TokenId>("top");
        QTest::addColumn<double>("probability");
        QTest::addColumn<std::size_t>("rank");
        QTest::addColumn<double>("kl");
        QTest::addColumn<double>("entropy");
        QTest::newRow("embedding") << std::size_t{0} << TokenId{275} << 1.04643e-23
                                   << std::size_t{1208} << 52.841850 << 0.0;
        QTest::newRow("layer 0") << std::size_t{1} << TokenId{3527} << 0.0146670 << std::size_t{17}
                                 << 4.184458 << 4.258019;
        QTest::newRow("layer 2") << std::size_t{3} << TokenId{1036} << 0.1164560 << std::size_t{3}
                                 << 2.112887 << 2.632137;
        QTest::newRow("layer 4") << std::size_t{5} << TokenId{658} << 0.9847408 << std::size_t{1}
                                 << 0.0080867 << 0.1159346;
        QTest::newRow("layer 5") << std::size_t{6} << TokenId{658} << 0.9921221 << std::size_t{1}
                                 << 0.0 << 0.0688618;
    }
    void readingsAgainstNumpy() {
        QFETCH(std::size_t, depth);
        QFETCH(TokenId, top);
        QFETCH(double, probability);
        QFETCH(std::size_t, rank);
        QFETCH(double, kl);
        QFETCH(double, entropy);
        LensQuestion question;
        question.ids = {0, 1385, 658, 281, 596, 694, 275, 261, 678, 13, 596, 838, 260, 718, 275};
        question.token = TokenId{658};
        const auto lens = require(readLogitLens(loadSample("gpt2-mini-6l"), question));
        const LensReading& found = lens.at(depth, 14);
        QCOMPARE(found.top.size(), 5u);
        QCOMPARE(found.top.front().id, top);
        QVERIFY(near(found.probability, probability));
        QCOMPARE(found.rank, rank);
        QVERIFY(near(found.kl, kl));
        QVERIFY(near(found.entropy, entropy));
    }

    /// More positions than are read at once.
    void manyPositions() {
        const auto model = loadSample("gpt2-mini-6l");
        LensQuestion question;
        question.ids = idsOf(model->spec, 150);
        question.top = 1;
        std::vector<double> fractions;
        const auto lens =
            require(readLogitLens(model, question, {}, [&](double fraction, std::string_view) {
                fractions.push_back(fraction);
            }));
        const auto run = require(runModel(model, question.ids));
        for (const std::size_t position : {0u, 63u, 64u, 128u, 149u})
            QVERIFY(
                near(static_cast<double>(lens.at(6, position).top.front().logit),
                     static_cast<double>(topPredictions(run->logits, position, 1).front().logit)));
        QCOMPARE(fractions.size(), std::size_t{3 * 7});
        QVERIFY(std::ranges::is_sorted(fractions));
        QCOMPARE(fractions.back(), 1.0);
    }

    /// What a hook takes away is missing at the depths behind it and not before.
    void hooksEditTheRun() {
        const auto model = loadSample("gpt2-mini-6l");
        const LensQuestion question{idsOf(model->spec, 12), 1, {}};
        HookSet hooks;
        hooks.edit("blocks.3.attn.hook_z", [](HookPoint, const MutableTensorView& z) {
            const std::size_t count = elementCount(z.shape);
            std::fill(z.data, z.data + count, 0.0f);
        });
        const auto whole = require(readLogitLens(model, question));
        const auto edited = require(readLogitLens(model, question, hooks));
        const auto logitOf = [](const LogitLens& lens, std::size_t depth) {
            return lens.at(depth, 11).top.front().logit;
        };
        QCOMPARE(logitOf(edited, 3), logitOf(whole, 3));
        QVERIFY(logitOf(edited, 4) != logitOf(whole, 4));
        const auto run = require(runModel(model, question.ids, {}, hooks));
        QVERIFY(near(static_cast<double>(logitOf(edited, 6)),
                     static_cast<double>(topPredictions(run->logits, 11, 1).front().logit)));
    }

    /// As the hook that zeroes the same heads.
    void headsCanBeAblated() {
        const auto model = loadSample("gpt2-mini-6l");
        LensQuestion question{idsOf(model->spec, 12), 1, {}};
        HookSet hooks;
        hooks.edit(HookPoint{HookKind::Z, 3}, [](HookPoint, const MutableTensorView& z) {
            std::fill(z.data, z.data + elementCount(z.shape), 0.0f);
        });
        const auto hooked = require(readLogitLens(model, question, hooks));
        for (std::size_t head = 0; head < model->spec.n_heads; ++head)
            question.ablated.set({3, head}, AblationKind::Zero);
        const auto ablated = require(readLogitLens(model, question));
        for (std::size_t i = 0; i < hooked.readings.size(); ++i)
            QCOMPARE(ablated.readings[i].kl, hooked.readings[i].kl);
        question.ablated.set({3, 0}, AblationKind::Resample);
        QCOMPARE(readLogitLens(model, question).error().code, ErrorCode::InvalidArgument);
    }

    void withoutATokenNothingIsFollowed() {
        const auto lens = require(readLogitLens(loadFixture("gpt2"), {{3}, 2, {}}));
        QCOMPARE(lens.at(0, 0).top.size(), 2u);
        QCOMPARE(lens.at(0, 0).rank, 0u);
        QVERIFY(std::isnan(lens.at(0, 0).probability));
    }

    void refusals_data() {
        QTest::addColumn<std::shared_ptr<const Model>>("model");
        QTest::addColumn<LensQuestion>("question");
        QTest::addColumn<std::string>("named");
        const auto gpt2 = loadFixture("gpt2");
        QTest::newRow("no unembedding")
            << loadSample("notebook") << LensQuestion{{0}, 5, {}} << std::string("no unembedding");
        QTest::newRow("token") << gpt2 << LensQuestion{{1}, 5, TokenId{-3}}
                               << std::string("Token id -3");
        QTest::newRow("no prompt") << gpt2 << LensQuestion{} << std::string("has no tokens");
        QTest::newRow("not finite")
            << withNan(*gpt2) << LensQuestion{{1}, 5, {}} << std::string("not finite");
    }
    void refusals() {
        QFETCH(std::shared_ptr<const Model>, model);
        QFETCH(LensQuestion, question);
        QFETCH(std::string, named);
        const auto found = readLogitLens(model, question);
        QVERIFY(!found);
        QVERIFY2(found.error().message.find(named) != std::string::npos,
                 found.error().message.c_str());
    }

    void stopsBetweenDepths() {
        std::stop_source stop;
        const auto found = readLogitLens(
            loadFixture("gpt2"), {{1, 2}, 5, {}}, {},
            [&](double, std::string_view) { stop.request_stop(); }, stop.get_token());
        QVERIFY(!found);
        QCOMPARE(found.error().code, ErrorCode::Cancelled);
    }

private:
    static void checkConsistent(const LensReading& reading) {
        double sum = 0.0;
        double entropy = 0.0;
        std::size_t better = 0;
        for (const Prediction& prediction : reading.top) {
            sum += prediction.probability;
            entropy -= prediction.probability * std::log(prediction.probability);
            better += prediction.probability > reading.probability ? 1 : 0;
        }
        QVERIFY(near(sum, 1.0));
        QVERIFY(near(entropy, reading.entropy));
        QCOMPARE(reading.rank, better + 1);
        QVERIFY(reading.kl > -1e-6);
    }
};

const headscope::test::TestRegistration<TestLogitLens> registration;

} // namespace test_logit_lens

#include "test_logit_lens.moc"
