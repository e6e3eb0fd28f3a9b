#include "core/io/reader/hdf5/hdf5_library.h"
#include "core/io/tensor_source.h"
#include "tests/io/hostile_files.h"
#include "tests/io/io_files.h"
#include "tests/io/stderr_capture.h"
#include "tests/support/hdf5_files.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <hdf5.h>

#include <functional>
#include <random>

namespace test_hostile_hdf5 {

using namespace headscope;
using namespace headscope::test;
namespace fs = std::filesystem;

namespace {

using Writer = std::function<void(const fs::path&)>;

/// Opens the file and reads all there is; the first error, if any.
std::optional<Error> firstError(const fs::path& path) {
    const auto source = openTensorSource(path);
    if (!source)
        return source.error();
    for (const TensorInfo& tensor : (*source)->tensors()) {
        std::vector<float> values(elementCount(tensor.shape));
        if (const auto read = (*source)->read(tensor, values); !read)
            return read.error();
    }
    return std::nullopt;
}

/// A small model with one of everything that can break.
void writeVariedModel(const fs::path& path) {
    std::vector<float> values(60);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(i) / 8.0f;
    writeModelFile(path,
                   {{"h.0.weight", {6, 10}, values},
                    {"h.0.bias", {60}, values, Storage::Float16},
                    {"h.1.weight", {10, 6}, values, Storage::Float64BigEndian},
                    {"h.1.bias", {60}, values, Storage::BFloat16Opaque}},
                   {{"config", "{\"model_type\": \"gpt2\"}"}, {"tokenizer", "{}", false}});
}

} // namespace

class TestHostileHdf5 : public QObject {
    Q_OBJECT

private slots:
    void init() {
        // What a program that never heard of it would print.
        H5Eset_auto2(H5E_DEFAULT, reinterpret_cast<H5E_auto2_t>(H5Eprint2), stderr);
    }

    void refusedWhenOpened_data() {
        QTest::addColumn<Writer>("write");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* name, Writer write, const char* reason) {
            QTest::newRow(name) << std::move(write) << QByteArray(reason);
        };
        row("external storage", writeExternalStorage,
            ", tensor 'weight': its numbers are in another file (external storage), which is never "
            "read; save the model as one file.");
        row("external link", writeExternalLink,
            ": 'weight' is an external link, to another file, and links are never followed; save "
            "the model as one file with the tensor itself in this place.");
        row("soft link to itself", writeSoftLink, ": 'weight' is a soft link, and links are never");
        row("virtual dataset", writeVirtualDataset,
            ", tensor 'weight': it is a virtual dataset, whose numbers are in other files");
        row("group that holds itself", writeGroupLoop,
            ": group '/a/again/' is reached by two paths (a loop of hard links)");
        row("group under two names", writeSharedGroup, ": group '/b/' is reached by two paths");
        row(
            "deep groups", [](const fs::path& path) { writeDeepGroups(path, 33); },
            ": its groups are nested more than 32 deep");
        row(
            "many links", [](const fs::path& path) { writeManyLinks(path, 100'001); },
            ": it has more than 100000 links, which no model needs");
        row(
            "long name", [](const fs::path& path) { writeName(path, std::string(1025, 'n')); },
            ": a name in it has 1025 bytes, expected 1 to 1024");
        row(
            "name that is not UTF-8", [](const fs::path& path) { writeName(path, "we\xFFght"); },
            ": a name in group '/' is not UTF-8 or holds a '/'");
        row(
            "name with a slash",
            [](const fs::path& path) {
                writeName(path, "we_ght");
                patch(path, "we_ght", "we/ght");
            },
            ": a name in group '/' is not UTF-8 or holds a '/'");
        row("unknown filter", writeUnknownFilter,
            ", tensor 'weight': it is stored with filter 32008, expected deflate (gzip), shuffle "
            "or Fletcher-32; save it with compression='gzip' or none.");
        row("two deflate filters", writeDoubleDeflate,
            ", tensor 'weight': it is packed twice by the same filter");
        row(
            "nothing stored", [](const fs::path& path) { writeUnallocated(path, false); },
            ", tensor 'weight': its shape [1048576, 1048576] claims 4.40 TB, but only 0 B are "
            "stored for it");
        row(
            "nothing stored, deflated", [](const fs::path& path) { writeUnallocated(path, true); },
            "claims 4.40 TB, but only 0 B are stored for it");
        row("shape beyond 64 bits", writeOverflowingShape,
            ", tensor 'weight': its shape [8589934592, 8589934592] is larger than any memory");
        row(
            "32 dimensions", [](const fs::path& path) { writeManyDimensions(path, 32); },
            ", tensor 'weight': it has 32 dimensions, expected at most 8");
        row("huge chunk", writeHugeChunk,
            ", tensor 'weight': its chunks of shape [268435456] are far larger than itself, of "
            "shape [1]");
        row("chunk that was never written", writeMissingChunk,
            ", tensor 'weight': a part of it is damaged or was never written; download or copy the "
            "file again.");
        row("overlapping datasets", writeOverlap,
            ": its tensors claim to be stored in 300 kB of a file of 10");
        row(
            "many attributes", [](const fs::path& path) { writeManyAttributes(path, 1001); },
            ": it has more than 1000 attributes");
        row(
            "same name twice",
            [](const fs::path& path) {
                writeModelFile(path, {{"a/b", {1}, {1}}, {"a.b", {1}, {2}}}, {}, Naming::FlatDots);
            },
            ": it has two tensors named 'a.b'");
        row(
            "text beyond 64 MiB",
            [](const fs::path& path) {
                writeModelFile(path, {}, {{"config", std::string((64u << 20) + 1, ' ')}});
            },
            ": in attribute 'config' the text has 67.1 MB, more than the 67.1 MB that a text may "
            "have");
        row(
            "fixed text beyond 64 MiB",
            [](const fs::path& path) {
                writeModelFile(path, {}, {{"config", std::string((64u << 20) + 1, ' '), false}});
            },
            ": in attribute 'config' the text has 67.1 MB");
    }
    void refusedWhenOpened() {
        QFETCH(Writer, write);
        QFETCH(QByteArray, reason);
        const Folder folder;
        const auto path = folder / "model.h5";
        write(path);
        StderrCapture captured;
        const auto source = openTensorSource(path);
        QVERIFY2(captured.text().empty(), captured.text().c_str());
        QVERIFY(!source);
        const std::string start = "Cannot open '" + path.string() + "'";
        const std::string& message = source.error().message;
        QVERIFY2(message.starts_with(start), message.c_str());
        QVERIFY2(mentions(source.error(), reason.toStdString()), message.c_str());
    }

    void refusedWhenRead_data() {
        QTest::addColumn<Writer>("write");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* name, Writer write, const char* reason) {
            QTest::newRow(name) << std::move(write) << QByteArray(reason);
        };
        row(
            "chunk that unpacks to 40 MB",
            [](const fs::path& path) { writeLyingChunk(path, 40'000'000); },
            "a part of it is damaged or was never written");
        row(
            "chunk that unpacks to 1 MB",
            [](const fs::path& path) { writeLyingChunk(path, 1'000'000); },
            "a compressed part does not unpack to the 4096 bytes it should have");
        row(
            "chunk that unpacks to too little",
            [](const fs::path& path) { writeLyingChunk(path, 4095); },
            "a compressed part does not unpack to the 4096 bytes it should have");
        row("wrong check sum", writeWrongCheckSum,
            "a part does not match its Fletcher-32 check sum; download or copy the file again.");
    }
    void refusedWhenRead() {
        QFETCH(Writer, write);
        QFETCH(QByteArray, reason);
        const Folder folder;
        const auto path = folder / "model.h5";
        write(path);
        StderrCapture captured;
        const auto source = openTensorSource(path);
        QVERIFY2(source, source ? "" : source.error().message.c_str());
        const TensorInfo* const tensor = (*source)->find("weight");
        QVERIFY(tensor != nullptr);
        std::vector<float> values(elementCount(tensor->shape));
        const auto read = (*source)->read(*tensor, values);
        QVERIFY2(captured.text().empty(), captured.text().c_str());
        QVERIFY(!read);
        const std::string start = "Cannot read tensor 'weight' of '" + path.string() + "': ";
        QVERIFY2(read.error().message.starts_with(start + reason.toStdString()),
                 read.error().message.c_str());
        QCOMPARE(read.error().code, ErrorCode::Malformed);
    }

    /// The reader sets HDF5 up so, and could open no library either.
    void pluginsAreNeverLoaded() {
        lockHdf5().unlock();
        unsigned loadable = 1;
        QVERIFY(H5PLget_loading_state(&loadable) >= 0);
        QCOMPARE(loadable, 0u);
    }

    void otherTypesAreListedButNotRead() {
        const Folder folder;
        writeOtherTypes(folder / "model.h5");
        const auto source = openTensorSource(folder / "model.h5");
        QVERIFY(source);
        QCOMPARE((*source)->tensors().size(), 4u);
        for (const TensorInfo& tensor : (*source)->tensors()) {
            QCOMPARE(tensor.type, StoredType::Other);
            std::vector<float> values(2);
            const auto read = (*source)->read(tensor, values);
            QVERIFY(!read);
            QCOMPARE(read.error().code, ErrorCode::Unsupported);
            QVERIFY(mentions(read.error(), "tensor '" + tensor.name + "'"));
            QVERIFY(mentions(read.error(), "it holds no numbers that can be read, expected float16,"
                                           " bfloat16, float32 or float64; save it as float32."));
        }
    }

    /// Found by fuzzing: HDF5 1.10.8 reads through a null pointer in the local heap of a group.
    void aFileThatCrashesTheLibrary() {
        const fs::path path = HEADSCOPE_TEST_DATA "/hostile/heap-that-crashes-hdf5.h5";
        StderrCapture captured;
        const auto source = openTensorSource(path);
        QVERIFY2(captured.text().empty(), captured.text().c_str());
        QVERIFY(!source);
        QVERIFY2(mentions(source.error(), "Cannot open '" + path.string() + "': it"),
                 source.error().message.c_str());
        QVERIFY(mentions(source.error(), "download or copy it again."));
    }

    void truncatedAtEveryLength() {
        const Folder folder;
        const auto path = folder / "model.h5";
        writeVariedModel(path);
        const std::string whole = readBytes(path);
        QVERIFY(!firstError(path));
        StderrCapture captured;
        for (std::size_t length = 1; length < whole.size(); length += 1 + whole.size() / 300) {
            writeBytes(path, std::string_view(whole).substr(0, length));
            const auto error = firstError(path);
            QVERIFY2(error, QByteArray::number(qulonglong(length)));
            QVERIFY(mentions(*error, path.string()));
        }
        QVERIFY2(captured.text().empty(), captured.text().c_str());
    }

    void damagedHeapOfTexts_data() {
        QTest::addColumn<int>("offset"); ///< from the signature of the heap on
        QTest::addColumn<int>("value");
        QTest::newRow("signature") << 0 << int('X');
        QTest::newRow("version") << 4 << 9;
        QTest::newRow("size of the heap: 0") << 9 << 0;
        QTest::newRow("size of the heap: beyond the file") << 13 << 1;
        QTest::newRow("number of the text") << 16 << 7;
        QTest::newRow("size of the text: too small") << 24 << 3;
        QTest::newRow("size of the text: beyond the heap") << 26 << 1;
    }
    void damagedHeapOfTexts() {
        QFETCH(int, offset);
        QFETCH(int, value);
        const Folder folder;
        const auto path = folder / "model.h5";
        writeModelFile(path, {{"weight", {1}, {1}}}, {{"config", "{\"model_type\": \"gpt2\"}"}});
        std::string bytes = readBytes(path);
        const std::size_t heap = bytes.find("GCOL");
        QVERIFY(heap != std::string::npos);
        bytes[heap + static_cast<std::size_t>(offset)] = static_cast<char>(value);
        writeBytes(path, bytes);
        const auto source = openTensorSource(path);
        QVERIFY(!source);
        QVERIFY2(mentions(source.error(), "': in attribute 'config' the text cannot be read; "
                                          "download or copy the file again."),
                 source.error().message.c_str());
    }

    void damagedBytes() {
        const Folder folder;
        const auto path = folder / "model.h5";
        writeVariedModel(path);
        const std::string whole = readBytes(path);
        std::mt19937 random(2);
        StderrCapture captured;
        int refused = 0;
        for (int round = 0; round < 500; ++round) {
            std::string bytes = whole;
            for (int flips = 1 + round % 3; flips > 0; --flips)
                bytes[random() % bytes.size()] ^= static_cast<char>(1u << random() % 8);
            writeBytes(path, bytes);
            const auto error = firstError(path);
            refused += error ? 1 : 0;
            QVERIFY(!error || mentions(*error, path.string()));
        }
        QVERIFY(refused > 0 && refused < 500);
        QVERIFY2(captured.text().empty(), captured.text().c_str());
    }
};

const headscope::test::TestRegistration<TestHostileHdf5> registration;

} // namespace test_hostile_hdf5

#include "test_hostile_hdf5.moc"
