#include "core/base/text.h"
#include "core/loading/dialects/tensorflow.h"
#include "core/loading/load_model.h"
#include "tests/loading/dialect_check.h"
#include "tests/support/model_variant.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>

namespace test_dialects_tensorflow {

using namespace headscope;
using namespace headscope::test;

namespace {

const std::string kFolder = HEADSCOPE_TEST_DATA "/tensorflow/";

/// The gpt2 fixture as tf_model.h5 names it: flat bias vectors become one row.
ModelVariant gpt2() {
    ModelVariant variant("gpt2");
    for (FileTensor& tensor : variant.tensors) {
        std::string name = replaceAll(tensor.name, ".h.", ".h_._");
        const bool is_norm = name.find(".ln_") != std::string::npos;
        if (is_norm)
            name = replaceAll(replaceAll(name, ".weight", ".gamma"), ".bias", ".beta");
        else if (name.ends_with(".bias"))
            tensor.shape.insert(tensor.shape.begin(), 1);
        tensor.name = "transformer.tfgpt2lm_head_model." + name + ":0";
    }
    return variant;
}

std::string tfName(const std::string& name) {
    return "transformer.tfgpt2lm_head_model.transformer." + name + ":0";
}

/// The bert fixture as TensorFlow 2.2 wrote it: EinsumDense kernels of [d_model, head, d_head].
ModelVariant einsumBert() {
    ModelVariant variant("bert");
    for (FileTensor& tensor : variant.tensors) {
        std::string name = replaceAll(tensor.name, ".layer.", ".layer_._");
        name = replaceAll(name, "cls.predictions", "mlm___cls.predictions");
        if (name.find("LayerNorm") != std::string::npos) {
            name = replaceAll(replaceAll(name, ".weight", ".gamma"), ".bias", ".beta");
        } else if (name.ends_with("embeddings.weight")) {
            name = replaceAll(name, "embeddings.weight", "embeddings.embeddings");
        } else if (name.ends_with(".weight")) {
            name = replaceAll(name, ".weight", ".kernel");
            transpose(tensor);
        }
        const bool is_head = name.starts_with("mlm___cls");
        const bool is_projection = name.find(".self.") != std::string::npos;
        if (is_projection && tensor.shape.size() == 2)
            tensor.shape = {48, 4, 12};
        else if (is_projection)
            tensor.shape = {4, 12};
        else if (name.find("attention.output.dense.kernel") != std::string::npos)
            tensor.shape = {4, 12, 48};
        tensor.name = (is_head ? "mlm___cls" : "bert") + (".tf_bert_for_masked_lm." + name + ":0");
    }
    return variant;
}

} // namespace

class TestDialectsTensorflow : public QObject {
    Q_OBJECT

private slots:
    void nameRule_data();
    void nameRule();
    void realFile_data();
    void realFile();
    void shards();
    void sharedWeightsAreReportedOnce();
    void oneRowBiases();
    void oldEmbeddingName();
    void einsumKernels();
    void fullModelWithOptimizer();
    void badTensors_data();
    void badTensors();
    void copiesThatDiffer();
    void copiesOfAnotherShape();
};

void TestDialectsTensorflow::nameRule_data() {
    QTest::addColumn<QString>("variable");
    QTest::addColumn<QString>("torch");
    const auto row = [](const char* variable, const char* torch) {
        QTest::newRow(variable) << QString::fromLatin1(variable) << QString::fromLatin1(torch);
    };
    row("transformer.h_._0.attn.c_attn.weight:0", "transformer.h.0.attn.c_attn.weight");
    row("transformer.h_._11.ln_1.gamma:0", "transformer.h.11.ln_1.weight");
    row("transformer.h_._11.ln_1.beta:0", "transformer.h.11.ln_1.bias");
    row("transformer.wte.embeddings:0", "transformer.wte.weight");
    row("transformer.wte.weight:0", "transformer.wte.weight");
    row("bert.encoder.layer_._3.attention.self.query.kernel:0",
        "bert.encoder.layer.3.attention.self.query.weight");
    row("mlm___cls.predictions.transform.LayerNorm.gamma:0",
        "cls.predictions.transform.LayerNorm.weight");
    row("nsp___cls.seq_relationship.kernel:0", "cls.seq_relationship.weight");
    row("model.decoder.layers.0.fc1.kernel:0", "model.decoder.layers.0.fc1.weight");
    row("kernel.embeddings.gamma.bias:0", "kernel.embeddings.gamma.bias");
    row("lm_head.kernel:0", "lm_head.weight");
}

void TestDialectsTensorflow::nameRule() {
    QFETCH(QString, variable);
    QFETCH(QString, torch);
    QCOMPARE(QString::fromStdString(torchName(variable.toStdString())), torch);
}

/// Files that transformers wrote, against the reference of the weights that it was given.
void TestDialectsTensorflow::realFile_data() {
    QTest::addColumn<QString>("name");
    for (const char* name :
         {"gpt2-scale-by-layer", "opt", "mistral-window", "bert", "distilbert", "roberta"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestDialectsTensorflow::realFile() {
    QFETCH(QString, name);
    const auto model = require(loadModel(kFolder + name.toStdString() + "/tf_model.h5"));
    QCOMPARE(differsFrom(fixtureReference(name.toStdString()), model), std::string());
    QCOMPARE(noteWith(*model, "TensorFlow"),
             std::string("A TensorFlow model of Hugging Face: its names were translated to those "
                         "of PyTorch."));
}

/// A shard names its variables without the group of the layer and without the model.
void TestDialectsTensorflow::shards() {
    const auto model =
        require(loadModel(kFolder + "gpt2-scale-by-layer-sharded/tf_model.h5.index.json"));
    QCOMPARE(differsFrom(fixtureReference("gpt2-scale-by-layer"), model), std::string());
}

/// TFBertForMaskedLM stores the embeddings with the encoder and again with the head.
void TestDialectsTensorflow::sharedWeightsAreReportedOnce() {
    const auto model = require(loadModel(kFolder + "bert/tf_model.h5"));
    const auto uses =
        std::ranges::count(model->report.used, std::string("embed.W_E"), &LoadReport::Used::role);
    QCOMPARE(uses, 1);
}

void TestDialectsTensorflow::oneRowBiases() {
    QCOMPARE(differsFrom(fixtureReference("gpt2"), gpt2().loaded()), std::string());
}

void TestDialectsTensorflow::oldEmbeddingName() {
    ModelVariant variant = gpt2();
    variant.tensor(tfName("wte.weight")).name = tfName("wte.embeddings");
    QCOMPARE(differsFrom(fixtureReference("gpt2"), variant.loaded()), std::string());
}

void TestDialectsTensorflow::einsumKernels() {
    QCOMPARE(differsFrom(fixtureReference("bert"), einsumBert().loaded()), std::string());
}

/// model.save() puts the weights into model_weights and the optimizer's beside them.
void TestDialectsTensorflow::fullModelWithOptimizer() {
    ModelVariant variant = gpt2();
    for (FileTensor& tensor : variant.tensors)
        tensor.name.insert(0, "model_weights.");
    variant.add("optimizer_weights.Adam.transformer.h_._0.attn.c_attn.weight.m:0", {48, 144});
    const auto model = variant.loaded();
    QCOMPARE(differsFrom(fixtureReference("gpt2"), model), std::string());
    QCOMPARE(model->report.ignored.size(), std::size_t{1});
    QCOMPARE(model->report.ignored[0].reason, std::string("no part of this network"));
}

void TestDialectsTensorflow::badTensors_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QString>("message");
    QTest::newRow("transposed")
        << "transposed"
        << "transformer.tfgpt2lm_head_model.transformer.h_._1.mlp.c_fc.weight:0";
    QTest::newRow("one off") << "one off"
                             << "transformer.tfgpt2lm_head_model.transformer.h_._1.ln_1.gamma:0";
    QTest::newRow("integers") << "integers"
                              << "transformer.tfgpt2lm_head_model.transformer.h_._1.ln_1.gamma:0";
    QTest::newRow("a layer too many") << "a layer too many"
                                      << "the config has 3 layers, counted from 0";
}

void TestDialectsTensorflow::badTensors() {
    QFETCH(QString, fault);
    QFETCH(QString, message);
    ModelVariant variant = gpt2();
    FileTensor& gamma = variant.tensor(tfName("h_._1.ln_1.gamma"));
    if (fault == QLatin1String("transposed"))
        transpose(variant.tensor(tfName("h_._1.mlp.c_fc.weight")));
    else if (fault == QLatin1String("one off"))
        gamma = {gamma.name, {47}, std::vector<float>(47)};
    else if (fault == QLatin1String("integers"))
        gamma.storage = Storage::Int32;
    else
        variant.add(tfName("h_._3.ln_1.gamma"), {48});
    const std::string refusal = variant.refusal();
    QVERIFY2(refusal.find(message.toStdString()) != std::string::npos, refusal.c_str());
}

void TestDialectsTensorflow::copiesThatDiffer() {
    ModelVariant variant = einsumBert();
    FileTensor copy = variant.tensor("bert.tf_bert_for_masked_lm.bert.embeddings.LayerNorm.beta:0");
    copy.name.replace(0, 4, "mlm___cls");
    variant.tensors.push_back(copy);
    QCOMPARE(variant.refusal(), std::string());
    variant.tensors.back().values[7] += 1.0f;
    QCOMPARE(variant.refusal(),
             std::string("bert.h5: the tensors "
                         "'bert.tf_bert_for_masked_lm.bert.embeddings.LayerNorm.beta:0' and "
                         "'mlm___cls.tf_bert_for_masked_lm.bert.embeddings.LayerNorm.beta:0' are "
                         "one tensor of the model and hold different values; export the model "
                         "again."));
}

void TestDialectsTensorflow::copiesOfAnotherShape() {
    ModelVariant variant = einsumBert();
    variant.add("mlm___cls.tf_bert_for_masked_lm.bert.embeddings.LayerNorm.beta:0", {40});
    QCOMPARE(variant.refusal(),
             std::string("bert.h5: the tensors "
                         "'bert.tf_bert_for_masked_lm.bert.embeddings.LayerNorm.beta:0' [48] and "
                         "'mlm___cls.tf_bert_for_masked_lm.bert.embeddings.LayerNorm.beta:0' [40] "
                         "are one tensor of the model and differ; export the model again."));
}

const headscope::test::TestRegistration<TestDialectsTensorflow> registration;

} // namespace test_dialects_tensorflow

#include "test_dialects_tensorflow.moc"
