#include "core/io/tensor_source.h"
#include "tests/io/io_files.h"
#include "tests/io/source_values.h"
#include "tests/support/hdf5_files.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <hdf5.h>

#include <cmath>
#include <limits>

namespace test_hdf5_source {

using namespace headscope;
using namespace headscope::test;

namespace {

/// A text attribute of a group in an open file.
void addText(hid_t file, const char* group, const char* name, const std::string& text) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, text.size());
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute =
        H5Acreate_by_name(file, group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, text.data());
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

} // namespace

class TestHdf5Source : public QObject {
    Q_OBJECT

private slots:
    void readsEveryStorage_data() {
        QTest::addColumn<int>("storage");
        QTest::addColumn<int>("type");
        const auto row = [](const char* name, Storage storage, StoredType type) {
            QTest::newRow(name) << static_cast<int>(storage) << static_cast<int>(type);
        };
        row("float32", Storage::Float32, StoredType::Float32);
        row("float32, big-endian", Storage::Float32BigEndian, StoredType::Float32);
        row("float64", Storage::Float64, StoredType::Float64);
        row("float64, big-endian", Storage::Float64BigEndian, StoredType::Float64);
        row("float16", Storage::Float16, StoredType::Float16);
        row("bfloat16", Storage::BFloat16, StoredType::BFloat16);
        row("bfloat16, opaque", Storage::BFloat16Opaque, StoredType::BFloat16);
        row("bfloat16 in uint16", Storage::BFloat16InUInt16, StoredType::BFloat16);
        row("int32", Storage::Int32, StoredType::Integer);
        row("int64", Storage::Int64, StoredType::Integer);
        row("uint16 of which nothing is said", Storage::UInt16, StoredType::Integer);
    }
    void readsEveryStorage() {
        QFETCH(int, storage);
        QFETCH(int, type);
        const Folder folder;
        const auto values = exactValues(35);
        writeModelFile(folder / "m.h5", {{"a.w", {5, 7}, values, static_cast<Storage>(storage)}});
        const auto source = opened(folder / "m.h5");
        QCOMPARE(source->tensors().size(), 1u);
        const TensorInfo& tensor = source->tensors()[0];
        QCOMPARE(tensor.name, "a.w");
        QCOMPARE(tensor.shape, (Shape{5, 7}));
        QCOMPARE(static_cast<int>(tensor.type), type);
        QCOMPARE(readAll(*source, "a.w"), values);
    }

    void storedBytesAreThoseOfTheFile() {
        const Folder folder;
        writeModelFile(folder / "m.h5", {{"w", {10}, exactValues(10), Storage::Float16}});
        QCOMPARE(opened(folder / "m.h5")->tensors()[0].stored_bytes, 20u);
    }

    void wordsAreThoseOf16BitFloats() {
        const Folder folder;
        writeModelFile(folder / "m.h5", {{"w", {3}, exactValues(3), Storage::Float32}});
        const auto source = opened(folder / "m.h5");
        std::vector<std::uint16_t> words(3);
        const auto read = source->read(source->tensors()[0], std::span(words));
        QVERIFY(!read);
        QVERIFY(mentions(read.error(), "tensor 'w'"));
        QVERIFY(mentions(read.error(), "it is not stored in words of 16 bits."));
    }

    void typeNames() {
        QCOMPARE(storedTypeName(StoredType::Float64), "float64");
        QCOMPARE(storedTypeName(StoredType::Float32), "float32");
        QCOMPARE(storedTypeName(StoredType::Float16), "float16");
        QCOMPARE(storedTypeName(StoredType::BFloat16), "bfloat16");
        QCOMPARE(storedTypeName(StoredType::Integer), "integer");
        QCOMPARE(storedTypeName(StoredType::Other), "other");
    }

    void specialValuesSurvive() {
        const Folder folder;
        const float infinity = std::numeric_limits<float>::infinity();
        const float nan = std::numeric_limits<float>::quiet_NaN();
        const std::vector<float> values{infinity, -infinity, nan, -0.0f, 0x1p-14f};
        writeModelFile(folder / "m.h5", {{"f16", {5}, values, Storage::Float16},
                                         {"bf16", {5}, values, Storage::BFloat16},
                                         {"f32", {5}, values},
                                         {"f64", {5}, values, Storage::Float64}});
        const auto source = opened(folder / "m.h5");
        for (const TensorInfo& tensor : source->tensors()) {
            const auto read = readAll(*source, tensor.name);
            QCOMPARE(read[0], infinity);
            QCOMPARE(read[1], -infinity);
            QVERIFY(std::isnan(read[2]));
            QVERIFY(read[3] == 0.0f && std::signbit(read[3]));
            QCOMPARE(read[4], 0x1p-14f);
        }
    }

    void namesUseDots_data() {
        QTest::addColumn<int>("naming");
        QTest::newRow("groups") << static_cast<int>(Naming::Groups);
        QTest::newRow("flat") << static_cast<int>(Naming::FlatDots);
    }
    void namesUseDots() {
        QFETCH(int, naming);
        const Folder folder;
        writeModelFile(folder / "m.h5",
                       {{"h.10.w", {1}, {10}}, {"h.2.w", {1}, {2}}, {"wte", {1}, {3}}}, {},
                       static_cast<Naming>(naming));
        const auto source = opened(folder / "m.h5");
        std::vector<std::string> names;
        for (const TensorInfo& tensor : source->tensors())
            names.push_back(tensor.name);
        QCOMPARE(names, (std::vector<std::string>{"h.10.w", "h.2.w", "wte"}));
        QCOMPARE(readAll(*source, "h.2.w"), std::vector<float>{2});
        QVERIFY(source->find("h.3.w") == nullptr);
        QVERIFY(source->find("") == nullptr);
    }

    void oneDatasetMayHaveTwoNames() {
        const Folder folder;
        const auto values = exactValues(5000);
        writeModelFile(folder / "m.h5", {{"wte", {5000}, values}});
        const hid_t file = H5Fopen((folder / "m.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        H5Lcreate_hard(file, "wte", file, "lm_head", H5P_DEFAULT, H5P_DEFAULT);
        H5Fclose(file);
        QCOMPARE(readAll(*opened(folder / "m.h5"), "lm_head"), values);
    }

    void scalarsAndEmptyTensors() {
        const Folder folder;
        writeModelFile(folder / "m.h5",
                       {{"scalar", {}, {2.5f}, Storage::Float64}, {"none", {0, 3}, {}}});
        const auto source = opened(folder / "m.h5");
        QCOMPARE(source->find("scalar")->shape, Shape{});
        QCOMPARE(readAll(*source, "scalar"), std::vector<float>{2.5f});
        QCOMPARE(source->find("none")->shape, (Shape{0, 3}));
        QVERIFY(readAll(*source, "none").empty());
    }

    void fileWithoutTensors() {
        const Folder folder;
        writeModelFile(folder / "m.h5", {});
        QVERIFY(opened(folder / "m.h5")->tensors().empty());
    }

    void textsOfTheRoot() {
        const Folder folder;
        const std::string tokenizer(200'000, 'x');
        writeModelFile(folder / "m.h5", {{"w", {1}, {1}}},
                       {{"config", "{\"naïve\": 1}"},
                        {"description", "fixed length", false},
                        {"tokenizer", tokenizer},
                        {"merges", tokenizer, false},
                        {"nothing", ""},
                        {"fixed nothing", "", false}});
        const auto source = opened(folder / "m.h5");
        QCOMPARE(*source->text("config"), "{\"naïve\": 1}");
        QCOMPARE(*source->text("description"), "fixed length");
        QCOMPARE(*source->text("tokenizer"), tokenizer);
        QCOMPARE(*source->text("merges"), tokenizer);
        QCOMPARE(*source->text("nothing"), "");
        QCOMPARE(*source->text("fixed nothing"), "");
        QVERIFY(!source->text("absent"));
    }

    void textDatasets_data() {
        QTest::addColumn<bool>("variable_length");
        QTest::newRow("variable length") << true;
        QTest::newRow("fixed length") << false;
    }
    void textDatasets() {
        QFETCH(bool, variable_length);
        const Folder folder;
        const std::string text = "{\"model_type\": \"gpt2\"}";
        const hid_t file =
            H5Fcreate((folder / "m.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        const hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, variable_length ? H5T_VARIABLE : text.size() + 5);
        const hid_t space = H5Screate(H5S_SCALAR);
        const hid_t dataset =
            H5Dcreate2(file, "config", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        std::string padded = text + std::string(5, '\0');
        const char* characters = text.c_str();
        H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                 variable_length ? static_cast<const void*>(&characters) : padded.data());
        H5Dclose(dataset);
        H5Fclose(file);
        const auto source = opened(folder / "m.h5");
        QCOMPARE(*source->text("config"), text);
        QVERIFY(source->tensors().empty());
    }

    void userBlocks_data() {
        QTest::addColumn<int>("bytes");
        QTest::newRow("512") << 512;
        QTest::newRow("4096") << 4096;
    }
    void userBlocks() {
        QFETCH(int, bytes);
        const Folder folder;
        writeModelFile(folder / "m.h5", {{"w", {2}, {1, 2}}}, {{"config", "{}"}});
        // A user block shifts the whole file; its own addresses stay as they are.
        const std::string whole = readBytes(folder / "m.h5");
        writeBytes(folder / "m.h5", std::string(static_cast<std::size_t>(bytes), '#') + whole);
        const auto source = opened(folder / "m.h5");
        QCOMPARE(readAll(*source, "w"), (std::vector<float>{1, 2}));
        QCOMPARE(*source->text("config"), "{}");
    }

    void wrongTargetSize() {
        const Folder folder;
        writeModelFile(folder / "m.h5", {{"w", {2, 3}, exactValues(6)}});
        const auto source = opened(folder / "m.h5");
        std::vector<float> target(5);
        const auto read = source->read(*source->find("w"), target);
        QVERIFY(!read);
        QCOMPARE(read.error().code, ErrorCode::InvalidArgument);
        QVERIFY2(mentions(read.error(), "it has shape [2, 3], not 5 values."),
                 read.error().message.c_str());
    }

    void unknownTensor() {
        const Folder folder;
        writeModelFile(folder / "m.h5", {{"w", {1}, {1}}});
        const auto source = opened(folder / "m.h5");
        std::vector<float> target(1);
        const auto read = source->read({"v", {1}, StoredType::Float32, 4}, target);
        QVERIFY(!read);
        QCOMPARE(read.error().code, ErrorCode::NotFound);
        QVERIFY(mentions(read.error(), "Cannot read tensor 'v' of '"));
    }

    void nearestAttributeNamesBFloat16() {
        const Folder folder;
        const auto path = folder / "m.h5";
        writeModelFile(path, {{"a.w", {2}, {1, 2}, Storage::BFloat16InUInt16},
                              {"b.w", {2}, {3, 4}, Storage::BFloat16InUInt16}});
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        H5Adelete_by_name(file, "a/w", "dtype", H5P_DEFAULT);
        H5Adelete_by_name(file, "b/w", "dtype", H5P_DEFAULT);
        addText(file, "b", "dtype", "uint16");
        H5Fclose(file);
        QCOMPARE(opened(path)->find("a.w")->type, StoredType::Integer);

        const hid_t again = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        addText(again, "/", "torch_dtype", "torch.bfloat16");
        H5Fclose(again);
        const auto source = opened(path);
        QCOMPARE(readAll(*source, "a.w"), (std::vector<float>{1, 2}));
        QCOMPARE(source->find("b.w")->type, StoredType::Integer);
    }

    void stopsWhenAsked_data() {
        QTest::addColumn<int>("storage");
        QTest::newRow("as it lies") << static_cast<int>(Storage::Float32);
        QTest::newRow("converted") << static_cast<int>(Storage::Float64BigEndian);
        QTest::newRow("widened") << static_cast<int>(Storage::Float16);
    }
    void stopsWhenAsked() {
        QFETCH(int, storage);
        const Folder folder;
        writeModelFile(folder / "m.h5",
                       {{"w", {7}, exactValues(7), static_cast<Storage>(storage)}});
        std::stop_source stop;
        stop.request_stop();
        const auto source = opened(folder / "m.h5");
        std::vector<float> target(7, -1.0f);
        const auto read = source->read(source->tensors()[0], target, stop.get_token());
        QVERIFY(!read);
        QCOMPARE(read.error().code, ErrorCode::Cancelled);
        QVERIFY(mentions(read.error(), "reading was stopped."));
        QCOMPARE(target, std::vector<float>(7, -1.0f));
    }

    void largeTensorsAreReadInSlabs_data() {
        QTest::addColumn<int>("storage");
        QTest::newRow("float32") << static_cast<int>(Storage::Float32);
        QTest::newRow("float64") << static_cast<int>(Storage::Float64);
        QTest::newRow("float16") << static_cast<int>(Storage::Float16);
    }
    void largeTensorsAreReadInSlabs() {
        QFETCH(int, storage);
        const Folder folder;
        const auto values = exactValues(3'000'001);
        writeModelFile(folder / "m.h5",
                       {{"w", {values.size()}, values, static_cast<Storage>(storage)}});
        QCOMPARE(readAll(*opened(folder / "m.h5"), "w"), values);
    }

    void budgetCountsWhatIsKept() {
        const Folder folder;
        writeModelFile(folder / "m.h5", {{"a", {100}, exactValues(100), Storage::Float16},
                                         {"b", {50}, exactValues(50), Storage::Float64}});
        QVERIFY(openTensorSource(folder / "m.h5", 400));
        const auto refused = openTensorSource(folder / "m.h5", 399);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::TooLarge);
        QVERIFY2(mentions(refused.error(),
                          "': its tensors need more than the 399 B of memory there "
                          "are (tensor 'b' of shape [50] no longer fits); choose "
                          "a smaller model."),
                 refused.error().message.c_str());
        QVERIFY(defaultTensorBudget() > 100'000'000);
    }
};

const headscope::test::TestRegistration<TestHdf5Source> registration;

} // namespace test_hdf5_source

#include "test_hdf5_source.moc"
