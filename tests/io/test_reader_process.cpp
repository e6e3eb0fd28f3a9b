#include "core/io/files/open_file.h"
#include "core/io/hdf5_writer.h"
#include "core/io/sealed/processor_share.h"
#include "core/io/sealed/reader_process.h"
#include "core/io/sealed/wire.h"
#include "core/io/tensor_source.h"
#include "tests/io/false_reader.h"
#include "tests/io/io_files.h"
#include "tests/io/source_values.h"
#include "tests/support/hdf5_files.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <cstdlib>
#include <optional>
#include <span>
#include <thread>

namespace test_reader_process {

using namespace headscope;
using namespace headscope::test;
namespace fs = std::filesystem;

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

    /// A reader is not blamed for what other programs take.
    void tellsWhoWaitsForAProcessor() {
        QVERIFY(isShortOfProcessor("20000000 7980000000 12"));
        QVERIFY(!isShortOfProcessor("6900000000 1100000000 900")); // computes without end
        QVERIFY(!isShortOfProcessor("2000000 300000 3"));          // sleeps
        QVERIFY(!isShortOfProcessor("0 0 0"));
        QVERIFY(!isShortOfProcessor(""));
        QVERIFY(!isShortOfProcessor("none"));
        QVERIFY(!isShortOfProcessor(pid_t{-1}));
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
        const Environment reader("HEADSCOPE_READER", answering(*folder_, answer).string());
        const auto failed = write();
        QVERIFY(failed);
        QCOMPARE(failed->code, ErrorCode::WriteFailed);
        QVERIFY2(mentions(*failed, reason.toStdString()), failed->message.c_str());
        QVERIFY(!fs::exists(*folder_ / "written.h5"));
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
        const Environment reader("HEADSCOPE_READER", answering(*folder_, answer).string());
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
