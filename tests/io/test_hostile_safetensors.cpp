#include "core/io/tensor_source.h"
#include "tests/io/io_files.h"
#include "tests/io/safetensors_files.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <random>

namespace test_hostile_safetensors {

using namespace headscope;
using namespace headscope::test;

class TestHostileSafetensors : public QObject {
    Q_OBJECT

private slots:
    void refusedHeader_data() {
        QTest::addColumn<QByteArray>("header");
        QTest::addColumn<int>("data_bytes");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* name, const char* header, int data_bytes,
                            const char* reason) {
            QTest::newRow(name) << QByteArray(header) << data_bytes << QByteArray(reason);
        };
        const auto tensor = [](const char* name, const char* description, int data_bytes,
                               const char* reason) {
            QTest::newRow(name) << QByteArray("{\"w\":") + description + "}" << data_bytes
                                << QByteArray("in tensor 'w' ") + reason;
        };
        row("not JSON", "{no", 0, "its header is not valid JSON at byte 3; download or save");
        row("not UTF-8", "{\"\xFF\":1}", 0, "its header is not valid JSON");
        row("name twice",
            R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},
                "w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
            4, "its header has the key 'w' twice; download or save the file again.");
        row("key twice", R"({"w":{"dtype":"F32","dtype":"F32"}})", 0,
            "its header has the key 'dtype' twice");
        row("deep", R"({"w":[[[[[1]]]]]})", 0, "its header is nested more than 4 deep");
        row("empty name", R"({"":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4,
            "a name in it has 0 bytes, expected 1 to 1024");
        row("metadata of numbers", R"({"__metadata__":{"a":1}})", 0,
            "its \"__metadata__\" holds more than texts; download or save the file again.");
        row("metadata in a list", R"({"__metadata__":["a"]})", 0,
            "its \"__metadata__\" holds more than texts");
        row("overlap",
            R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},
                "b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",
            12,
            "tensor 'b' begins at byte 4 of the data, where another tensor lies before it, "
            "expected 8;");
        row("same place twice",
            R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},
                "b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
            8, "tensor 'b' begins at byte 0 of the data, where another tensor lies before it");
        row("hole",
            R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},
                "b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})",
            12, "tensor 'b' begins at byte 8 of the data, where a hole lies before it, expected 4");
        row("hole at the start", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8,
            "tensor 'a' begins at byte 4 of the data, where a hole lies before it, expected 0");
        row("bytes behind the tensors", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
            5, "its tensors fill 4 bytes, and 5 follow the header;");
        row("file cut short", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 7,
            "its tensors fill 8 bytes, and 7 follow the header;");
        tensor("no object", "1", 0, "it is described by 1, expected \"dtype\", \"shape\" and two");
        tensor("no dtype", R"({"shape":[1],"data_offsets":[0,4]})", 4, "it is described by {");
        tensor("no shape", R"({"dtype":"F32","data_offsets":[0,4]})", 4, "it is described by {");
        tensor("no offsets", R"({"dtype":"F32","shape":[1]})", 4, "it is described by {");
        tensor("one offset", R"({"dtype":"F32","shape":[1],"data_offsets":[0]})", 4,
               "it is described by {");
        tensor("negative size", R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})", 4,
               "it is described by {");
        tensor("size with a fraction", R"({"dtype":"F32","shape":[1.0],"data_offsets":[0,4]})", 4,
               "it is described by {");
        tensor("size beyond 64 bits",
               R"({"dtype":"F32","shape":[18446744073709551616],"data_offsets":[0,4]})", 4,
               "it is described by {");
        tensor("dtype is a number", R"({"dtype":1,"shape":[1],"data_offsets":[0,4]})", 4,
               "it is described by {");
        tensor("unknown dtype", R"({"dtype":"F128","shape":[1],"data_offsets":[0,16]})", 16,
               "its dtype 'F128' is unknown, expected F64, F32, F16 or BF16; save it as one");
        tensor("offsets backwards", R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})", 4,
               "its data_offsets [4, 0] run backwards;");
        tensor("wrong span", R"({"dtype":"F16","shape":[3],"data_offsets":[0,4]})", 4,
               "its shape [3] of F16 needs 6 bytes, and its data_offsets span 4;");
        tensor("shape bomb",
               R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]})", 4,
               "its shape [4294967296, 4294967296] of F32 gives no number of bytes;");
        tensor("bits beyond 64 bits",
               R"({"dtype":"F64","shape":[288230376151711744],"data_offsets":[0,0]})", 0,
               "its shape [288230376151711744] of F64 gives no number of bytes;");
        tensor("half a byte", R"({"dtype":"F4","shape":[3],"data_offsets":[0,2]})", 2,
               "its shape [3] of F4 gives no number of bytes;");
        tensor("many dimensions",
               R"({"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]})", 4,
               "it has 9 dimensions, expected at most 8;");
    }
    void refusedHeader() {
        QFETCH(QByteArray, header);
        QFETCH(int, data_bytes);
        QFETCH(QByteArray, reason);
        const Folder folder;
        const auto path = folder / "m.safetensors";
        writeSafetensors(path, header.toStdString(),
                         std::string(static_cast<std::size_t>(data_bytes), 'x'));
        const auto source = openTensorSource(path);
        QVERIFY(!source);
        const std::string start = "Cannot open '" + path.string() + "': " + reason.toStdString();
        QVERIFY2(source.error().message.starts_with(start), source.error().message.c_str());
        QVERIFY(source.error().message.ends_with("."));
    }

    /// Only what looks like safetensors gets as far as the header's length.
    void headerLongerThanTheFile() {
        const Folder folder;
        const auto path = folder / "m.safetensors";
        writeBytes(path, bytesOf({std::uint64_t{3}}) + "{}");
        const auto source = openTensorSource(path);
        QVERIFY(!source);
        QVERIFY2(mentions(source.error(), "its header claims 3 B of a file of 10 B; download"),
                 source.error().message.c_str());
    }

    void hugeHeader() {
        const Folder folder;
        const auto path = folder / "m.safetensors";
        writeBytes(path, bytesOf({std::uint64_t{100'000'001}}) + "{}");
        std::filesystem::resize_file(path, 100'000'009);
        const auto source = openTensorSource(path);
        QVERIFY(!source);
        QCOMPARE(source.error().code, ErrorCode::TooLarge);
        QVERIFY2(mentions(source.error(), "its header claims 100 MB, expected at most 100 MB"),
                 source.error().message.c_str());
    }

    void truncatedAtEveryLength() {
        const Folder folder;
        const auto path = folder / "m.safetensors";
        const std::string whole = safetensorsBytes(
            R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "12345678");
        for (std::size_t length = 0; length < whole.size(); ++length) {
            writeBytes(path, std::string_view(whole).substr(0, length));
            const auto source = openTensorSource(path);
            QVERIFY2(!source, QByteArray::number(qulonglong(length)));
            QVERIFY(mentions(source.error(), path.string()));
        }
    }

    void damagedBytes() {
        const Folder folder;
        const auto path = folder / "m.safetensors";
        const std::string whole = safetensorsBytes(
            R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"__metadata__":{"b":"c"}})",
            "12345678");
        std::mt19937 random(3);
        int refused = 0;
        for (int round = 0; round < 2000; ++round) {
            std::string bytes = whole;
            bytes[random() % bytes.size()] ^= static_cast<char>(1u << random() % 8);
            writeBytes(path, bytes);
            const auto source = openTensorSource(path);
            refused += source ? 0 : 1;
            QVERIFY(source || mentions(source.error(), path.string()));
        }
        QVERIFY(refused > 1000 && refused < 2000);
    }
};

const headscope::test::TestRegistration<TestHostileSafetensors> registration;

} // namespace test_hostile_safetensors

#include "test_hostile_safetensors.moc"
