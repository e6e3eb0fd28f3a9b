#include "core/export/project_file.h"
#include "tests/support/runner.h"
#include "ui/document/note_book.h"

#include <QDir>
#include <QFile>
#include <QLockFile>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace test_note_book {

using namespace headscope;
using namespace headscope::ui;

namespace {

const std::string kModel = "0123abcd";
constexpr LayerHead kHead{4, 1};
constexpr LayerHead kOther{0, 2};
constexpr int kPatience = 30000;
constexpr std::size_t kMany = 9800; ///< notes, in a file of nearly 1 MiB

} // namespace

/// Each book is that of a window.
class TestNoteBook : public QObject {
    Q_OBJECT

private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QCoreApplication::setApplicationName(QStringLiteral("HeadscopeTest"));
        QCoreApplication::setOrganizationName(QStringLiteral("HeadscopeTest"));
        qputenv("XDG_DATA_HOME", folder_->path().toUtf8());
        QDir().mkpath(QFileInfo(file()).path());
    }

    void twoWindowsKeepBoth() {
        const auto a = book();
        const auto b = book();
        a->setNote(kHead, {"of a", false});
        b->setNote(kOther, {"of b", true});
        QVERIFY(a->keep());
        QVERIFY(b->keep());
        QCOMPARE(book()->note(kHead).text, std::string("of a"));
        QCOMPARE(book()->note(kOther).text, std::string("of b"));
        QCOMPARE(b->note(kHead).text, std::string("of a")); // which it read when it wrote

        a->setNote(kHead, {"more of a", false});
        b->setNote(kHead, {"more of b", false});
        QVERIFY(a->keep());
        QVERIFY(b->keep());
        QCOMPARE(book()->note(kHead).text, std::string("more of b | more of a"));
        b->setNote(kHead, {}); // removed by who has seen it all
        QVERIFY(b->keep());
        QVERIFY(book()->note(kHead).empty());
    }

    void typingIsKeptAfterAPause() {
        const auto a = book();
        a->setNote(kHead, {"typed", false});
        QTRY_COMPARE_WITH_TIMEOUT(book()->note(kHead).text, std::string("typed"), kPatience);
    }

    void aWindowWaitsForAnother() {
        const auto a = book();
        QLockFile lock(file() + QStringLiteral(".lock"));
        QVERIFY(lock.lock());
        a->setNote(kHead, {"waits", false});
        QTest::qWait(1500); // longer than the pause after typing
        QVERIFY(book()->note(kHead).empty());
        lock.unlock();
        QTRY_COMPARE_WITH_TIMEOUT(book()->note(kHead).text, std::string("waits"), kPatience);
    }

    void notesOfALaterVersionStay() {
        const QByteArray later = R"({"headscope_notes": 2, "notes": {"4.1": "of tomorrow"}})";
        write(file(), later);
        {
            const auto a = book();
            QVERIFY(a->note(kHead).empty());
            a->setNote(kHead, {"of today", true});
            QVERIFY(a->keep());
            QTRY_VERIFY_WITH_TIMEOUT(message_.contains(QStringLiteral("later version")), kPatience);
        }
        QCOMPARE(read(file()), later);
        QCOMPARE(book()->note(kHead).text, std::string("of today")); // they are somewhere
        // When this version can read its own file again, both are there, and in one place.
        QVERIFY(writeNotes(file().toStdString(), {{kOther, {"of old", false}}}));
        {
            const auto a = book();
            QCOMPARE(a->note(kHead).text, std::string("of today"));
            QCOMPARE(a->note(kOther).text, std::string("of old"));
            QVERIFY(a->keep());
        }
        QCOMPARE(headscope::readNotes(file().toStdString())->size(), std::size_t{2});
    }

    /// Though there are as many as a file may have.
    void notesAreReadBesideTheWindow() {
        QVERIFY(writeNotes(file().toStdString(), many()));
        NoteBook book;
        const QSignalSpy more(&book, &NoteBook::moreRead);
        book.setModel(kModel);
        QVERIFY(book.isReading());
        QVERIFY(book.all().empty());
        QTRY_COMPARE_WITH_TIMEOUT(more.count(), 1, kPatience);
        QCOMPARE(book.all().size(), kMany);
        book.setModel("another");
        QVERIFY(!book.isReading());
        QVERIFY(book.all().empty());
    }

    void whatIsWrittenBeforeTheyComeIsJoined() {
        QVERIFY(writeNotes(file().toStdString(),
                           {{kHead, {"kept", false}}, {kOther, {"as it was", false}}}));
        for (const bool is_kept_first : {false, true}) {
            auto early = reading();
            early->setNote(kHead, {"early", false});
            QVERIFY(!is_kept_first || early->keep());
            QTRY_VERIFY_WITH_TIMEOUT(!early->isReading(), kPatience);
            QCOMPARE(early->all().size(), std::size_t{2});
            QVERIFY(early->note(kHead).text.find("early") != std::string::npos);
            QVERIFY(early->note(kHead).text.find("kept") != std::string::npos);
            QVERIFY(early->keep());
            QCOMPARE(*headscope::readNotes(file().toStdString()), early->all());
        }
    }

    /// They are in one file then.
    void olderNotesAreReadWithThem() {
        QVERIFY(writeNotes(ownFile().toStdString(), many()));
        QVERIFY(writeNotes(file().toStdString(), {{kHead, {"new", false}}}));
        const auto a = book();
        QCOMPARE(a->all().size(), kMany);
        QCOMPARE(a->note(kHead), (HeadNote{"new", true}));
        QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(ownFile()), kPatience);
        QCOMPARE(headscope::readNotes(file().toStdString())->size(), kMany);
    }

    /// What is kept meanwhile goes to the one of them that this version may write.
    void olderNotesComeAfterAnEarlyOne() {
        for (const bool is_later : {false, true}) {
            QVERIFY(writeNotes(ownFile().toStdString(), {{kOther, {"older", false}}}));
            write(file(), is_later ? R"({"headscope_notes": 2, "notes": 0})"
                                   : R"({"headscope_notes": 1, "notes": []})");
            auto early = reading();
            early->setNote(kHead, {"early", false});
            QVERIFY(early->keep());
            QTRY_COMPARE_WITH_TIMEOUT(early->note(kOther).text, std::string("older"), kPatience);
            QTRY_COMPARE_WITH_TIMEOUT(QFile::exists(ownFile()), is_later, kPatience);
            QCOMPARE(book()->all().size(), std::size_t{2});
        }
    }

    void notesOfAnotherModelThatComeLateAreNoOnes() {
        QVERIFY(writeNotes(ownFile().toStdString(), {{kHead, {"of the first", false}}}));
        const auto a = reading();
        const QSignalSpy more(a.get(), &NoteBook::moreRead);
        a->setModel("another");
        QTest::qWait(100);
        QCOMPARE(more.count(), 0);
        QVERIFY(a->all().empty());
    }

    /// Another window went on with them while this one was open.
    void olderNotesThatChangedStay() {
        QVERIFY(writeNotes(ownFile().toStdString(), {{kHead, {"first", false}}}));
        const auto a = book();
        const HeadNotes changed{{kHead, {"first", false}}, {kOther, {"second", false}}};
        QVERIFY(writeNotes(ownFile().toStdString(), changed));
        QVERIFY(a->keep());
        QCOMPARE(headscope::readNotes(ownFile().toStdString())->size(), std::size_t{2});
        QCOMPARE(book()->note(kOther).text, std::string("second"));
    }

    /// A window of a later version writes while this one is open.
    void notesThatBecomeLaterStay() {
        const auto a = book();
        a->setNote(kOther, {"first", false});
        QVERIFY(a->keep());
        const QByteArray later = R"({"headscope_notes": 7, "notes": []})";
        write(file(), later);
        a->setNote(kHead, {"second", false});
        QVERIFY(a->keep());
        QCOMPARE(read(file()), later);
        QCOMPARE(book()->note(kHead).text, std::string("second"));
        QCOMPARE(book()->note(kOther).text, std::string("first"));
    }

    void whatIsDamagedIsSetAside() {
        for (const char* damage : {"", "{\"headscope_notes\": 1", "{\"headscope_notes\": 1}",
                                   "{\"headscope_notes\": 0, \"notes\": []}",
                                   "{\"headscope_notes\": 1, \"notes\": [{\"text\": 7}]}"}) {
            write(file(), damage);
            {
                const auto a = book();
                QTRY_VERIFY_WITH_TIMEOUT(message_.contains(file()), kPatience);
                QCOMPARE(read(file()), QByteArray(damage)); // reading changes nothing
                a->setNote(kHead, {"new", false});
                QVERIFY(a->keep());
            }
            QCOMPARE(book()->note(kHead).text, std::string("new"));
            QFile::remove(file());
        }
        QStringList kept;
        for (const QString& name :
             {QStringLiteral(".bak"), QStringLiteral(".bak2"), QStringLiteral(".bak3"),
              QStringLiteral(".bak4"), QStringLiteral(".bak5")})
            kept << QString::fromUtf8(read(file() + name));
        QCOMPARE(kept[1], QStringLiteral("{\"headscope_notes\": 1"));
        QCOMPARE(kept[4], QStringLiteral("{\"headscope_notes\": 1, \"notes\": [{\"text\": 7}]}"));
    }

    void whatCannotBeKeptIsSaid() {
        const auto a = book();
        QFile::remove(file());
        QDir(QFileInfo(file()).path()).removeRecursively();
        write(QFileInfo(file()).path(), "a file in place of the folder");
        a->setNote(kHead, {"nowhere", false});
        QVERIFY(!a->keep());
        QTRY_VERIFY_WITH_TIMEOUT(message_.contains(QStringLiteral("cannot be kept")), kPatience);
        QCOMPARE(a->note(kHead).text, std::string("nowhere"));
    }

    void projectsChangeNothingUnasked() {
        const auto a = book();
        a->setNote(kHead, {"mine", false});
        QVERIFY(a->keep());
        const QByteArray before = read(file());
        a->setProjectNotes({{kHead, {"theirs", true}}, {kOther, {"another", false}}});
        QVERIFY(a->keep());
        QCOMPARE(a->note(kHead).text, std::string("mine"));
        QVERIFY(a->note(kOther).empty());
        QCOMPARE(a->projectNotes().size(), std::size_t{2});
        QCOMPARE(a->notesForProject().at(kHead).text, std::string("mine | theirs"));
        QCOMPARE(read(file()), before);
        a->addProjectNotes(); // when asked
        QVERIFY(a->keep());
        QVERIFY(a->projectNotes().empty());
        QCOMPARE(book()->note(kHead).text, std::string("mine | theirs"));
        QCOMPARE(book()->note(kOther).text, std::string("another"));
        a->setNote(kOther, {}); // and from then on they are the user's
        QVERIFY(a->projectNotes().empty());
        QVERIFY(!a->notesForProject().contains(kOther));
    }

    /// They would make a file that is taken for damaged.
    void projectsAddNoMoreThanIsRead() {
        const auto a = book();
        a->setNote(kHead, {"mine", false});
        a->setProjectNotes({{kHead, {std::string(kLongestNote, 'a'), false}}});
        QCOMPARE(a->projectNote(kHead).text.size(), kLongestNote);
        QVERIFY(a->projectNote(kOther).empty());
        for (int times = 0; times < 2; ++times) {
            message_.clear();
            a->addProjectNotes();
            QTRY_VERIFY_WITH_TIMEOUT(message_.contains(QStringLiteral("were not added")),
                                     kPatience);
        }
        QCOMPARE(a->note(kHead).text, std::string("mine"));
        QVERIFY(a->keep());
        QCOMPARE(book()->note(kHead).text, std::string("mine"));
    }

private:
    static QString file() {
        return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
               QStringLiteral("/notes/%1.json").arg(QString::fromStdString(kModel));
    }
    static QString ownFile() {
        return file().replace(QStringLiteral(".json"), QStringLiteral(".version-1.json"));
    }
    static HeadNotes many() {
        HeadNotes made;
        for (std::size_t head = 0; head < kMany; ++head)
            made[{head / 100, head % 100}] = {"", true};
        return made;
    }
    /// Its notes have not come.
    std::unique_ptr<NoteBook> reading() {
        auto made = std::make_unique<NoteBook>();
        connect(made.get(), &NoteBook::problem, this,
                [this](const QString& message) { message_ = message; });
        made->setModel(kModel);
        return made;
    }
    std::unique_ptr<NoteBook> book() {
        auto made = reading();
        static_cast<void>(QTest::qWaitFor([&] { return !made->isReading(); }, kPatience));
        return made;
    }
    static QByteArray read(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("no such file");
    }
    static void write(const QString& path, const QByteArray& content) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
    }

    std::unique_ptr<QTemporaryDir> folder_;
    QString message_;
};

const headscope::test::TestRegistration<TestNoteBook> registration;

} // namespace test_note_book

#include "test_note_book.moc"
