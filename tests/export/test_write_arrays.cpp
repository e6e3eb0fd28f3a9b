#include "core/export/named_array.h"
#include "core/io/tensor_source.h"
#include "tests/export/sample_arrays.h"
#include "tests/support/npz_reader.h"
#include "tests/support/runner.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

namespace test_write_arrays {

using namespace headscope;

namespace {

/// Stops this process from writing files of more than `bytes` while it lives, as a full disk would.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limited{bytes, before_.rlim_max};
        std::signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limited);
    }
    ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit before_{};
};

const std::vector<NamedArray>& oneHead() {
    static const std::vector<NamedArray> arrays{test::sampleMatrix(), test::sampleIds()};
    return arrays;
}

} // namespace

class TestWriteArrays : public QObject {
    Q_OBJECT

    std::optional<QTemporaryDir> folder_;

    std::filesystem::path path(const std::string& name) const {
        return std::filesystem::path(folder_->path().toStdString()) / name;
    }
    QStringList files() const {
        return QDir(folder_->path()).entryList(QDir::Files | QDir::Hidden, QDir::Name);
    }
    static void addFormats() {
        QTest::addColumn<std::string>("extension");
        QTest::addColumn<bool>("sidecar");
        QTest::newRow("npz") << std::string(".npz") << false;
        QTest::newRow("npy") << std::string(".npy") << true;
        QTest::newRow("h5") << std::string(".h5") << false;
        QTest::newRow("csv") << std::string(".csv") << true;
        QTest::newRow("json") << std::string(".json") << false;
    }
    Result<void> write(const std::filesystem::path& target,
                       const std::vector<NamedArray>& arrays = oneHead()) const {
        return writeArrays(target, *arrayFormatOf(target), arrays, test::sampleProvenance());
    }

private slots:
    void init() { folder_.emplace(); }

    void extensionsNameFormats() {
        QCOMPARE(arrayFormatOf("a/b.npz"), ArrayFormat::Npz);
        QCOMPARE(arrayFormatOf("b.hdf5"), ArrayFormat::Hdf5);
        QCOMPARE(arrayFormatOf("b.txt"), std::nullopt);
        QCOMPARE(arrayFormatOf("npz"), std::nullopt);
        QCOMPARE(extensionOf(ArrayFormat::Hdf5), std::string_view(".h5"));
    }

    void sameInputGivesSameBytes_data() { addFormats(); }
    void sameInputGivesSameBytes() {
        QFETCH(std::string, extension);
        QFETCH(bool, sidecar);
        QVERIFY(write(path("a" + extension)));
        QTest::qSleep(1100); // longer than the step of any clock that a format stores
        QVERIFY(write(path("b" + extension)));
        QCOMPARE(test::readFile(path("a" + extension)), test::readFile(path("b" + extension)));
        QCOMPARE(files().size(), sidecar ? 4 : 2);
    }

    void sidecarHoldsTheProvenance_data() { addFormats(); }
    void sidecarHoldsTheProvenance() {
        QFETCH(std::string, extension);
        QFETCH(bool, sidecar);
        QVERIFY(write(path("a" + extension)));
        QCOMPARE(std::filesystem::exists(path("a" + extension + ".json")), sidecar);
        if (sidecar)
            QCOMPARE(test::readFile(path("a" + extension + ".json")),
                     test::sampleProvenance().json() + "\n");
    }

    void npyHoldsTheArrayWithoutTheIds() {
        QVERIFY(write(path("a.npy")));
        QCOMPARE(test::parseNpy(test::readFile(path("a.npy"))).shape, (Shape{2, 2}));
    }

    void npyRefusesSeveralArrays() {
        const auto written =
            write(path("a.npy"), {test::sampleMatrix(), test::sampleTensor(), test::sampleIds()});
        QVERIFY(!written);
        QCOMPARE(written.error().code, ErrorCode::InvalidArgument);
        QVERIFY(written.error().message.find(path("a.npy").string()) != std::string::npos);
        QVERIFY(written.error().message.find(".npz") != std::string::npos);
        QVERIFY(files().isEmpty());
    }

    void csvOfOneHeadIsAMatrixAndOfMoreIsLong() {
        QVERIFY(write(path("a.csv")));
        QVERIFY(test::readFile(path("a.csv")).starts_with("query / key,"));
        QVERIFY(write(path("b.csv"), {test::sampleMatrix(), test::sampleTensor()}));
        QVERIFY(test::readFile(path("b.csv")).starts_with("array,index_0,"));
    }

    void hdf5ReadsBackAsTensors() {
        QVERIFY(write(path("a.h5")));
        const auto source = openTensorSource(path("a.h5"));
        QVERIFY2(source, source ? "" : source.error().message.c_str());
        const TensorInfo* info = (*source)->find("blocks.4.attn.hook_pattern.1");
        QVERIFY(info != nullptr);
        QCOMPARE(info->shape, (Shape{2, 2}));
        std::vector<float> values(4);
        QVERIFY((*source)->read(*info, values));
        QCOMPARE(values, (std::vector<float>{1.0f, 0.0f, 0.25f, 0.75f}));
        QCOMPARE((*source)->find("input_ids")->type, StoredType::Integer);
        QCOMPARE((*source)->text("provenance"), test::sampleProvenance().json());
    }

    /// A prompt of thousands of tokens makes the provenance longer than the 64 KiB that HDF5 allows
    /// a compact attribute.
    void hdf5TakesALongProvenance() {
        Provenance provenance = test::sampleProvenance();
        provenance.note = std::string(200000, 'x');
        const auto written = writeArrays(path("a.h5"), ArrayFormat::Hdf5, oneHead(), provenance);
        QVERIFY2(written, written ? "" : written.error().message.c_str());
        const auto source = openTensorSource(path("a.h5"));
        QVERIFY(source);
        QCOMPARE((*source)->text("provenance"), provenance.json());
    }

    void missingFolderIsNamed_data() { addFormats(); }
    void missingFolderIsNamed() {
        QFETCH(std::string, extension);
        const std::filesystem::path target = path("none/a" + extension);
        const auto written = write(target);
        QVERIFY(!written);
        QCOMPARE(written.error().code, ErrorCode::WriteFailed);
        QVERIFY2(written.error().message.find(target.string()) != std::string::npos,
                 written.error().message.c_str());
        QVERIFY(files().isEmpty());
    }

    void fullDiskLeavesTheOldFile_data() { addFormats(); }
    void fullDiskLeavesTheOldFile() {
        QFETCH(std::string, extension);
        const std::filesystem::path target = path("a" + extension);
        QVERIFY(write(target));
        const std::string before = test::readFile(target);
        const QStringList files_before = files();

        const std::vector<NamedArray> large{{"x", {100000}, std::vector<float>(100000, 0.5f)}};
        const auto written = [&] {
            const FileSizeLimit limit(20000);
            return write(target, large);
        }();
        QVERIFY(!written);
        QCOMPARE(written.error().code, ErrorCode::WriteFailed);
        QVERIFY2(written.error().message.find(target.string()) != std::string::npos,
                 written.error().message.c_str());
        QCOMPARE(test::readFile(target), before);
        QCOMPARE(files(), files_before);
    }
};

const headscope::test::TestRegistration<TestWriteArrays> registration;

} // namespace test_write_arrays

#include "test_write_arrays.moc"
