#include "core/io/hdf5_writer.h"
#include "tests/io/io_files.h"
#include "tests/io/small_disk.h"
#include "tests/io/source_values.h"
#include "tests/io/stderr_capture.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <hdf5.h>

#include <cstring>
#include <numeric>

namespace test_hdf5_writer {

using namespace headscope;
using namespace headscope::test;
using namespace std::string_literals;

namespace {

std::vector<float> counting(std::size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 0.0f);
    return values;
}

bool readDataset(hid_t file, const char* path, hid_t type, void* values) {
    const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    const bool read = H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    H5Dclose(dataset);
    return read;
}

/// Leaves memory full of bytes that nothing should depend on.
void dirtyMemory(int byte) {
    for (std::size_t size = 16; size < (4u << 20); size *= 2) {
        std::vector<std::vector<char>> blocks(8, std::vector<char>(size));
        for (auto& block : blocks)
            std::memset(block.data(), byte, block.size());
    }
}

} // namespace

class TestHdf5Writer : public QObject {
    Q_OBJECT

private slots:
    void roundTrip() {
        const Folder folder;
        const auto pattern = counting(3 * 5 * 7);
        const std::vector<std::int32_t> ids{1, -2, 50256};
        const std::vector<float> scalar{3.5f};
        const std::vector<Hdf5Array> arrays{
            {"blocks/3/attn/hook_pattern", {3, 5, 7}, std::span<const float>(pattern)},
            {"blocks/3/attn/empty", {0, 4}, std::span<const float>()},
            {"input_ids", {3}, std::span<const std::int32_t>(ids)},
            {"loss", {}, std::span<const float>(scalar)}};
        const std::vector<Hdf5Attribute> attributes{{"note", "naïve"},
                                                    {"config", std::string(100'000, 'c')}};
        const auto path = folder / "out.h5";
        QVERIFY(writeHdf5(path, arrays, attributes));
        const auto source = openTensorSource(path);
        QVERIFY(source);
        QCOMPARE((*source)->tensors().size(), 4u);
        QCOMPARE((*source)->find("blocks.3.attn.hook_pattern")->shape, (Shape{3, 5, 7}));
        QCOMPARE((*source)->find("input_ids")->type, StoredType::Integer);
        QCOMPARE(readAll(*opened(path), "blocks.3.attn.hook_pattern"), pattern);
        QCOMPARE(readAll(*opened(path), "input_ids"), (std::vector<float>{1, -2, 50256}));
        QCOMPARE(readAll(*opened(path), "loss"), scalar);
        QCOMPARE(*(*source)->text("note"), "naïve");
        QCOMPARE((*source)->text("config")->size(), 100'000u);
    }

    void wideNumbersAndTexts() {
        const Folder folder;
        const std::vector<double> numbers{0.1, -1e300};
        const std::vector<std::int64_t> counts{std::int64_t{1} << 40, -3};
        const std::vector<std::string> texts{"", "naïve"};
        const std::vector<Hdf5Array> arrays{
            {"t/numbers", {2}, std::span<const double>(numbers)},
            {"t/counts", {2}, std::span<const std::int64_t>(counts)},
            {"t/texts", {2}, std::span<const std::string>(texts)},
            {"t/none", {0}, std::span<const std::string>()}};
        QVERIFY(writeHdf5(folder / "out.h5", arrays, {}));
        const hid_t file = H5Fopen((folder / "out.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
        std::vector<double> read_numbers(2);
        QVERIFY(readDataset(file, "t/numbers", H5T_NATIVE_DOUBLE, read_numbers.data()));
        QCOMPARE(read_numbers, numbers);
        std::vector<std::int64_t> read_counts(2);
        QVERIFY(readDataset(file, "t/counts", H5T_NATIVE_INT64, read_counts.data()));
        QCOMPARE(read_counts, counts);
        const hid_t dataset = H5Dopen2(file, "t/texts", H5P_DEFAULT);
        const hid_t type = H5Dget_type(dataset);
        QCOMPARE(H5Tget_size(type), texts[1].size());
        QCOMPARE(H5Tget_cset(type), H5T_CSET_UTF8);
        std::string read_texts(2 * texts[1].size(), 'x');
        QVERIFY(readDataset(file, "t/texts", type, read_texts.data()));
        QCOMPARE(read_texts, std::string(texts[1].size(), '\0') + texts[1]);
        H5Tclose(type);
        H5Dclose(dataset);
        H5Fclose(file);
    }

    void sameInputSameBytes() {
        const Folder folder;
        const auto values = counting(900 * 700);
        const std::vector<Hdf5Array> arrays{
            {"a/b/large", {900, 700}, std::span<const float>(values)},
            {"a/small", {3}, std::span<const float>(values).first(3)}};
        const std::vector<Hdf5Attribute> attributes{{"note", "same"}};
        dirtyMemory(0xAA);
        QVERIFY(writeHdf5(folder / "1.h5", arrays, attributes));
        dirtyMemory(0x55);
        QTest::qSleep(1100); // time stamps count seconds
        QVERIFY(writeHdf5(folder / "2.h5", arrays, attributes));
        QVERIFY(readBytes(folder / "1.h5") == readBytes(folder / "2.h5"));
        QCOMPARE(readAll(*opened(folder / "1.h5"), "a.b.large"), values);
    }

    void holdsNoMoreThanItsContent() {
        const Folder folder;
        const auto values = counting(3);
        const std::vector<Hdf5Array> arrays{{"w", {3}, std::span<const float>(values)}};
        QVERIFY(writeHdf5(folder / "out.h5", arrays, {}));
        QVERIFY(std::filesystem::file_size(folder / "out.h5") < 10'000);
    }

    void chunksAreRunsOfRows_data() {
        QTest::addColumn<QList<qulonglong>>("shape");
        QTest::addColumn<QList<qulonglong>>("chunk");
        const auto row = [](const char* name, QList<qulonglong> shape, QList<qulonglong> chunk) {
            QTest::newRow(name) << std::move(shape) << std::move(chunk);
        };
        row("small", {3, 5}, {3, 5});
        row("rows", {900, 700}, {374, 700});
        row("matrices", {12, 300, 300}, {2, 300, 300});
        row("parts of a long row", {2, 600'000}, {1, 262'144});
    }
    void chunksAreRunsOfRows() {
        QFETCH(QList<qulonglong>, shape);
        QFETCH(QList<qulonglong>, chunk);
        const Folder folder;
        const Shape sizes(shape.begin(), shape.end());
        const std::vector<float> values(elementCount(sizes), 1.0f);
        const std::vector<Hdf5Array> arrays{{"w", sizes, std::span<const float>(values)}};
        QVERIFY(writeHdf5(folder / "out.h5", arrays, {}));
        const hid_t file = H5Fopen((folder / "out.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
        const hid_t dataset = H5Dopen2(file, "w", H5P_DEFAULT);
        const hid_t properties = H5Dget_create_plist(dataset);
        std::vector<hsize_t> found(sizes.size());
        H5Pget_chunk(properties, static_cast<int>(found.size()), found.data());
        unsigned flags = 0;
        std::size_t values_count = 0;
        const H5Z_filter_t filter =
            H5Pget_filter2(properties, 0, &flags, &values_count, nullptr, 0, nullptr, nullptr);
        H5Pclose(properties);
        H5Dclose(dataset);
        H5Fclose(file);
        QCOMPARE(QList<qulonglong>(found.begin(), found.end()), chunk);
        QCOMPARE(filter, H5Z_FILTER_FLETCHER32);
    }

    /// Read back by HDF5 itself and by the reader of chunks: several chunks, the last of them not
    /// full, of both widths, and arrays that stay in one piece.
    void packedArrays() {
        const Folder folder;
        const std::vector<float> wide = counting(601 * 1000); // 1 MiB holds 262 rows
        std::vector<std::uint16_t> narrow(700 * 900);
        std::iota(narrow.begin(), narrow.end(), std::uint16_t{0x3C00});
        const std::vector<float> small{1, 2, 3};
        const std::vector<float> scalar{0.5f};
        const std::vector<std::span<const std::byte>> bytes{std::as_bytes(std::span(wide)),
                                                            std::as_bytes(std::span(narrow)),
                                                            std::as_bytes(std::span(small)),
                                                            std::as_bytes(std::span(scalar)),
                                                            {}};
        const std::vector<StreamedArray> arrays{
            {"a/wide", {601, 1000}, FloatFormat::Float32, true},
            {"a/narrow", {700, 900}, FloatFormat::Float16, true},
            {"a/small", {3}, FloatFormat::Float32, true},
            {"a/scalar", {}, FloatFormat::Float32, true},
            {"a/none", {0, 5}, FloatFormat::Float32, true}};
        const auto produce = [&](std::size_t array, const AppendBytes& append) -> Result<void> {
            for (auto left = bytes[array]; !left.empty();) { // in pieces that fit no chunk
                const auto piece = left.first(std::min<std::size_t>(left.size(), 300'001));
                if (auto done = append(piece); !done)
                    return done;
                left = left.subspan(piece.size());
            }
            return {};
        };
        const auto path = folder / "packed.h5";
        const auto written = writeHdf5Streamed(path, arrays, {}, produce);
        QVERIFY2(written, written ? "" : written.error().message.c_str());
        QVERIFY(std::filesystem::file_size(path) < (bytes[0].size() + bytes[1].size()) / 2);
        QCOMPARE(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);

        const auto source = opened(path);
        QCOMPARE(readAll(*source, "a.wide"), wide);
        QCOMPARE(readAll(*source, "a.small"), small);
        QCOMPARE(readAll(*source, "a.scalar"), scalar);
        std::vector<std::uint16_t> words(narrow.size());
        QVERIFY(source->read(*source->find("a.narrow"), std::span(words)));
        QCOMPARE(words, narrow);

        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
        std::vector<float> read(wide.size());
        QVERIFY(readDataset(file, "a/wide", H5T_NATIVE_FLOAT, read.data()));
        QCOMPARE(read, wide);
        H5Fclose(file);
    }

    void packedArraysOfAnotherSize_data() {
        QTest::addColumn<std::size_t>("bytes");
        QTest::addColumn<QString>("reason");
        QTest::newRow("fewer") << std::size_t{79'996} << QStringLiteral("fewer numbers than");
        QTest::newRow("more") << std::size_t{80'004} << QStringLiteral("more numbers than");
    }
    void packedArraysOfAnotherSize() {
        QFETCH(const std::size_t, bytes);
        QFETCH(const QString, reason);
        const Folder folder;
        const std::vector<StreamedArray> arrays{{"w", {20'000}, FloatFormat::Float32, true}};
        const std::vector<std::byte> numbers(bytes);
        const auto written = writeHdf5Streamed(
            folder / "out.h5", arrays, {},
            [&](std::size_t, const AppendBytes& append) { return append(numbers); });
        QVERIFY(!written);
        QVERIFY2(QString::fromStdString(written.error().message).contains(reason),
                 written.error().message.c_str());
        QVERIFY(std::filesystem::is_empty(folder.path()));
    }

    void fullDiskLeavesNothing() {
        const Folder folder;
        const auto values = counting(100'000);
        const std::vector<Hdf5Array> arrays{{"w", {100'000}, std::span<const float>(values)}};
        StderrCapture captured;
        {
            const SmallDisk disk(200'000);
            const auto written = writeHdf5(folder / "out.h5", arrays, {});
            QVERIFY(!written);
            QCOMPARE(written.error().code, ErrorCode::WriteFailed);
            QVERIFY2(mentions(written.error(), (folder / "out.h5").string()),
                     written.error().message.c_str());
        }
        QVERIFY2(captured.text().empty(), captured.text().c_str());
        QCOMPARE(folder.fileCount(), 0u);
        // HDF5 is none the worse for it.
        QVERIFY(writeHdf5(folder / "out.h5", arrays, {}));
        QCOMPARE(readAll(*opened(folder / "out.h5"), "w"), values);
    }

    void aFileSizeLimitIsNoLackOfMemory() {
        const Folder folder;
        const auto path = folder / "out.h5";
        const std::vector<StreamedArray> arrays{{"w", {100'000}}};
        StderrCapture captured;
        const SmallDisk disk(4096);
        const auto written = writeHdf5Streamed(path, arrays, {}, [](auto, const auto&) {
            return Result<void>(Error{ErrorCode::WriteFailed, "not reached"});
        });
        QVERIFY(!written);
        QVERIFY2(mentions(written.error(), "the file would be larger than the 4.10 kB"),
                 written.error().message.c_str());
        QCOMPARE(folder.fileCount(), 0u);
    }

    void unwritablePath() {
        const auto written = writeHdf5("/no/such/folder/out.h5", {}, {});
        QVERIFY(!written);
        QCOMPARE(written.error().message,
                 "Cannot write '/no/such/folder/out.h5': its folder does not exist; create it or "
                 "choose another one.");
    }

    void wrongRequests_data() {
        QTest::addColumn<QByteArray>("first");
        QTest::addColumn<QByteArray>("second");
        QTest::addColumn<QByteArray>("reason");
        QTest::newRow("same path twice")
            << QByteArray("a") << QByteArray("a") << QByteArray("HDF5 refuses array 'a'");
        QTest::newRow("array as a group")
            << QByteArray("a") << QByteArray("a/b") << QByteArray("HDF5 refuses array 'a/b'");
        QTest::newRow("no path") << QByteArray("a") << QByteArray()
                                 << QByteArray("HDF5 refuses array ''");
    }
    void wrongRequests() {
        QFETCH(QByteArray, first);
        QFETCH(QByteArray, second);
        QFETCH(QByteArray, reason);
        const Folder folder;
        const auto values = counting(1);
        const std::vector<Hdf5Array> arrays{
            {first.toStdString(), {1}, std::span<const float>(values)},
            {second.toStdString(), {1}, std::span<const float>(values)}};
        StderrCapture captured;
        const auto written = writeHdf5(folder / "out.h5", arrays, {});
        QVERIFY2(captured.text().empty(), captured.text().c_str());
        QVERIFY(!written);
        QVERIFY2(mentions(written.error(), reason.toStdString()), written.error().message.c_str());
        QCOMPARE(folder.fileCount(), 0u);
    }

    void shapeMustFitTheValues() {
        const Folder folder;
        const auto values = counting(5);
        const std::vector<Hdf5Array> arrays{{"w", {2, 3}, std::span<const float>(values)}};
        const auto written = writeHdf5(folder / "out.h5", arrays, {});
        QVERIFY(!written);
        QCOMPARE(written.error().code, ErrorCode::InvalidArgument);
        QVERIFY(mentions(written.error(), "array 'w' has not as many values as its shape says"));
    }

    void zeroBytesInTexts() {
        const Folder folder;
        const std::vector<Hdf5Attribute> attributes{{"note", "a\0b"s}};
        const auto written = writeHdf5(folder / "out.h5", {}, attributes);
        QVERIFY(!written);
        QVERIFY(mentions(written.error(), "the text of attribute 'note' holds a zero byte"));
        QCOMPARE(folder.fileCount(), 0u);
    }
};

const headscope::test::TestRegistration<TestHdf5Writer> registration;

} // namespace test_hdf5_writer

#include "test_hdf5_writer.moc"
