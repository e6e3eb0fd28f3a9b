#include "core/engine/attention.h"
#include "core/engine/engine.h"
#include "core/tensor/gemm.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>

namespace test_references {

using namespace headscope;
using namespace headscope::test;

namespace {

/// How far two float32 implementations may be apart.
struct Tolerance {
    double patterns;      ///< absolute
    double values = 1e-4; ///< relative to the largest expected value
};
constexpr Tolerance kFixtures{1e-5};
/// GPT-Neo does not scale its scores by 1/sqrt(d_head); scores that large round further apart (up
/// to 1.7e-5 by the BLAS kernel of the machine; Hugging Face's own float32 is 7e-6 from float64).
constexpr Tolerance kUnscaled{2e-5};
/// ModernBERT is 1.007e-5 off with OpenBLAS's kernels for the Prescott of 2004, which it runs on
/// processors that it does not know, and 4e-6 with those for later ones.
constexpr Tolerance kModernBert{1.2e-5};
constexpr Tolerance kTrained{2e-5};

Tolerance toleranceFor(const std::string& family) {
    return family == "gpt_neo" ? kUnscaled : family == "modernbert" ? kModernBert : kFixtures;
}

QByteArray verdict(const std::string& tensor, const Difference& found) {
    return QByteArray::fromStdString(
        tensor + ": largest difference " + std::to_string(found.absolute) + " (relative " +
        std::to_string(found.relative) + ") at element " + std::to_string(found.index));
}

/// All patterns of a run as [layer, head, query, key].
Tensor allPatterns(const Run& run) {
    const ModelSpec& spec = run.model->spec;
    Tensor all({spec.n_layers, spec.n_heads, run.positions(), run.positions()});
    float* next = all.data();
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        for (std::size_t head = 0; head < spec.n_heads; ++head) {
            const Tensor pattern = run.pattern({layer, head});
            next = std::copy(pattern.values().begin(), pattern.values().end(), next);
        }
    }
    return all;
}

/// Hugging Face's hidden_states [layer + 1, position, d_model]: each block's input, and the last
/// one's output after the final norm.
Tensor hiddenStates(const Run& run) {
    const ModelSpec& spec = run.model->spec;
    Tensor all({spec.n_layers + 1, run.positions(), spec.d_model});
    float* next = all.data();
    const auto append = [&](const Tensor& x) {
        next = std::copy(x.values().begin(), x.values().end(), next);
    };
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        append(run.captured.at({HookKind::ResidPre, layer}));
    const std::size_t last = spec.n_layers - 1;
    if (spec.norm_placement == NormPlacement::Post) {
        append(run.captured.at({HookKind::NormalizedResidPost, last}));
    } else {
        append(run.captured.at({HookKind::LnFinalOut, 0}));
    }
    return all;
}

} // namespace

class TestReferences : public QObject {
    Q_OBJECT

private slots:
    void fixtures_data();
    void fixtures();
    void trainedModels_data();
    void trainedModels();
    void microgpt_data();
    void microgpt();
    void notebook();

private:
    void compare(const std::shared_ptr<const Model>& model, const ReferenceFile& reference,
                 const std::string& group, Tolerance tolerance);
};

void TestReferences::compare(const std::shared_ptr<const Model>& model,
                             const ReferenceFile& reference, const std::string& group,
                             Tolerance tolerance) {
    HookSet hooks;
    hooks.capture("blocks.*.hook_resid_pre");
    if (model->spec.norm_placement == NormPlacement::Post)
        hooks.capture("blocks.*.hook_normalized_resid_post");
    else if (model->spec.final_norm)
        hooks.capture("ln_final.hook_out");
    const auto run = require(runModel(model, reference.ids(group + "input_ids"), {}, hooks));

    const Difference patterns =
        difference(allPatterns(*run).view(), reference.floats(group + "attentions").view());
    QVERIFY2(patterns.absolute <= tolerance.patterns,
             verdict(group + "attentions", patterns).data());
    if (reference.has(group + "hidden_states")) {
        const Difference hidden =
            difference(hiddenStates(*run).view(), reference.floats(group + "hidden_states").view());
        QVERIFY2(hidden.relative <= tolerance.values,
                 verdict(group + "hidden_states", hidden).data());
    }
    const Difference logits =
        difference(run->logits.view(), reference.floats(group + "logits").view());
    QVERIFY2(logits.relative <= tolerance.values, verdict(group + "logits", logits).data());
}

void TestReferences::fixtures_data() {
    QTest::addColumn<QString>("name");
    for (const auto& names : {fixtureNames(), variantNames(), clippedNames()})
        for (const std::string& name : names)
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void TestReferences::fixtures() {
    QFETCH(QString, name);
    const auto model = loadFixture(name.toStdString());
    compare(model, ReferenceFile(fixtureReference(name.toStdString())), "",
            toleranceFor(model->spec.family));
}

void TestReferences::trainedModels_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("prompt");
    for (const char* name : {"attn-only-2l", "gpt2-mini-6l", "llama-mini-gqa-4l", "bert-mini-4l"})
        for (int prompt = 0; prompt < 4; ++prompt)
            QTest::addRow("%s prompt%d", name, prompt) << QString::fromLatin1(name) << prompt;
}

void TestReferences::trainedModels() {
    QFETCH(QString, name);
    QFETCH(int, prompt);
    const auto model = loadSample(name.toStdString());
    compare(model, ReferenceFile(sampleReference(name.toStdString())),
            "prompt" + std::to_string(prompt) + "/", kTrained);
}

void TestReferences::microgpt_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"emma", "christopher", "anna"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestReferences::microgpt() {
    QFETCH(QString, name);
    compare(loadFixture("microgpt"), ReferenceFile(fixtureReference("microgpt")),
            name.toStdString() + "/", kFixtures);
}

/// The published two-head layer: every intermediate value, to the digits that were printed.
void TestReferences::notebook() {
    const auto model = loadFixture("notebook");
    const ReferenceFile reference(fixtureReference("notebook"));
    HookSet hooks;
    hooks.capture("blocks.0.*");
    const auto run = require(runModel(model, reference.ids("input_ids"), {}, hooks));
    const auto captured = [&](HookKind kind) { return run->captured.at({kind, 0}); };

    const Difference x =
        difference(captured(HookKind::ResidPre).view(), reference.floats("x").view());
    QVERIFY2(x.absolute <= 1e-6, verdict("x", x).data());
    const std::pair<const char*, HookKind> inputs[] = {
        {"q", HookKind::Q}, {"k", HookKind::K}, {"v", HookKind::V}};
    for (const auto& [name, kind] : inputs) {
        const Tensor expected = reference.floats(name); // [head, position, d_head]
        const Tensor found = captured(kind);
        for (std::size_t head = 0; head < 2; ++head)
            for (std::size_t t = 0; t < 5; ++t)
                for (std::size_t d = 0; d < 8; ++d)
                    QVERIFY2(std::abs(found(t, head, d) - expected(head, t, d)) <= 1e-6, name);
    }
    const Difference patterns =
        difference(allPatterns(*run).view(), reference.floats("attentions").view());
    QVERIFY2(patterns.absolute <= 1e-6, verdict("attentions", patterns).data());
    const Difference z = difference(captured(HookKind::Z).view(), reference.floats("z").view());
    QVERIFY2(z.absolute <= 1e-6, verdict("z", z).data());
    const Tensor out = captured(HookKind::AttnOut);
    const Difference attn_out = difference(out.view(), reference.floats("attn_out").view());
    QVERIFY2(attn_out.absolute <= 1e-6, verdict("attn_out", attn_out).data());
    const float published[] = {0.0334f, 0.0033f, -0.0041f, -0.0073f};
    for (std::size_t c = 0; c < 4; ++c)
        QVERIFY(std::abs(out(0u, c) - published[c]) <= 5e-5f);
}

const headscope::test::TestRegistration<TestReferences> registration;

} // namespace test_references

#include "test_references.moc"
