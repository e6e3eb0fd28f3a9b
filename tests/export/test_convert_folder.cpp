// Models written as folders for transformers and read back. tests/interop has transformers open
// them.

#include "core/engine/engine.h"
#include "core/export/conversions/other_forms.h"
#include "core/io/atomic_file.h"
#include "core/model/prompt.h"
#include "tests/support/model_variant.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

namespace test_convert_folder {

using namespace headscope;
using namespace headscope::test;

namespace fs = std::filesystem;

namespace {

Tensor logitsOf(const std::shared_ptr<const Model>& model) {
    return require(runModel(model, {5, 17, 3, 22, 5, 17, 9}))->logits;
}

} // namespace

class TestConvertFolder : public QObject {
    Q_OBJECT

private slots:
    void sameLogits_data() {
        QTest::addColumn<QString>("path");
        for (const char* name : {"gpt2", "gpt_neox", "bloom", "falcon-grouped", "gemma2", "phi3",
                                 "llama3-rope", "olmo2", "stablelm", "opt"})
            QTest::newRow(name) << QString::fromStdString(modelPath(name).string());
        // llama.cpp's names, orders of rows and shifted gains become those of transformers.
        for (const char* name : {"llama", "gemma3", "gptneox", "phi2", "starcoder2", "mpt"})
            QTest::addRow("%s.gguf", name)
                << QStringLiteral(HEADSCOPE_TEST_DATA "/gguf/%1.gguf").arg(QLatin1String(name));
    }

    void sameLogits() {
        QFETCH(QString, path);
        const fs::path folder = place() / "folder";
        require(convertToFolder(path.toStdString(), folder, FloatFormat::Float32));
        const auto model = require(loadModel(path.toStdString()));
        const auto converted = require(loadModel(folder));
        QCOMPARE(converted->spec.family, model->spec.family);
        QVERIFY(difference(logitsOf(converted).view(), logitsOf(model).view()).relative < 1e-6);
    }

    /// What opens can be written, without what its file lacks.
    void partsOfModels_data() {
        QTest::addColumn<QString>("missing");
        QTest::addColumn<QString>("reason"); // against GGUF
        QTest::newRow("base model") << "lm_head.weight"
                                    << "it has no unembedding, and for that the readers of GGUF "
                                       "would take the embedding; write HDF5 or a folder.";
        QTest::newRow("half an MLP")
            << "model.layers.1.mlp.up_proj.weight"
            << "its file lacks parts of the network; write HDF5 or a folder.";
    }
    void partsOfModels() {
        QFETCH(QString, missing);
        QFETCH(QString, reason);
        ModelVariant variant("llama");
        variant.remove(missing.toStdString());
        const fs::path input = variant.write();
        const fs::path folder = place() / "part";
        require(convertToFolder(input, folder, FloatFormat::Float32));
        const auto model = variant.loaded();
        const auto converted = require(loadModel(folder));
        QCOMPARE(converted->report.missing.size(), std::size_t{1});
        QCOMPARE(converted->report.missing.front().tensor, missing.toStdString());
        QCOMPARE(converted->spec.output, model->spec.output);
        QVERIFY(sameWeights(*converted, *model));
        const auto gguf = convertToGguf(input, place() / "part.gguf", GgufFormat::Float32);
        QVERIFY(!gguf);
        QCOMPARE(gguf.error().message, "llama cannot be written as GGUF: " + reason.toStdString());
    }

    void tokenizerGoesAlong() {
        const fs::path folder = place() / "folder";
        const auto made =
            require(convertToFolder(modelPath("llama-mini-gqa-4l"), folder, FloatFormat::Float16));
        QVERIFY(!made.tokenizer_source.empty());
        QVERIFY(fs::exists(folder / "tokenizer.json"));
        const auto model = require(loadModel(folder));
        QCOMPARE(
            require(promptFromText(*model, "Once upon", BosMode::Auto)).ids,
            require(promptFromText(*loadSample("llama-mini-gqa-4l"), "Once upon", BosMode::Auto))
                .ids);
        const auto config = require(readTextFile(folder / "config.json", 100'000));
        QVERIFY(config.find("\"torch_dtype\": \"float16\"") != std::string::npos);
    }

    void refused_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("says");
        QTest::newRow("teaching") << "microgpt"
                                  << "which has no family 'microgpt'";
        QTest::newRow("TransformerLens") << "hooked-plain"
                                         << "which has no family 'hooked_transformer'";
        QTest::newRow("attention only") << "attn-only-2l"
                                        << "'gpt2' always has MLPs";
    }

    void refused() {
        QFETCH(QString, name);
        QFETCH(QString, says);
        const fs::path folder = place() / "refused";
        const auto made =
            convertToFolder(modelPath(name.toStdString()), folder, FloatFormat::Float32);
        QVERIFY(!made);
        QVERIFY2(made.error().message.find(says.toStdString()) != std::string::npos,
                 made.error().message.c_str());
        QVERIFY(!fs::exists(folder));
    }

    /// Reading JSON takes no stack, writing it does.
    void deepConfig() {
        constexpr std::size_t deep = 500'000;
        ModelVariant variant("gpt2");
        std::string text = variant.config.dump();
        text.back() = ',';
        variant.config_text = text + "\"task_specific_params\": " + std::string(deep, '[') +
                              std::string(deep, ']') + "}";
        variant.config_inside = false;
        const auto made = convertToFolder(variant.write(), place() / "deep", FloatFormat::Float32);
        QVERIFY(!made);
        QCOMPARE(made.error().message, std::string("The model's config is nested more than 100 "
                                                   "deep; export the config again."));
    }

    void nothingIsWrittenOver() {
        const fs::path folder = place() / "mine";
        fs::create_directory(folder);
        QVERIFY(writeFileAtomically(folder / "notes", "mine"));
        QVERIFY(!convertToFolder(modelPath("gpt2"), folder, FloatFormat::Float32));
        QCOMPARE(require(readTextFile(folder / "notes", 100)), std::string("mine"));
    }

    void cleanup() {
        for (const auto& entry : fs::directory_iterator(place()))
            fs::remove_all(entry.path());
    }

private:
    fs::path place() const { return folder_.path().toStdString(); }

    QTemporaryDir folder_;
};

const headscope::test::TestRegistration<TestConvertFolder> registration;

} // namespace test_convert_folder

#include "test_convert_folder.moc"
