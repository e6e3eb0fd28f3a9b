#include "core/io/sealed_json.h"
#include "core/io/sealed_reading.h"
#include "core/io/sentencepiece_model.h"
#include "core/io/tensor_source.h"
#include "tests/io/false_reader.h"
#include "tests/io/io_files.h"
#include "tests/support/runner.h"
#include "tests/support/sanitizer.h"

#include <QCoreApplication>
#include <QObject>
#include <QTest>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

namespace test_text_reader {

using namespace headscope;
using namespace headscope::test;
namespace fs = std::filesystem;

/// The process that reads texts and GGUF, and programs that take its place.
class TestTextReader : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (isSanitized())
            QSKIP("a build with sanitizers parses texts in this process");
    }
    void init() { folder_ = std::make_unique<Folder>(); }

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
        const auto refuses = [&](const ReaderAnswer& answer) {
            const Environment reader("HEADSCOPE_READER", answering(*folder_, answer).string());
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
        const auto refuses = [&](const ReaderAnswer& answer) {
            const Environment reader("HEADSCOPE_READER", answering(*folder_, answer).string());
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
        const Environment reader("HEADSCOPE_READER", "/no/such/reader");
        const auto document = readForeignJson("[1]");
        QVERIFY(!document);
        QCOMPARE(document.error().code, ErrorCode::Unreadable);
        QVERIFY2(mentions(document.error(),
                          "cannot be read: it is only read by a program of its own, "
                          "headscope-reader, which cannot be started"),
                 document.error().message.c_str());
    }

    /// One of the other kind, or of another version, does not know what it is asked.
    void anotherProgramInItsPlace() {
        const Environment reader("HEADSCOPE_READER", falseReader(*folder_, "exit 2").string());
        const auto document = readForeignJson("[1]");
        QVERIFY(!document);
        QCOMPARE(document.error().code, ErrorCode::Unreadable);
        QVERIFY2(mentions(document.error(), "it is another program or of another version"),
                 document.error().message.c_str());
    }

    /// What cannot be read is no malformed text, and is not to be downloaded again.
    void theReaderIsNotTheText() {
        const fs::path model = *folder_ / "model.safetensors";
        writeBytes(model, std::string("\x02\0\0\0\0\0\0\0{}", 10));
        const Environment reader("HEADSCOPE_READER", "/no/such/reader");
        const auto source = openTensorSource(model);
        QVERIFY(!source);
        QCOMPARE(source.error().code, ErrorCode::Unreadable);
        QVERIFY2(!mentions(source.error(), "download"), source.error().message.c_str());
        fs::create_directory(*folder_ / "whole");
        writeBytes(*folder_ / "whole/modules.json", "[]");
        const auto folder = openTensorSource(*folder_ / "whole");
        QVERIFY(!folder);
        QCOMPARE(folder.error().code, ErrorCode::Unreadable);
    }

    void jsonStopsWhenAsked() {
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

    /// Six bytes of JSON for each of the file, and an answer of the size that this takes.
    void controlCharactersOfMetadata() {
        const auto number = [](std::uint64_t value, std::size_t bytes) {
            std::string text;
            for (std::size_t i = 0; i < bytes; ++i)
                text += static_cast<char>(value >> (8 * i) & 0xFF);
            return text;
        };
        const std::string value(std::size_t{12} << 20, '\x01');
        const std::uint64_t tensors = 0;
        const std::uint64_t keys = 1;
        const std::uint64_t text_type = 8;
        const fs::path model = *folder_ / "model.gguf";
        writeBytes(model, "GGUF" + number(3, 4) + number(tensors, 8) + number(keys, 8) +
                              number(1, 8) + "k" + number(text_type, 4) + number(value.size(), 8) +
                              value);
        const auto source = openTensorSource(model);
        QVERIFY2(source, source ? "" : source.error().message.c_str());
    }

    void falseGguf_data() {
        QTest::addColumn<QByteArray>("lie");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* lie, const char* reason) {
            QTest::newRow(lie) << QByteArray(lie) << QByteArray(reason);
        };
        row("another kind", "its reader answers for another kind of file");
        row("part", "it says it is a part that is not there");
        row("no name", "a tensor has no valid name");
        row("name that is not UTF-8", "a tensor has no valid name");
        row("long name", "a tensor has no valid name");
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
        const Environment reader("HEADSCOPE_READER", answering(*folder_, answer).string());
        const auto source = openTensorSource(model);
        QVERIFY(!source);
        QVERIFY2(mentions(source.error(), "Cannot open '") &&
                     mentions(source.error(), reason.toStdString()),
                 source.error().message.c_str());
    }

private:
    std::unique_ptr<Folder> folder_;
};

const headscope::test::TestRegistration<TestTextReader> registration;

} // namespace test_text_reader

#include "test_text_reader.moc"
