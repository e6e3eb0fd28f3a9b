#include "core/io/tensor_source.h"
#include "tests/io/gguf_files.h"
#include "tests/io/io_files.h"
#include "tests/support/runner.h"

#include <QTest>

#include <random>

namespace test_hostile_gguf {

using namespace headscope;
using namespace headscope::test;

namespace {

/// A file that claims so many tensors and pairs and goes on with `rest`.
std::string claims(std::uint64_t tensors, std::uint64_t pairs, const std::string& rest = "") {
    return "GGUF" + bytesOf({3u}) + bytesOf({tensors}) + bytesOf({pairs}) + rest;
}

std::string withTensor(const std::string& tensor, std::size_t data_bytes = 16) {
    return ggufBytes({}, {tensor}, std::string(data_bytes, '\0'));
}

std::string withPair(const std::string& pair) {
    return ggufBytes({pair}, {}, "");
}

} // namespace

class TestHostileGguf : public QObject {
    Q_OBJECT

private slots:
    void refused_data();
    void refused();
    void everyLength();
    void changedBytes();
};

void TestHostileGguf::refused_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("reason");
    const auto row = [](const char* name, const std::string& bytes, const char* reason) {
        QTest::newRow(name) << QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size()))
                            << QByteArray(reason);
    };
    constexpr std::uint64_t most = ~std::uint64_t{0};
    row("version 1", ggufBytes({}, {}, "", 32, 1), "it is of version 1 of GGUF, expected 2 or 3;");
    row("version 4", ggufBytes({}, {}, "", 32, 4), "it is of version 4 of GGUF, expected 2 or 3;");
    row("big-endian", ggufBytes({}, {}, "", 32, 0x03000000), "its numbers are big-endian, which");
    row("many tensors", claims(most, 0), "it claims 18446744073709551615 tensors;");
    row("more tensors than bytes", claims(900'000, 0), "it ends in the middle of its header;");
    row("more pairs than bytes", claims(0, most), "it ends in the middle of its header;");
    row("endless key", claims(0, 1, bytesOf({most})),
        "a text in its header claims 18447 PB, more than there is left;");
    row("empty key", withPair(ggufNumber("", 1)), "a key of its metadata has 0 bytes or is no");
    row("key is no UTF-8", withPair(ggufNumber("\xFF", 1)),
        "a key of its metadata has 1 bytes or is no UTF-8, expected a text of 1 to 65535;");
    row("key twice", ggufBytes({ggufNumber("a", 1), ggufNumber("a", 2)}, {}, ""),
        "its metadata have the key \"a\" twice;");
    row("unknown type of value", withPair(ggufPair("a", 13, "")),
        "its metadata \"a\" have the type number 13, which does not exist;");
    row("bool of 2", withPair(ggufPair("a", 7, "\2")), "its metadata \"a\" have a bool of 2,");
    row("text beyond the end", withPair(ggufPair("a", 8, bytesOf({std::uint64_t{1} << 40}))),
        "a text in its header claims 1.10 TB, more than there is left;");
    row("array of arrays", withPair(ggufArray("a", 9, 1, "")),
        "its metadata \"a\" are an array of arrays or of values of the type number 9,");
    row("array of unknown values", withPair(ggufArray("a", 99, 1, "")),
        "its metadata \"a\" are an array of arrays or of values of the type number 99,");
    row("endless array", withPair(ggufArray("a", 4, most, "")),
        "its metadata \"a\" claim 18446744073709551615 values, more than there is left;");
    row("array that is just too long", withPair(ggufArray("a", 8, 1'000, "")),
        "its metadata \"a\" claim 1000 values, more than there is left;");
    for (const std::uint32_t alignment : {0u, 24u, 1u << 21})
        row(("alignment " + std::to_string(alignment)).c_str(),
            withPair(ggufNumber("general.alignment", alignment)),
            ("its general.alignment is " + std::to_string(alignment) +
             ", expected a power of two up to 1048576;")
                .c_str());
    row("part beyond the count",
        ggufBytes({ggufNumber("split.no", 3), ggufNumber("split.count", 2)}, {}, ""),
        "it says that it is part 4 of 2;");
    row("many parts",
        ggufBytes({ggufNumber("split.no", 0), ggufNumber("split.count", 65'535)}, {}, ""),
        "it is part 1 of 65535 and not named like one");
    row("empty name", withTensor(ggufTensor("", {4}, 0, 0)), "the name of a tensor has 0 bytes or");
    row("long name", withTensor(ggufTensor(std::string(1025, 'a'), {4}, 0, 0)),
        "the name of a tensor has 1025 bytes or is no UTF-8, expected a text of 1 to 1024;");
    row("five dimensions", withTensor(ggufTensor("w", {1, 1, 1, 1, 4}, 0, 0)),
        "tensor 'w' has 5 dimensions, expected at most 4;");
    row("withdrawn type", withTensor(ggufTensor("w", {32}, 31, 0)),
        "tensor 'w' has the type number 31, which is unknown or was withdrawn, expected one of "
        "F32, F16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K, F64, BF16, MXFP4; "
        "choose");
    row("half a block", withTensor(ggufTensor("w", {48}, 8, 0), 64),
        "tensor 'w' of shape [48] and type Q8_0 has rows that are no whole number of blocks of "
        "32;");
    row("product beyond 64 bits",
        withTensor(ggufTensor("w", {std::uint64_t{1} << 33, std::uint64_t{1} << 33}, 0, 0)),
        "tensor 'w' of shape [8589934592, 8589934592] and type F32 gives no number of bytes;");
    row("bytes beyond 64 bits", withTensor(ggufTensor("w", {std::uint64_t{1} << 62}, 0, 0)),
        "tensor 'w' of shape [4611686018427387904] and type F32 gives no number of bytes;");
    row("file cut short", withTensor(ggufTensor("w", {4}, 0, 0), 15),
        "tensor 'w' needs 16 B from byte 0 of the data on, more than the file of");
    row("offset beyond 64 bits", withTensor(ggufTensor("w", {4}, 0, most - 31)),
        "tensor 'w' begins at byte 18446744073709551584 of the data, where a hole lies before it");
    row("not aligned", withTensor(ggufTensor("w", {4}, 0, 8), 32),
        "tensor 'w' begins at byte 8 of the data, where a hole lies before it, expected 0;");
    const auto two = [](std::uint64_t offset, const char* name = "b") {
        return ggufBytes({}, {ggufTensor("a", {4}, 0, 0), ggufTensor(name, {4}, 0, offset)},
                         std::string(96, '\0'));
    };
    row("same place", two(0), "tensor 'b' begins at byte 0 of the data, where another tensor lies");
    row("overlap", two(16), "tensor 'b' begins at byte 16 of the data, where another tensor lies");
    row("hole", two(64), "tensor 'b' begins at byte 64 of the data, where a hole lies before it,");
    row("name twice", two(32, "a"), "it holds the tensor 'a' twice;");
}

void TestHostileGguf::refused() {
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, reason);
    const Folder folder;
    const std::filesystem::path path = folder / "m.gguf";
    writeBytes(path, bytes.toStdString());
    const auto source = openTensorSource(path);
    QVERIFY(!source);
    const QByteArray message = QByteArray::fromStdString(source.error().message);
    QVERIFY2(message.startsWith("Cannot open '" + QByteArray::fromStdString(path.string()) +
                                "': " + reason),
             message.constData());
    QVERIFY2(message.endsWith('.'), message.constData());
}

/// Whatever is missing at the end, no length opens but the whole one.
void TestHostileGguf::everyLength() {
    const std::string whole = smallGguf();
    const Folder folder;
    const std::filesystem::path path = folder / "m.gguf";
    for (std::size_t length = 5; length < whole.size(); ++length) {
        writeBytes(path, whole.substr(0, length));
        QVERIFY2(!openTensorSource(path), std::to_string(length).c_str());
    }
    writeBytes(path, whole);
    QVERIFY(openTensorSource(path));
}

/// Files with a changed byte open or not, in good order.
void TestHostileGguf::changedBytes() {
    const std::string whole = smallGguf();
    const Folder folder;
    const std::filesystem::path path = folder / "m.gguf";
    std::mt19937 random(3);
    for (int i = 0; i < 2000; ++i) {
        std::string bytes = whole;
        bytes[4 + random() % (bytes.size() - 4)] = static_cast<char>(random());
        writeBytes(path, bytes);
        const auto source = openTensorSource(path, 1 << 20);
        if (!source) {
            QVERIFY2(source.error().message.ends_with('.'), source.error().message.c_str());
            continue;
        }
        for (const TensorInfo& tensor : (*source)->tensors()) {
            std::vector<float> values(elementCount(tensor.shape));
            static_cast<void>((*source)->read(tensor, values));
        }
    }
}

const headscope::test::TestRegistration<TestHostileGguf> registration;

} // namespace test_hostile_gguf

#include "test_hostile_gguf.moc"
