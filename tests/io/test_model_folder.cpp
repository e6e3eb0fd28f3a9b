#include "core/io/model_folder.h"
#include "core/io/tensor_source.h"
#include "tests/io/io_files.h"
#include "tests/io/safetensors_files.h"
#include "tests/io/source_values.h"
#include "tests/support/hdf5_files.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <nlohmann/json.hpp>

namespace test_model_folder {

using namespace headscope;
using namespace Qt::StringLiterals;
using namespace headscope::test;
namespace fs = std::filesystem;

namespace {

/// The first module is none of the network.
std::string modulesText(const std::string& path) {
    const std::string models = "sentence_transformers.models.";
    return nlohmann::json{{{"path", "other"}, {"type", models + "Pooling"}},
                          {{"path", path}, {"type", models + "Transformer"}}}
        .dump();
}

} // namespace

class TestModelFolder : public QObject {
    Q_OBJECT

private slots:
    void opensTheWeights_data() {
        QTest::addColumn<QByteArray>("name");
        for (const char* name : {"model.safetensors", "tf_model.h5", "model.weights.h5",
                                 "any.safetensors", "any.h5", "any.hdf5"})
            QTest::newRow(name) << QByteArray(name);
    }
    void opensTheWeights() {
        QFETCH(QByteArray, name);
        const Folder folder;
        const auto file = folder / name.toStdString();
        if (name.endsWith("safetensors"))
            writeOneTensor(file, "w", 1.0f);
        else
            writeModelFile(file, {{"w", {1}, {1}}});
        for (const char* other : {"config.json", "pytorch_model.bin", "README.md", ".hidden.h5"})
            writeBytes(folder / other, "{}");
        fs::create_directory(folder / "folder.h5");
        const auto source = opened(folder.path());
        QCOMPARE(source->path(), file);
        QCOMPARE(readAll(*source, "w"), std::vector<float>{1});
    }

    void opensAnIndex() {
        const fs::path folder = fs::path(HEADSCOPE_TEST_DATA) / "weight_files/tf-sharded";
        QCOMPARE(opened(folder)->path(), folder / "tf_model.h5.index.json");
    }

    /// As Keras and others call the shards of a model with a name of its own.
    void opensAnIndexOfAnyName() {
        for (const auto& [index, shard] :
             {std::pair("gpt.weights.json", "gpt_00000.weights.h5"),
              std::pair("gpt.safetensors.index.json", "gpt-00001-of-00001.safetensors")}) {
            const Folder folder;
            if (std::string_view(shard).ends_with("h5"))
                writeModelFile(folder / shard, {{"w", {1}, {1}}});
            else
                writeOneTensor(folder / shard, "w", 1.0f);
            writeBytes(folder / index, nlohmann::json{{"weight_map", {{"w", shard}}}}.dump());
            QCOMPARE(opened(folder.path())->path(), folder / index);
            QCOMPARE(leftAsideIn(folder.path(), folder / index), "");
        }
    }

    /// "models--ORG--NAME" of huggingface_hub.
    void followsTheMainSnapshot() {
        const Folder folder;
        for (const char* name : {"refs", "blobs", "snapshots", "snapshots/a1", "snapshots/b2"})
            fs::create_directory(folder / name);
        writeOneTensor(folder / "blobs/0f", "w", 1.0f);
        fs::create_symlink("../../blobs/0f", folder / "snapshots/a1/model.safetensors");
        writeOneTensor(folder / "snapshots/b2/model.safetensors", "w", 2.0f);
        QCOMPARE(openTensorSource(folder.path()).error().message,
                 "Cannot open '" + folder.path().string() +
                     "': it is a download of several snapshots (a1, b2) of which refs/main names "
                     "none; choose one of them.");
        for (const char* name : {"c3", "../blobs", "..", ".", "", "a1/..", "/tmp"}) {
            writeBytes(folder / "refs/main", name);
            const auto refused = openTensorSource(folder.path());
            QVERIFY2(!refused && mentions(refused.error(), "its refs/main names the snapshot"),
                     name);
        }
        writeBytes(folder / "refs/main", "a1\n");
        QCOMPARE(opened(folder.path())->path(), folder / "snapshots/a1/model.safetensors");
        QCOMPARE(readAll(*opened(folder.path()), "w"), std::vector<float>{1});
        fs::remove(folder / "refs/main");
        fs::remove_all(folder / "snapshots/a1");
        QCOMPARE(readAll(*opened(folder.path()), "w"), std::vector<float>{2});
        fs::remove_all(folder / "snapshots/b2");
        QVERIFY(mentions(openTensorSource(folder.path()).error(), "without a snapshot"));
    }

    /// The name that the libraries use goes before all others.
    void knownNameGoesFirst() {
        const Folder folder;
        writeOneTensor(folder / "model.safetensors", "w", 1.0f);
        writeOneTensor(folder / "adapter.safetensors", "w", 2.0f);
        QCOMPARE(readAll(*opened(folder.path()), "w"), std::vector<float>{1});
    }

    /// Safetensors before TensorFlow's, TensorFlow's before Keras's.
    void prefersOneKnownName() {
        const Folder folder;
        writeModelFile(folder / "model.weights.h5", {{"w", {1}, {3}}});
        writeModelFile(folder / "tf_model.h5", {{"w", {1}, {2}}});
        QCOMPARE(readAll(*opened(folder.path()), "w"), std::vector<float>{2});
        writeOneTensor(folder / "model.safetensors", "w", 1.0f);
        QCOMPARE(readAll(*opened(folder.path()), "w"), std::vector<float>{1});
    }

    void saysWhatIsLeftAside() {
        const Folder folder;
        QCOMPARE(leftAsideIn(folder.path(), folder / "model.safetensors"), "");
        for (const char* name : {"model.safetensors.index.json", "model-00001-of-00002.safetensors",
                                 "model-00002-of-00002.safetensors", "config.json",
                                 "training_args.bin", "optimizer.safetensors"})
            writeBytes(folder / name, "anything");
        const auto chosen = folder / "model.safetensors.index.json";
        QCOMPARE(leftAsideIn(folder.path(), chosen), "");
        for (const char* name :
             {"tf_model.h5", "rust_model.ot", "flax_model.msgpack", "pytorch_model.bin"})
            writeBytes(folder / name, "anything");
        QCOMPARE(leftAsideIn(folder.path(), chosen),
                 "Other weights in the folder were left aside: flax_model.msgpack, "
                 "pytorch_model.bin, rust_model.ot, tf_model.h5.");
    }

    /// sentence-transformers keeps the network in a folder of its own.
    void followsModules() {
        const Folder folder;
        fs::create_directory(folder / "0_Transformer");
        writeOneTensor(folder / "0_Transformer/model.safetensors", "w", 1.0f);
        for (const char* path : {"1_Pooling", "", "../0_Transformer", "..", "."}) {
            writeBytes(folder / "modules.json", modulesText(path));
            QVERIFY(!openTensorSource(folder.path()));
        }
        writeBytes(folder / "modules.json", modulesText("0_Transformer"));
        QCOMPARE(opened(folder.path())->path(), folder / "0_Transformer/model.safetensors");
        writeOneTensor(folder / "model.safetensors", "w", 2.0f);
        QCOMPARE(opened(folder.path())->path(), folder / "model.safetensors");
    }

    void refusesAdapters() {
        const Folder folder;
        const auto adapter = folder / "adapter_model.safetensors";
        writeOneTensor(adapter, "base_model.model.q_proj.lora_A.weight", 1.0f);
        QVERIFY(openTensorSource(folder.path())); // any file of that name
        writeBytes(folder / "adapter_config.json",
                   nlohmann::json{{"peft_type", "LORA"},
                                  {"base_model_name_or_path", "meta-llama/Llama-3.2-1B"}}
                       .dump());
        for (const fs::path& path : {folder.path(), adapter})
            QCOMPARE(openTensorSource(path).error().message,
                     "Cannot open '" + path.string() +
                         "': it is an adapter for 'meta-llama/Llama-3.2-1B' and no model by "
                         "itself; merge it into that (merge_and_unload() of peft), save the "
                         "result and open it.");
        writeOneTensor(folder / "any.safetensors", "w", 2.0f);
        QCOMPARE(opened(folder.path())->path(), folder / "any.safetensors");
        QCOMPARE(leftAsideIn(folder.path(), folder / "any.safetensors"),
                 "Other weights in the folder were left aside: adapter_model.safetensors; the "
                 "adapter among them is not merged into this model.");
    }

    void refuses_data() {
        QTest::addColumn<QStringList>("names");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* name, const QStringList& names, const char* reason) {
            QTest::newRow(name) << names << QByteArray(reason);
        };
        row("nothing", {},
            "it is a folder without weights (.safetensors, .gguf, .h5, .hdf5 or .keras); "
            "choose the folder or the file of a model.");
        row("many others",
            {u"a.h5"_s, u"b.h5"_s, u"c.keras"_s, u"d.hdf5"_s, u"e.safetensors"_s, u"f.h5"_s,
             u"g.h5"_s},
            "it is a folder with several weight files (a.h5, b.h5, c.keras, d.hdf5, e.safetensors "
            "and 2 more); choose one of them.");
        row("only pickles", {u"config.json"_s, u"pytorch_model.bin"_s},
            "it is a folder whose weights are in pytorch_model.bin: it is a Python pickle (PyTorch "
            ".pt or .bin), which can run code when it is opened and is never read; open the "
            ".safetensors version");
        row("two quantisations", {u"model.Q4_K_M.gguf"_s, u"model.Q8_0.gguf"_s},
            "it is a folder with several weight files (model.Q4_K_M.gguf, model.Q8_0.gguf); "
            "choose");
    }
    void refuses() {
        QFETCH(QStringList, names);
        QFETCH(QByteArray, reason);
        const Folder folder;
        for (const QString& name : names)
            writeBytes(folder / name.toStdString(), "anything");
        const auto source = openTensorSource(folder.path());
        QVERIFY(!source);
        const std::string start =
            "Cannot open '" + folder.path().string() + "': " + reason.toStdString();
        QVERIFY2(source.error().message.starts_with(start), source.error().message.c_str());
    }

    void missingFolder() {
        QCOMPARE(openTensorSource("/no/such/folder/").error().code, ErrorCode::NotFound);
    }
};

const headscope::test::TestRegistration<TestModelFolder> registration;

} // namespace test_model_folder

#include "test_model_folder.moc"
