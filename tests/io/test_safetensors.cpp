#include "core/io/tensor_source.h"
#include "core/tensor/half.h"
#include "tests/io/io_files.h"
#include "tests/io/safetensors_files.h"
#include "tests/io/source_values.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <bit>

namespace test_safetensors {

using namespace headscope;
using namespace headscope::test;

namespace {

const std::filesystem::path kData = HEADSCOPE_TEST_DATA;

} // namespace

class TestSafetensors : public QObject {
    Q_OBJECT

private slots:
    void readsEveryType_data() {
        QTest::addColumn<QByteArray>("dtype");
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<int>("type");
        const auto row = [](const char* dtype, const std::string& words, StoredType type) {
            QTest::newRow(dtype) << QByteArray(dtype) << QByteArray::fromStdString(words)
                                 << static_cast<int>(type);
        };
        row("F64", bytesOf({1.0, 2.0, 100.0}), StoredType::Float64);
        row("F32", bytesOf({1.0f, 2.0f, 100.0f}), StoredType::Float32);
        row("F16", bytesOf<std::uint16_t>({0x3C00, 0x4000, 0x5640}), StoredType::Float16);
        row("BF16", bytesOf<std::uint16_t>({0x3F80, 0x4000, 0x42C8}), StoredType::BFloat16);
        row("I8", bytesOf<std::int8_t>({1, 2, 100}), StoredType::Integer);
        row("U8", bytesOf<std::uint8_t>({1, 2, 100}), StoredType::Integer);
        row("I16", bytesOf<std::int16_t>({1, 2, 100}), StoredType::Integer);
        row("U16", bytesOf<std::uint16_t>({1, 2, 100}), StoredType::Integer);
        row("I32", bytesOf<std::int32_t>({1, 2, 100}), StoredType::Integer);
        row("U32", bytesOf<std::uint32_t>({1, 2, 100}), StoredType::Integer);
        row("I64", bytesOf<std::int64_t>({1, 2, 100}), StoredType::Integer);
        row("U64", bytesOf<std::uint64_t>({1, 2, 100}), StoredType::Integer);
        row("BOOL", bytesOf<std::uint8_t>({1, 2, 100}), StoredType::Integer);
    }
    void readsEveryType() {
        QFETCH(QByteArray, dtype);
        QFETCH(QByteArray, words);
        QFETCH(int, type);
        const Folder folder;
        const auto path = folder / "m.safetensors";
        const QByteArray header =
            QByteArray(R"({"a.w":{"dtype":"TYPE","shape":[3,1],"data_offsets":[0,SIZE]}}   )")
                .replace("TYPE", dtype)
                .replace("SIZE", QByteArray::number(words.size()));
        writeSafetensors(path, header.toStdString(), words.toStdString());
        const auto source = opened(path);
        QCOMPARE(source->tensors().size(), 1u);
        const TensorInfo& tensor = source->tensors()[0];
        QCOMPARE(tensor.name, "a.w");
        QCOMPARE(tensor.shape, (Shape{3, 1}));
        QCOMPARE(static_cast<int>(tensor.type), type);
        QCOMPARE(tensor.stored_bytes, static_cast<std::size_t>(words.size()));
        QCOMPARE(readAll(*source, "a.w"), (std::vector<float>{1, 2, 100}));
        QCOMPARE(source->path(), path);
        QCOMPARE(source->files(), std::vector{path});
    }

    void negativeIntegers() {
        const Folder folder;
        writeSafetensors(folder / "m.safetensors",
                         R"({"w":{"dtype":"I8","shape":[2],"data_offsets":[0,2]}})",
                         bytesOf<std::int8_t>({-1, -128}));
        QCOMPARE(readAll(*opened(folder / "m.safetensors"), "w"), (std::vector<float>{-1, -128}));
    }

    /// The order of the names, of the header and of the data are three.
    void tensorsInAnyOrder() {
        const Folder folder;
        writeSafetensors(folder / "m.safetensors",
                         R"({"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]},
                             "c":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},
                             "a":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})",
                         bytesOf<std::uint32_t>({0x40003C00, 0x40400000, 0x40800000, 0x40A00000}));
        const auto source = opened(folder / "m.safetensors");
        QCOMPARE(readAll(*source, "a"), (std::vector<float>{4, 5}));
        QCOMPARE(readAll(*source, "b"), (std::vector<float>{3}));
        QCOMPARE(readAll(*source, "c"), (std::vector<float>{1, 2}));
    }

    void scalarsAndEmptyTensors() {
        const Folder folder;
        writeSafetensors(folder / "m.safetensors",
                         R"({"empty":{"dtype":"F16","shape":[0,3],"data_offsets":[4,4]},
                             "scalar":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})",
                         bytesOf({2.5f}));
        const auto source = opened(folder / "m.safetensors");
        QCOMPARE(source->find("scalar")->shape, Shape{});
        QCOMPARE(readAll(*source, "scalar"), std::vector<float>{2.5f});
        QVERIFY(readAll(*source, "empty").empty());
    }

    void fileWithoutTensors() {
        const Folder folder;
        writeSafetensors(folder / "m.safetensors", "{}", "");
        QVERIFY(opened(folder / "m.safetensors")->tensors().empty());
    }

    void metadataAreTexts() {
        const Folder folder;
        writeSafetensors(folder / "m.safetensors",
                         R"({"__metadata__":{"format":"pt","config":"[1]"}})", "");
        const auto source = opened(folder / "m.safetensors");
        QCOMPARE(*source->text("config"), "[1]");
        QVERIFY(!source->text("tokenizer"));
    }

    void quantisedTensorsAreListedButNotRead() {
        const Folder folder;
        writeSafetensors(folder / "m.safetensors",
                         R"({"f4":{"dtype":"F4","shape":[4],"data_offsets":[2,4]},
                             "f8":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}})",
                         "abcd");
        const auto source = opened(folder / "m.safetensors");
        QCOMPARE(source->find("f4")->type, StoredType::Other);
        QCOMPARE(source->find("f8")->format, "F8_E4M3"); // for the refusal of a model
        std::vector<float> target(2);
        const auto read = source->read(*source->find("f8"), target);
        QVERIFY(!read);
        QCOMPARE(read.error().code, ErrorCode::Unsupported);
        QVERIFY2(mentions(read.error(), "Cannot read tensor 'f8' of '") &&
                     mentions(read.error(), "it holds F8_E4M3 numbers, expected F64, F32, F16 or "
                                            "BF16; choose a version"),
                 read.error().message.c_str());
    }

    void stopsWhenAsked() {
        const Folder folder;
        writeOneTensor(folder / "m.safetensors", "w", 1.0f);
        const auto source = opened(folder / "m.safetensors");
        std::stop_source stop;
        stop.request_stop();
        std::vector<float> target(1);
        const auto read = source->read(source->tensors()[0], target, stop.get_token());
        QVERIFY(!read);
        QCOMPARE(read.error().code, ErrorCode::Cancelled);
    }

    void shrunkenFile() {
        const Folder folder;
        const auto path = folder / "m.safetensors";
        writeOneTensor(path, "w", 1.0f);
        const auto source = opened(path);
        std::filesystem::resize_file(path, 20);
        std::vector<float> target(1);
        const auto read = source->read(source->tensors()[0], target);
        QVERIFY(!read);
        QVERIFY(mentions(read.error(), "its numbers cannot be read; the file has changed"));
    }

    void wrongTargetAndUnknownTensor() {
        const Folder folder;
        writeOneTensor(folder / "m.safetensors", "w", 1.0f);
        const auto source = opened(folder / "m.safetensors");
        std::vector<float> target(2);
        QCOMPARE(source->read(source->tensors()[0], target).error().code,
                 ErrorCode::InvalidArgument);
        QCOMPARE(source->read({"v", {2}}, target).error().code, ErrorCode::NotFound);
    }

    void budgetCountsWhatIsKept() {
        const Folder folder;
        const auto path = folder / "m.safetensors";
        writeSafetensors(path, R"({"w":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}})", "abcd");
        QVERIFY(openTensorSource(path, 4));
        const auto refused = openTensorSource(path, 3);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::TooLarge);
        QVERIFY(mentions(refused.error(), "(tensor 'w' of shape [2] no longer fits)"));
    }

    /// A file of the reference implementation: the llama fixture, rounded to bfloat16.
    void fileFromPython() {
        const auto source = opened(kData / "weight_files/llama-bf16/model.safetensors");
        const auto original = opened(kData / "fixtures/llama.h5");
        QCOMPARE(*source->text("format"), "pt");
        QCOMPARE(source->tensors().size(), original->tensors().size());
        for (const TensorInfo& tensor : original->tensors()) {
            QCOMPARE(source->find(tensor.name)->type, StoredType::BFloat16);
            const auto halves = readAll(*source, tensor.name);
            const auto floats = readAll(*original, tensor.name);
            for (std::size_t i = 0; i < floats.size(); ++i)
                QCOMPARE(halves[i], bfloat16ToFloat32(float32ToBFloat16(floats[i])));
        }
    }
};

const headscope::test::TestRegistration<TestSafetensors> registration;

} // namespace test_safetensors

#include "test_safetensors.moc"
