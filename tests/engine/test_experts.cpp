#include "core/engine/backward.h"
#include "core/engine/engine.h"
#include "tests/support/models.h"
#include "tests/support/reference_engine.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <limits>

namespace test_experts {

using namespace headscope;
using namespace headscope::test;

namespace {

const TokenIds kIds{5, 17, 3, 22, 9};

/// The three points of one layer with experts.
struct Points {
    HookPoint logits;
    HookPoint indices;
    HookPoint weights;
};

std::vector<Points> expertPoints(const ModelSpec& spec) {
    std::vector<Points> points;
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        if (spec.hasExperts(layer))
            points.push_back({{HookKind::RouterLogits, layer},
                              {HookKind::ExpertIndices, layer},
                              {HookKind::ExpertWeights, layer}});
    return points;
}

std::shared_ptr<const Run> runWith(const std::shared_ptr<const Model>& model, HookSet hooks) {
    for (const HookKind kind :
         {HookKind::RouterLogits, HookKind::ExpertIndices, HookKind::ExpertWeights})
        hooks.capture(kind);
    return require(runModel(model, kIds, {}, hooks));
}

/// Part `index` of [layer, position, ...] as a tensor by itself.
Tensor layerOf(const Tensor& all, std::size_t index) {
    Tensor one({all.dim(1), all.dim(2)});
    std::copy_n(all.data() + index * one.size(), one.size(), one.data());
    return one;
}

void addMixtures() {
    QTest::addColumn<QString>("fixture");
    for (const char* name :
         {"mixtral", "qwen2_moe", "qwen3_moe", "olmoe", "granitemoe", "gpt_oss", "mellum",
          "flex_olmo", "granitemoeshared", "granitemoe_swa", "hunyuan_v1_moe", "dbrx"})
        QTest::newRow(name) << QString::fromLatin1(name);
    for (const std::string& name : routedNames())
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

QString said(const Result<std::shared_ptr<const Run>>& run) {
    return run ? QString() : QString::fromStdString(run.error().message);
}

} // namespace

/// Mixtures of experts: what the router says, who is chosen, and that nobody else is multiplied.
class TestExperts : public QObject {
    Q_OBJECT

private slots:
    void routingIsThatOfTransformers_data() { addMixtures(); }
    void routingIsThatOfTransformers();
    void weightsSumToOneOrLess();
    void floatsRouteAsDoublesDo_data() { addMixtures(); }
    void floatsRouteAsDoublesDo();
    void unchosenExpertsAreNotMultiplied_data() { addMixtures(); }
    void unchosenExpertsAreNotMultiplied();
    void batchRoutesAsEachPromptAlone();
    void editedLogitsChooseOthers();
    void editedChoiceIsTaken();
    void impossibleChoiceIsRefused();
    void editedWeightsMultiply();
    void gradientsAreThoseOfTorch_data() { addMixtures(); }
    void gradientsAreThoseOfTorch();
    void choicesHaveNoGradient();
};

void TestExperts::routingIsThatOfTransformers() {
    QFETCH(QString, fixture);
    const auto model = loadFixture(fixture.toStdString());
    const ReferenceFile reference(fixtureReference(fixture.toStdString()));
    HookSet hooks;
    for (const HookKind kind :
         {HookKind::RouterLogits, HookKind::ExpertIndices, HookKind::ExpertWeights})
        hooks.capture(kind);
    const auto run = require(runModel(model, reference.ids("input_ids"), {}, hooks));
    const std::vector<Points> points = expertPoints(model->spec);
    const Tensor logits = reference.floats("router_logits");
    const Tensor weights = reference.floats("expert_weights");
    const TokenIds indices = reference.ids("expert_indices");
    QCOMPARE(logits.dim(0), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Tensor& chosen = run->captured.at(points[i].indices);
        for (std::size_t j = 0; j < chosen.size(); ++j)
            QCOMPARE(static_cast<TokenId>(chosen.values()[j]), indices[i * chosen.size() + j]);
        QVERIFY(difference(run->captured.at(points[i].logits).view(), layerOf(logits, i).view())
                    .relative < 1e-5);
        QVERIFY(difference(run->captured.at(points[i].weights).view(), layerOf(weights, i).view())
                    .absolute < 1e-5);
    }
}

void TestExperts::weightsSumToOneOrLess() {
    for (const auto& [fixture, whole] : {std::pair("qwen3_moe", true), {"olmoe", false}}) {
        const auto model = loadFixture(fixture);
        QCOMPARE(model->spec.experts->weights_sum_to_one, whole);
        const Tensor weights =
            runWith(model, {})->captured.at(expertPoints(model->spec).front().weights);
        for (std::size_t t = 0; t < weights.dim(0); ++t) {
            double sum = 0.0;
            for (std::size_t c = 0; c < weights.dim(1); ++c)
                sum += weights(t, c);
            QVERIFY(whole ? std::abs(sum - 1.0) < 1e-6 : sum < 0.999);
        }
    }
}

void TestExperts::floatsRouteAsDoublesDo() {
    QFETCH(QString, fixture);
    const auto model = loadFixture(fixture.toStdString());
    const auto run = runWith(model, {});
    const ReferenceRun exact = referenceRun(*model, kIds);
    const std::vector<Points> points = expertPoints(model->spec);
    QCOMPARE(exact.routings.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Routing& routing = exact.routings[i];
        QCOMPARE(routing.layer, points[i].indices.layer);
        const Tensor& chosen = run->captured.at(points[i].indices);
        const Tensor& weights = run->captured.at(points[i].weights);
        for (std::size_t t = 0; t < kIds.size(); ++t)
            for (std::size_t c = 0; c < chosen.dim(1); ++c) {
                QCOMPARE(static_cast<std::size_t>(chosen(t, c)), routing.chosen[t][c]);
                QVERIFY(std::abs(weights(t, c) - routing.weights[t][c]) < 1e-5);
            }
    }
}

/// NaN in the weights of an expert that no position chose is seen by nobody.
void TestExperts::unchosenExpertsAreNotMultiplied() {
    QFETCH(QString, fixture);
    const auto whole = loadFixture(fixture.toStdString());
    const ExpertsSpec& experts = *whole->spec.experts;
    const TokenIds one{5};
    HookSet hooks;
    hooks.capture(HookKind::ExpertIndices);
    const auto expected = require(runModel(whole, one, {}, hooks));
    auto spoiled = std::make_shared<Model>(*whole);
    std::size_t unchosen = 0;
    for (const Points& points : expertPoints(whole->spec)) {
        const Tensor& chosen = expected->captured.at(points.indices);
        ExpertsWeights& weights = spoiled->weights.layers[points.indices.layer].experts;
        for (std::size_t e = 0; e < experts.n_experts; ++e) {
            if (std::ranges::count(chosen.values(), static_cast<float>(e)) > 0)
                continue;
            ++unchosen;
            for (WeightTensor* const W : {&weights.W_gate, &weights.W_in, &weights.W_out})
                W->floats()(e, 0u, 0u) = std::numeric_limits<float>::quiet_NaN();
        }
    }
    QVERIFY(unchosen > 0);
    const auto run = require(runModel(spoiled, one));
    QVERIFY(std::ranges::equal(run->logits.values(), expected->logits.values()));
}

void TestExperts::batchRoutesAsEachPromptAlone() {
    const auto model = loadFixture("qwen2_moe");
    std::vector<RunItem> items(2);
    items[0].ids = kIds;
    items[1].ids = {8, 3};
    for (RunItem& item : items)
        item.hooks.capture(HookKind::ExpertIndices);
    const auto batch = require(runBatch(model, items, {}));
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto alone = require(runModel(model, items[i].ids, {}, items[i].hooks));
        for (const auto& [point, chosen] : alone->captured)
            QVERIFY(std::ranges::equal(batch[i]->captured.at(point).values(), chosen.values()));
        QVERIFY(difference(batch[i]->logits.view(), alone->logits.view()).relative < 2e-6);
    }
}

void TestExperts::editedLogitsChooseOthers() {
    const auto model = loadFixture("mixtral");
    HookSet hooks;
    hooks.edit(HookPoint{HookKind::RouterLogits, 0},
               [](HookPoint, MutableTensorView logits) { logits(2, 4) = 50.0f; });
    const auto run = runWith(model, hooks);
    const auto plain = runWith(model, {});
    QCOMPARE(run->captured.at({HookKind::ExpertIndices, 0})(2, 0), 4.0f);
    QVERIFY(run->captured.at({HookKind::ExpertWeights, 0})(2, 0) > 0.999f);
    QVERIFY(difference(run->logits.view(), plain->logits.view()).relative > 1e-3);
}

/// Whom an editor names is gone through, with the weight that its logit gives it.
void TestExperts::editedChoiceIsTaken() {
    const auto model = loadFixture("olmoe");
    const auto plain = runWith(model, {});
    const Tensor& before = plain->captured.at({HookKind::ExpertIndices, 1});
    HookSet hooks;
    hooks.edit(HookPoint{HookKind::ExpertIndices, 1},
               [&](HookPoint, MutableTensorView chosen) { std::swap(chosen(3, 0), chosen(3, 1)); });
    const auto swapped = runWith(model, hooks);
    const Tensor& weights = swapped->captured.at({HookKind::ExpertWeights, 1});
    QVERIFY(weights(3, 0) < weights(3, 1));
    QVERIFY(difference(swapped->logits.view(), plain->logits.view()).relative < 1e-6);
    HookSet others;
    others.edit(HookPoint{HookKind::ExpertIndices, 1}, [&](HookPoint, MutableTensorView chosen) {
        for (float expert = 0.0f; expert < 6.0f; ++expert)
            if (expert != before(3, 0) && expert != before(3, 1) && expert != before(3, 2))
                chosen(3, 0) = expert;
    });
    QVERIFY(difference(runWith(model, others)->logits.view(), plain->logits.view()).relative >
            1e-3);
}

void TestExperts::impossibleChoiceIsRefused() {
    const auto model = loadFixture("mixtral");
    for (const float choice : {5.0f, -1.0f, 0.5f, std::numeric_limits<float>::quiet_NaN()}) {
        HookSet hooks;
        const std::size_t position = choice < 0.0f ? 0 : 1;
        hooks.edit(HookPoint{HookKind::ExpertIndices, 0},
                   [choice, position](HookPoint, MutableTensorView chosen) {
                       chosen(position, 1) = choice;
                   });
        const auto run = runModel(model, kIds, {}, hooks);
        QCOMPARE(said(run), QStringLiteral("A hook wrote something else to "
                                           "'blocks.0.mlp.hook_expert_indices' than whole numbers "
                                           "below 5, the number of experts."));
    }
}

void TestExperts::editedWeightsMultiply() {
    const auto model = loadFixture("granitemoe");
    HookSet hooks;
    hooks.capture(HookPoint{HookKind::MlpOut, 0});
    const Tensor plain =
        require(runModel(model, kIds, {}, hooks))->captured.at({HookKind::MlpOut, 0});
    hooks.edit(HookPoint{HookKind::ExpertWeights, 0}, [](HookPoint, MutableTensorView weights) {
        for (std::size_t c = 0; c < weights.shape[1]; ++c)
            weights(1, c) *= 3.0f;
    });
    const Tensor edited =
        require(runModel(model, kIds, {}, hooks))->captured.at({HookKind::MlpOut, 0});
    for (std::size_t i = 0; i < plain.dim(1); ++i) {
        QCOMPARE(edited(0u, i), plain(0u, i));
        QVERIFY(std::abs(edited(1u, i) - 3.0f * plain(1u, i)) < 1e-5f);
    }
}

/// Through the chosen experts and through the router, of the sum of the logits of the prompt's own
/// tokens.
void TestExperts::gradientsAreThoseOfTorch() {
    QFETCH(QString, fixture);
    const auto model = loadFixture(fixture.toStdString());
    const ReferenceFile reference(fixtureReference(fixture.toStdString()));
    const TokenIds ids = reference.ids("input_ids");
    const auto metric = [&](const Tensor& logits) {
        Tensor d_logits(logits.shape());
        for (std::size_t t = 0; t < ids.size(); ++t)
            d_logits(t, static_cast<std::size_t>(ids[t])) = 1.0f;
        return d_logits;
    };
    const HookPoint residual{HookKind::ResidPre, 0};
    const Gradients found =
        require(runBackward(model, ids, metric, {{residual, HookKind::RouterLogits}}));
    const double residuals =
        difference(found.hooks.at(residual).view(), reference.floats("d_resid_pre").view())
            .relative;
    QVERIFY2(residuals < 1e-5, qPrintable(QString::number(residuals)));
    const Tensor expected = reference.floats("d_router_logits");
    const std::vector<Points> points = expertPoints(model->spec);
    QCOMPARE(expected.dim(0), points.size());
    for (std::size_t i = 0; i < points.size(); ++i)
        QVERIFY(difference(found.hooks.at(points[i].logits).view(), layerOf(expected, i).view())
                    .relative < 1e-5);
}

void TestExperts::choicesHaveNoGradient() {
    const auto model = loadFixture("mixtral");
    const auto ones = [](const Tensor& logits) { return Tensor(logits.shape(), 1.0f); };
    const auto refused = runBackward(model, kIds, ones, {{HookPoint{HookKind::ExpertIndices, 0}}});
    QVERIFY(!refused);
    QCOMPARE(refused.error().message,
             std::string("There is no gradient at 'blocks.0.mlp.hook_expert_indices', which holds "
                         "whole numbers; take that of the router's logits."));
    const auto others = require(runBackward(model, kIds, ones, {{"blocks.*.mlp.*"}}));
    QVERIFY(others.hooks.contains({HookKind::RouterLogits, 1}));
    QVERIFY(!others.hooks.contains({HookKind::ExpertIndices, 1}));
}

const headscope::test::TestRegistration<TestExperts> registration;

} // namespace test_experts

#include "test_experts.moc"
