#include "core/circuits/composition.h"
#include "core/circuits/folded_weights.h"
#include "core/engine/engine.h"
#include "core/engine/head_mask.h"
#include "core/loading/load_model.h"
#include "core/model/layer_counts.h"
#include "core/model/model.h"
#include "tests/support/model_variant.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace test_partial_attention {

using namespace headscope;
using namespace headscope::test;

/// Files that hold the attention of some layers.
class TestPartialAttention : public QObject {
    Q_OBJECT

private slots:
    void layersWithoutAttention_data();
    void layersWithoutAttention();
    void absurdNumbersOfHeads();
    void theLastLayerAlone();
    void normBeforeAttentionThatIsMissing();
    void attentionAlone();
    void noLayerIsWhole();
    void missingShards_data();
    void missingShards();
    void shardsWithoutAttention();
};

/// Which of the tensors a file lacks, and which layers then have no heads.
void TestPartialAttention::layersWithoutAttention_data() {
    QTest::addColumn<QString>("missing");
    QTest::addColumn<QString>("open");
    QTest::addColumn<QList<std::size_t>>("absent");
    using Layers = QList<std::size_t>;
    QTest::newRow("queries, keys and values") << "h.1.attn.c_attn.weight"
                                              << "the attention of layers 0 and 2 is" << Layers{1};
    QTest::newRow("output") << "h.2.attn.c_proj.weight"
                            << "the attention of layers 0 and 1 is" << Layers{2};
    QTest::newRow("a layer") << "h.0."
                             << "the attention of layers 1 and 2 is" << Layers{0};
    QTest::newRow("biases") << "attn.c_proj.bias"
                            << "its attention is" << Layers{};
}

/// What is left reads as in the whole model.
void TestPartialAttention::layersWithoutAttention() {
    QFETCH(QString, missing);
    QFETCH(QString, open);
    QFETCH(QList<std::size_t>, absent);
    const auto model = without("gpt2", missing.toStdString()).loaded();
    const ModelSpec& spec = model->spec;
    QVERIFY2(spec.cannot_run.find("so only " + open.toStdString() + " open, as weights") !=
                 std::string::npos,
             spec.cannot_run.c_str());
    QCOMPARE(QList<std::size_t>(spec.absent.attention.begin(), spec.absent.attention.end()),
             absent);
    QCOMPARE(spec.allHeads().size(), (3 - static_cast<std::size_t>(absent.size())) * 4);
    for (const std::size_t layer : absent) {
        QVERIFY(model->weights.layers[layer].attn.W_QKV.empty());
        QCOMPARE(parseHead(headText({layer, 1}), spec).error().message,
                 "There is no head " + headText({layer, 1}) +
                     ": the attention of its layer is not in the file.");
    }
    const auto found = require(compositionScores(foldWeights(model), std::nullopt));
    const auto whole = require(compositionScores(foldWeights(loadUnchanged("gpt2")), std::nullopt));
    for (std::size_t kind = 0; kind < found.scores.size(); ++kind)
        for (std::size_t from = 0; from < whole.heads.size(); ++from)
            for (std::size_t to = 0; to < whole.heads.size(); ++to) {
                const bool there =
                    spec.hasHead(whole.heads.at(from)) && spec.hasHead(whole.heads.at(to));
                const float expected = whole.scores[kind](from, to);
                const float score = found.scores[kind](from, to);
                QCOMPARE(std::isnan(score), !there || std::isnan(expected));
                QVERIFY(std::isnan(score) || score == expected);
            }
    QVERIFY(!runModel(model, {1, 2}));
}

/// Nothing is made of heads that only the config counts.
void TestPartialAttention::absurdNumbersOfHeads() {
    ModelVariant variant("gpt2");
    variant.config["n_layer"] = 10'000;
    variant.config["n_embd"] = 1'000'000;
    variant.config["n_head"] = 1'000'000;
    variant.tensors.resize(1);
    variant.tensors.front().name = "of.another.network";
    QVERIFY(variant.refusal().find("no layer has all of its queries") != std::string::npos);
}

/// Its names tell how the file spells them.
void TestPartialAttention::theLastLayerAlone() {
    for (const char* prefix : {"", "model.", "state_dict.model."}) {
        ModelVariant variant("llama");
        std::erase_if(variant.tensors, [](const FileTensor& tensor) {
            return tensor.name.find("layers.2.") == std::string::npos;
        });
        for (FileTensor& tensor : variant.tensors)
            tensor.name = prefix + tensor.name.substr(std::string("model.").size());
        const auto model = variant.loaded();
        QCOMPARE(model->spec.absent.attention, (std::vector<std::size_t>{0, 1}));
        QVERIFY(model->weights.layers[2].attn.W_O.matrix().rows == model->spec.zWidth(2));
        QVERIFY(layerCounts(*model).front().attention > 0);
    }
}

void TestPartialAttention::normBeforeAttentionThatIsMissing() {
    const auto model = without("gpt2", "h.1.ln_1.weight").loaded();
    const auto whole = loadUnchanged("gpt2");
    QCOMPARE(model->spec.absent.ln1, (std::vector<std::size_t>{1}));
    const FoldedWeights weights = foldWeights(model);
    QVERIFY(!weights.exact);
    QVERIFY2(
        weights.note.find("left out: norm before attention of layer 1, which the file lacks") !=
            std::string::npos,
        weights.note.c_str());
    QVERIFY(std::ranges::equal(
        weights.inputWeights(1).values(),
        whole->weights.layers[1].attn.W_QKV.widened().values())); // as they are in the file
    QVERIFY(std::ranges::equal(weights.inputWeights(2).values(),
                               foldWeights(whole).inputWeights(2).values()));
}

void TestPartialAttention::attentionAlone() {
    ModelVariant variant("gpt2");
    std::erase_if(variant.tensors, [](const FileTensor& tensor) {
        return tensor.name.find(".attn.") == std::string::npos;
    });
    const auto model = variant.loaded();
    QCOMPARE(model->spec.allHeads().size(), std::size_t{12});
    const FoldedWeights weights = foldWeights(model);
    QCOMPARE(weights.note, std::string("Folded: mean taken out of W_E, W_pos and W_O; what cannot "
                                       "be folded and is left out: norm before attention of layers "
                                       "0 to 2, which the file lacks."));
    QVERIFY(compositionScores(weights, std::nullopt));
}

void TestPartialAttention::noLayerIsWhole() {
    QCOMPARE(without("llama", ".q_proj.weight").refusal(),
             std::string("llama.h5 lacks the tensor 'model.layers.0.self_attn.q_proj.weight', "
                         "expected [n_heads·d_head, d_model] = [48, 48] by the config, and no "
                         "layer has all of its queries, keys, values and output; export the whole "
                         "model or correct the config."));
}

void TestPartialAttention::missingShards_data() {
    using Files = std::vector<std::string>;
    QTest::addColumn<Files>("missing");
    QTest::addColumn<QString>("note");
    QTest::newRow("one") << Files{"model-00002-of-00003.safetensors"}
                         << "Of 3 shards 1 is missing: 'model-00002-of-00003.safetensors'; "
                            "download what is missing into the same folder.";
    QTest::newRow("the index and two")
        << Files{"model.safetensors.index.json", "model-00001-of-00003.safetensors",
                 "model-00003-of-00003.safetensors"}
        << "model-00002-of-00003.safetensors is one of several shards, and only what it holds is "
           "open, because their index model.safetensors.index.json is not beside it; download the "
           "index and the other shards into the same folder.";
}

void TestPartialAttention::missingShards() {
    QFETCH(std::vector<std::string>, missing);
    QFETCH(QString, note);
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    std::filesystem::copy(HEADSCOPE_TEST_DATA "/weight_files/gpt2-sharded", path,
                          std::filesystem::copy_options::recursive);
    for (const std::string& name : missing)
        std::filesystem::remove(path / name);
    const auto model = require(loadModel(path));
    QVERIFY(!model->spec.cannot_run.empty());
    QVERIFY(std::ranges::count(model->report.notes, note.toStdString()) == 1);
    const auto whole = loadUnchanged("gpt2");
    for (const LayerHead head : model->spec.allHeads())
        QVERIFY(std::ranges::equal(foldWeights(model).outputWeights(head).values(),
                                   foldWeights(whole).outputWeights(head).values()));
}

void TestPartialAttention::shardsWithoutAttention() {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    for (const char* name : {"config.json", "model-00003-of-00003.safetensors"})
        std::filesystem::copy(std::filesystem::path(HEADSCOPE_TEST_DATA) /
                                  "weight_files/gpt2-sharded" / name,
                              path / name);
    const std::string message = loadModel(path).error().message;
    QVERIFY2(message.find("and no layer has all of its queries, keys, values and output") !=
                     std::string::npos &&
                 message.find("model-00003-of-00003.safetensors is one of several shards") !=
                     std::string::npos,
             message.c_str());
}

const headscope::test::TestRegistration<TestPartialAttention> registration;

} // namespace test_partial_attention

#include "test_partial_attention.moc"
