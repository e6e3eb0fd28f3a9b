#include "core/io/files/open_file.h"
#include "core/io/hdf5_writer.h"
#include "core/io/sealed/reader_process.h"
#include "core/io/sealed/wire.h"
#include "core/io/sealed_json.h"
#include "core/io/sealed_reading.h"
#include "core/io/sentencepiece_model.h"
#include "core/io/tensor_source.h"
#include "tests/io/io_files.h"
#include "tests/io/source_values.h"
#include "tests/support/hdf5_files.h"
#include "tests/support/runner.h"
#include "tests/support/sanitizer.h"

#include <QCoreApplication>
#include <QObject>
#include <QTest>

#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <thread>

namespace test_reader_process {

using namespace headscope;
using namespace headscope::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* kReadHere = "a build with sanitizers parses texts in this process";

/// A variable of the environment, for as long as it lives.
class Environment {
public:
    Environment(const char* name, const std::string& value) : name_(name) {
        ::setenv(name, value.c_str(), 1);
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    ~Environment() { ::unsetenv(name_); }

private:
    const char* name_;
};

/// A program that takes the place of the reader, as one that a file has taken over would.
fs::path falseReader(const Folder& folder, const std::string& commands) {
    const fs::path path = folder / "reader";
    writeBytes(path, "#!/bin/sh\n" + commands + "\n");
    fs::permissions(path, fs::perms::owner_all);
    return path;
}

std::string textOf(const Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace

class TestReaderProcess : public QObject {
    Q_OBJECT

private slots:
    void init() {
        folder_ = std::make_unique<Folder>();
        model_ = *folder_ / "model.h5";
        writeModelFile(model_, {{"w", {2, 2}, {1, 2, 3, 4}}}, {});
    }

    void describesTheFile() {
        const auto file = InputFile::open(model_);
        const auto answer = askReader(*file, Parser::Hdf5, {});
        QVERIFY2(answer, answer ? "" : answer.error().message.c_str());
        const auto& described = std::get<Hdf5Description>(*answer);
        QCOMPARE(described.datasets.size(), 1u);
        QCOMPARE(described.datasets[0].shape, (Shape{2, 2}));
    }

    void falseAnswers_data() {
        QTest::addColumn<QByteArray>("commands");
        QTest::addColumn<QByteArray>("reason");
        QTest::addColumn<ErrorCode>("code");
        const auto row = [](const char* name, const char* commands, const char* reason,
                            ErrorCode code = ErrorCode::Malformed) {
            QTest::newRow(name) << QByteArray(commands) << QByteArray(reason) << code;
        };
        const char* const nonsense = "its reader gives no sensible answer";
        row("none", "exit 0", nonsense);
        row("closed", "exec 4>&-; /bin/sleep 60", nonsense);
        row("text", "echo it is a fine file >&4", nonsense);
        row("without end", "/bin/cat /dev/zero >&4", nonsense);
        row("crash", "kill -SEGV $$", "the HDF5 library crashes on it");
        row("abort", "kill -ABRT $$", "the HDF5 library crashes on it");
        row("out of time", "kill -XCPU $$", "the HDF5 library comes to no end with it");
        row("forbidden", "kill -SYS $$", "do what reading a file never needs");
        row("killed", "kill -KILL $$", "its reader was killed from outside", ErrorCode::Unreadable);
        row("not loaded", "exit 127", "it or a library of it does not load", ErrorCode::Unreadable);
    }
    void falseAnswers() {
        QFETCH(QByteArray, commands);
        QFETCH(QByteArray, reason);
        QFETCH(ErrorCode, code);
        {
            const Environment reader("HEADSCOPE_READER",
                                     falseReader(*folder_, commands.toStdString()).string());
            const auto source = openTensorSource(model_);
            QVERIFY(!source);
            QCOMPARE(source.error().code, code);
            QVERIFY2(mentions(source.error(), "model.h5': ") &&
                         mentions(source.error(), reason.toStdString()),
                     source.error().message.c_str());
        }
        QCOMPARE(readAll(*opened(model_), "w"), (std::vector<float>{1, 2, 3, 4}));
    }

    /// Well-formed, and more than the file has.
    void descriptionsThatLie() {
        Hdf5Description lie;
        lie.datasets.push_back({.path = "w",
                                .shape = {1000, 1000},
                                .type = StoredType::Float32,
                                .element_bytes = 4,
                                .storage = ContiguousStorage{0}});
        refusesAnswer(lie,
                      "tensor 'w': its description does not fit the file (its numbers lie past "
                      "the end)");
        refusesAnswer(ZipDescription(), "its reader answers for another kind of file");
        refusesAnswer(Refusal{{ErrorCode::Malformed, "\xFF"}, ""},
                      "its reader gives no sensible answer");
        refusesAnswer(Refusal{{ErrorCode::Malformed, std::string(5000, 'x')}, ""},
                      "its reader gives no sensible answer");
    }

    /// Small by itself, and large once it is decoded.
    void moreEntriesThanAFileMayHave() {
        Hdf5Description tensors;
        tensors.datasets.resize(kMostEntries + 1);
        refusesAnswer(tensors, "its reader gives no sensible answer");
        ZipDescription members;
        members.members.resize(kMostEntries + 1);
        refusesAnswer(members, "its reader gives no sensible answer");
    }

    void stopsWhenAsked() {
        const Environment reader("HEADSCOPE_READER",
                                 falseReader(*folder_, "exec /bin/sleep 600").string());
        std::stop_source stop;
        std::jthread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            stop.request_stop();
        });
        const auto source = openTensorSource(model_, defaultTensorBudget(), stop.get_token());
        QVERIFY(!source);
        QCOMPARE(source.error().code, ErrorCode::Cancelled);
    }

    void missingReader() {
        const Environment reader("HEADSCOPE_READER", "/no/such/reader");
        const auto source = openTensorSource(model_);
        QVERIFY(!source);
        QVERIFY2(mentions(source.error(), "headscope-hdf5, which cannot be started: it is not in "
                                          "'/no/such'; install Headscope again"),
                 source.error().message.c_str());
    }

    /// What HDF5 has written is described by the reader, too.
    void writtenOtherwise_data() {
        QTest::addColumn<QByteArray>("change");
        QTest::addColumn<QByteArray>("reason");
        QTest::newRow("nothing") << QByteArray() << QByteArray();
        QTest::newRow("shape") << QByteArray("shape") << QByteArray("array 'w'");
        QTest::newRow("type") << QByteArray("type") << QByteArray("array 'w'");
        QTest::newRow("place") << QByteArray("place") << QByteArray("the numbers of array 'w'");
        QTest::newRow("text") << QByteArray("text") << QByteArray("the text 'config'");
        QTest::newRow("name") << QByteArray("name") << QByteArray("array 'w'");
    }
    void writtenOtherwise() {
        QFETCH(QByteArray, change);
        QFETCH(QByteArray, reason);
        QVERIFY(!write());
        const auto file = InputFile::open(*folder_ / "written.h5");
        auto said = std::get<Hdf5Description>(*askReader(*file, Parser::Hdf5, {}));
        DatasetDescription& array = said.datasets[0];
        if (change == "shape")
            array.shape = {3, 2};
        else if (change == "type")
            array.type = StoredType::Integer;
        else if (change == "place")
            std::get<ContiguousStorage>(array.storage).offset += 4;
        else if (change == "text")
            said.texts["config"] = "{ }";
        else if (change == "name")
            array.path = "v";
        writeBytes(*folder_ / "answer", textOf(encodeAnswer(said)));
        const Environment reader("HEADSCOPE_READER", lyingAboutWhatWasLaidOut().string());
        const auto failed = write();
        QCOMPARE(failed.has_value(), !reason.isEmpty());
        if (failed)
            QVERIFY2(mentions(*failed, "HDF5 has written " + reason.toStdString() +
                                           " in another way than it was told to"),
                     failed->message.c_str());
    }

    void writtenWithoutAReader() {
        const Environment reader("HEADSCOPE_READER", "/no/such/reader");
        const auto failed = write();
        QVERIFY(failed);
        QCOMPARE(failed->code, ErrorCode::WriteFailed);
        QVERIFY2(mentions(*failed, "Cannot write '") &&
                     mentions(*failed, "headscope-hdf5, which cannot be started"),
                 failed->message.c_str());
    }

    /// Well-formed, and not what the program asked for.
    void layoutsThatLie_data() {
        QTest::addColumn<QByteArray>("lie");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* lie, const char* reason) {
            QTest::newRow(lie) << QByteArray(lie) << QByteArray(reason);
        };
        row("another kind", "its layout is none");
        row("no arrays", "it has another number of arrays");
        row("no places", "array 'w' has other places");
        row("fewer numbers", "array 'w' has other places");
        row("past the end", "a part overlaps another or ends after the file");
        row("overflowing", "a part overlaps another or ends after the file");
        row("parts out of order", "a part overlaps another or ends after the file");
        row("petabytes", "it is far larger than all parts");
    }
    void layoutsThatLie() {
        QFETCH(QByteArray, lie);
        QFETCH(QByteArray, reason);
        Hdf5Layout layout{2048, {{0, Bytes(100)}, {200, Bytes(100)}}, {{{1000, 24}}}};
        if (lie == "no arrays")
            layout.places.clear();
        else if (lie == "no places")
            layout.places[0].clear();
        else if (lie == "fewer numbers")
            layout.places[0][0].bytes = 20;
        else if (lie == "past the end")
            layout.places[0][0].offset = 2040;
        else if (lie == "overflowing")
            layout.places[0][0].offset = ~std::uint64_t{0};
        else if (lie == "parts out of order")
            std::swap(layout.rest[0], layout.rest[1]);
        else if (lie == "petabytes")
            layout.bytes = std::uint64_t{1} << 50;
        const ReaderAnswer answer =
            lie == "another kind" ? ReaderAnswer(ZipDescription()) : ReaderAnswer(layout);
        const Environment reader("HEADSCOPE_READER", answering(answer).string());
        const auto failed = write();
        QVERIFY(failed);
        QCOMPARE(failed->code, ErrorCode::WriteFailed);
        QVERIFY2(mentions(*failed, reason.toStdString()), failed->message.c_str());
        QVERIFY(!fs::exists(*folder_ / "written.h5"));
    }

    void readsJson() {
        const auto document = readForeignJson(R"({"a": [1, -2, 0.5, "ü", null], "n": NaN})");
        QVERIFY2(document, document ? "" : document.error().message.c_str());
        QCOMPARE(document->root().dump(), std::string(R"({"a":[1,-2,0.5,"ü",null],"n":"NaN"})"));
        const std::string large =
            "[" + std::string(3'000'000, ' ') + "\"" + std::string(3'000'000, 'x') + "\"]";
        const auto read = readForeignJson(large);
        QVERIFY(read);
        QCOMPARE(read->root().element(0).text()->size(), 3'000'000u);
    }

    /// One reader for all, each with its own answer.
    void readsManyTexts() {
        const auto documents = readForeignJsons({"[1]", "[", "", R"({"a": {}})"});
        QCOMPARE(documents.size(), 4u);
        QCOMPARE(documents[0]->root().dump(), std::string("[1]"));
        QCOMPARE(documents[1].error().message, std::string("is not valid JSON at byte 2"));
        QCOMPARE(documents[2].error().message, std::string("is not valid JSON at byte 1"));
        QCOMPARE(documents[3]->root().dump(), std::string(R"({"a":{}})"));
        QVERIFY(readForeignJsons({}).empty());
    }

    /// As JsonDocument::parse() says it.
    void refusesJson_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* text, const char* reason) {
            QTest::newRow(reason) << QByteArray(text) << QByteArray(reason);
        };
        row("", "is not valid JSON at byte 1");
        row("{\"a\": \"\xFF\"}", "is not valid JSON at byte 8");
        row(R"({"a": 1e999})", "holds a number that is out of range");
        row(R"({"a": 1, "a": 1})", "has the key 'a' twice");
        row("[[[1]]]", "is nested more than 2 deep");
        row("[1,1,1,1,1,1]", "holds more than 5 values");
    }
    void refusesJson() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, reason);
        const JsonLimits limits{.depth = 2, .values = 5, .unique_keys = true};
        const auto document = readForeignJson(text.toStdString(), limits);
        QVERIFY(!document);
        QCOMPARE(document.error().code, ErrorCode::Malformed);
        QCOMPARE(document.error().message, reason.toStdString());
        QCOMPARE(JsonDocument::parse(text.toStdString(), limits).error().message,
                 reason.toStdString());
    }

    void jsonLargerThanItsRoom() {
        std::string text = "[";
        for (int i = 0; i < 3'000'000; ++i)
            text += "1,";
        text += "1]";
        const auto refused = readForeignJson(text);
        QVERIFY(!refused);
        QCOMPARE(refused.error().message,
                 std::string("holds more values than its size has room for"));
        const auto read = readForeignJson(text, {.room = std::size_t{256} << 20});
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QCOMPARE(read->root().size(), 3'000'001u);
    }

    void longKeysAreShortened() {
        const std::string key = "\"" + std::string(100'000, 'k') + "\":1";
        const auto document = readForeignJson("{" + key + "," + key + "}", {.unique_keys = true});
        QVERIFY(!document);
        QVERIFY2(mentions(document.error(), "has the key 'kkk"), document.error().message.c_str());
        QVERIFY(document.error().message.size() < 500);
    }

    void falseJson_data() {
        QTest::addColumn<QByteArray>("commands");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* name, const char* commands, const char* reason) {
            QTest::newRow(name) << QByteArray(commands) << QByteArray(reason);
        };
        row("crash", "kill -SEGV $$",
            "cannot be read: it is damaged so that its parser crashes on it");
        row("none", "exit 0", "cannot be read: its reader gives no sensible answer");
        row("without end", "/bin/cat /dev/zero >&4",
            "cannot be read: its reader gives no sensible answer");
    }
    void falseJson() {
        if (isSanitized())
            QSKIP(kReadHere);
        QFETCH(QByteArray, commands);
        QFETCH(QByteArray, reason);
        const Environment reader("HEADSCOPE_READER",
                                 falseReader(*folder_, commands.toStdString()).string());
        const auto document = readForeignJson("[1]");
        QVERIFY(!document);
        QVERIFY2(mentions(document.error(), reason.toStdString()),
                 document.error().message.c_str());
    }

    void jsonThatLies() {
        if (isSanitized())
            QSKIP(kReadHere);
        const auto refuses = [&](const ReaderAnswer& answer) {
            const Environment reader("HEADSCOPE_READER", answering(answer).string());
            const auto document = readForeignJson("[1]");
            QVERIFY(!document);
            QVERIFY2(
                mentions(document.error(), "cannot be read: its reader gives no sensible answer"),
                document.error().message.c_str());
        };
        const auto bytes = [](std::initializer_list<int> values) {
            Bytes all;
            for (const int value : values)
                all.push_back(static_cast<std::byte>(value));
            return JsonAnswers{{all}};
        };
        refuses(bytes({6, 1, 0xFF})); // no UTF-8
        refuses(bytes({7, 2, 0}));    // without an end
        refuses(JsonAnswers());       // fewer texts than asked for
        refuses(JsonAnswers{{Bytes{std::byte{0}}, Bytes{std::byte{0}}}});
        refuses(JsonAnswers{{Error{ErrorCode::Malformed, ""}}});
        refuses(JsonAnswers{{Error{ErrorCode::Malformed, "\xFF"}}});
        refuses(JsonAnswers{{Error{ErrorCode::Malformed, std::string(5000, 'x')}}});
        refuses(ZipDescription());
        Bytes many(2'000'000); // more than so short a text has room for
        many.front() = std::byte{7};
        many.back() = std::byte{9};
        refuses(JsonAnswers{{many}});
    }

    void sentencePieceThatLies() {
        if (isSanitized())
            QSKIP(kReadHere);
        const auto refuses = [&](const ReaderAnswer& answer) {
            const Environment reader("HEADSCOPE_READER", answering(answer).string());
            const auto model = readSentencePieceModel("");
            QVERIFY(!model);
            QCOMPARE(model.error().code, ErrorCode::Unreadable);
            QVERIFY2(mentions(model.error(), "cannot be read: its reader gives no sensible answer"),
                     model.error().message.c_str());
        };
        refuses(JsonAnswers());
        refuses(SentencePieceModel{{}, {{1, "a field for the trainer"}}, {}, {}});
        refuses(SentencePieceModel{{}, {}, {{2, std::uint64_t{7}}}, {}});
        refuses(SentencePieceModel{{}, {}, {}, {{3, "no number"}}});
    }

    void jsonWithoutAReader() {
        if (isSanitized())
            QSKIP(kReadHere);
        const Environment reader("HEADSCOPE_READER", "/no/such/reader");
        const auto document = readForeignJson("[1]");
        QVERIFY(!document);
        QCOMPARE(document.error().code, ErrorCode::Unreadable);
        QVERIFY2(mentions(document.error(),
                          "cannot be read: it is only read by a program of its own, "
                          "headscope-reader, which cannot be started"),
                 document.error().message.c_str());
    }

    void jsonStopsWhenAsked() {
        if (isSanitized())
            QSKIP(kReadHere);
        const Environment reader("HEADSCOPE_READER",
                                 falseReader(*folder_, "exec /bin/sleep 600").string());
        std::stop_source stop;
        std::jthread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            stop.request_stop();
        });
        const SealedReading reading(stop.get_token());
        const auto document = readForeignJson("[1]");
        QVERIFY(!document);
        QCOMPARE(document.error().code, ErrorCode::Cancelled);
    }

    /// A reader is started once for all texts of a model, and once more after it has failed.
    void oneReaderForManyQuestions() {
        if (isSanitized())
            QSKIP(kReadHere);
        const fs::path starts = *folder_ / "starts";
        const auto countStarts = [&](const std::string& then) {
            return falseReader(*folder_, "echo >> '" + starts.string() + "'; " + then).string();
        };
        const std::string reader = fs::path(QCoreApplication::applicationDirPath().toStdString()) /
                                   "../bin/headscope-reader";
        const Environment told("HEADSCOPE_READER", countStarts("exec '" + reader + "' \"$@\""));
        {
            const SealedReading model({});
            QVERIFY(readForeignJson("[1]") && !readForeignJson("["));
            {
                const SealedReading part({});
                QCOMPARE(readForeignJson("[2]")->root().dump(), std::string("[2]"));
            }
            QCOMPARE(fs::file_size(starts), 1u);
            const std::string large = "[\"" + std::string(std::size_t{17} << 20, 'x') + "\"]";
            QVERIFY(readForeignJson(large)); // by one that has memory for it
            QVERIFY(readForeignJson(large) && readForeignJson("[3]"));
            QCOMPARE(fs::file_size(starts), 2u);
        }
        fs::remove(starts);
        const Environment ending("HEADSCOPE_READER", countStarts("exit 0"));
        const SealedReading model({});
        QVERIFY(!readForeignJson("[1]") && !readForeignJson("[1]"));
        QCOMPARE(fs::file_size(starts), 2u);
    }

    /// As many descriptors are open after it as before.
    void jsonLeavesNoDescriptors() {
        if (isSanitized())
            QSKIP(kReadHere);
        const auto open = [] {
            return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
        };
        const auto before = open();
        for (int i = 0; i < 5; ++i)
            QVERIFY(readForeignJson("[1]") && !readForeignJson("["));
        const Environment reader("HEADSCOPE_READER", "/no/such/reader");
        QVERIFY(!readForeignJson("[1]"));
        QCOMPARE(open(), before);
    }

    void falseGguf_data() {
        QTest::addColumn<QByteArray>("lie");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* lie, const char* reason) {
            QTest::newRow(lie) << QByteArray(lie) << QByteArray(reason);
        };
        row("another kind", "its reader answers for another kind of file");
        row("part", "it is a part that there is not");
        row("no name", "the name of a tensor is none");
        row("name that is not UTF-8", "the name of a tensor is none");
        row("long name", "the name of a tensor is none");
        row("unknown format", "tensor \"w\" cannot be in it");
        row("past the end", "tensor \"w\" cannot be in it");
        row("offset past the end", "tensor \"w\" cannot be in it");
        row("more than any memory", "tensor \"w\" cannot be in it");
        row("five axes", "tensor \"w\" cannot be in it");
        row("part of a block", "tensor \"w\" cannot be in it");
        row("twice", "its tensors are in no order");
        row("shared bytes", "two tensors share bytes");
    }
    void falseGguf() {
        if (isSanitized())
            QSKIP(kReadHere);
        QFETCH(QByteArray, lie);
        QFETCH(QByteArray, reason);
        const fs::path model = *folder_ / "model.gguf";
        writeBytes(model, "GGUF" + std::string(100, '\0'));
        GgufAnswer said{.metadata = "{}", .tensors = {{"w", 0, {4}, 0}}};
        DescribedTensor& tensor = said.tensors[0];
        if (lie == "part")
            said.split_number = 1;
        else if (lie == "no name")
            tensor.name = "";
        else if (lie == "name that is not UTF-8")
            tensor.name = "\xFF";
        else if (lie == "long name")
            tensor.name = std::string(2000, 'w');
        else if (lie == "unknown format")
            tensor.format = 999;
        else if (lie == "past the end")
            tensor.shape = {1000, 1000};
        else if (lie == "offset past the end")
            tensor.offset = ~std::uint64_t{0};
        else if (lie == "more than any memory")
            tensor.shape = {std::size_t{1} << 32, std::size_t{1} << 32, 4};
        else if (lie == "five axes")
            tensor.shape = {1, 1, 1, 1, 1};
        else if (lie == "part of a block") {
            tensor.format = 2;
            tensor.shape = {31};
        } else if (lie == "twice")
            said.tensors.push_back({"w", 0, {4}, 16});
        else if (lie == "shared bytes")
            said.tensors.push_back({"x", 0, {4}, 12});
        const ReaderAnswer answer =
            lie == "another kind" ? ReaderAnswer(ZipDescription()) : ReaderAnswer(said);
        const Environment reader("HEADSCOPE_READER", answering(answer).string());
        const auto source = openTensorSource(model);
        QVERIFY(!source);
        QVERIFY2(mentions(source.error(), "Cannot open '") &&
                     mentions(source.error(), reason.toStdString()),
                 source.error().message.c_str());
    }

    void unsealedIsSaid() {
        QVERIFY(opened(model_)->notes().empty());
        const Environment unsealed("HEADSCOPE_UNSEALED", "1");
        const auto source = opened(model_);
        QCOMPARE(readAll(*source, "w"), (std::vector<float>{1, 2, 3, 4}));
        QCOMPARE(source->notes().size(), 1u);
        QVERIFY(source->notes()[0].find("HEADSCOPE_UNSEALED") != std::string::npos);
    }

private:
    /// Gives this answer to any question.
    fs::path answering(const ReaderAnswer& answer) {
        writeBytes(*folder_ / "answer", textOf(encodeAnswer(answer)));
        return falseReader(*folder_, "/bin/cat '" + (*folder_ / "answer").string() + "' >&4");
    }

    /// What goes wrong, if anything.
    std::optional<Error> write() {
        const StreamedArray array{"w", {2, 3}, FloatFormat::Float32};
        const std::vector<float> values(6, 1.0F);
        const auto written = writeHdf5Streamed(*folder_ / "written.h5", std::span(&array, 1),
                                               std::vector<Hdf5Attribute>{{"config", "{}"}},
                                               [&](std::size_t, const AppendBytes& append) {
                                                   return append(std::as_bytes(std::span(values)));
                                               });
        return written ? std::nullopt : std::optional(written.error());
    }

    /// Lays files out as the reader does, and gives the answer that is prepared to any other
    /// question.
    fs::path lyingAboutWhatWasLaidOut() {
        const fs::path reader =
            fs::read_symlink("/proc/self/exe").parent_path() / "../bin/headscope-hdf5";
        return falseReader(*folder_, "[ $1 = hdf5-plan ] && exec '" + reader.string() +
                                         "' \"$@\"\n/bin/cat '" + (*folder_ / "answer").string() +
                                         "' >&4");
    }

    void refusesAnswer(const ReaderAnswer& answer, std::string_view reason) {
        const Environment reader("HEADSCOPE_READER", answering(answer).string());
        const auto source = openTensorSource(model_);
        QVERIFY(!source);
        QVERIFY2(mentions(source.error(), reason), source.error().message.c_str());
    }

    std::unique_ptr<Folder> folder_;
    fs::path model_;
};

const headscope::test::TestRegistration<TestReaderProcess> registration;

} // namespace test_reader_process

#include "test_reader_process.moc"
