#include "core/engine/engine.h"
#include "core/engine/head_mask.h"
#include "core/engine/loss.h"
#include "core/model/prompt.h"
#include "tests/support/models.h"
#include "tests/support/reference_engine.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>

namespace test_hooked_transformer {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr double kTolerance = 1e-4; ///< relative to the largest expected value

/// Those whose file names the hook points of the last layer as TransformerLens does.
const std::vector<std::string> kHooks{"hook_embed",
                                      "hook_pos_embed",
                                      "ln1.hook_scale",
                                      "ln1.hook_normalized",
                                      "attn.hook_q",
                                      "attn.hook_k",
                                      "attn.hook_v",
                                      "attn.hook_z",
                                      "hook_attn_out",
                                      "hook_resid_mid",
                                      "mlp.hook_pre",
                                      "mlp.hook_pre_linear",
                                      "mlp.hook_mid",
                                      "mlp.ln.hook_scale",
                                      "mlp.ln.hook_normalized",
                                      "mlp.hook_post",
                                      "hook_mlp_out",
                                      "hook_resid_post",
                                      "ln_final.hook_scale",
                                      "ln_final.hook_normalized"};

QByteArray verdict(const std::string& what, const Difference& found) {
    return QByteArray::fromStdString(what + ": relative difference " +
                                     std::to_string(found.relative) + " at element " +
                                     std::to_string(found.index));
}

void addFixtures() {
    QTest::addColumn<QString>("name");
    for (const std::string& name : variantNames())
        if (name.starts_with("hooked-"))
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

} // namespace

/// Checkpoints of TransformerLens against what it computes itself; patterns and logits are
/// test_references's.
class TestHookedTransformer : public QObject {
    Q_OBJECT

private slots:
    void hookPoints_data() { addFixtures(); }
    void hookPoints();
    void ablations_data() { addFixtures(); }
    void ablations();
    void doublePrecision_data() { addFixtures(); }
    void doublePrecision();
    void splitInputsAreTheSame_data() { addFixtures(); }
    void splitInputsAreTheSame();
    void resumesInside();
    void classesAreNoTokens();
};

void TestHookedTransformer::hookPoints() {
    QFETCH(QString, name);
    const auto model = loadFixture(name.toStdString());
    const ReferenceFile reference(fixtureReference(name.toStdString()));
    HookSet hooks;
    hooks.capture("*");
    const auto run = require(runModel(model, reference.ids("input_ids"), {}, hooks));
    const std::string last = "blocks." + std::to_string(model->spec.n_layers - 1) + ".";
    std::size_t compared = 0;
    for (const std::string& hook : kHooks)
        for (const std::string& key : {hook, last + hook}) {
            if (!reference.has("hooks/" + key))
                continue;
            const auto point = hookNamed(model->spec, key);
            QVERIFY2(point, key.c_str());
            const Difference found = difference(run->captured.at(*point).view(),
                                                reference.floats("hooks/" + key).view());
            QVERIFY2(found.relative <= kTolerance, verdict(key, found).data());
            ++compared;
        }
    QVERIFY(compared >= 7);
}

void TestHookedTransformer::ablations() {
    QFETCH(QString, name);
    const auto model = loadFixture(name.toStdString());
    const ReferenceFile reference(fixtureReference(name.toStdString()));
    const Tensor expected = reference.floats("ablated_logits"); // [layer, head, position, output]
    const std::size_t size = expected.dim(2) * expected.dim(3);
    const float* next = expected.data();
    for (const LayerHead head : model->spec.allHeads()) {
        HeadMask mask;
        mask.set(head, AblationKind::Zero);
        HookSet hooks;
        addAblation(hooks, mask, model->spec);
        const auto run = require(runModel(model, reference.ids("input_ids"), {}, hooks));
        const TensorView of_head{next, {expected.dim(2), expected.dim(3)}, {expected.dim(3), 1}};
        const Difference found = difference(run->logits.view(), of_head);
        QVERIFY2(found.relative <= kTolerance, verdict(headText(head), found).data());
        next += size;
    }
}

/// The reference engine of the tests, which knows the same specs, agrees more closely.
void TestHookedTransformer::doublePrecision() {
    QFETCH(QString, name);
    const auto model = loadFixture(name.toStdString());
    const TokenIds ids = ReferenceFile(fixtureReference(name.toStdString())).ids("input_ids");
    const ReferenceRun expected = referenceRun(*model, ids);
    const auto run = require(runModel(model, ids));
    for (std::size_t t = 0; t < ids.size(); ++t)
        for (std::size_t c = 0; c < model->spec.outputs(); ++c)
            QVERIFY(std::abs(double{run->logits(t, c)} - expected.logits(t, c)) <= 2e-5);
}

/// A hook at what single heads read takes another way through the layer.
void TestHookedTransformer::splitInputsAreTheSame() {
    QFETCH(QString, name);
    const auto model = loadFixture(name.toStdString());
    const TokenIds ids = ReferenceFile(fixtureReference(name.toStdString())).ids("input_ids");
    HookSet hooks;
    for (const HookKind kind : {HookKind::QInput, HookKind::KInput, HookKind::VInput})
        hooks.capture(hookGlob(model->spec, kind));
    const auto split = require(runModel(model, ids, {}, hooks));
    const auto whole = require(runModel(model, ids));
    QVERIFY(difference(split->logits.view(), whole->logits.view()).relative <= 1e-5);
}

/// Positions that queries and keys read are there when a run begins at a later layer.
void TestHookedTransformer::resumesInside() {
    const auto model = loadFixture("hooked-shortformer");
    const TokenIds ids = ReferenceFile(fixtureReference("hooked-shortformer")).ids("input_ids");
    HookSet hooks;
    hooks.capture(HookPoint{HookKind::ResidPre, 1});
    const auto whole = require(runModel(model, ids, {}, hooks));
    RunItem item;
    item.ids = ids;
    item.resid_pre = {whole, &whole->captured.at({HookKind::ResidPre, 1})};
    Request request;
    request.first_layer = 1;
    const auto resumed = require(runBatch(model, {&item, 1}, request)).front();
    QVERIFY(std::ranges::equal(resumed->logits.values(), whole->logits.values()));
}

void TestHookedTransformer::classesAreNoTokens() {
    const auto bidirectional = loadFixture("hooked-classifier");
    const auto causal = loadFixture("hooked-plain");
    const TokenIds ids{3, 1, 4, 1, 5};
    QCOMPARE(predictedPosition(bidirectional->spec, ids), std::optional<std::size_t>(0));
    QCOMPARE(predictedPosition(causal->spec, ids), std::optional<std::size_t>(4));
    QVERIFY(!causal->spec.predictsNextToken());
    LogitReader reader(causal->spec, ids, 3);
    QVERIFY(reader.losses().empty());
    const auto run = require(runModel(causal, ids));
    QCOMPARE(run->logits.shape(), (Shape{5, 13}));
    reader.read(4, run->logits.values().last(13));
    QCOMPARE(reader.predictions().size(), std::size_t{3});
    QCOMPARE(outputPiece(*causal, 7), std::string("class 7"));
    QCOMPARE(tokenPiece(*causal, 7), std::string("⟨7⟩"));
    QCOMPARE(require(outputFromText(*causal, "12")), TokenId{12});
    const auto no_class = outputFromText(*causal, "twelve");
    QVERIFY(!no_class && no_class.error().message ==
                             "\"twelve\" is no class: the logits of hooked-plain are of classes 0 "
                             "to 12.");
}

const headscope::test::TestRegistration<TestHookedTransformer> registration;

} // namespace test_hooked_transformer

#include "test_hooked_transformer.moc"
