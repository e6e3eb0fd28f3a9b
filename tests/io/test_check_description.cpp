#include "core/io/sealed/file_description.h"
#include "tests/io/io_files.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <functional>
#include <limits>

namespace test_check_description {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr std::size_t kFileBytes = 1000;
constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();

/// [5, 6] of float32 in chunks of [2, 4]: three rows of two.
DatasetDescription chunked() {
    return {.path = "w",
            .shape = {5, 6},
            .type = StoredType::Float32,
            .element_bytes = 4,
            .storage = ChunkedStorage{{2, 4},
                                      {ChunkFilter::Shuffle, ChunkFilter::Deflate},
                                      std::vector<ChunkPlace>(6, {.offset = 100, .bytes = 20})}};
}

DatasetDescription contiguous() {
    return {.path = "w",
            .shape = {5, 6},
            .type = StoredType::Float32,
            .element_bytes = 4,
            .storage = ContiguousStorage{880}};
}

ChunkedStorage& chunksOf(DatasetDescription& dataset) {
    return std::get<ChunkedStorage>(dataset.storage);
}

using Change = std::function<void(DatasetDescription&)>;

} // namespace

class TestCheckDescription : public QObject {
    Q_OBJECT

private slots:
    void whatIsTrueIsTaken() {
        QVERIFY(checkDataset(chunked(), kFileBytes));
        QCOMPARE(storedBytes(chunked()), 120u);
        QVERIFY(checkDataset(contiguous(), kFileBytes));
        QCOMPARE(storedBytes(contiguous()), 120u);
        DatasetDescription empty{.path = "w", .shape = {0, 3}, .element_bytes = 4, .storage = {}};
        QVERIFY(checkDataset(empty, kFileBytes));
        QCOMPARE(storedBytes(empty), 0u);
    }

    void liesAreSeen_data() {
        QTest::addColumn<DatasetDescription>("dataset");
        QTest::addColumn<Change>("change");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* reason, DatasetDescription dataset, Change change) {
            QTest::addRow("%s %d", reason, static_cast<int>(dataset.storage.index()))
                << std::move(dataset) << std::move(change) << QByteArray(reason);
        };
        using Dataset = DatasetDescription&;
        row("has no proper name", contiguous(), [](Dataset d) { d.path = ""; });
        row("has no proper name", contiguous(), [](Dataset d) { d.path = "\xFF"; });
        row("has no proper name", chunked(), [](Dataset d) { d.path.assign(40'000, 'a'); });
        row("cannot have 8 bytes", contiguous(), [](Dataset d) { d.element_bytes = 8; });
        row("cannot have 0 bytes", contiguous(), [](Dataset d) {
            d.type = StoredType::Other;
            d.element_bytes = 0;
        });
        row("cannot have 3 bytes", contiguous(), [](Dataset d) {
            d.type = StoredType::Integer;
            d.element_bytes = 3;
        });
        row("larger than any memory", contiguous(), [](Dataset d) {
            d.shape = {std::size_t{1} << 33, std::size_t{1} << 33};
        });
        row("larger than any memory", chunked(), [](Dataset d) { d.shape.assign(9, 1); });
        row("its numbers lie past the end", contiguous(),
            [](Dataset d) { d.storage = ContiguousStorage{881}; });
        row("its numbers lie past the end", contiguous(),
            [](Dataset d) { d.storage = ContiguousStorage{kHuge - 3}; });
        row("another size than its shape", contiguous(),
            [](Dataset d) { d.storage = CompactStorage(119); });
        row("its chunks have no shape", chunked(),
            [](Dataset d) { chunksOf(d).chunk_shape = {2}; });
        row("its chunks have no shape", chunked(), [](Dataset d) {
            chunksOf(d).chunk_shape = {0, 4};
        });
        row("far larger than itself", chunked(), [](Dataset d) {
            chunksOf(d).chunk_shape = {std::size_t{1} << 20, 16};
            chunksOf(d).places.resize(1);
        });
        row("far larger than itself", chunked(), [](Dataset d) {
            chunksOf(d).chunk_shape = {std::size_t{1} << 40, std::size_t{1} << 40};
        });
        row("not as many chunks", chunked(), [](Dataset d) { chunksOf(d).places.pop_back(); });
        row("not as many chunks", chunked(), [](Dataset d) { chunksOf(d).places.push_back({}); });
        row("twice by the same filter", chunked(),
            [](Dataset d) { chunksOf(d).filters.assign(2, ChunkFilter::Deflate); });
        row("a chunk lies past the end", chunked(),
            [](Dataset d) { chunksOf(d).places[3].offset = 981; });
        row("a chunk lies past the end", chunked(),
            [](Dataset d) { chunksOf(d).places[3].bytes = kHuge; });
        row("together larger than the file", chunked(), [](Dataset d) {
            for (ChunkPlace& place : chunksOf(d).places)
                place.bytes = 200;
        });
        row("leaves out a filter that there is not", chunked(),
            [](Dataset d) { chunksOf(d).places[0].skipped_filters = 4; });
        row("too small for what it shall unpack to", chunked(), [](Dataset d) {
            d.shape = {100'000, 6};
            chunksOf(d).chunk_shape = {100'000, 6};
            chunksOf(d).places.resize(1);
        });
    }
    void liesAreSeen() {
        QFETCH(DatasetDescription, dataset);
        QFETCH(Change, change);
        QFETCH(QByteArray, reason);
        change(dataset);
        const auto checked = checkDataset(dataset, kFileBytes);
        QVERIFY(!checked);
        QCOMPARE(checked.error().code, ErrorCode::Malformed);
        QVERIFY2(mentions(checked.error(), "its description does not fit the file"),
                 checked.error().message.c_str());
        QVERIFY2(mentions(checked.error(), reason.toStdString()), checked.error().message.c_str());
    }

    void archives() {
        const ZipMember stored{.name = "m", .offset = 40, .stored_bytes = 960, .bytes = 960};
        const auto accepts = [](const ZipMember& member) {
            return static_cast<bool>(checkArchive({{member}}, kFileBytes));
        };
        QVERIFY(accepts(stored));
        ZipMember changed = stored;
        changed.offset = 41;
        QVERIFY(!accepts(changed));
        changed = stored;
        changed.bytes = 961;
        QVERIFY(!accepts(changed));
        changed.deflated = true;
        QVERIFY(accepts(changed));
        changed.bytes = 961 * 1032 + 1;
        QVERIFY(!accepts(changed));
    }
};

const headscope::test::TestRegistration<TestCheckDescription> registration;

} // namespace test_check_description

#include "test_check_description.moc"
