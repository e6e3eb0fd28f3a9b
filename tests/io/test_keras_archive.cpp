#include "core/io/tensor_source.h"
#include "tests/io/io_files.h"
#include "tests/io/source_values.h"
#include "tests/support/hdf5_files.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <minizip/zip.h>

namespace test_keras_archive {

using namespace headscope;
using namespace headscope::test;
namespace fs = std::filesystem;

namespace {

struct Member {
    std::string name;
    std::string bytes;
};

void writeZip(const fs::path& path, const std::vector<Member>& members, bool deflated) {
    const zipFile zip = ::zipOpen64(path.c_str(), APPEND_STATUS_CREATE);
    for (const Member& member : members) {
        ::zipOpenNewFileInZip64(zip, member.name.c_str(), nullptr, nullptr, 0, nullptr, 0, nullptr,
                                deflated ? Z_DEFLATED : 0, 6, 0);
        ::zipWriteInFileInZip(zip, member.bytes.data(), static_cast<unsigned>(member.bytes.size()));
        ::zipCloseFileInZip(zip);
    }
    ::zipClose(zip, nullptr);
}

std::string smallWeights(const Folder& folder) {
    writeModelFile(folder / "w.h5", {{"layers.dense.vars.0", {2, 2}, {1, 2, 3, 4}}},
                   {{"name", "it"}});
    return readBytes(folder / "w.h5");
}

} // namespace

class TestKerasArchive : public QObject {
    Q_OBJECT

private slots:
    void readsWeightsAndConfig_data() {
        QTest::addColumn<bool>("deflated");
        QTest::newRow("stored") << false;
        QTest::newRow("deflated") << true;
    }
    void readsWeightsAndConfig() {
        QFETCH(bool, deflated);
        const Folder folder;
        const auto path = folder / "m.keras";
        writeZip(path,
                 {{"metadata.json", "{}"},
                  {"config.json", R"({"class_name": "Functional"})"},
                  {"model.weights.h5", smallWeights(folder)}},
                 deflated);
        const auto source = opened(path);
        QCOMPARE(source->path(), path);
        QCOMPARE(readAll(*source, "layers.dense.vars.0"), (std::vector<float>{1, 2, 3, 4}));
        QCOMPARE(*source->text("config"), R"({"class_name": "Functional"})");
        QCOMPARE(*source->text("name"), "it");
    }

    /// Written by Keras 3.
    void fileFromPython() {
        const auto source = opened(fs::path(HEADSCOPE_TEST_DATA) / "weight_files/dense.keras");
        QCOMPARE(readAll(*source, "layers.dense.vars.0"), (std::vector<float>{0, 1, 2, 3, 4, 5}));
        QCOMPARE(readAll(*source, "layers.dense.vars.1"), (std::vector<float>{7, 8}));
        QVERIFY(source->text("config")->find("\"class_name\": \"Functional\"") !=
                std::string::npos);
    }

    void otherArchivesAreRefused_data() {
        QTest::addColumn<QByteArray>("member");
        QTest::addColumn<QByteArray>("reason");
        QTest::newRow("torch") << QByteArray("archive/data.pkl")
                               << QByteArray("it is a Python pickle (PyTorch .pt or .bin)");
        QTest::newRow("numpy") << QByteArray("w.npy")
                               << QByteArray("it is a NumPy archive (.npz), whose arrays are not "
                                             "read; save them in Python: import numpy");
        QTest::newRow("other") << QByteArray("x.txt")
                               << QByteArray("it is a zip archive and no Keras model (it holds no "
                                             "model.weights.h5)");
    }
    void otherArchivesAreRefused() {
        QFETCH(QByteArray, member);
        QFETCH(QByteArray, reason);
        const Folder folder;
        const auto path = folder / "m.zip";
        writeZip(path, {{member.toStdString(), "x"}}, false);
        const auto source = openTensorSource(path);
        QVERIFY(!source);
        QCOMPARE(source.error().code, ErrorCode::Unsupported);
        QVERIFY2(mentions(source.error(), "m.zip': " + reason.toStdString()),
                 source.error().message.c_str());
    }

    void weightsTwice() {
        const Folder folder;
        writeZip(folder / "m.keras", {{"model.weights.h5", "a"}, {"model.weights.h5", "b"}}, false);
        const auto source = openTensorSource(folder / "m.keras");
        QVERIFY(!source);
        QVERIFY(mentions(source.error(), "it holds 'model.weights.h5' twice"));
    }

    void weightsOfAnotherKind() {
        const Folder folder;
        writeZip(folder / "m.keras", {{"model.weights.h5", std::string(5000, 'x')}}, true);
        const auto source = openTensorSource(folder / "m.keras");
        QVERIFY(!source);
        QVERIFY2(mentions(source.error(), "m.keras': it is an HDF5 file that is damaged"),
                 source.error().message.c_str());
    }

    void unpackedWeightsBeyondTheBudget() {
        const Folder folder;
        writeZip(folder / "m.keras", {{"model.weights.h5", std::string(3'000'000, '\0')}}, true);
        const auto source = openTensorSource(folder / "m.keras", 2'000'000);
        QVERIFY(!source);
        QCOMPARE(source.error().code, ErrorCode::TooLarge);
        QVERIFY2(mentions(source.error(), "'model.weights.h5' in it has 3.00 MB, expected at most "
                                          "2.00 MB."),
                 source.error().message.c_str());
    }

    void wrongCheckSum() {
        const Folder folder;
        const auto path = folder / "m.keras";
        writeZip(path, {{"model.weights.h5", smallWeights(folder)}}, false);
        std::string bytes = readBytes(path);
        bytes[bytes.find("\x89HDF") + 2000] ^= 1;
        writeBytes(path, bytes);
        const auto source = openTensorSource(path);
        QVERIFY(!source);
        QVERIFY2(mentions(source.error(), "'model.weights.h5' in it is damaged or cut short"),
                 source.error().message.c_str());
    }

    void truncatedAtEveryLength() {
        const Folder folder;
        const auto path = folder / "m.keras";
        writeZip(path, {{"config.json", "{}"}, {"model.weights.h5", smallWeights(folder)}}, true);
        const std::string whole = readBytes(path);
        // minizip takes fields of the last record that are cut off for zeros, so each length there.
        constexpr std::size_t last_record = 22;
        for (std::size_t length = 0; length < whole.size();
             length += length + last_record < whole.size() ? 7 : 1) {
            writeBytes(path, std::string_view(whole).substr(0, length));
            QVERIFY2(!openTensorSource(path), QByteArray::number(qulonglong(length)));
        }
    }

    void stopsWhenAsked() {
        const Folder folder;
        writeZip(folder / "m.keras", {{"model.weights.h5", smallWeights(folder)}}, false);
        std::stop_source stop;
        stop.request_stop();
        const auto source =
            openTensorSource(folder / "m.keras", defaultTensorBudget(), stop.get_token());
        QVERIFY(!source);
        QCOMPARE(source.error().code, ErrorCode::Cancelled);
    }
};

const headscope::test::TestRegistration<TestKerasArchive> registration;

} // namespace test_keras_archive

#include "test_keras_archive.moc"
