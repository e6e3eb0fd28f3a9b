#include "core/io/tensor_source.h"
#include "core/loading/load_model.h"
#include "tests/loading/dialect_check.h"
#include "tests/support/hdf5_files.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace test_keras_hub {

using namespace headscope;
using namespace headscope::test;

namespace {

const std::string kFolder = HEADSCOPE_TEST_DATA "/keras/";

std::string weightFile(const std::string& preset) {
    return kFolder + preset + "/model.weights.h5";
}

/// A preset taken apart: a test changes something, writes it and loads it.
struct PresetVariant {
    explicit PresetVariant(const std::string& preset) {
        const auto file = require(openTensorSource(weightFile(preset)));
        for (const TensorInfo& info : file->tensors()) {
            if (info.shape.empty())
                continue;
            std::vector<float> values(elementCount(info.shape));
            if (const auto done = file->read(info, values); !done)
                throw std::runtime_error(done.error().message);
            tensors.push_back({info.name, info.shape, std::move(values)});
        }
        config = nlohmann::json::parse(std::ifstream(kFolder + preset + "/config.json"));
    }

    FileTensor& tensor(const std::string& name) {
        const auto found = std::ranges::find(tensors, name, &FileTensor::name);
        if (found == tensors.end())
            throw std::runtime_error("no tensor " + name);
        return *found;
    }

    void rename(const std::string& from, const std::string& to) {
        for (FileTensor& each : tensors)
            if (const std::size_t at = each.name.find(from); at != std::string::npos)
                each.name.replace(at, from.size(), to);
    }

    Result<std::shared_ptr<const Model>> load() const {
        const std::filesystem::path path = folder.path().toStdString();
        std::ofstream(path / "config.json") << config_text.value_or(config.dump());
        writeModelFile(path / "model.weights.h5", tensors);
        return loadModel(path / "model.weights.h5");
    }

    std::string refusal() const {
        const auto model = load();
        return model ? std::string() : model.error().message;
    }

    std::vector<FileTensor> tensors;
    nlohmann::json config;
    std::optional<std::string> config_text;
    QTemporaryDir folder;
};

const std::string kBackbone = "layers.gpt2_backbone.layers.";

} // namespace

class TestKerasHub : public QObject {
    Q_OBJECT

private slots:
    void fixtureTwins_data();
    void fixtureTwins();
    void ownReferences_data();
    void ownReferences();
    void headWithAnotherActivation();
    void backboneOnly();
    void filesOfKeras213();
    void configOfATask();
    void tenLayersInNaturalOrder();
    void numbersThatKerasDoesNotWrite();
    void badTensors_data();
    void badTensors();
    void badConfigs_data();
    void badConfigs();
    void noConfig();
};

/// Files that KerasHub wrote, against the reference of the weights that it was given.
void TestKerasHub::fixtureTwins_data() {
    QTest::addColumn<QString>("preset");
    QTest::addColumn<QString>("fixture");
    QTest::newRow("gpt2 task") << "gpt2-task"
                               << "gpt2";
    for (const char* name : {"mistral-window", "qwen2", "gemma"})
        QTest::newRow(name) << QString::fromLatin1(name) << QString::fromLatin1(name);
    QTest::newRow("llama3") << "llama3-rope"
                            << "llama3-rope";
}

void TestKerasHub::fixtureTwins() {
    QFETCH(QString, preset);
    QFETCH(QString, fixture);
    const auto model = require(loadModel(weightFile(preset.toStdString())));
    QCOMPARE(differsFrom(fixtureReference(fixture.toStdString()), model), std::string());
}

/// Files that KerasHub wrote, against what Keras itself computed.
void TestKerasHub::ownReferences_data() {
    QTest::addColumn<QString>("preset");
    QTest::newRow("bert") << "bert";
    QTest::newRow("gemma2") << "gemma2";
}

void TestKerasHub::ownReferences() {
    QFETCH(QString, preset);
    const auto model = require(loadModel(weightFile(preset.toStdString())));
    QCOMPARE(differsFrom(kFolder + preset.toStdString() + "/reference.h5", model), std::string());
}

void TestKerasHub::headWithAnotherActivation() {
    const auto model = require(loadModel(weightFile("bert")));
    QCOMPARE(model->spec.output, OutputHead::None);
    QVERIFY(!noteWith(*model, "The masked-LM head is left out").empty());
}

void TestKerasHub::backboneOnly() {
    PresetVariant variant("gpt2-task");
    variant.rename(kBackbone, "layers.");
    const auto model = require(variant.load());
    QCOMPARE(differsFrom(fixtureReference("gpt2"), model), std::string());
    QCOMPARE(noteWith(*model, "KerasHub"),
             std::string("A KerasHub GPT2Backbone, read as the gpt2 of Hugging Face."));
}

void TestKerasHub::filesOfKeras213() {
    PresetVariant variant("gpt2-task");
    variant.rename(kBackbone, "_layer_checkpoint_dependencies.");
    QCOMPARE(differsFrom(fixtureReference("gpt2"), require(variant.load())), std::string());
}

/// A .keras file holds the config of the whole task.
void TestKerasHub::configOfATask() {
    PresetVariant variant("gpt2-task");
    variant.config = {{"class_name", "GPT2CausalLM"},
                      {"config", {{"name", "gpt2_causal_lm"}, {"backbone", variant.config}}}};
    QCOMPARE(differsFrom(fixtureReference("gpt2"), require(variant.load())), std::string());
}

/// transformer_decoder_10 is layer 10 and comes after transformer_decoder_9.
void TestKerasHub::tenLayersInNaturalOrder() {
    PresetVariant variant("gpt2-task");
    const std::string first = kBackbone + "transformer_decoder.";
    std::vector<FileTensor> layers;
    for (const FileTensor& tensor : variant.tensors)
        if (tensor.name.starts_with(first))
            layers.push_back(tensor);
    for (std::size_t layer = 3; layer < 12; ++layer)
        for (FileTensor tensor : layers) {
            tensor.name.insert(first.size() - 1, "_" + std::to_string(layer));
            if (tensor.name.ends_with("_feedforward_output_dense.vars.1"))
                tensor.values.assign(tensor.values.size(), static_cast<float>(layer));
            variant.tensors.push_back(std::move(tensor));
        }
    variant.config["config"]["num_layers"] = 12;
    const auto model = require(variant.load());
    for (std::size_t layer = 3; layer < 12; ++layer)
        QCOMPARE(model->weights.layers[layer].mlp.b_out.values()[0], static_cast<float>(layer));
}

void TestKerasHub::numbersThatKerasDoesNotWrite() {
    PresetVariant variant("gpt2-task");
    FileTensor copy = variant.tensor(kBackbone + "transformer_decoder_1._self_attention_layer."
                                                 "query_dense.vars.0");
    copy.name.replace(copy.name.find("decoder_1"), 9, "decoder_01");
    variant.tensors.push_back(copy);
    const auto model = require(variant.load());
    QCOMPARE(model->report.ignored.front().tensor, copy.name);
}

void TestKerasHub::badTensors_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QString>("message");
    QTest::newRow("missing part")
        << "missing part"
        << "model.weights.h5: queries, keys and values are expected side by side in "
           "'transformer.h.1.attn.c_attn.weight', found "
           "'layers.gpt2_backbone.layers.transformer_decoder_1._self_attention_layer.query_dense."
           "vars.0' [48, 4, 12], "
           "'layers.gpt2_backbone.layers.transformer_decoder_1._self_attention_layer.value_dense."
           "vars.0' [48, 4, 12]; export the whole model.";
    QTest::newRow("part of another shape") << "part of another shape"
                                           << "queries, keys and values are expected side by side";
    QTest::newRow("wrong shape")
        << "wrong shape"
        << "layers.gpt2_backbone.layers.transformer_decoder_1._feedforward_layer_norm.vars.0";
    QTest::newRow("too many layers") << "too many layers"
                                     << "the config has 2 layers, counted from 0";
}

void TestKerasHub::badTensors() {
    QFETCH(QString, fault);
    QFETCH(QString, message);
    PresetVariant variant("gpt2-task");
    const std::string block = kBackbone + "transformer_decoder_1.";
    FileTensor& key = variant.tensor(block + "_self_attention_layer.key_dense.vars.0");
    const auto remove = [&](const std::string& name) {
        std::erase_if(variant.tensors, [&](const FileTensor& t) { return t.name == name; });
    };
    if (fault == QLatin1String("missing part"))
        remove(std::string(key.name));
    else if (fault == QLatin1String("part of another shape"))
        key.shape = {24, 8, 12};
    else if (fault == QLatin1String("wrong shape"))
        variant.tensor(block + "_feedforward_layer_norm.vars.0") = {
            block + "_feedforward_layer_norm.vars.0", {47}, std::vector<float>(47)};
    else
        variant.config["config"]["num_layers"] = 2;
    const std::string refusal = variant.refusal();
    QVERIFY2(refusal.find(message.toStdString()) != std::string::npos, refusal.c_str());
}

void TestKerasHub::badConfigs_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* text, const char* message) {
        QTest::newRow(name) << QString::fromLatin1(text)
                            << QStringLiteral("config.json beside model.weights.h5 ") +
                                   QString::fromLatin1(message);
    };
    row("another class", R"({"class_name": "T5Backbone", "config": {}})",
        "describes the Keras class 'T5Backbone', expected one of GPT2Backbone, LlamaBackbone, "
        "Llama3Backbone, MistralBackbone, QwenBackbone, GemmaBackbone, BertBackbone; open a model "
        "of one of these classes.");
    row("a Hugging Face config", R"({"model_type": "gpt2"})",
        "lacks the key 'class_name', and model.weights.h5 holds the weights of a Keras model; save "
        "the whole model as .keras, or put the config.json of its KerasHub preset beside it.");
    row("no sizes", R"({"class_name": "GPT2Backbone"})",
        "lacks the object 'config' with the sizes of the network; export it again.");
    row("a size missing", R"({"class_name": "GPT2Backbone", "config": {"vocabulary_size": 97}})",
        "lacks the key 'config.num_layers'; add it to the config.");
    row("a class that is a number", R"({"class_name": 7, "config": {}})",
        "has 'class_name' = 7, expected a text; correct the config.");
    row("not JSON", "{", "is not valid JSON at byte 2; export the config again.");
    row("odd gated width",
        R"({"class_name": "GemmaBackbone", "config": {"vocabulary_size": 97, "num_layers": 2,
            "num_query_heads": 4, "num_key_value_heads": 1, "hidden_dim": 48, "head_dim": 16,
            "intermediate_dim": 161}})",
        "has 'config.intermediate_dim' = 161, expected an even number, twice the width of the MLP; "
        "correct the config.");
    row("window in qwen",
        R"({"class_name": "QwenBackbone", "config": {"use_sliding_window_attention": true}})",
        "has 'config.use_sliding_window_attention' = true, and the sliding window of this Keras "
        "class is not supported.");
}

void TestKerasHub::badConfigs() {
    QFETCH(QString, text);
    QFETCH(QString, message);
    PresetVariant variant("gpt2-task");
    variant.config_text = text.toStdString();
    QCOMPARE(QString::fromStdString(variant.refusal()), message);
}

void TestKerasHub::noConfig() {
    const QTemporaryDir folder;
    const auto path = std::filesystem::path(folder.path().toStdString()) / "x.weights.h5";
    writeModelFile(path, {{"layers.dense.vars.0", {2, 2}, {1, 2, 3, 4}}});
    QCOMPARE(
        refusalOf(path),
        std::string("x.weights.h5 holds the weights of a Keras model without its config, which "
                    "save_weights() does not write; save the whole model as .keras, or put "
                    "the config.json of its KerasHub preset beside it."));
}

const headscope::test::TestRegistration<TestKerasHub> registration;

} // namespace test_keras_hub

#include "test_keras_hub.moc"
