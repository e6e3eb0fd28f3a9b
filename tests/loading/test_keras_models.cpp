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

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

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

/// A MultiHeadAttention layer of a model that is nothing but such layers.
struct AttentionLayer {
    std::string name;
    std::size_t heads = 2;
    std::size_t key_dim = 3;
    std::size_t value_dim = 3;
    bool use_bias = true;
    std::size_t width = 8;
    bool has_output = true;
};

std::string configOf(const std::vector<AttentionLayer>& layers) {
    auto list = nlohmann::json::array();
    for (const AttentionLayer& layer : layers)
        list.push_back({{"class_name", "MultiHeadAttention"},
                        {"name", layer.name},
                        {"config",
                         {{"num_heads", layer.heads},
                          {"key_dim", layer.key_dim},
                          {"value_dim", layer.value_dim},
                          {"use_bias", layer.use_bias}}}});
    return nlohmann::json{{"config", {{"layers", std::move(list)}}}}.dump();
}

/// Every number of a layer is 1 more than those of the layer before.
std::vector<FileTensor> tensorsOf(const std::vector<AttentionLayer>& layers) {
    std::vector<FileTensor> tensors;
    float number = 0.0f;
    for (const AttentionLayer& layer : layers) {
        number += 1.0f;
        const auto add = [&](const std::string& name, const Shape& shape) {
            tensors.push_back({"model_weights." + layer.name + "." + layer.name + "." + name, shape,
                               std::vector<float>(elementCount(shape), number)});
        };
        for (const char* part : {"query", "key", "value"}) {
            const std::size_t dim = part == std::string("value") ? layer.value_dim : layer.key_dim;
            add(std::string(part) + ".kernel", {layer.width, layer.heads, dim});
            if (layer.use_bias)
                add(std::string(part) + ".bias", {layer.heads, dim});
        }
        if (layer.has_output)
            add("attention_output.kernel", {layer.heads, layer.value_dim, layer.width});
        if (layer.use_bias)
            add("attention_output.bias", {layer.width});
    }
    return tensors;
}

std::shared_ptr<const Model> loadedLayers(const std::vector<AttentionLayer>& layers) {
    const QTemporaryDir folder;
    const auto path = std::filesystem::path(folder.path().toStdString()) / "m.h5";
    writeModelFile(path, tensorsOf(layers), {{"model_config", configOf(layers)}});
    return require(loadModel(path));
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
    void attentionInsideOfLayersOpensAsWeights();
    void layersOfOtherSizesAreLeftAside_data();
    void layersOfOtherSizesAreLeftAside();
    void layersThatDifferInBiases();
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

/// Of classes of one's own, of which a file says nothing but the variables: layers, a model.
void TestKerasModels::attentionInsideOfLayersOpensAsWeights() {
    const ReferenceFile reference(kFolder + "inner.reference.h5");
    for (const std::string name : {"inner.keras", "inner.h5", "subclassed.keras"}) {
        const auto model = require(loadModel(kFolder + name));
        QCOMPARE(model->spec.n_layers, std::size_t{2});
        QCOMPARE(model->spec.n_heads, std::size_t{3});
        QCOMPARE(model->spec.d_head, std::size_t{4});
        QVERIFY(model->spec.cannot_run.find("has attention inside of layers of its own, such as "
                                            "'") != std::string::npos);
        QVERIFY(noteWith(*model, "Only the attention layers are open") != "");
        if (name == "subclassed.keras")
            continue; // has other weights
        const AttentionWeights& attn = model->weights.layers[1].attn;
        const Tensor W_Q = reference.floats("W_Q");
        for (std::size_t row = 0; row < W_Q.dim(0); ++row)
            for (std::size_t col = 0; col < W_Q.dim(1); ++col)
                QCOMPARE(attn.W_QKV(row, col), W_Q(row, col));
        QVERIFY(std::ranges::equal(attn.b_QKV.values().subspan(12, 12),
                                   reference.floats("b_K").values()));
        QVERIFY(std::ranges::equal(attn.W_O.floats().values(), reference.floats("W_O").values()));
    }
}

void TestKerasModels::layersOfOtherSizesAreLeftAside_data() {
    QTest::addColumn<AttentionLayer>("other");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* name, const AttentionLayer& other, const char* reason) {
        QTest::newRow(name) << other << QString::fromLatin1(reason);
    };
    row("heads", {.name = "x", .heads = 4}, "heads 4, not 2.");
    row("widths", {.name = "x", .key_dim = 5}, "d_head 5, not 3.");
    row("values", {.name = "x", .value_dim = 1}, "d_head of values 1, not 3.");
    row("all", {.name = "x", .heads = 1, .key_dim = 2, .width = 6},
        "heads 1, not 2; d_head 2, not 3; d_model 6, not 8.");
    row("part of it", {.name = "x", .has_output = false},
        "the file lacks some of its matrices, or they are for vectors of different widths.");
}

void TestKerasModels::layersOfOtherSizesAreLeftAside() {
    QFETCH(AttentionLayer, other);
    QFETCH(QString, reason);
    const auto model = loadedLayers({other, {.name = "a"}, {.name = "b"}});
    QCOMPARE(model->spec.n_layers, std::size_t{2});
    QCOMPARE(model->spec.n_heads, std::size_t{2});
    QCOMPARE(model->weights.layers[1].attn.W_QKV.floats().shape(), (Shape{8, 18}));
    QCOMPARE(model->weights.layers[1].attn.W_O(0, 0), 3.0f);
    QCOMPARE(noteWith(*model, "left aside"), "'x' is left aside: " + reason.toStdString());
    QCOMPARE(noteWith(*model, "Layer 0 is"), std::string("Layer 0 is 'a'."));
    QVERIFY(!model->spec.cannot_run.empty());
}

/// Biases are no part of circuits.
void TestKerasModels::layersThatDifferInBiases() {
    const auto model = loadedLayers({{.name = "a"}, {.name = "b", .use_bias = false}});
    QCOMPARE(model->spec.n_layers, std::size_t{2});
    QVERIFY(model->weights.layers[0].attn.b_QKV.empty());
    QCOMPARE(model->report.ignored.size(), std::size_t{4});
    QVERIFY(model->spec.absent.attention.empty());
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
