// Ablated heads, against what other implementations computed.

#include "core/engine/engine.h"
#include "core/engine/head_mask.h"
#include "core/engine/loss.h"
#include "core/loading/load_model.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>
#include <string>

namespace test_ablation {

using namespace headscope;
using headscope::test::Difference;
using headscope::test::ReferenceFile;

namespace {

std::shared_ptr<const Model> modelAt(const std::string& path) {
    auto model = loadModel(path);
    if (!model)
        qFatal("%s", model.error().message.c_str());
    return *model;
}

std::shared_ptr<const Run> runWithout(const std::shared_ptr<const Model>& model,
                                      const TokenIds& ids, const HeadMask& mask) {
    HookSet hooks;
    addAblation(hooks, mask, model->spec);
    auto run = runModel(model, ids, {}, hooks);
    if (!run)
        qFatal("%s", run.error().message.c_str());
    return *run;
}

HeadMask only(LayerHead head, AblationKind kind) {
    HeadMask mask;
    mask.set(head, kind);
    return mask;
}

/// The logits [position, vocab] of one head of [layer, head, position, vocab].
TensorView logitsOf(const Tensor& ablated, LayerHead head) {
    const Shape& shape = ablated.shape();
    const std::size_t size = shape[2] * shape[3];
    return {ablated.data() + (head.layer * shape[1] + head.head) * size,
            {shape[2], shape[3]},
            {shape[3], 1}};
}

QString headName(LayerHead head) {
    return QStringLiteral("%1.%2").arg(head.layer).arg(head.head);
}

} // namespace

class TestAblation : public QObject {
    Q_OBJECT

private slots:
    void everyHeadOfEveryFixture_data() {
        QTest::addColumn<QString>("name");
        for (const auto names : {test::fixtureNames, test::variantNames, test::clippedNames})
            for (const std::string& name : names())
                QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
    void everyHeadOfEveryFixture() {
        QFETCH(QString, name);
        const std::string path = HEADSCOPE_TEST_DATA "/fixtures/" + name.toStdString();
        const auto model = modelAt(path + ".h5");
        const ReferenceFile reference(path + ".reference.h5");
        const TokenIds ids = reference.ids("input_ids");
        const Tensor ablated = reference.floats("ablated_logits");
        QCOMPARE(ablated.dim(0), model->spec.n_layers);
        QCOMPARE(ablated.dim(1), model->spec.n_heads);
        for (std::size_t layer = 0; layer < model->spec.n_layers; ++layer)
            for (std::size_t head = 0; head < model->spec.n_heads; ++head) {
                const HeadMask mask = only({layer, head}, AblationKind::Zero);
                const auto run = runWithout(model, ids, mask);
                const Difference found =
                    test::difference(run->logits.view(), logitsOf(ablated, {layer, head}));
                QVERIFY2(found.relative <= 1e-4,
                         qPrintable(QStringLiteral("logits without %1 differ by %2")
                                        .arg(headName({layer, head}))
                                        .arg(found.relative)));
            }
    }

    void lossesOfSampleModels_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"attn-only-2l", "gpt2-mini-6l", "llama-mini-gqa-4l"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void lossesOfSampleModels() {
        QFETCH(QString, name);
        const std::string file = name.toStdString();
        const auto model = modelAt(HEADSCOPE_SAMPLE_MODELS "/" + file + ".h5");
        const ReferenceFile reference(HEADSCOPE_TEST_DATA "/sample_models/" + file +
                                      ".reference.h5");
        const TokenIds ids = reference.ids("ablation/input_ids");
        checkLoss(model, ids, {}, reference.number("ablation/loss"), QStringLiteral("all heads"));
        const Tensor zero = reference.floats("ablation/zero_loss");
        const Tensor mean = reference.floats("ablation/mean_loss");
        for (std::size_t layer = 0; layer < model->spec.n_layers; ++layer)
            for (std::size_t head = 0; head < model->spec.n_heads; ++head) {
                const QString which = headName({layer, head});
                checkLoss(model, ids, only({layer, head}, AblationKind::Zero), zero(layer, head),
                          QStringLiteral("zero %1").arg(which));
                checkLoss(model, ids, only({layer, head}, AblationKind::Mean), mean(layer, head),
                          QStringLiteral("mean %1").arg(which));
            }
    }

    void auditSaysWhatWasDone() {
        const auto model = modelAt(HEADSCOPE_TEST_DATA "/fixtures/gpt2.h5");
        const auto run = runWithout(model, {1, 2, 3}, only({1, 0}, AblationKind::Zero));
        QCOMPARE(run->audit.size(), std::size_t{1});
        QCOMPARE(run->audit[0].glob, std::string("blocks.1.attn.hook_z"));
        QCOMPARE(run->audit[0].fired, std::size_t{1});
        QCOMPARE(run->audit[0].changed_elements, 3 * model->spec.d_head);
    }

private:
    static void checkLoss(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                          const HeadMask& mask, double expected, const QString& what) {
        const auto run = runWithout(model, ids, mask);
        const double found = *meanNextTokenLoss(run->logits, ids);
        QVERIFY2(std::abs(found - expected) <= 1e-4,
                 qPrintable(QStringLiteral("%1: loss %2, expected %3")
                                .arg(what)
                                .arg(found, 0, 'f', 6)
                                .arg(expected, 0, 'f', 6)));
    }
};

const headscope::test::TestRegistration<TestAblation> registration;

} // namespace test_ablation

#include "test_ablation.moc"
