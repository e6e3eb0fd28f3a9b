#include "core/base/text.h"
#include "tests/support/model_variant.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QRegularExpression>
#include <QTest>

#include <limits>
#include <map>
#include <vector>

namespace test_bad_tensors {

using namespace headscope;
using headscope::test::FileTensor;
using headscope::test::ModelVariant;
using headscope::test::Storage;

namespace {

/// "gpt2.h5: the tensor 'transformer.wte.weight'"
QString naming(const QString& model, const QString& tensor) {
    return model + QStringLiteral(".h5: the tensor '") + tensor + QStringLiteral("'");
}

/// The tensors of a fixture, of those that differ by the number of layer or expert the last alone.
std::vector<FileTensor> tensorsOf(const char* model) {
    static const QRegularExpression number(QStringLiteral("\\d+"));
    std::map<QString, FileTensor> by_role;
    for (const FileTensor& tensor : ModelVariant(model).tensors)
        by_role[QString::fromStdString(tensor.name).replace(number, QStringLiteral("#"))] = tensor;
    std::vector<FileTensor> tensors;
    for (const auto& [role, tensor] : by_role)
        tensors.push_back(tensor);
    return tensors;
}

/// One row per tensor of one model of each kind of layout; those of phi3 are fused, and those of
/// experts one by one or all in one.
void everyTensor() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("tensor");
    for (const char* model :
         {"gpt2", "llama", "bert", "phi3", "qwen3_moe", "granitemoe", "gpt_oss"})
        for (const FileTensor& tensor : tensorsOf(model))
            QTest::addRow("%s %s", model, tensor.name.c_str())
                << QString::fromUtf8(model) << QString::fromStdString(tensor.name);
}

enum class Damage { AxisMore, AxisLess, Transposed, OneMore, NoRows };

constexpr std::pair<const char*, Damage> kDamages[] = {{"an axis more", Damage::AxisMore},
                                                       {"an axis less", Damage::AxisLess},
                                                       {"transposed", Damage::Transposed},
                                                       {"one more", Damage::OneMore},
                                                       {"no rows", Damage::NoRows}};

/// Empty where the tensor cannot be damaged so: a vector or a square matrix transposed.
Shape damaged(Shape shape, Damage damage) {
    switch (damage) {
    case Damage::AxisMore:
        shape.push_back(1);
        break;
    case Damage::AxisLess:
        shape = shape.size() == 1 ? Shape() : Shape{elementCount(shape)};
        break;
    case Damage::Transposed:
        if (shape.size() != 2 || shape[0] == shape[1])
            return {};
        std::swap(shape[0], shape[1]);
        break;
    case Damage::OneMore:
        ++shape.back();
        break;
    case Damage::NoRows:
        shape[0] = 0;
        break;
    }
    return shape;
}

QString refusalOf(const ModelVariant& variant) {
    return QString::fromStdString(variant.refusal());
}

} // namespace

class TestBadTensors : public QObject {
    Q_OBJECT

private slots:
    void everyMissingTensor_data();
    void everyMissingTensor();
    void everyReshapedTensor_data();
    void everyReshapedTensor();
    void everyRetypedTensor_data();
    void everyRetypedTensor();
    void everyPoisonedTensor_data();
    void everyPoisonedTensor();
    void transposedTensorGetsHint();
    void nanAndInfinityNameTheElement();
    void zeroSized();
    void layersBeyondTheConfig();
    void layersThatAreMissing();
    void unexpectedTensors_data();
    void unexpectedTensors();
    void copyThatDiffers();
    void noTensorsAtAll();
};

void TestBadTensors::everyMissingTensor_data() {
    everyTensor();
}

void TestBadTensors::everyMissingTensor() {
    QFETCH(QString, model);
    QFETCH(QString, tensor);
    ModelVariant variant(model.toStdString());
    variant.remove(tensor.toStdString());
    const auto opened = variant.loaded();
    const QString message = QString::fromStdString(
        opened->spec.cannot_run.empty() ? opened->report.notes.front() : opened->spec.cannot_run);
    QVERIFY2(message.startsWith(model + QStringLiteral(".h5 lacks the tensor '") + tensor +
                                QStringLiteral("', expected [")),
             qPrintable(message));
    // Heads need queries, keys, values and output, and nothing else.
    const QRegularExpression circuit(
        QStringLiteral("\\.([0-9]+)\\..*(c_attn|c_proj|[qkvo]_proj|qkv_proj|query|key|value|"
                       "attention\\.output\\.dense)\\.weight$"));
    const auto match = circuit.match(tensor);
    std::vector<std::size_t> absent;
    if (match.hasMatch() && !tensor.contains(QStringLiteral("mlp")))
        absent.push_back(match.captured(1).toULongLong());
    QCOMPARE(opened->spec.absent.attention, absent);
    for (const std::size_t layer : absent)
        QCOMPARE(opened->spec.headsIn(layer), std::size_t{0});
}

void TestBadTensors::everyReshapedTensor_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("tensor");
    QTest::addColumn<QList<std::size_t>>("shape");
    for (const char* model : {"gpt2", "llama", "phi3"})
        for (const FileTensor& tensor : tensorsOf(model))
            for (const auto& [name, damage] : kDamages)
                if (const Shape shape = damaged(tensor.shape, damage); !shape.empty())
                    QTest::addRow("%s %s %s", model, tensor.name.c_str(), name)
                        << QString::fromUtf8(model) << QString::fromStdString(tensor.name)
                        << QList<std::size_t>(shape.begin(), shape.end());
}

void TestBadTensors::everyReshapedTensor() {
    QFETCH(QString, model);
    QFETCH(QString, tensor);
    QFETCH(QList<std::size_t>, shape);
    ModelVariant variant(model.toStdString());
    FileTensor& changed = variant.tensor(tensor.toStdString());
    const std::string expected = shapeText(changed.shape);
    changed.shape.assign(shape.begin(), shape.end());
    changed.values.resize(elementCount(changed.shape));
    const QString message = refusalOf(variant);
    const QString found = QString::fromStdString(" is " + shapeText(changed.shape) + ", ");
    QVERIFY2(message.startsWith(naming(model, tensor) + found), qPrintable(message));
    QVERIFY2(message.contains(QString::fromStdString("] = " + expected)), qPrintable(message));
}

void TestBadTensors::everyRetypedTensor_data() {
    everyTensor();
}

void TestBadTensors::everyRetypedTensor() {
    QFETCH(QString, model);
    QFETCH(QString, tensor);
    ModelVariant variant(model.toStdString());
    variant.tensor(tensor.toStdString()).storage = Storage::Int32;
    QCOMPARE(refusalOf(variant),
             naming(model, tensor) + QStringLiteral(" holds integer values, expected "
                                                    "floating-point numbers; export it as float32 "
                                                    "or float16."));
}

void TestBadTensors::everyPoisonedTensor_data() {
    everyTensor();
}

void TestBadTensors::everyPoisonedTensor() {
    QFETCH(QString, model);
    QFETCH(QString, tensor);
    ModelVariant variant(model.toStdString());
    variant.tensor(tensor.toStdString()).values.back() = std::numeric_limits<float>::quiet_NaN();
    const QString message = refusalOf(variant);
    QVERIFY2(message.startsWith(naming(model, tensor) + QStringLiteral(" has NaN at [")),
             qPrintable(message));
}

void TestBadTensors::transposedTensorGetsHint() {
    ModelVariant variant("gpt2");
    FileTensor& tensor = variant.tensor("transformer.h.0.mlp.c_fc.weight");
    std::swap(tensor.shape[0], tensor.shape[1]);
    QCOMPARE(refusalOf(variant),
             QStringLiteral("gpt2.h5: the tensor 'transformer.h.0.mlp.c_fc.weight' is [192, 48], "
                            "the transpose of what is expected: [d_model, d_mlp] = [48, 192] by "
                            "the config; store it transposed."));
}

void TestBadTensors::nanAndInfinityNameTheElement() {
    ModelVariant variant("llama");
    FileTensor& tensor = variant.tensor("model.layers.1.mlp.up_proj.weight");
    tensor.values[5 * 48 + 7] = -std::numeric_limits<float>::infinity();
    QCOMPARE(refusalOf(variant),
             QStringLiteral("llama.h5: the tensor 'model.layers.1.mlp.up_proj.weight' has infinity "
                            "at [5, 7], expected finite numbers; the file is damaged or its "
                            "training diverged."));
    tensor.values[3 * 48 + 1] = std::numeric_limits<float>::quiet_NaN();
    QVERIFY(refusalOf(variant).contains(QStringLiteral("has NaN at [3, 1]")));
}

void TestBadTensors::zeroSized() {
    ModelVariant variant("gpt2");
    FileTensor& tensor = variant.tensor("transformer.wpe.weight");
    tensor.shape = {0, 48};
    tensor.values.clear();
    const QString message = refusalOf(variant);
    QVERIFY2(message.contains(QStringLiteral("transformer.wpe.weight")), qPrintable(message));
    QVERIFY2(message.contains(QStringLiteral("[0, 48]")), qPrintable(message));
}

void TestBadTensors::layersBeyondTheConfig() {
    ModelVariant variant("gpt2");
    variant.config["n_layer"] = 2;
    QCOMPARE(refusalOf(variant),
             QStringLiteral("gpt2.h5: the tensor 'transformer.h.2.attn.c_attn.bias' has no place: "
                            "the config has 2 layers, counted from 0; correct the config or "
                            "remove the tensor."));
}

void TestBadTensors::layersThatAreMissing() {
    ModelVariant variant("microgpt");
    variant.config["n_layer"] = 2;
    QCOMPARE(QString::fromStdString(variant.loaded()->spec.cannot_run),
             QStringLiteral("microgpt.h5 lacks the tensor 'layer1.attn_wq', expected "
                            "[n_heads·d_head, d_model] = [16, 16] by the config, and 5 more, so "
                            "only the attention of layer 0 is open, as weights; export the whole "
                            "model to run it."));
}

void TestBadTensors::unexpectedTensors_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("tensor");
    QTest::addColumn<QString>("reason");
    const QString plain =
        QStringLiteral("the network that the config describes has no such tensor");
    QTest::addRow("bias the config denies")
        << QStringLiteral("llama") << QStringLiteral("model.layers.0.self_attn.q_proj.bias")
        << QStringLiteral("attention_bias is not true in the config");
    QTest::addRow("MLP bias the config denies")
        << QStringLiteral("llama") << QStringLiteral("model.layers.2.mlp.up_proj.bias")
        << QStringLiteral("mlp_bias is not true in the config");
    QTest::addRow("norm of queries")
        << QStringLiteral("llama") << QStringLiteral("model.layers.0.self_attn.q_norm.weight")
        << plain;
    QTest::addRow("quantisation scale")
        << QStringLiteral("llama") << QStringLiteral("lm_head.weight_scale") << plain;
    QTest::addRow("norm after the embedding")
        << QStringLiteral("gpt2") << QStringLiteral("transformer.emb_ln.weight") << plain;
    QTest::addRow("output bias") << QStringLiteral("gpt2") << QStringLiteral("lm_head.bias")
                                 << QStringLiteral("no such tensor");
    QTest::addRow("MLP of an attention-only model")
        << QStringLiteral("attn-only-2l") << QStringLiteral("transformer.h.1.mlp.c_fc.weight")
        << QStringLiteral("n_inner is 0 in the config");
    QTest::addRow("distance embedding")
        << QStringLiteral("bert")
        << QStringLiteral("bert.encoder.layer.0.attention.self.distance_embedding.weight") << plain;
    QTest::addRow("bias of the bare layer")
        << QStringLiteral("notebook") << QStringLiteral("b_Q") << QStringLiteral("no biases");
}

void TestBadTensors::unexpectedTensors() {
    QFETCH(QString, model);
    QFETCH(QString, tensor);
    QFETCH(QString, reason);
    ModelVariant variant(model.toStdString());
    variant.add(tensor.toStdString(), {4});
    const QString message = refusalOf(variant);
    QVERIFY2(message.startsWith(naming(model, tensor)), qPrintable(message));
    QVERIFY2(message.contains(reason), qPrintable(message));
}

void TestBadTensors::copyThatDiffers() {
    ModelVariant variant("bert");
    FileTensor copy = variant.tensor("cls.predictions.transform.LayerNorm.weight");
    copy.name = "cls.predictions.transform.LayerNorm.gamma";
    copy.values[10] += 0.25f;
    variant.tensors.push_back(copy);
    QCOMPARE(refusalOf(variant),
             QStringLiteral("bert.h5: the tensor 'cls.predictions.transform.LayerNorm.gamma' "
                            "differs from 'cls.predictions.transform.LayerNorm.weight', expected "
                            "the same values because both are the same weight of the network; "
                            "remove one of them."));
}

void TestBadTensors::noTensorsAtAll() {
    ModelVariant variant("gpt2");
    variant.tensors.clear();
    const QString message = refusalOf(variant);
    QVERIFY2(message.startsWith(QStringLiteral("gpt2.h5")), qPrintable(message));
}

const headscope::test::TestRegistration<TestBadTensors> registration;

} // namespace test_bad_tensors

#include "test_bad_tensors.moc"
