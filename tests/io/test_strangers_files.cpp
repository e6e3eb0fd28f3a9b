#include "core/io/tensor_source.h"
#include "tests/io/io_files.h"
#include "tests/io/source_values.h"
#include "tests/support/runner.h"
#include "tests/support/sanitizer.h"

#include <QFile>
#include <QObject>
#include <QTest>

#include <algorithm>
#include <array>

namespace test_strangers_files {

using namespace headscope;
using namespace headscope::test;
namespace fs = std::filesystem;

namespace {

fs::path hostile(const char* name) {
    return fs::path(HEADSCOPE_TEST_DATA) / "hostile" / name;
}

/// Opens the file and reads every tensor of it; what went wrong first, or "".
std::string firstProblem(const fs::path& path) {
    const auto source = openTensorSource(path);
    if (!source)
        return source.error().message;
    for (const TensorInfo& tensor : (*source)->tensors()) {
        std::vector<float> values(elementCount(tensor.shape));
        if (auto read = (*source)->read(tensor, values); !read)
            return read.error().message;
    }
    return "";
}

} // namespace

/// Files that brought earlier versions of Headscope down.
class TestStrangersFiles : public QObject {
    Q_OBJECT

private slots:
    void refused_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* name, const char* reason) {
            QTest::newRow(name) << QByteArray(name) << QByteArray(reason);
        };
        row("heap-overflow-chunk.h5", "a part of it is damaged or was never written");
        row("crash-on-read.h5", "it is damaged so that the HDF5 library crashes on it");
        row("crash-on-read-2.h5", "it is damaged so that the HDF5 library crashes on it");
        row("crash-where-fork-fails.h5", "its list of tensors is damaged");
        row("heap-corruption-cve-2024-33877.h5", "its shape [2] claims 254 B, but only 24 B are");
        row("endless-open.h5", "the HDF5 library comes to no end with it");
    }
    /// HDF5 of another version may see the damage earlier, and then refuses it in its own words; a
    /// sanitizer that sees it wants to say so, which it may not.
    void refused() {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, reason);
        const std::string problem = firstProblem(hostile(name.constData()));
        const bool refused = std::ranges::any_of(
            std::array{reason.toStdString(), std::string("damaged"), std::string("was stopped")},
            [&](const std::string& words) { return problem.find(words) != std::string::npos; });
        QVERIFY2(refused, problem.c_str());
        QVERIFY(problem.find(name.toStdString()) != std::string::npos);
        QCOMPARE(firstProblem(fs::path(HEADSCOPE_SAMPLE_MODELS) / "microgpt.h5"), std::string());
    }

    /// Only the newer formats have checksums, and HDF5 waits before it reads again.
    void cutShortInANewFormat() {
        const Folder folder;
        writeBytes(folder / "cut.h5",
                   readBytes(fs::path(HEADSCOPE_TEST_DATA) / "../fuzz/corpus/hdf5/v110.h5")
                       .substr(0, 120));
        const std::string problem = firstProblem(folder / "cut.h5");
        QVERIFY2(problem.find("damaged or cut short (120 B)") != std::string::npos,
                 problem.c_str());
    }

    /// 1 MB that a group unpacks to 1 GB.
    void heapBomb() {
        if (isSanitized())
            QSKIP("a sanitizer takes terabytes of addresses, so nothing limits them");
        QFile packed(QString::fromStdString(hostile("heap-bomb.h5.qz").string()));
        QVERIFY(packed.open(QIODevice::ReadOnly));
        const Folder folder;
        writeBytes(folder / "bomb.h5", qUncompress(packed.readAll()).toStdString());
        const std::string problem = firstProblem(folder / "bomb.h5");
        QVERIFY2(problem.find("its description takes more memory than a file of 1.05 MB can "
                              "need") != std::string::npos,
                 problem.c_str());
    }

    /// The length of its header begins with the first bytes of a pickle.
    void safetensorsThatLookLikeAPickle() {
        QCOMPARE(firstProblem(hostile("valid-but-called-pickle-min.safetensors")), std::string());
    }
};

const headscope::test::TestRegistration<TestStrangersFiles> registration;

} // namespace test_strangers_files

#include "test_strangers_files.moc"
