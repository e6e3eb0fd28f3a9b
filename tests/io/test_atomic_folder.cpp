#include "core/io/atomic_file.h"
#include "tests/io/io_files.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

namespace test_atomic_folder {

using namespace headscope;
using namespace headscope::test;
namespace fs = std::filesystem;

namespace {

Result<void> writeOneFile(const fs::path& folder) {
    writeBytes(folder / "file.txt", "content");
    return {};
}

} // namespace

class TestAtomicFolder : public QObject {
    Q_OBJECT

private slots:
    void writesAFolder() {
        const Folder folder;
        QVERIFY(writeFolderAtomically(folder / "out", writeOneFile));
        QCOMPARE(readBytes(folder / "out" / "file.txt"), "content");
        QCOMPARE(folder.fileCount(), 1u);
    }

    void takesASlashAtTheEndAndAnEmptyFolder() {
        const Folder folder;
        fs::create_directory(folder / "out");
        QVERIFY(writeFolderAtomically(folder / "out/", writeOneFile));
        QCOMPARE(readBytes(folder / "out" / "file.txt"), "content");
        QCOMPARE(folder.fileCount(), 1u);
    }

    void nothingIsLeftOfAFailure() {
        const Folder folder;
        const auto written = writeFolderAtomically(folder / "out", [](const fs::path& temporary) {
            writeBytes(temporary / "half", "half");
            return Result<void>(Error{ErrorCode::WriteFailed, "the reason"});
        });
        QVERIFY(!written);
        QCOMPARE(written.error().message, "the reason");
        QCOMPARE(folder.fileCount(), 0u);
    }

    void leavesAloneWhatIsThere() {
        const Folder folder;
        QVERIFY(writeFolderAtomically(folder / "out", writeOneFile));
        writeBytes(folder / "file", "mine");
        for (const char* taken : {"out", "file"}) {
            bool called = false;
            const auto written = writeFolderAtomically(folder / taken, [&](const fs::path&) {
                called = true;
                return Result<void>();
            });
            QVERIFY(!written);
            QVERIFY(mentions(written.error(), "exists already"));
            QVERIFY(!called);
            QVERIFY(!checkNewFolder(folder / taken));
        }
        QCOMPARE(readBytes(folder / "file"), "mine");
        QCOMPARE(readBytes(folder / "out" / "file.txt"), "content");
    }

    void missingParent() {
        const Folder folder;
        const auto checked = checkNewFolder(folder / "no" / "out");
        QVERIFY(!checked);
        QVERIFY(mentions(checked.error(), "does not exist"));
        QVERIFY(!writeFolderAtomically(folder / "no" / "out", writeOneFile));
    }
};

const headscope::test::TestRegistration<TestAtomicFolder> registration;

} // namespace test_atomic_folder

#include "test_atomic_folder.moc"
