#include "core/base/text.h"
#include "core/io/atomic_file.h"
#include "core/io/end_signals.h"
#include "core/io/files/new_path.h"
#include "tests/io/io_files.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <string>
#include <vector>

namespace test_interrupted_writes {

using namespace headscope;
using namespace headscope::test;
namespace fs = std::filesystem;

namespace {

/// The signal that ended a child which did `work`; 0 when it ended otherwise.
int signalThatEnds(const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child == 0) {
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) // Qt's test library handles some
            std::signal(signal, SIG_DFL);
        ::alarm(20);
        work();
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/// Sends itself a signal that another thread answers.
[[noreturn]] void endBy(int signal) {
    ::kill(::getpid(), signal);
    while (true)
        ::pause();
}

Result<void> writeHalf(const fs::path& path) {
    writeBytes(path, "half");
    return {};
}

std::string onlyName(const Folder& folder) {
    return fs::directory_iterator(folder.path())->path().filename().string();
}

/// Process, beginning, container, run of the machine, and the rest.
std::vector<std::string> partsOf(const std::string& name) {
    return split(name.substr(name.find(".txt.") + 5), '-');
}

} // namespace

class TestInterruptedWrites : public QObject {
    Q_OBJECT

private slots:
    void aKilledWriterLeavesTheOldFileAlone() {
        const Folder folder;
        writeBytes(folder / "out.txt", "old");
        const int signal = signalThatEnds([&] {
            static_cast<void>(writeFileAtomically(folder / "out.txt", [](const fs::path& path) {
                writeBytes(path, "half");
                endBy(SIGKILL);
                return Result<void>();
            }));
        });
        QCOMPARE(signal, SIGKILL);
        QCOMPARE(readBytes(folder / "out.txt"), "old");
        QCOMPARE(folder.fileCount(), 1u);
    }

    void endSignalsRemoveWhatIsHidden_data() {
        QTest::addColumn<int>("signal");
        QTest::newRow("Ctrl+C") << SIGINT;
        QTest::newRow("kill") << SIGTERM;
        QTest::newRow("closed terminal") << SIGHUP;
    }
    void endSignalsRemoveWhatIsHidden() {
        QFETCH(int, signal);
        const Folder folder;
        const int ended_by = signalThatEnds([&] {
            cleanUpOnEndSignals();
            const auto file = NewPath::hiddenFile(folder / "out.txt", "out.txt");
            static_cast<void>(writeFolderAtomically(folder / "out", [&](const fs::path& path) {
                writeBytes(path / "half", "half");
                writeBytes(file->path(), "half");
                endBy(signal);
                return Result<void>();
            }));
        });
        QCOMPARE(ended_by, signal);
        QCOMPARE(folder.fileCount(), 0u);
    }

    /// The signal comes to another thread than the one that writes.
    void aFolderThatIsStillFilledGoes() {
        const Folder folder;
        for (int tries = 0; tries < 20; ++tries) {
            const int ended_by = signalThatEnds([&] {
                cleanUpOnEndSignals();
                static_cast<void>(writeFolderAtomically(folder / "out", [&](const fs::path& path) {
                    ::kill(::getpid(), SIGTERM);
                    for (int i = 0;; ++i)
                        writeBytes(path / std::to_string(i), "x");
                    return Result<void>();
                }));
            });
            QCOMPARE(ended_by, SIGTERM);
            QCOMPARE(folder.fileCount(), 0u);
        }
    }

    void nothingIsCleanedUpWithoutASignal() {
        const Folder folder;
        const int ended_by = signalThatEnds([&] {
            const int reading = ::dup(STDIN_FILENO);
            const int writing = ::dup(STDIN_FILENO);
            ::close(reading);
            ::close(writing);
            cleanUpOnEndSignals(); // its pipe has these numbers, the lowest that are free
            ::close(writing);
            ::usleep(100'000);
            static_cast<void>(writeFileAtomically(folder / "out.txt", writeHalf));
        });
        QCOMPARE(ended_by, 0);
        QCOMPARE(readBytes(folder / "out.txt"), "half");
    }

    void ignoredSignalsStayIgnored() {
        const int ended_by = signalThatEnds([] {
            std::signal(SIGHUP, SIG_IGN);
            cleanUpOnEndSignals();
            ::kill(::getpid(), SIGHUP);
            ::usleep(100'000);
        });
        QCOMPARE(ended_by, 0);
    }

    void theNextWriteRemovesWhatTheDeadLeft() {
        const Folder folder;
        const int signal = signalThatEnds([&] {
            const auto file = NewPath::hiddenFile(folder / "other.txt", "other.txt");
            writeBytes(file->path(), "half");
            const auto inner = NewPath::hiddenFolder(folder / "other", "other");
            writeBytes(inner->path() / "half", "half");
            endBy(SIGKILL);
        });
        QCOMPARE(signal, SIGKILL);
        QCOMPARE(folder.fileCount(), 2u);
        QVERIFY(writeFileAtomically(folder / "out.txt", "whole"));
        QCOMPARE(folder.fileCount(), 1u);
    }

    /// Where no lock is seen, as on a shared folder, the name tells.
    void onlyTheProvablyDeadLeaveTheirs() {
        const Folder folder;
        const int signal = signalThatEnds([&] {
            const auto file = NewPath::hiddenFile(folder / "dead.txt", "dead.txt");
            endBy(SIGKILL);
        });
        QCOMPARE(signal, SIGKILL);
        const std::string dead = onlyName(folder);
        const std::string living = newNameBeside("living.txt").string();
        const std::vector<std::string> parts = partsOf(dead);
        QCOMPARE(parts.size(), 6u);
        const auto changed = [&](std::size_t part, const std::string& to) {
            return replaceAll(dead, parts[part], to);
        };
        const std::string later_process =
            replaceAll(living, partsOf(living)[1], partsOf(living)[1] + "1");
        const std::vector<std::string> kept{living, changed(2, "4026539999"),
                                            changed(3, std::string(32, 'a')),
                                            ".old.txt." + parts[0] + "-0.headscope-part"};
        for (const std::string& name : kept)
            writeBytes(folder / name, "half");
        writeBytes(folder / later_process, "half");
        QVERIFY(writeFileAtomically(folder / "out.txt", "whole"));
        for (const std::string& name : kept)
            QVERIFY2(fs::exists(folder / name), name.c_str());
        QVERIFY(!fs::exists(folder / dead));
        QVERIFY(!fs::exists(folder / later_process));
    }

    void longNamesFit() {
        const Folder folder;
        const std::string name(250, 'x');
        QVERIFY(NewPath::hiddenFile(folder / name, name));
    }

    void theLivingKeepTheirs() {
        const Folder folder;
        writeBytes(folder / ".mine", "hidden, but of nobody here");
        auto living = NewPath::hiddenFile(folder / "living.txt", "living.txt");
        QVERIFY(living);
        writeBytes(living->path(), "whole");
        QVERIFY(writeFileAtomically(folder / "out.txt", "whole"));
        QCOMPARE(folder.fileCount(), 3u);
        QVERIFY(!living->moveTo(folder / "living.txt"));
        QCOMPARE(readBytes(folder / "living.txt"), "whole");
        QVERIFY(fs::exists(folder / ".mine"));
    }

    void withoutNamelessFilesTheSameHolds() {
        const Folder folder;
        writeBytes(folder / "out.txt", "old");
        {
            const auto dropped = NewPath::hiddenFile(folder / "out.txt", "out.txt");
            QVERIFY(dropped && writeHalf(dropped->path()));
            QCOMPARE(folder.fileCount(), 2u);
        }
        QCOMPARE(folder.fileCount(), 1u);
        auto file = NewPath::hiddenFile(folder / "out.txt", "out.txt");
        writeBytes(file->path(), "new");
        QVERIFY(!file->moveTo(folder / "out.txt"));
        QCOMPARE(readBytes(folder / "out.txt"), "new");
        QCOMPARE(folder.fileCount(), 1u);
    }
};

const headscope::test::TestRegistration<TestInterruptedWrites> registration;

} // namespace test_interrupted_writes

#include "test_interrupted_writes.moc"
