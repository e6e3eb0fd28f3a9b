#include "tests/support/model_variant.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <algorithm>

namespace test_weight_layout {

using namespace headscope;
using headscope::test::FileTensor;
using headscope::test::ModelVariant;
using headscope::test::Naming;
using headscope::test::sameWeights;
using headscope::test::Storage;

namespace {

/// File index of a torch Linear [out, in] for the element (in, out) of ours.
float linear(const FileTensor& tensor, std::size_t in, std::size_t out) {
    return tensor.values[out * tensor.shape[1] + in];
}

} // namespace

class TestWeightLayout : public QObject {
    Q_OBJECT

private slots:
    void conv1dIsKept();
    void linearIsTransposedIntoItsColumns();
    void biasesGoToTheSameColumns();
    void linearMatricesOfOtherRoles();
    void headsAreJoined();
    void outputOfTheBareLayerIsTransposed();
    void namesWithoutBasePrefix_data();
    void namesWithoutBasePrefix();
    void namesInsideAWrapper();
    void oldNamesOfNorms();
    void flatNames();
    void otherNumberTypes();
};

void TestWeightLayout::conv1dIsKept() {
    const ModelVariant variant("gpt2");
    const auto model = variant.loaded();
    const auto same = [](const WeightTensor& found, const FileTensor& expected) {
        QCOMPARE(found.shape(), expected.shape);
        QVERIFY(std::ranges::equal(found.floats().values(), expected.values));
    };
    ModelVariant copy = variant;
    const LayerWeights& layer = model->weights.layers[2];
    same(model->weights.W_E, copy.tensor("transformer.wte.weight"));
    same(model->weights.W_pos, copy.tensor("transformer.wpe.weight"));
    same(layer.attn.W_QKV, copy.tensor("transformer.h.2.attn.c_attn.weight"));
    same(layer.attn.b_QKV, copy.tensor("transformer.h.2.attn.c_attn.bias"));
    same(layer.attn.W_O, copy.tensor("transformer.h.2.attn.c_proj.weight"));
    same(layer.attn.b_O, copy.tensor("transformer.h.2.attn.c_proj.bias"));
    same(layer.ln1.weight, copy.tensor("transformer.h.2.ln_1.weight"));
    same(layer.ln1.bias, copy.tensor("transformer.h.2.ln_1.bias"));
    same(layer.ln2.weight, copy.tensor("transformer.h.2.ln_2.weight"));
    same(layer.ln2.bias, copy.tensor("transformer.h.2.ln_2.bias"));
    same(layer.mlp.W_in, copy.tensor("transformer.h.2.mlp.c_fc.weight"));
    same(layer.mlp.b_in, copy.tensor("transformer.h.2.mlp.c_fc.bias"));
    same(layer.mlp.W_out, copy.tensor("transformer.h.2.mlp.c_proj.weight"));
    same(layer.mlp.b_out, copy.tensor("transformer.h.2.mlp.c_proj.bias"));
    same(model->weights.ln_final.weight, copy.tensor("transformer.ln_f.weight"));
    same(model->weights.ln_final.bias, copy.tensor("transformer.ln_f.bias"));
}

void TestWeightLayout::linearIsTransposedIntoItsColumns() {
    ModelVariant variant("llama-gqa");
    const auto model = variant.loaded();
    const Tensor fused = model->weights.layers[1].attn.W_QKV.widened();
    QCOMPARE(fused.shape(), (Shape{64, 64 + 16 + 16}));
    std::size_t first = 0;
    for (const char* part : {"q_proj", "k_proj", "v_proj"}) {
        const FileTensor& tensor =
            variant.tensor(std::string("model.layers.1.self_attn.") + part + ".weight");
        for (std::size_t out = 0; out < tensor.shape[0]; ++out)
            for (std::size_t in = 0; in < 64; ++in)
                QCOMPARE(fused(in, first + out), linear(tensor, in, out));
        first += tensor.shape[0];
    }
}

void TestWeightLayout::biasesGoToTheSameColumns() {
    ModelVariant variant("llama-mqa-headdim");
    const auto model = variant.loaded();
    const Tensor& fused = model->weights.layers[0].attn.b_QKV;
    std::vector<float> expected;
    for (const char* part : {"q_proj", "k_proj", "v_proj"}) {
        const auto& values =
            variant.tensor(std::string("model.layers.0.self_attn.") + part + ".bias").values;
        expected.insert(expected.end(), values.begin(), values.end());
    }
    QVERIFY(std::ranges::equal(fused.values(), expected));
}

void TestWeightLayout::linearMatricesOfOtherRoles() {
    const auto check = [](const char* name, const char* tensor_name, auto role) {
        ModelVariant variant(name);
        const auto model = variant.loaded();
        const FileTensor& tensor = variant.tensor(tensor_name);
        const WeightTensor& found = role(model->weights);
        QCOMPARE(found.shape(), (Shape{tensor.shape[1], tensor.shape[0]}));
        for (std::size_t in = 0; in < found.dim(0); ++in)
            for (std::size_t out = 0; out < found.dim(1); ++out)
                QCOMPARE(found(in, out), linear(tensor, in, out));
    };
    using W = const Weights&;
    check("llama-mqa-headdim", "model.layers.1.self_attn.o_proj.weight",
          [](W w) -> const WeightTensor& { return w.layers[1].attn.W_O; });
    check("llama", "model.layers.1.mlp.gate_proj.weight",
          [](W w) -> const WeightTensor& { return w.layers[1].mlp.W_gate; });
    check("llama", "model.layers.1.mlp.up_proj.weight",
          [](W w) -> const WeightTensor& { return w.layers[1].mlp.W_in; });
    check("llama", "model.layers.1.mlp.down_proj.weight",
          [](W w) -> const WeightTensor& { return w.layers[1].mlp.W_out; });
    check("bert", "cls.predictions.transform.dense.weight",
          [](W w) -> const WeightTensor& { return w.W_mlm; });
    check("bert", "bert.encoder.layer.0.output.dense.weight",
          [](W w) -> const WeightTensor& { return w.layers[0].mlp.W_out; });
    check("microgpt", "layer0.attn_wo",
          [](W w) -> const WeightTensor& { return w.layers[0].attn.W_O; });
}

void TestWeightLayout::headsAreJoined() {
    ModelVariant variant("notebook");
    const auto model = variant.loaded();
    const Tensor fused = model->weights.layers[0].attn.W_QKV.widened();
    QCOMPARE(fused.shape(), (Shape{16, 48}));
    std::size_t first = 0;
    for (const char* part : {"W_Q", "W_K", "W_V"}) {
        const FileTensor& tensor = variant.tensor(part);
        for (std::size_t head = 0; head < 2; ++head)
            for (std::size_t row = 0; row < 16; ++row)
                for (std::size_t k = 0; k < 8; ++k)
                    QCOMPARE(fused(row, first + head * 8 + k),
                             tensor.values[(head * 16 + row) * 8 + k]);
        first += 16;
    }
}

void TestWeightLayout::outputOfTheBareLayerIsTransposed() {
    ModelVariant variant("notebook");
    const auto model = variant.loaded();
    const FileTensor& tensor = variant.tensor("W_O");
    for (std::size_t in = 0; in < 16; ++in)
        for (std::size_t out = 0; out < 16; ++out)
            QCOMPARE(model->weights.layers[0].attn.W_O(in, out), linear(tensor, in, out));
}

void TestWeightLayout::namesWithoutBasePrefix_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("prefix");
    QTest::addRow("gpt2") << QStringLiteral("gpt2") << QStringLiteral("transformer.");
    QTest::addRow("llama") << QStringLiteral("llama") << QStringLiteral("model.");
    QTest::addRow("bert") << QStringLiteral("bert") << QStringLiteral("bert.");
}

void TestWeightLayout::namesWithoutBasePrefix() {
    QFETCH(QString, model);
    QFETCH(QString, prefix);
    const ModelVariant original(model.toStdString());
    ModelVariant bare = original;
    for (FileTensor& tensor : bare.tensors)
        if (tensor.name.starts_with(prefix.toStdString()))
            tensor.name.erase(0, prefix.toStdString().size());
    const auto loaded = bare.loaded();
    QVERIFY(sameWeights(*loaded, *original.loaded()));
    QCOMPARE(loaded->report.used.size(), bare.tensors.size());

    bare.add("layers.0.mystery.weight", {4});
    bare.add("h.0.mystery.weight", {4});
    bare.add("encoder.layer.0.mystery.weight", {4});
    const std::string message = bare.refusal();
    QVERIFY2(message.find("mystery.weight' has no place") != std::string::npos, message.c_str());
}

void TestWeightLayout::namesInsideAWrapper() {
    const ModelVariant original("gpt2");
    for (const char* wrapper : {"state_dict.", "module."}) {
        ModelVariant wrapped = original;
        for (FileTensor& tensor : wrapped.tensors)
            tensor.name = wrapper + tensor.name;
        QVERIFY(sameWeights(*wrapped.loaded(), *original.loaded()));
        wrapped.add(std::string(wrapper) + "transformer.h.0.mystery.weight", {4});
        const std::string message = wrapped.refusal();
        QVERIFY2(message.find("mystery.weight' has no place") != std::string::npos,
                 message.c_str());
    }
}

void TestWeightLayout::oldNamesOfNorms() {
    const ModelVariant original("bert");
    ModelVariant old = original;
    for (FileTensor& tensor : old.tensors) {
        const std::size_t norm = tensor.name.find("LayerNorm.");
        if (norm != std::string::npos)
            tensor.name.replace(norm, std::string::npos,
                                tensor.name.ends_with("weight") ? "LayerNorm.gamma"
                                                                : "LayerNorm.beta");
    }
    QVERIFY(sameWeights(*old.loaded(), *original.loaded()));
}

void TestWeightLayout::flatNames() {
    const ModelVariant original("llama");
    ModelVariant flat = original;
    flat.naming = Naming::FlatDots;
    QVERIFY(sameWeights(*flat.loaded(), *original.loaded()));
}

void TestWeightLayout::otherNumberTypes() {
    const ModelVariant original("gpt2");
    ModelVariant wide = original;
    for (FileTensor& tensor : wide.tensors)
        tensor.storage = Storage::Float64;
    const auto loaded = wide.loaded();
    QVERIFY(sameWeights(*loaded, *original.loaded()));
    QCOMPARE(loaded->report.used.front().type, std::string("float64"));

    ModelVariant narrow = original;
    FileTensor& tensor = narrow.tensor("transformer.wte.weight");
    tensor.storage = Storage::BFloat16;
    for (float& value : tensor.values)
        value = 0.5f;
    const WeightTensor W_E = narrow.loaded()->weights.W_E;
    QVERIFY(W_E.format() == FloatFormat::BFloat16);
    QVERIFY(std::ranges::all_of(W_E.widened().values(), [](float value) { return value == 0.5f; }));
}

const headscope::test::TestRegistration<TestWeightLayout> registration;

} // namespace test_weight_layout

#include "test_weight_layout.moc"
