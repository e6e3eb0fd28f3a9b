// Safetensors files, byte by byte and read back.

#include "core/io/atomic_file.h"
#include "core/io/safetensors_writer.h"
#include "tests/io/io_files.h"
#include "tests/io/source_values.h"
#include "tests/support/runner.h"

#include <QTest>

#include <array>
#include <cstring>

namespace test_safetensors_writer {

using namespace headscope;
using namespace headscope::test;

namespace {

const std::vector<StreamedArray> kArrays{{"b.weight", {2, 3}, FloatFormat::Float32},
                                         {"a.bias", {3}, FloatFormat::BFloat16},
                                         {"none", {0, 4}, FloatFormat::Float16}};
constexpr std::array kMatrix{1.0f, -2.0f, 3.5f, 0.0f, 5.0f, -6.25f};
constexpr std::array<std::uint16_t, 3> kWords{0x3f80, 0xc000, 0x0000}; ///< 1, -2, 0

Result<void> produceSome(std::size_t array, const AppendBytes& append) {
    if (array == 0) {
        const auto bytes = std::as_bytes(std::span(kMatrix));
        if (auto half = append(bytes.first(8)); !half)
            return half;
        return append(bytes.subspan(8));
    }
    return array == 1 ? append(std::as_bytes(std::span(kWords))) : Result<void>();
}

} // namespace

class TestSafetensorsWriter : public QObject {
    Q_OBJECT

private slots:
    void bytesAreThoseOfTheFormat() {
        const Folder folder;
        QVERIFY(writeSafetensors(folder / "x.safetensors", kArrays, produceSome));
        const auto read = readTextFile(folder / "x.safetensors", 10'000);
        QVERIFY(read);
        const std::string& file = *read;
        std::uint64_t length = 0;
        std::memcpy(&length, file.data(), sizeof length);
        QCOMPARE(length % 8, 0u);
        QCOMPARE(file.size(), 8 + length + sizeof kMatrix + sizeof kWords);
        const std::string header = file.substr(8, length);
        QCOMPARE(header.substr(0, header.find_last_not_of(' ') + 1),
                 std::string(R"({"__metadata__":{"format":"pt"},)"
                             R"("b.weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
                             R"("a.bias":{"dtype":"BF16","shape":[3],"data_offsets":[24,30]},)"
                             R"("none":{"dtype":"F16","shape":[0,4],"data_offsets":[30,30]}})"));
        QVERIFY(std::memcmp(file.data() + 8 + length, kMatrix.data(), sizeof kMatrix) == 0);
        QVERIFY(std::memcmp(file.data() + 32 + length, kWords.data(), sizeof kWords) == 0);
    }

    void numbersAreReadBack() {
        const Folder folder;
        QVERIFY(writeSafetensors(folder / "x.safetensors", {kArrays.data(), 2}, produceSome));
        const auto file = opened(folder / "x.safetensors");
        std::vector<float> matrix(6);
        QVERIFY(file->read(*file->find("b.weight"), matrix));
        QVERIFY(std::ranges::equal(matrix, kMatrix));
        std::vector<float> bias(3);
        QVERIFY(file->read(*file->find("a.bias"), bias));
        QCOMPARE(bias, (std::vector{1.0f, -2.0f, 0.0f}));
    }

    void failuresLeaveNothing() {
        const Folder folder;
        const auto stopped =
            writeSafetensors(folder / "x.safetensors", kArrays, [](auto array, const auto& append) {
                return array == 0 ? produceSome(0, append)
                                  : Result<void>(Error{ErrorCode::Cancelled, "enough"});
            });
        QCOMPARE(stopped.error().message, std::string("enough"));
        const auto few = writeSafetensors(folder / "x.safetensors", {kArrays.data(), 1},
                                          [](auto, const AppendBytes& append) {
                                              return append(std::as_bytes(std::span(kWords)));
                                          });
        QVERIFY(few.error().message.find("'b.weight' has not as many numbers") !=
                std::string::npos);
        QCOMPARE(folder.fileCount(), 0u);
    }
};

const headscope::test::TestRegistration<TestSafetensorsWriter> registration;

} // namespace test_safetensors_writer

#include "test_safetensors_writer.moc"
