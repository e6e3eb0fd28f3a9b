#include "core/engine/engine.h"
#include "core/loading/dialects/keras_graph.h"
#include "core/loading/dialects/keras_stack.h"
#include "core/loading/load_model.h"
#include "core/model/prompt.h"
#include "tests/loading/dialect_check.h"
#include "tests/support/hdf5_files.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace test_keras_models {

using namespace headscope;
using namespace headscope::test;

namespace {

const std::string kFolder = HEADSCOPE_TEST_DATA "/keras/";

/// What the loader says about a .h5 file with this model_config.
std::string refusalOfConfig(const std::string& config) {
    const QTemporaryDir folder;
    const auto path = std::filesystem::path(folder.path().toStdString()) / "m.h5";
    writeModelFile(path, {{"model_weights.dense.dense.kernel", {2, 2}, {1, 2, 3, 4}}},
                   {{"model_config", config}});
    return refusalOf(path);
}

template <class T>
std::string messageOf(const Result<T>& result) {
    return result ? "" : result.error().message;
}

} // namespace

/// Functional models of Keras's own layers, saved by Keras, against what Keras computed.
class TestKerasModels : public QObject {
    Q_OBJECT

private slots:
    void realFile_data();
    void realFile();
    void layersAfterTheBlocks();
    void attentionOutsideBlocksOpensAsWeights();
    void dropoutIsSkipped();
    void badConfig_data();
    void badConfig();
};

void TestKerasModels::realFile_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("reference");
    QTest::newRow("Keras 3, .keras") << "pre.keras"
                                     << "pre";
    QTest::newRow("Keras 2, .h5") << "pre-legacy.h5"
                                  << "pre";
    QTest::newRow("Keras 3, .h5") << "post.h5"
                                  << "post";
    QTest::newRow("values wider than keys") << "wide.keras"
                                            << "wide";
}

void TestKerasModels::realFile() {
    QFETCH(QString, file);
    QFETCH(QString, reference);
    const auto model = require(loadModel(kFolder + file.toStdString()));
    QCOMPARE(differsFrom(kFolder + reference.toStdString() + ".reference.h5", model),
             std::string());
}

void TestKerasModels::layersAfterTheBlocks() {
    const auto model = require(loadModel(kFolder + "post.h5"));
    QCOMPARE(model->spec.output, OutputHead::None);
    QVERIFY(noteWith(*model, "(GlobalAveragePooling1D) and what follows it are left out") != "");
    QCOMPARE(model->report.ignored.size(), std::size_t{2});
}

/// odd.keras concatenates where a block would add.
void TestKerasModels::attentionOutsideBlocksOpensAsWeights() {
    const auto model = require(loadModel(kFolder + "odd.keras"));
    QCOMPARE(model->spec.n_layers, std::size_t{2});
    QCOMPARE(model->spec.n_heads, std::size_t{3});
    QCOMPARE(model->spec.d_model, std::size_t{20});
    const std::string expected = "attribute 'config' of odd.keras has the attention layers "
                                 "'attention_0', 'attention_1' in a network that cannot be run: ";
    QVERIFY2(model->spec.cannot_run.starts_with(expected), model->spec.cannot_run.c_str());
    QVERIFY(noteWith(*model, "Only the attention layers are open") != "");
    QCOMPARE(noteWith(*model, "Layer 1 is"), std::string("Layer 1 is 'attention_1'."));
    QVERIFY(!model->report.ignored.empty());
    QCOMPARE(messageOf(runModel(model, {1, 2})), model->spec.cannot_run);
    QCOMPARE(messageOf(promptFromIds(*model, {1, 2}, BosMode::Auto)), model->spec.cannot_run);
    QCOMPARE(messageOf(promptFromInput(*model, "words", BosMode::Auto)), model->spec.cannot_run);

    const ReferenceFile reference(kFolder + "odd.reference.h5");
    const AttentionWeights& attn = model->weights.layers[1].attn;
    const Tensor W_Q = reference.floats("W_Q");
    for (std::size_t row = 0; row < W_Q.dim(0); ++row)
        for (std::size_t col = 0; col < W_Q.dim(1); ++col)
            QCOMPARE(attn.W_QKV(row, col), W_Q(row, col));
    const Tensor b_K = reference.floats("b_K");
    QVERIFY(std::ranges::equal(attn.b_QKV.values().subspan(18, 18), b_K.values()));
    QVERIFY(std::ranges::equal(attn.W_O.floats().values(), reference.floats("W_O").values()));
}

void TestKerasModels::dropoutIsSkipped() {
    const auto graph = require(readKerasGraph(
        R"({"config": {"layers": [
            {"class_name": "InputLayer", "name": "in", "inbound_nodes": []},
            {"class_name": "Dropout", "name": "drop", "inbound_nodes": [[["in", 0, 0, {}]]]},
            {"class_name": "Dense", "name": "a", "inbound_nodes": [[["drop", 0, 0, {}]]]},
            {"class_name": "Dense", "name": "b", "inbound_nodes": [[["a", 0, 0, {}]]]}]}})",
        "test"));
    QCOMPARE(graph.layers.size(), std::size_t{3});
    QCOMPARE(graph.find("a")->inputs, std::vector<std::string>{"in"});
    QCOMPARE(graph.find("b")->path, std::string("layers.dense_1"));
}

void TestKerasModels::badConfig_data() {
    QTest::addColumn<QString>("config");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const std::string& config, const char* message) {
        QTest::newRow(name) << QString::fromStdString(config)
                            << QStringLiteral("attribute 'model_config' of m.h5 ") +
                                   QString::fromLatin1(message);
    };
    row("not JSON", "{\"config\"", "is not valid JSON at byte 10; save the model again.");
    row("nested absurdly", std::string(100'000, '[') + std::string(100'000, ']'),
        "is nested more than 64 deep; save the model again.");
    row("no layers", R"({"class_name": "MyModel", "config": {}})",
        "describes the Keras class 'MyModel' without its layers, so nothing tells how it computes; "
        "save a functional model.");
    row("no attention", R"({"config": {"layers": [{"class_name": "Embedding", "name": "e"}]}})",
        "describes a network without MultiHeadAttention layers; open a model that has some.");
    row("attention outside a block",
        R"({"config": {"layers": [{"class_name": "Embedding", "name": "e"},
            {"class_name": "MultiHeadAttention", "name": "att_1",
             "inbound_nodes": [[["e", 0, 0, {"value": ["e", 0, 0]}]]]}]}})",
        "has the attention layers 'att_1' in a network that cannot be run: they are not "
        "all in transformer blocks, x + attention(norm(x)) and x + dense(dense(norm(x))) or the "
        "same with the norm after the sum; open a model of transformer blocks.");
    row("no embedding", R"({"config": {"layers": [{"class_name": "MultiHeadAttention",
            "name": "att_1"}]}})",
        "has the attention layers 'att_1' in a network that cannot be run: it has no "
        "Embedding layer; open a model of transformer blocks.");
}

void TestKerasModels::badConfig() {
    QFETCH(QString, config);
    QFETCH(QString, message);
    QCOMPARE(QString::fromStdString(refusalOfConfig(config.toStdString())), message);
}

const headscope::test::TestRegistration<TestKerasModels> registration;

} // namespace test_keras_models

#include "test_keras_models.moc"
