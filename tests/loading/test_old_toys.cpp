#include "core/loading/load_model.h"
#include "tests/loading/dialect_check.h"
#include "tests/support/model_variant.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <algorithm>
#include <string>
#include <utility>

namespace test_old_toys {

using namespace headscope;
using namespace headscope::test;

namespace {

std::string differences(const std::string& name, const std::shared_ptr<const Model>& model) {
    return differsFrom(fixtureReference(name), model);
}

} // namespace

/// Networks from before TransformerLens, in their own layouts and under their own names.
class TestOldToys : public QObject {
    Q_OBJECT

private slots:
    void modularAddition();
    void squareOutputMatrix();
    void solu();
    void soluOfEightLayers();
    void attentionBlocks();
    void absentBiasesAreZero();
    void squareTables();
    void normsOfTheirOwn();
};

void TestOldToys::modularAddition() {
    const auto model = loadUnchanged("old-addition");
    QCOMPARE(differences("old-addition", model), std::string());
    QCOMPARE(model->spec.outputs(), std::size_t{22}); // of 23 tokens one is never predicted
    QVERIFY(!noteWith(*model, "has no d_vocab_out: by the shape [12, 22]").empty());
    QVERIFY(!noteWith(*model, "stored as in the networks of modular addition").empty());
    QCOMPARE(noteWith(*model, "these biases are 0"),
             std::string("The file has no attn.b_Q, attn.b_K, attn.b_V, attn.b_O in any block: "
                         "these biases are 0, as in TransformerLens."));
    QVERIFY(model->report.unused_config_keys.empty());
}

/// W_O is square, and the other matrices tell how it is stored.
void TestOldToys::squareOutputMatrix() {
    ModelVariant variant("old-addition");
    QCOMPARE(variant.tensor("blocks.0.attn.W_O").shape, (Shape{12, 12}));
    const auto model = variant.loaded();
    for (const char* const layer : {"0", "1"})
        transpose(variant.tensor(std::string("blocks.") + layer + ".attn.W_O"));
    QVERIFY(!sameWeights(*variant.loaded(), *model));
    QVERIFY(!differences("old-addition", variant.loaded()).empty());
}

void TestOldToys::solu() {
    const auto model = loadUnchanged("old-solu");
    QCOMPARE(differences("old-solu", model), std::string());
    QVERIFY(!noteWith(*model, "given the names that TransformerLens has").empty());
    QVERIFY(!noteWith(*model, "stored as in the first EasyTransformer").empty());
    QVERIFY(model->report.ignored.empty());
}

/// Only positions are stored the other way there, and the names of norms tell which network it is.
void TestOldToys::soluOfEightLayers() {
    const ModelVariant today("hooked-lnpre");
    const auto grown = [&](ModelVariant variant) {
        variant.config["n_layers"] = 8;
        for (const FileTensor& tensor : today.tensors)
            for (int layer = 2; layer < 8; ++layer)
                if (tensor.name.starts_with("blocks.1.")) {
                    variant.tensors.push_back(tensor);
                    variant.tensors.back().name.replace(7, 1, std::to_string(layer));
                }
        return variant;
    };
    ModelVariant old = grown(today);
    old.config["normalization_type"] = "LN";
    ModelVariant named = old;
    for (ModelVariant* const variant : {&old, &named})
        for (int layer = 0; layer < 8; ++layer)
            for (const std::string norm : {"1", "2"})
                for (const std::string part : {".w", ".b"})
                    variant->add("blocks." + std::to_string(layer) +
                                     (variant == &old ? ".ln" : ".norm") + norm + part,
                                 {12});
    for (const std::string part : {".w", ".b"}) {
        old.add("ln_final" + part, {12});
        named.add("norm" + part, {12});
    }
    transpose(named.tensor("pos_embed.W_pos"));
    const auto model = named.loaded();
    QVERIFY(sameWeights(*model, *old.loaded()));
    QVERIFY(!noteWith(*model, "old SoLU network of 8 layers").empty());
    transpose(old.tensor("pos_embed.W_pos")); // under today's names that is a mistake
    QVERIFY(old.refusal().find("the transpose of what is expected") != std::string::npos);
}

void TestOldToys::attentionBlocks() {
    const auto model = loadUnchanged("old-induction");
    QCOMPARE(differences("old-induction", model), std::string());
    QCOMPARE(model->report.used.front().tensor.find("embedding."), std::size_t{0});
}

/// Of a file of today, too.
void TestOldToys::absentBiasesAreZero() {
    ModelVariant zeroed("hooked-lnpre");
    for (FileTensor& tensor : zeroed.tensors)
        if (tensor.name.find("attn.b_") != std::string::npos)
            tensor.values.assign(tensor.values.size(), 0.0f);
    ModelVariant bare("hooked-lnpre");
    std::erase_if(bare.tensors, [](const FileTensor& tensor) {
        return tensor.name.find("attn.b_Q") != std::string::npos ||
               tensor.name.find("attn.b_O") != std::string::npos;
    });
    for (FileTensor& tensor : bare.tensors)
        if (tensor.name.find("attn.b_") != std::string::npos)
            tensor.values.assign(tensor.values.size(), 0.0f);
    const auto model = bare.loaded();
    QVERIFY(!noteWith(*model, "The file has no attn.b_Q, attn.b_O in any block").empty());
    QVERIFY(model->spec.cannot_run.empty());
    const auto expected = zeroed.loaded();
    QVERIFY(std::ranges::equal(model->weights.layers[0].attn.b_QKV.values(),
                               expected->weights.layers[0].attn.b_QKV.values()));
    QVERIFY(model->weights.layers[0].attn.b_O.empty());
    ModelVariant partial("hooked-lnpre");
    partial.remove("blocks.1.attn.b_Q"); // one block has it, so that the other should
    QVERIFY(!partial.load() || !(*partial.load())->spec.cannot_run.empty());
}

/// As many tokens and positions as d_model: other matrices tell how tables are stored, or nothing
/// does.
void TestOldToys::squareTables() {
    ModelVariant told("old-solu");
    told.config["d_vocab"] = 12;
    ModelVariant bare("hooked-plain");
    for (const char* const size : {"d_vocab", "d_vocab_out", "n_ctx"})
        bare.config[size] = 12;
    const auto squareTable = [](FileTensor& table, Shape shape) {
        table.shape = std::move(shape);
        table.values.resize(elementCount(table.shape), 0.25f);
    };
    for (ModelVariant* const variant : {&told, &bare}) {
        for (const char* const name : {"embed.W_E", "unembed.W_U", "pos_embed.W_pos"})
            squareTable(variant->tensor(name), {12, 12});
        squareTable(variant->tensor("unembed.b_U"), {12});
    }
    QVERIFY(!noteWith(*told.loaded(), "stored as in the first EasyTransformer").empty());
    QVERIFY(
        noteWith(*bare.loaded(), "matrices are stored as in").empty()); // heads are stored as today
    for (FileTensor& tensor : bare.tensors)
        if (tensor.shape.size() == 3)
            std::swap(tensor.shape[1], tensor.shape[2]);
    const std::string refusal = bare.refusal();
    QVERIFY2(
        refusal.find("the shape [12, 12] of 'embed.W_E' does not tell whether it is stored as in "
                     "the first EasyTransformer or as in later EasyTransformers; store all "
                     "matrices as TransformerLens does today.") != std::string::npos,
        refusal.c_str());
}

void TestOldToys::normsOfTheirOwn() {
    ModelVariant variant("old-addition");
    variant.config["use_ln"] = true;
    QVERIFY(variant.refusal().find("has 'use_ln', whose norms divide by other deviations") !=
            std::string::npos);
}

const headscope::test::TestRegistration<TestOldToys> registration;

} // namespace test_old_toys

#include "test_old_toys.moc"
