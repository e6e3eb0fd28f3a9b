#include "core/io/atomic_file.h"
#include "core/io/files/open_file.h"
#include "core/io/files_in_use.h"
#include "tests/io/io_files.h"
#include "tests/io/small_disk.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <sys/stat.h>

namespace test_atomic_file {

using namespace headscope;
using namespace headscope::test;
namespace fs = std::filesystem;

class TestAtomicFile : public QObject {
    Q_OBJECT

private slots:
    void writesAndReplaces() {
        const Folder folder;
        const auto path = folder / "out.txt";
        QVERIFY(writeFileAtomically(path, "one"));
        QVERIFY(writeFileAtomically(path, "two"));
        QCOMPARE(readBytes(path), "two");
        QCOMPARE(folder.fileCount(), 1u);
    }

    void relativePath() {
        const Folder folder;
        const fs::path before = fs::current_path();
        fs::current_path(folder.path());
        const auto written = writeFileAtomically("out.txt", "here");
        fs::current_path(before);
        QVERIFY(written);
        QCOMPARE(readBytes(folder / "out.txt"), "here");
    }

    void failedWriteLeavesTheOldFile() {
        const Folder folder;
        const auto path = folder / "out.txt";
        writeBytes(path, "old");
        const auto written = writeFileAtomically(path, [&](const fs::path& temporary) {
            writeBytes(temporary, "half");
            return Result<void>(Error{ErrorCode::WriteFailed, "the reason"});
        });
        QVERIFY(!written);
        QCOMPARE(written.error().message, "the reason");
        QCOMPARE(readBytes(path), "old");
        QCOMPARE(folder.fileCount(), 1u);
    }

    void filesInUseStay() {
        const Folder folder;
        fs::create_directory(folder / "elsewhere");
        for (const char* name : {"m.h5", "tokenizer.json", "scores.csv"})
            writeBytes(folder / name, name);
        fs::create_symlink(folder / "m.h5", folder / "link.h5");
        fs::create_symlink(folder / "tokenizer.json", folder / "elsewhere" / "table.json");
        std::shared_ptr<const void> in_use;
        {
            const OpenedFiles outer;
            {
                const OpenedFiles opened;
                QVERIFY(InputFile::open(folder / "m.h5"));
                QVERIFY(readTextFile(folder / "tokenizer.json", 100));
                in_use = opened.keepInUse();
            }
            QVERIFY(InputFile::open(folder / "scores.csv"));
            const auto also = outer.keepInUse();
            QVERIFY(!writeFileAtomically(folder / "scores.csv", "table"));
        }
        QVERIFY(writeFileAtomically(folder / "scores.csv", "table"));
        const auto again = in_use;
        in_use.reset();
        for (const char* name : {"m.h5", "link.h5", "tokenizer.json", "elsewhere/table.json"}) {
            const auto written = writeFileAtomically(folder / name, "table");
            QVERIFY2(!written, name);
            QVERIFY(written.error().message.find("it is part of a model that is open") !=
                    std::string::npos);
        }
        QCOMPARE(readBytes(folder / "m.h5"), "m.h5");
        QCOMPARE(readBytes(folder / "tokenizer.json"), "tokenizer.json");
    }

    void whatIsNoLongerInUseIsReplaced() {
        const Folder folder;
        writeBytes(folder / "m.h5", "weights");
        std::shared_ptr<const void> in_use;
        {
            const OpenedFiles opened;
            QVERIFY(InputFile::open(folder / "m.h5"));
            in_use = opened.keepInUse();
        }
        QVERIFY(!writeFileAtomically(folder / "m.h5", "table"));
        in_use.reset();
        QVERIFY(writeFileAtomically(folder / "m.h5", "table"));
        QVERIFY(InputFile::open(folder / "m.h5")); // which nothing of this thread notes
        QVERIFY(writeFileAtomically(folder / "m.h5", "another"));
    }

    void exceptionLeavesNothing() {
        const Folder folder;
        bool thrown = false;
        try {
            static_cast<void>(writeFileAtomically(
                folder / "out.txt", [](const fs::path&) -> Result<void> { throw 1; }));
        } catch (int) {
            thrown = true;
        }
        QVERIFY(thrown);
        QCOMPARE(folder.fileCount(), 0u);
    }

    void fullDiskLeavesTheOldFile() {
        const Folder folder;
        const auto path = folder / "out.txt";
        writeBytes(path, "old");
        const SmallDisk disk(4096);
        const auto written = writeFileAtomically(path, std::string(10000, 'x'));
        QVERIFY(!written);
        QCOMPARE(written.error().code, ErrorCode::WriteFailed);
        QCOMPARE(written.error().message,
                 "Cannot write '" + path.string() +
                     "': the file would be larger than the 4.10 kB that this session allows a file "
                     "(ulimit -f); raise the limit or write less.");
        QCOMPARE(readBytes(path), "old");
        QCOMPARE(folder.fileCount(), 1u);
    }

    void refusesWhatIsNoFile_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QByteArray>("reason");
        QTest::newRow("missing folder")
            << QStringLiteral("/no/such/out.txt")
            << QByteArray("its folder does not exist; create it or choose another one");
        QTest::newRow("folder") << QStringLiteral("/tmp")
                                << QByteArray("it is a folder; add a file name");
        QTest::newRow("file in place of a folder")
            << QStringLiteral("/etc/passwd/out.txt") << QByteArray("its folder does not exist");
    }
    void refusesWhatIsNoFile() {
        QFETCH(QString, path);
        QFETCH(QByteArray, reason);
        const auto written = writeFileAtomically(path.toStdString(), "text");
        QVERIFY(!written);
        QCOMPARE(written.error().code, ErrorCode::WriteFailed);
        QVERIFY2(mentions(written.error(), reason.toStdString()), written.error().message.c_str());
        QVERIFY(mentions(written.error(), path.toStdString()));
    }

    void pipeStaysAPipe() {
        const Folder folder;
        const auto path = folder / "pipe";
        QCOMPARE(::mkfifo(path.c_str(), 0600), 0);
        const auto written = writeFileAtomically(path, "text");
        QVERIFY(!written);
        QVERIFY(mentions(written.error(), "it is a device or a pipe; choose a regular file"));
        QVERIFY(fs::is_fifo(path));
    }

    void forbiddenFolderIsNamed() {
        const Folder folder;
        fs::permissions(folder.path(), fs::perms(0555));
        const AsNobody nobody;
        const auto written = writeFileAtomically(folder / "out.txt", "text");
        QVERIFY(!written);
        QVERIFY2(mentions(written.error(), "writing is not permitted there; choose another folder"),
                 written.error().message.c_str());
    }

    void linkStaysALink() {
        const Folder folder;
        writeBytes(folder / "real.txt", "old");
        fs::create_symlink("real.txt", folder / "link.txt");
        QVERIFY(writeFileAtomically(folder / "link.txt", "new"));
        QVERIFY(fs::is_symlink(folder / "link.txt"));
        QCOMPARE(readBytes(folder / "real.txt"), "new");
        QCOMPARE(folder.fileCount(), 2u);
    }

    void linkToNothingIsRefused() {
        const Folder folder;
        fs::create_symlink("nothing.txt", folder / "link.txt");
        const auto written = writeFileAtomically(folder / "link.txt", "new");
        QVERIFY(!written);
        QVERIFY(mentions(written.error(), "link to a file that does not exist"));
        QCOMPARE(folder.fileCount(), 1u);
    }

    void permissionsStay() {
        const Folder folder;
        const auto path = folder / "out.txt";
        writeBytes(path, "old");
        const auto mode = fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read;
        fs::permissions(path, mode);
        QVERIFY(writeFileAtomically(path, "new"));
        QVERIFY(fs::status(path).permissions() == mode);
    }

    void setUserIdIsNotForNewContent() {
        const Folder folder;
        const auto path = folder / "out.txt";
        writeBytes(path, "old");
        const auto mode = fs::perms::owner_all | fs::perms::group_exec;
        fs::permissions(path, mode | fs::perms::set_uid | fs::perms::set_gid);
        QVERIFY(writeFileAtomically(path, "new"));
        QVERIFY(fs::status(path).permissions() == mode);
    }

    void longNamesFit() {
        const Folder folder;
        QVERIFY(writeFileAtomically(folder / std::string(255, 'n'), "text"));
        QCOMPARE(folder.fileCount(), 1u);
    }

    void readsText() {
        const Folder folder;
        const auto path = folder / "config.json";
        writeBytes(path, "{}\n");
        const auto text = readTextFile(path, 3);
        QVERIFY(text);
        QCOMPARE(*text, "{}\n");
    }

    void readTextRefusesLargeFiles() {
        const Folder folder;
        const auto path = folder / "config.json";
        writeBytes(path, std::string(2000, ' '));
        const auto text = readTextFile(path, 1000);
        QVERIFY(!text);
        QCOMPARE(text.error().code, ErrorCode::TooLarge);
        QVERIFY2(mentions(text.error(), "it has 2.00 kB, more than the 1.00 kB"),
                 text.error().message.c_str());
    }

    void readTextNamesTheProblem() {
        const Folder folder;
        QCOMPARE(readTextFile(folder / "none", 10).error().code, ErrorCode::NotFound);
        QVERIFY(mentions(readTextFile(folder.path(), 10).error(), "it is a folder"));
    }
};

const headscope::test::TestRegistration<TestAtomicFile> registration;

} // namespace test_atomic_file

#include "test_atomic_file.moc"
