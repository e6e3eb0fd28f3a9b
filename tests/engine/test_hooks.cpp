#include "core/engine/engine.h"
#include "core/tensor/gemm.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <map>

namespace test_hooks {

using namespace headscope;
using namespace headscope::test;

namespace {

const TokenIds ids{5, 17, 3, 42, 5, 17, 9};

std::shared_ptr<const Run> run(const std::shared_ptr<const Model>& model, const HookSet& hooks,
                               Request request = {}) {
    return require(runModel(model, ids, request, hooks));
}

void addFixtures() {
    QTest::addColumn<QString>("fixture");
    for (const auto& names : {fixtureNames(), variantNames(), clippedNames()})
        for (const std::string& name : names)
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

/// Points that "*" leaves out and that fire beside those of "*"; without norms there is no
/// hook_out.
std::vector<const char*> spelledOutGlobs(const ModelSpec& spec) {
    std::vector<const char*> globs{"*hook_result"};
    if (hookNamed(spec, "blocks." + std::to_string(spec.n_layers - 1) + ".ln1.hook_out"))
        globs.push_back("*hook_out");
    return globs;
}

/// Those that add to the residual stream what the heads write, without another norm.
void addFixturesWithPlainOutput() {
    QTest::addColumn<QString>("fixture");
    for (const std::string& name : fixtureNames())
        if (name != "gemma2" && name != "olmo2")
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

} // namespace

class TestHooks : public QObject {
    Q_OBJECT

private slots:
    /// Also where logits are asked for at one of them alone.
    void theFinalNormIsSeenAtAllPositions() {
        const auto model = loadFixture("gpt2");
        const HookPoint normalised{HookKind::LnFinalNormalized, 0};
        HookSet hooks;
        hooks.capture(normalised);
        Request request;
        request.logit_positions = {2};
        const auto some = run(model, hooks, request);
        QCOMPARE(some->logits.dim(0), std::size_t{1});
        const Tensor expected = run(model, hooks)->captured.at(normalised);
        QCOMPARE(expected.dim(0), ids.size());
        QVERIFY(difference(some->captured.at(normalised).view(), expected.view()).absolute < 1e-5);
    }

    void addedHooksFireBehindOwnOnes() {
        const auto model = loadFixture("gpt2");
        std::vector<int> fired;
        HookSet hooks;
        hooks.observe(HookPoint{HookKind::ResidPre, 0},
                      [&](HookPoint, const TensorView&) { fired.push_back(1); });
        HookSet others;
        others.observe(HookPoint{HookKind::ResidPre, 0},
                       [&](HookPoint, const TensorView&) { fired.push_back(2); });
        others.capture(HookPoint{HookKind::ResidPre, 1});
        hooks.add(others);
        const auto result = run(model, hooks);
        QCOMPARE(fired, (std::vector{1, 2}));
        QCOMPARE(result->captured.size(), std::size_t{1});
    }
    void everyPointFiresOnceInItsShape_data() { addFixtures(); }
    void everyPointFiresOnceInItsShape();
    void watchingChangesNothing_data() { addFixtures(); }
    void watchingChangesNothing();
    void headsSumToAttnOut_data() { addFixturesWithPlainOutput(); }
    void headsSumToAttnOut();
    void capturesKeepValues();
    void editorsAreAudited();
    void editedPatternIsWhatTheRunShows();
    void editedQueryInputReachesOneHead();
    void editedResultReachesTheOutput();
    void unmatchedHookIsAnError();
    void unreachedHookIsAnError();
    void hooksFireInOrderOfRegistration();
};

void TestHooks::everyPointFiresOnceInItsShape() {
    QFETCH(QString, fixture);
    const auto model = loadFixture(fixture.toStdString());
    std::vector<HookPoint> fired;
    HookSet hooks;
    hooks.observe("*", [&](HookPoint point, TensorView value) {
        fired.push_back(point);
        QCOMPARE(value.shape, hookShape(model->spec, point, ids.size()));
    });
    for (const char* spelled_out : spelledOutGlobs(model->spec))
        hooks.observe(spelled_out, [&](HookPoint point, TensorView value) {
            fired.push_back(point);
            QCOMPARE(value.shape, hookShape(model->spec, point, ids.size()));
        });
    const auto result = run(model, hooks);

    std::vector<HookPoint> expected = hookPoints(model->spec);
    std::erase_if(expected, [](HookPoint point) {
        return point.kind >= HookKind::AttnIn && point.kind <= HookKind::VInput;
    });
    QCOMPARE(fired.size(), expected.size());
    for (std::size_t i = 0; i < fired.size(); ++i)
        QVERIFY2(fired[i] == expected[i], hookName(model->spec, fired[i]).c_str());
    QCOMPARE(result->audit[1].fired, model->spec.n_layers);
    std::size_t audited = 0;
    for (const HookAudit& audit : result->audit)
        audited += audit.fired;
    QCOMPARE(audited, expected.size());
}

/// Observed runs take other paths (patterns in memory, one projection per head, one output per
/// head); they must compute the same network.
void TestHooks::watchingChangesNothing() {
    QFETCH(QString, fixture);
    const auto model = loadFixture(fixture.toStdString());
    const auto plain = run(model, {});
    std::vector<const char*> globs = spelledOutGlobs(model->spec);
    globs.insert(globs.end(), {"*", "*hook_q_input", "*hook_v_input"});
    for (const char* glob : globs) {
        HookSet hooks;
        hooks.observe(glob, [](HookPoint, TensorView) {});
        const auto watched = run(model, hooks);
        QVERIFY2(difference(watched->logits.view(), plain->logits.view()).relative < 2e-6, glob);
        const LayerHead head{model->spec.n_layers - 1, model->spec.n_heads - 1};
        QVERIFY2(difference(watched->pattern(head).view(), plain->pattern(head).view()).absolute <
                     5e-6,
                 glob);
    }
}

/// Σ_h z_h W_O^h + b_O = attn_out
void TestHooks::headsSumToAttnOut() {
    QFETCH(QString, fixture);
    const auto model = loadFixture(fixture.toStdString());
    const ModelSpec& spec = model->spec;
    HookSet hooks;
    hooks.capture("blocks.*.attn.hook_z");
    hooks.capture("blocks.*.hook_attn_out");
    const auto result = run(model, hooks);
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        const AttentionWeights& weights = model->weights.layers[layer].attn;
        const Tensor& z = result->captured.at({HookKind::Z, layer});
        Tensor sum({ids.size(), spec.d_model});
        for (std::size_t t = 0; t < ids.size(); ++t)
            for (std::size_t head = 0; head < spec.n_heads; ++head)
                for (std::size_t d = 0; d < spec.d_head; ++d)
                    for (std::size_t c = 0; c < spec.d_model; ++c)
                        sum(t, c) += z(t, head, d) * weights.W_O(head * spec.d_head + d, c);
        addBias(sum.matrix(), weights.b_O.values());
        const Tensor& out = result->captured.at({HookKind::AttnOut, layer});
        QVERIFY(difference(out.view(), sum.view()).relative < 2e-6);
    }
}

void TestHooks::capturesKeepValues() {
    const auto model = loadFixture("llama-gqa");
    HookSet hooks;
    hooks.capture("blocks.1.attn.hook_pattern");
    hooks.capture("blocks.?.hook_resid_pre");
    const auto result = run(model, hooks);
    QCOMPARE(result->captured.size(), 1 + model->spec.n_layers);
    const Tensor& patterns = result->captured.at({HookKind::Pattern, 1});
    const LayerHead head{1, 5};
    const Tensor pattern = result->pattern(head);
    for (std::size_t q = 0; q < ids.size(); ++q)
        for (std::size_t k = 0; k < ids.size(); ++k)
            QVERIFY(std::abs(patterns(5, q, k) - pattern(q, k)) < 1e-6f);
}

void TestHooks::editorsAreAudited() {
    const auto model = loadFixture("gpt2");
    const std::size_t d_head = model->spec.d_head;
    HookSet hooks;
    hooks.edit("blocks.1.attn.hook_z", [&](HookPoint, MutableTensorView z) {
        for (std::size_t d = 0; d < d_head; ++d)
            z(2, 3, d) += 0.5f;
    });
    hooks.edit("blocks.0.attn.hook_z", [](HookPoint, MutableTensorView) {});
    const auto edited = run(model, hooks);
    const auto plain = run(model, {});
    QCOMPARE(edited->audit[0].fired, 1u);
    QCOMPARE(edited->audit[0].changed_elements, d_head);
    QVERIFY(std::abs(edited->audit[0].max_change - 0.5) < 1e-6);
    QCOMPARE(edited->audit[1].changed_elements, 0u);
    QVERIFY(difference(edited->logits.view(), plain->logits.view()).relative > 1e-3);
    // What comes before position 2 can't have changed in a causal model.
    for (std::size_t c = 0; c < model->spec.d_vocab; ++c)
        QVERIFY(std::abs(edited->logits(1u, c) - plain->logits(1u, c)) < 1e-5f);
}

void TestHooks::editedPatternIsWhatTheRunShows() {
    const auto model = loadFixture("gpt2");
    HookSet hooks;
    hooks.edit("blocks.0.attn.hook_pattern", [](HookPoint, MutableTensorView pattern) {
        for (std::size_t k = 0; k < ids.size(); ++k)
            pattern(1, 4, k) = k == 2 ? 1.0f : 0.0f;
    });
    hooks.capture("blocks.0.attn.hook_z");
    hooks.capture("blocks.0.attn.hook_v");
    const auto result = run(model, hooks);
    QCOMPARE(result->weight({0, 1}, 4, 2), 1.0f);
    QCOMPARE(result->pattern({0, 1}, {4, 5}, {1, 4})(0u, 1u), 1.0f);
    const Tensor& z = result->captured.at({HookKind::Z, 0});
    const Tensor& v = result->captured.at({HookKind::V, 0});
    for (std::size_t d = 0; d < model->spec.d_head; ++d)
        QVERIFY(std::abs(z(4, 1, d) - v(2, 1, d)) < 1e-6f);
}

void TestHooks::editedQueryInputReachesOneHead() {
    const auto model = loadFixture("llama-gqa");
    HookSet hooks;
    hooks.edit("blocks.0.hook_q_input", [](HookPoint, MutableTensorView input) {
        for (std::size_t c = 0; c < input.shape[2]; ++c)
            input(6, 2, c) = input(1, 2, c);
    });
    const auto edited = run(model, hooks);
    const auto plain = run(model, {});
    for (std::size_t head = 0; head < model->spec.n_heads; ++head) {
        const double change =
            difference(edited->pattern({0, head}).view(), plain->pattern({0, head}).view())
                .absolute;
        QVERIFY2(head == 2 ? change > 1e-3 : change < 1e-6, std::to_string(head).c_str());
    }
}

void TestHooks::editedResultReachesTheOutput() {
    const auto model = loadFixture("bert");
    const std::size_t d_head = model->spec.d_head;
    HookSet by_z;
    by_z.edit("blocks.1.attn.hook_z", [&](HookPoint, MutableTensorView z) {
        for (std::size_t t = 0; t < ids.size(); ++t)
            for (std::size_t d = 0; d < d_head; ++d)
                z(t, 2, d) = 0.0f;
    });
    HookSet by_result;
    by_result.edit("blocks.1.attn.hook_result", [&](HookPoint, MutableTensorView result) {
        for (std::size_t t = 0; t < ids.size(); ++t)
            for (std::size_t c = 0; c < result.shape[2]; ++c)
                result(t, 2, c) = 0.0f;
    });
    QVERIFY(
        difference(run(model, by_result)->logits.view(), run(model, by_z)->logits.view()).relative <
        2e-6);
}

void TestHooks::unmatchedHookIsAnError() {
    HookSet hooks;
    hooks.capture("blocks.7.attn.hook_patern");
    const auto result = runModel(loadFixture("gpt2"), ids, {}, hooks);
    QVERIFY(!result);
    QCOMPARE(result.error().code, ErrorCode::InvalidArgument);
    QCOMPARE(QString::fromStdString(result.error().message),
             QStringLiteral("Hook 'blocks.7.attn.hook_patern' matches no hook point of this gpt2 "
                            "model with 3 layers; a valid name is 'blocks.2.attn.hook_z'."));
}

void TestHooks::unreachedHookIsAnError() {
    HookSet hooks;
    hooks.capture("blocks.2.attn.hook_z");
    Request request;
    request.layers = 2;
    const auto result = runModel(loadFixture("gpt2"), ids, request, hooks);
    QVERIFY(!result);
    QVERIFY(result.error().message.find("runs 2 of 3 layers") != std::string::npos);
}

void TestHooks::hooksFireInOrderOfRegistration() {
    const auto model = loadFixture("gpt2");
    std::vector<float> seen;
    HookSet hooks;
    const std::string point = "blocks.0.hook_resid_pre";
    hooks.observe(point, [&](HookPoint, TensorView x) { seen.push_back(x(0, 0)); });
    hooks.edit(point, [&](HookPoint, MutableTensorView x) { x(0, 0) = 3.0f; });
    hooks.observe(point, [&](HookPoint, TensorView x) { seen.push_back(x(0, 0)); });
    run(model, hooks);
    QCOMPARE(seen.size(), 2u);
    QVERIFY(seen[0] != 3.0f);
    QCOMPARE(seen[1], 3.0f);
}

const headscope::test::TestRegistration<TestHooks> registration;

} // namespace test_hooks

#include "test_hooks.moc"
