#include "tests/io/io_files.h"
#include "tests/io/source_values.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <hdf5.h>

#include <cmath>

namespace test_hdf5_chunks {

using namespace headscope;
using namespace headscope::test;
namespace fs = std::filesystem;

namespace {

/// What a chunked dataset may go through.
struct Packing {
    std::vector<hsize_t> chunk;
    bool shuffle = false;
    bool deflate = false;
    bool fletcher32 = false;
    bool check_sum_first = false;
};

void writeChunked(const fs::path& path, const std::vector<hsize_t>& dims,
                  const std::vector<float>& values, const Packing& packing, H5F_libver_t version) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, version, H5F_LIBVER_LATEST);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, static_cast<int>(packing.chunk.size()), packing.chunk.data());
    if (packing.check_sum_first)
        H5Pset_fletcher32(properties);
    if (packing.shuffle)
        H5Pset_shuffle(properties);
    if (packing.deflate)
        H5Pset_deflate(properties, 6);
    if (packing.fletcher32)
        H5Pset_fletcher32(properties);
    const hid_t space = H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr);
    const hid_t dataset =
        H5Dcreate2(file, "w", H5T_IEEE_F32LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Fclose(file);
    H5Pclose(access);
}

} // namespace

class TestHdf5Chunks : public QObject {
    Q_OBJECT

private slots:
    void chunksAreUnpacked_data() {
        QTest::addColumn<Packing>("packing");
        QTest::newRow("plain") << Packing{{3, 4}};
        QTest::newRow("one chunk") << Packing{{10, 9}};
        QTest::newRow("rows") << Packing{{1, 9}, false, true};
        QTest::newRow("shuffle") << Packing{{3, 4}, true};
        QTest::newRow("deflate") << Packing{{3, 4}, false, true};
        QTest::newRow("shuffle, deflate") << Packing{{3, 4}, true, true};
        QTest::newRow("check sum") << Packing{{3, 4}, false, false, true};
        QTest::newRow("all") << Packing{{3, 4}, true, true, true};
        QTest::newRow("check sum before the others") << Packing{{3, 4}, true, true, false, true};
    }
    void chunksAreUnpacked() {
        QFETCH(Packing, packing);
        const Folder folder;
        std::vector<float> values(90);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = std::sin(static_cast<float>(i));
        for (const H5F_libver_t version : {H5F_LIBVER_EARLIEST, H5F_LIBVER_V110}) {
            writeChunked(folder / "m.h5", {10, 9}, values, packing, version);
            QCOMPARE(readAll(*opened(folder / "m.h5"), "w"), values);
        }
    }

    void stopsBetweenChunks() {
        const Folder folder;
        writeChunked(folder / "m.h5", {10, 9}, exactValues(90), {{3, 4}, true, true},
                     H5F_LIBVER_EARLIEST);
        const auto source = opened(folder / "m.h5");
        std::stop_source stop;
        stop.request_stop();
        std::vector<float> target(90);
        const auto read = source->read(source->tensors()[0], target, stop.get_token());
        QVERIFY(!read);
        QCOMPARE(read.error().code, ErrorCode::Cancelled);
    }

    void chunksOfThreeAxes() {
        const Folder folder;
        const auto values = exactValues(5 * 7 * 6);
        writeChunked(folder / "m.h5", {5, 7, 6}, values, {{2, 3, 4}, true, true},
                     H5F_LIBVER_EARLIEST);
        QCOMPARE(readAll(*opened(folder / "m.h5"), "w"), values);
    }
};

const headscope::test::TestRegistration<TestHdf5Chunks> registration;

} // namespace test_hdf5_chunks

#include "test_hdf5_chunks.moc"
