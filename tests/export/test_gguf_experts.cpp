#include "core/export/conversions/other_forms.h"
#include "core/export/convert_model.h"
#include "tests/export/gguf_tensors.h"
#include "tests/support/model_variant.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <utility>

namespace test_gguf_experts {

using namespace headscope;
using namespace headscope::test;

namespace {

/// The experts of a Mixtral one by one, as published files have them.
void takeExpertsApart(ModelVariant& mixtral) {
    std::vector<FileTensor> apart;
    const auto add = [&](FileTensor like, const std::string& name, std::size_t first, Shape shape) {
        const auto begin = like.values.begin() + static_cast<std::ptrdiff_t>(first);
        like.values = {begin, begin + static_cast<std::ptrdiff_t>(elementCount(shape))};
        like.name = name;
        like.shape = std::move(shape);
        apart.push_back(std::move(like));
    };
    for (FileTensor& tensor : mixtral.tensors) {
        const std::string layer = tensor.name.substr(0, tensor.name.find(".mlp.") + 1);
        const std::string mixture = layer + "block_sparse_moe.";
        if (tensor.name == layer + "mlp.gate.weight")
            tensor.name = mixture + "gate.weight";
        const bool is_out = tensor.name == layer + "mlp.experts.down_proj";
        if (!is_out && tensor.name != layer + "mlp.experts.gate_up_proj") {
            apart.push_back(tensor);
            continue;
        }
        const std::size_t rows = tensor.shape[1] / (is_out ? 1 : 2);
        const Shape shape{rows, tensor.shape[2]};
        const std::vector<std::string> names =
            is_out ? std::vector<std::string>{"w2"} : std::vector<std::string>{"w1", "w3"};
        for (std::size_t i = 0; i < tensor.shape[0] * names.size(); ++i)
            add(tensor,
                mixture + "experts." + std::to_string(i / names.size()) + "." +
                    names[i % names.size()] + ".weight",
                i * elementCount(shape), shape);
    }
    mixtral.tensors = std::move(apart);
}

} // namespace

class TestGgufExperts : public QObject {
    Q_OBJECT

private slots:
    void oneByOne();
};

/// Published files and those of transformers' memory give the same GGUF.
void TestGgufExperts::oneByOne() {
    const QTemporaryDir folder;
    const std::filesystem::path place = folder.path().toStdString();
    ModelVariant model("mixtral");
    model.config["sliding_window"] = nullptr;
    const auto source = model.write();
    require(convertToGguf(source, place / "held.gguf", GgufFormat::Float16));
    takeExpertsApart(model);
    require(convertToGguf(model.write(), place / "apart.gguf", GgufFormat::Float16));
    const auto held = require(openTensorSource(place / "held.gguf"));
    const auto apart = require(openTensorSource(place / "apart.gguf"));
    QVERIFY(held->find("blk.1.ffn_gate_exps.weight") != nullptr);
    QCOMPARE(storedTypeText(*held->find("blk.1.ffn_gate_inp.weight")), std::string("float32"));
    QCOMPARE(listing(*apart), listing(*held));
    for (const TensorInfo& tensor : held->tensors())
        QVERIFY2(valuesOf(*apart, *apart->find(tensor.name)) == valuesOf(*held, tensor),
                 tensor.name.c_str());
}

const headscope::test::TestRegistration<TestGgufExperts> registration;

} // namespace test_gguf_experts

#include "test_gguf_experts.moc"
