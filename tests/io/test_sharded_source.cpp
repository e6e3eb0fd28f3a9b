#include "core/io/tensor_source.h"
#include "tests/io/io_files.h"
#include "tests/io/safetensors_files.h"
#include "tests/io/source_values.h"
#include "tests/support/hdf5_files.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

namespace test_sharded_source {

using namespace headscope;
using namespace headscope::test;
namespace fs = std::filesystem;

namespace {

const fs::path kData = HEADSCOPE_TEST_DATA;

constexpr const char* kIndexName = "model.safetensors.index.json";

/// Two shards of one tensor each, and an index that says what the test wants.
fs::path writeModel(const Folder& folder, std::string_view weight_map,
                    std::string_view metadata = "{}") {
    writeOneTensor(folder / "a.safetensors", "a", 1.0f);
    writeOneTensor(folder / "b.safetensors", "b", 2.0f);
    writeBytes(folder / kIndexName, "{\"metadata\":" + std::string(metadata) +
                                        ",\"weight_map\":" + std::string(weight_map) + "}");
    return folder / kIndexName;
}

constexpr const char* kGoodMap = R"({"b":"b.safetensors","a":"a.safetensors"})";

} // namespace

class TestShardedSource : public QObject {
    Q_OBJECT

private slots:
    void readsAllShards() {
        const Folder folder;
        const auto index = writeModel(folder, kGoodMap, R"({"total_size":8})");
        const auto source = opened(index);
        QCOMPARE(source->tensors().size(), 2u);
        QCOMPARE(readAll(*source, "a"), std::vector<float>{1});
        QCOMPARE(readAll(*source, "b"), std::vector<float>{2});
        QCOMPARE(source->path(), index);
        QCOMPARE(source->files(), (std::vector<fs::path>{index, folder / "a.safetensors",
                                                         folder / "b.safetensors"}));
        QVERIFY(source->notes().empty());
        QCOMPARE(source->read({"c", {1}}, std::span<float>()).error().code, ErrorCode::NotFound);
    }

    void textsOfTheShards() {
        const Folder folder;
        const auto index = writeModel(folder, kGoodMap);
        writeSafetensors(folder / "b.safetensors",
                         R"({"__metadata__":{"config":"{}"},
                             "b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                         "abcd");
        QCOMPARE(*opened(index)->text("config"), "{}");
        QVERIFY(!opened(index)->text("tokenizer"));
    }

    void refuses_data() {
        QTest::addColumn<QByteArray>("weight_map");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* name, const char* map, const char* reason) {
            QTest::newRow(name) << QByteArray(map) << QByteArray(reason);
        };
        row("no map", "[]", "it has no \"weight_map\" that tells which file holds which tensor");
        row("empty map", "{}", "it has no \"weight_map\"");
        row("missing shards", R"({"a":"c.safetensors","b":"d.safetensors"})",
            "of its 2 shards none is there; download them into the same folder.");
        row("empty name", R"({"a":""})", "it names no file for tensor 'a'");
        row("no file named", R"({"a":1})", "it names no file for tensor 'a'");
        row("no file in the list", R"({"a":[]})", "it names no file for tensor 'a'");
        row("tensor listed twice", R"({"a":"a.safetensors","a":"b.safetensors"})",
            "the index has the key 'a' twice");
        row("shard named twice", R"({"a":["a.safetensors","a.safetensors"]})",
            "it names shard 'a.safetensors' twice for tensor 'a'");
        row("absolute path", R"({"a":"/etc/passwd"})",
            "shard '/etc/passwd' is named by an absolute path, and shards must lie in the folder "
            "of their index");
        row("path out of the folder", R"({"a":"../a.safetensors"})",
            "shard '../a.safetensors' is named by a path that leads out of the folder");
        row("path out of the folder in the end", R"({"a":"x/../../a.safetensors"})",
            "shard 'x/../../a.safetensors' is named by a path that leads out of the folder");
        row("tensor not in its shard", R"({"a":"a.safetensors","b":"a.safetensors"})",
            "tensor 'b' is not in 'a.safetensors', where the index puts it");
        row("deep", R"({"a":[[[["a.safetensors"]]]]})", "the index is nested more than 4 deep");
    }
    void refuses() {
        QFETCH(QByteArray, weight_map);
        QFETCH(QByteArray, reason);
        const Folder folder;
        const auto index = writeModel(folder, weight_map.toStdString());
        const auto source = openTensorSource(index);
        QVERIFY(!source);
        const std::string start = "Cannot open '" + index.string() + "': " + reason.toStdString();
        QVERIFY2(source.error().message.starts_with(start), source.error().message.c_str());
    }

    void tooManyShards() {
        const Folder folder;
        std::string map = "{";
        for (int i = 0; i <= 500; ++i) {
            const std::string name = std::to_string(i);
            writeBytes(folder / name, "");
            map += (i > 0 ? ",\"" : "\"") + name + "\":\"" + name + "\"";
        }
        const auto source = openTensorSource(writeModel(folder, map + "}"));
        QVERIFY(!source);
        QVERIFY(mentions(source.error(), "it names more than 500 shards"));
    }

    void linkOutOfTheFolder() {
        const Folder folder;
        const Folder elsewhere;
        const auto index = writeModel(folder, kGoodMap);
        fs::rename(folder / "b.safetensors", elsewhere / "b.safetensors");
        fs::create_symlink(elsewhere / "b.safetensors", folder / "b.safetensors");
        const auto source = openTensorSource(index);
        QVERIFY(!source);
        QVERIFY2(mentions(source.error(), "shard 'b.safetensors' is a link to a file outside the "
                                          "folder, and shards must lie in the folder"),
                 source.error().message.c_str());
    }

    void linkInsideTheFolder() {
        const Folder folder;
        const auto index = writeModel(folder, kGoodMap);
        fs::rename(folder / "b.safetensors", folder / "c.safetensors");
        fs::create_symlink("c.safetensors", folder / "b.safetensors");
        QCOMPARE(readAll(*opened(index), "b"), std::vector<float>{2});
    }

    /// models--x/snapshots/<revision>/file -> ../../blobs/<hash>
    void linksOfTheHubCache_data() {
        QTest::addColumn<QByteArray>("snapshots");
        QTest::addColumn<QByteArray>("target");
        QTest::addColumn<bool>("fine");
        const QByteArray hash(64, 'a');
        QTest::newRow("as downloaded") << QByteArray("snapshots") << "../../blobs/" + hash << true;
        QTest::newRow("short hash")
            << QByteArray("snapshots") << "../../blobs/" + hash.left(40) << true;
        QTest::newRow("no hash") << QByteArray("snapshots") << QByteArray("../../blobs/x") << false;
        QTest::newRow("another folder")
            << QByteArray("snapshots") << "../../other/" + hash << false;
        QTest::newRow("not among snapshots")
            << QByteArray("elsewhere") << "../../blobs/" + hash << false;
        QTest::newRow("by way of another model")
            << QByteArray("snapshots") << "../../../models--x/blobs/" + hash << false;
    }
    void linksOfTheHubCache() {
        QFETCH(QByteArray, snapshots);
        QFETCH(QByteArray, target);
        QFETCH(bool, fine);
        const Folder folder;
        const fs::path model = folder / "models--x";
        const fs::path revision = model / snapshots.toStdString() / "abc";
        fs::create_directories(revision);
        for (const char* name : {"blobs", "other"})
            fs::create_directories(model / name);
        writeOneTensor(revision / target.toStdString(), "a", 1.0f);
        fs::create_symlink(target.toStdString(), revision / "a.safetensors");
        writeBytes(revision / kIndexName, R"({"weight_map":{"a":"a.safetensors"}})");
        const auto source = openTensorSource(revision / kIndexName);
        QCOMPARE(static_cast<bool>(source), fine);
        QVERIFY(fine || mentions(source.error(), "is a link to a file outside the folder"));
    }

    void linkOfALinkInTheHubCache() {
        const Folder folder;
        const fs::path revision = folder / "models--x/snapshots/abc";
        const std::string hash(64, 'a');
        fs::create_directories(revision);
        fs::create_directories(folder / "models--x/blobs");
        writeOneTensor(folder / "secret", "a", 1.0f);
        fs::create_symlink(folder / "secret", folder / ("models--x/blobs/" + hash));
        fs::create_symlink("../../blobs/" + hash, revision / "a.safetensors");
        writeBytes(revision / kIndexName, R"({"weight_map":{"a":"a.safetensors"}})");
        QVERIFY(!openTensorSource(revision / kIndexName));
    }

    void differencesAreNoted() {
        const Folder folder;
        const auto index = writeModel(folder, R"({"a":"a.safetensors"})", R"({"total_size":9000})");
        writeSafetensors(folder / "a.safetensors",
                         R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},
                             "x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                         "abcdefgh");
        const auto source = opened(index);
        QVERIFY(source->find("x") == nullptr);
        QCOMPARE(source->notes().size(), 2u);
        QCOMPARE(source->notes()[0],
                 "The index does not list 1 of the tensors in its shards, which are left out: x.");
        QCOMPARE(source->notes()[1],
                 "The index speaks of 9.00 kB of weights, and the shards hold 4 B.");
    }

    /// The index decides where a tensor is that two shards hold.
    void tensorInTwoShards() {
        const Folder folder;
        const auto index = writeModel(folder, R"({"a":"b.safetensors","c":"a.safetensors"})");
        writeOneTensor(folder / "b.safetensors", "a", 5.0f);
        writeSafetensors(folder / "a.safetensors",
                         R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},
                             "c":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                         bytesOf({1.0f, 2.0f}));
        QCOMPARE(readAll(*opened(index), "a"), std::vector<float>{5});
    }

    void shardOfAKindThatIsNeverRead() {
        const Folder folder;
        const auto index = writeModel(folder, R"({"a":"pytorch_model-00001-of-00002.bin"})");
        writeBytes(folder / "pytorch_model-00001-of-00002.bin", "\x80\x02}q\x01.");
        const auto source = openTensorSource(index);
        QVERIFY(!source);
        QVERIFY(mentions(source.error(), "00001-of-00002.bin': it is a Python pickle"));
    }

    void budgetCountsAllShards() {
        const Folder folder;
        const auto index = writeModel(folder, kGoodMap);
        QVERIFY(openTensorSource(index, 8));
        const auto refused = openTensorSource(index, 7);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::TooLarge);
        QVERIFY(mentions(refused.error(), "(tensor 'b' of shape [1] no longer fits)"));
    }

    void oneShardOpensTheWhole() {
        const auto folder = kData / "weight_files/gpt2-sharded";
        const auto source = opened(folder / "model-00002-of-00003.safetensors");
        QCOMPARE(source->path(), folder / kIndexName);
    }

    void missingShardsAreNamed() {
        const Folder folder;
        const auto index =
            writeModel(folder, R"({"c":"c.safetensors","b":"b.safetensors","d":["d.safetensors"]})",
                       R"({"total_size":16})");
        const auto source = opened(index);
        QCOMPARE(source->tensors().size(), 1u);
        QCOMPARE(readAll(*source, "b"), std::vector<float>{2});
        QCOMPARE(source->files(), (std::vector<fs::path>{index, folder / "b.safetensors"}));
        QCOMPARE(source->openFiles().size(), 2u);
        QCOMPARE(source->notes(),
                 std::vector<std::string>{"Of 3 shards 2 are missing: 'c.safetensors', "
                                          "'d.safetensors'; download what is missing into the "
                                          "same folder."});
    }

    void shardWithoutItsIndex() {
        const Folder folder;
        const auto path = folder / "model-00002-of-00002.safetensors";
        writeOneTensor(path, "a", 1.0f);
        const auto source = opened(path);
        QCOMPARE(source->path(), path);
        QCOMPARE(source->files(), std::vector<fs::path>{path});
        QCOMPARE(source->openFiles().size(), 1u);
        QCOMPARE(readAll(*source, "a"), std::vector<float>{1});
        QCOMPARE(source->notes().size(), 1u);
        QVERIFY2(source->notes().front().starts_with(
                     "model-00002-of-00002.safetensors is one of several shards, and only what it "
                     "holds is open, because their index model.safetensors.index.json is not "
                     "beside it;"),
                 source->notes().front().c_str());
        writeOneTensor(folder / "model-00001-of-00001.safetensors", "a", 1.0f);
        QVERIFY(opened(folder / "model-00001-of-00001.safetensors")->notes().empty());
    }

    /// Written by huggingface_hub.
    void safetensorsFromPython() {
        const auto source = opened(kData / "weight_files/gpt2-sharded" / kIndexName);
        const auto original = opened(kData / "fixtures/gpt2.h5");
        QVERIFY(source->notes().empty());
        QCOMPARE(source->files().size(), 4u);
        QCOMPARE(source->tensors().size(), original->tensors().size());
        for (const TensorInfo& tensor : original->tensors()) {
            QCOMPARE(source->find(tensor.name)->shape, tensor.shape);
            QCOMPARE(readAll(*source, tensor.name), readAll(*original, tensor.name));
        }
    }

    /// Written by transformers with TensorFlow: the index calls the tensors by longer names.
    void tensorFlowShards() {
        const auto source = opened(kData / "weight_files/tf-sharded/tf_model.h5.index.json");
        QVERIFY(source->notes().empty());
        QCOMPARE(source->tensors().size(), 28u);
        QCOMPARE(source->find("transformer.h_._1.mlp.c_fc.weight:0")->shape, (Shape{16, 64}));
        QCOMPARE(readAll(*source, "transformer.ln_f.gamma:0"), std::vector<float>(16, 1.0f));
    }

    /// The layout of Keras: the index lists groups, and a group may lie in several files.
    void kerasShards() {
        const Folder folder;
        writeModelFile(folder / "model_00000.weights.h5",
                       {{"layers.dense.vars.0", {2}, {1, 2}}, {"layers.head.vars.0", {1}, {3}}});
        writeModelFile(folder / "model_00001.weights.h5", {{"layers.head.vars.1", {1}, {4}}});
        writeBytes(folder / "model.weights.json",
                   R"({"metadata":{"total_size":1.5e-8},"weight_map":{
                       "/layers/dense/vars":"model_00000.weights.h5",
                       "/layers/head/vars":["model_00000.weights.h5","model_00001.weights.h5"]}})");
        for (const char* name : {"model.weights.json", "model_00001.weights.h5"}) {
            const auto source = opened(folder / name);
            QVERIFY(source->notes().empty());
            QCOMPARE(readAll(*source, "layers.dense.vars.0"), (std::vector<float>{1, 2}));
            QCOMPARE(readAll(*source, "layers.head.vars.0"), std::vector<float>{3});
            QCOMPARE(readAll(*source, "layers.head.vars.1"), std::vector<float>{4});
        }
    }

    void kerasTensorInTwoShards() {
        const Folder folder;
        for (const char* name : {"model_00000.weights.h5", "model_00001.weights.h5"})
            writeModelFile(folder / name, {{"head.vars.0", {1}, {3}}});
        writeBytes(folder / "model.weights.json",
                   R"({"weight_map":{
                       "/head/vars":["model_00000.weights.h5","model_00001.weights.h5"]}})");
        const auto source = openTensorSource(folder / "model.weights.json");
        QVERIFY(!source);
        QVERIFY2(mentions(source.error(), "tensor 'head.vars.0' is in 'model_0000"),
                 source.error().message.c_str());
    }
};

const headscope::test::TestRegistration<TestShardedSource> registration;

} // namespace test_sharded_source

#include "test_sharded_source.moc"
