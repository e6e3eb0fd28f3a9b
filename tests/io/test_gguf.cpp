#include "core/io/tensor_source.h"
#include "tests/io/gguf_files.h"
#include "tests/io/io_files.h"
#include "tests/support/runner.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace test_gguf {

using namespace headscope;
using namespace headscope::test;

namespace {

const std::filesystem::path kGgufFolder = HEADSCOPE_TEST_DATA "/gguf";

std::unique_ptr<TensorSource> opened(const std::filesystem::path& path) {
    auto source = openTensorSource(path);
    if (!source)
        throw std::runtime_error(source.error().message);
    return *std::move(source);
}

std::vector<float> valuesOf(const TensorSource& source, const std::string& name) {
    const TensorInfo* const tensor = source.find(name);
    if (tensor == nullptr)
        throw std::runtime_error("no tensor " + name);
    std::vector<float> values(elementCount(tensor->shape));
    if (const auto read = source.read(*tensor, values); !read)
        throw std::runtime_error(read.error().message);
    return values;
}

} // namespace

class TestGguf : public QObject {
    Q_OBJECT

private slots:
    void everyTypeToTheBit_data();
    void everyTypeToTheBit();
    void metadataAsJson();
    void manyBlocksThanOneSlab();
    void partsOfOneModel();
    void missingParts();
    void partsInAFolder();
    void badParts_data();
    void badParts();
    void typesThatAreNotRead();
    void stopAndBudget();
};

/// Each tensor beside what the package gguf makes of its blocks (tests/data/gguf/make_gguf.py).
void TestGguf::everyTypeToTheBit_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("text");
    const auto row = [](const char* type, const char* text) {
        QTest::newRow(type) << QString::fromLatin1(type) << QString::fromLatin1(text);
    };
    row("F32", "float32");
    row("F16", "float16");
    row("BF16", "bfloat16");
    row("Q4_0", "Q4_0, 4.5 bits");
    row("Q4_1", "Q4_1, 5 bits");
    row("Q5_0", "Q5_0, 5.5 bits");
    row("Q5_1", "Q5_1, 6 bits");
    row("Q8_0", "Q8_0, 8.5 bits");
    row("Q2_K", "Q2_K, 2.625 bits");
    row("Q3_K", "Q3_K, 3.4375 bits");
    row("Q4_K", "Q4_K, 4.5 bits");
    row("Q5_K", "Q5_K, 5.5 bits");
    row("Q6_K", "Q6_K, 6.5625 bits");
    row("MXFP4", "MXFP4, 4.25 bits");
}

void TestGguf::everyTypeToTheBit() {
    QFETCH(QString, type);
    QFETCH(QString, text);
    const auto source = opened(kGgufFolder / "types.gguf");
    const auto values = valuesOf(*source, type.toStdString());
    const auto expected = valuesOf(*source, type.toStdString() + ".expected");
    QCOMPARE(QString::fromStdString(storedTypeText(*source->find(type.toStdString()))), text);
    QCOMPARE(values.size(), expected.size());
    QVERIFY(std::ranges::any_of(values, [](float value) { return value != 0.0f; }));
    QVERIFY(std::memcmp(values.data(), expected.data(), values.size() * sizeof(float)) == 0);
}

/// Every kind of value; a float32 has the digits it was written with.
void TestGguf::metadataAsJson() {
    const Folder folder;
    const std::filesystem::path path = folder / "m.gguf";
    const auto pair = [](const char* key, std::uint32_t type, std::string_view value) {
        return ggufPair(key, type, value);
    };
    writeBytes(
        path,
        ggufBytes(
            {pair("u8", 0, bytesOf({std::uint8_t{200}})), pair("i8", 1, bytesOf({std::int8_t{-3}})),
             pair("u16", 2, bytesOf({std::uint16_t{60000}})),
             pair("i16", 3, bytesOf({std::int16_t{-300}})), ggufNumber("u32", 4000000000u),
             pair("i32", 5, bytesOf({std::int32_t{-4}})), pair("f32", 6, bytesOf({1e-5f})),
             pair("bool", 7, bytesOf({std::uint8_t{1}})), ggufString("text", "Füße"),
             pair("u64", 10, bytesOf({~std::uint64_t{0}})),
             pair("i64", 11, bytesOf({std::int64_t{-5}})), pair("f64", 12, bytesOf({0.1})),
             ggufString("broken", "\xFF"), pair("nan", 6, bytesOf({0x7FC00000u})),
             ggufArray("list", 8, 2, ggufText("a") + ggufText("")), ggufArray("none", 4, 0, "")},
            {}, ""));
    const auto json = nlohmann::json::parse(opened(path)->text(kGgufMetadata).value());
    const auto expected = nlohmann::json::parse(
        R"({"u8": 200, "i8": -3, "u16": 60000, "i16": -300, "u32": 4000000000, "i32": -4,
            "f32": 1e-05, "bool": true, "text": "Füße", "u64": 18446744073709551615, "i64": -5,
            "f64": 0.1, "broken": null, "nan": "NaN", "list": ["a", ""], "none": []})");
    QCOMPARE(json.dump(), expected.dump());
}

/// A tensor of more than a slab is read in pieces that begin with whole blocks.
void TestGguf::manyBlocksThanOneSlab() {
    constexpr std::size_t rows = 40'000; // 10 MB of float32
    std::string blocks;
    for (std::size_t row = 0; row < 2 * rows; ++row) {
        std::string block = bytesOf({std::uint16_t{0x3C00}}); // 1.0
        for (int i = 0; i < 32; ++i)
            block += static_cast<char>((row + static_cast<std::size_t>(i)) % 100);
        blocks += block;
    }
    const Folder folder;
    const std::filesystem::path path = folder / "m.gguf";
    writeBytes(path, ggufBytes({}, {ggufTensor("w", {64, rows}, 8, 0)}, blocks));
    const auto source = opened(path);
    QCOMPARE(source->tensors()[0].shape, (Shape{rows, 64}));
    const auto values = valuesOf(*source, "w");
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != static_cast<float>((i / 32 + i % 32) % 100))
            QFAIL(("value " + std::to_string(i) + " is " + std::to_string(values[i])).c_str());
}

void TestGguf::partsOfOneModel() {
    const auto first = opened(kGgufFolder / "mistral-00001-of-00003.gguf");
    const auto last = opened(kGgufFolder / "mistral-00003-of-00003.gguf");
    QCOMPARE(first->tensors().size(), std::size_t{21});
    QCOMPARE(first->files().size(), std::size_t{3});
    QCOMPARE(first->openFiles().size(), std::size_t{3});
    QCOMPARE(last->path().filename().string(), std::string("mistral-00001-of-00003.gguf"));
    for (const TensorInfo& tensor : first->tensors())
        QCOMPARE(valuesOf(*first, tensor.name), valuesOf(*last, tensor.name));
    QVERIFY(first->text(kGgufMetadata)->find("general.architecture") != std::string::npos);
}

/// The first says what the network is.
void TestGguf::missingParts() {
    const Folder folder;
    const auto path = folder / "mistral-00001-of-00003.gguf";
    std::filesystem::copy_file(kGgufFolder / "mistral-00001-of-00003.gguf", path);
    const auto source = opened(path);
    const auto whole = opened(kGgufFolder / "mistral-00001-of-00003.gguf");
    QVERIFY(source->tensors().size() < whole->tensors().size());
    for (const TensorInfo& tensor : source->tensors())
        QCOMPARE(valuesOf(*source, tensor.name), valuesOf(*whole, tensor.name));
    QCOMPARE(source->files(), std::vector<std::filesystem::path>{path});
    QCOMPARE(source->notes(), std::vector<std::string>{
                                  "Of 3 parts 2 are missing: 'mistral-00002-of-00003.gguf', "
                                  "'mistral-00003-of-00003.gguf'; download what is missing into "
                                  "the same folder."});
    QVERIFY(whole->notes().empty());
}

/// Only the first part counts as a model.
void TestGguf::partsInAFolder() {
    const Folder folder;
    for (const char* name : {"mistral-00001-of-00003.gguf", "mistral-00002-of-00003.gguf",
                             "mistral-00003-of-00003.gguf"})
        std::filesystem::copy_file(kGgufFolder / name, folder / name);
    QCOMPARE(opened(folder.path())->tensors().size(), std::size_t{21});
}

void TestGguf::badParts_data() {
    QTest::addColumn<QByteArray>("change");
    QTest::addColumn<QByteArray>("reason");
    const auto row = [](const char* change, const char* reason) {
        QTest::newRow(change) << QByteArray(change) << QByteArray(reason);
    };
    row("missing", "its part 'mistral-00001-of-00003.gguf' is missing; download it");
    row("renamed", "it is part 1 of 3 and not named like one, expected NAME-00001-of-00003.gguf; "
                   "give all parts such names.");
    row("swapped", "it is not part 2 of 3, as its name says; download all parts again");
}

void TestGguf::badParts() {
    QFETCH(QByteArray, change);
    QFETCH(QByteArray, reason);
    const Folder folder;
    const auto copy = [&](const char* from, const char* to) {
        std::filesystem::copy_file(kGgufFolder / from, folder / to);
    };
    const bool renamed = change == "renamed";
    const char* first = renamed               ? "first.gguf"
                        : change == "missing" ? "mistral-00002-of-00003.gguf"
                                              : "mistral-00001-of-00003.gguf";
    copy(change == "missing" ? first : "mistral-00001-of-00003.gguf", first);
    if (change == "swapped")
        copy("mistral-00003-of-00003.gguf", "mistral-00002-of-00003.gguf");
    const auto source = openTensorSource(folder / first);
    QVERIFY(!source);
    QVERIFY2(source.error().message.find(reason.toStdString()) != std::string::npos,
             source.error().message.c_str());
}

void TestGguf::typesThatAreNotRead() {
    const Folder folder;
    const std::filesystem::path path = folder / "m.gguf";
    writeBytes(path, ggufBytes({}, {ggufTensor("w", {256}, 23, 0)}, std::string(136, '\0')));
    const auto source = opened(path);
    std::vector<float> values(256);
    const auto read = source->read(source->tensors()[0], values);
    QVERIFY(!read);
    QVERIFY2(read.error().message.find(
                 "it is of the type IQ4_XS, expected one of F32, F16, Q4_0") != std::string::npos,
             read.error().message.c_str());
}

void TestGguf::stopAndBudget() {
    const Folder folder;
    const std::filesystem::path path = folder / "m.gguf";
    writeBytes(path, smallGguf());
    QCOMPARE(openTensorSource(path, 15).error().code, ErrorCode::TooLarge);
    const auto source = opened(path);
    std::stop_source stop;
    stop.request_stop();
    std::vector<float> values(4);
    QCOMPARE(source->read(source->tensors()[0], values, stop.get_token()).error().code,
             ErrorCode::Cancelled);
}

const headscope::test::TestRegistration<TestGguf> registration;

} // namespace test_gguf

#include "test_gguf.moc"
