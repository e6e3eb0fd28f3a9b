// While a file is opened, hardly more memory is taken than its weights keep.

#include "core/loading/load_model.h"
#include "tests/engine/memory/counted_allocations.h"
#include "tests/support/hdf5_files.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

namespace test_loading_memory {

using namespace headscope;
using namespace headscope::test;

namespace {

/// A network of TransformerLens whose unembedding, a fifth of its weights, is to be transposed.
constexpr const char* kConfig =
    R"({"n_layers": 4, "d_model": 256, "n_ctx": 16, "d_head": 64, "n_heads": 4, "d_mlp": 1024,
        "d_vocab": 4000, "act_fn": "relu", "normalization_type": null,
        "positional_embedding_type": "standard"})";

FileTensor ramp(std::string name, const Shape& shape) {
    std::vector<float> values(elementCount(shape));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(i % 1000) / 1e4f;
    return {std::move(name), shape, std::move(values)};
}

std::vector<FileTensor> hookedTensors() {
    std::vector<FileTensor> tensors{ramp("embed.W_E", {4000, 256}),
                                    ramp("pos_embed.W_pos", {16, 256}),
                                    ramp("unembed.W_U", {256, 4000}), ramp("unembed.b_U", {4000})};
    for (int i = 0; i < 4; ++i) {
        const std::string layer = "blocks." + std::to_string(i) + ".";
        for (const char* name : {"Q", "K", "V"}) {
            tensors.push_back(ramp(layer + "attn.W_" + name, {4, 256, 64}));
            tensors.push_back(ramp(layer + "attn.b_" + name, {4, 64}));
        }
        tensors.push_back(ramp(layer + "attn.W_O", {4, 64, 256}));
        tensors.push_back(ramp(layer + "attn.b_O", {256}));
        tensors.push_back(ramp(layer + "mlp.W_in", {256, 1024}));
        tensors.push_back(ramp(layer + "mlp.b_in", {1024}));
        tensors.push_back(ramp(layer + "mlp.W_out", {1024, 256}));
        tensors.push_back(ramp(layer + "mlp.b_out", {256}));
    }
    return tensors;
}

} // namespace

class TestLoadingMemory : public QObject {
    Q_OBJECT

private slots:
    void peakIsWhatStays() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("toy.h5")).toStdString();
        writeModelFile(path, hookedTensors(), {{"config", kConfig}});
        resetAllocations();
        const auto model = require(loadModel(path));
        const double ratio = static_cast<double>(allocations().peak_bytes) /
                             static_cast<double>(model->report.weight_bytes);
        QVERIFY2(ratio > 1.0 && ratio < 1.1, qPrintable(QString::number(ratio)));
    }
};

const headscope::test::TestRegistration<TestLoadingMemory> registration;

} // namespace test_loading_memory

#include "test_loading_memory.moc"
