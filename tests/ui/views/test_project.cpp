#include "core/export/project_file.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/pages/page_area.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/window/messages.h"
#include "ui/views/window/project_keeper.h"

#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProcess>
#include <QPushButton>
#include <QStandardPaths>
#include <QToolButton>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>

namespace test_project {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;
using headscope::test::require;

namespace {

const QString kPrompt = QStringLiteral("Once upon a time there was a cat named Tom");

QDir copyFolder() {
    return {QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
            QStringLiteral("/open")};
}

/// Those in the user's data now.
QStringList copies() {
    QStringList paths;
    for (const QFileInfo& file :
         copyFolder().entryInfoList({QStringLiteral("*.headscope")}, QDir::Files))
        paths << file.filePath();
    return paths;
}

/// The number of a process that is no more.
qint64 deadProcess() {
    QProcess process;
    process.start(QStringLiteral("true"), {});
    process.waitForStarted();
    const qint64 number = process.processId();
    process.waitForFinished();
    return number;
}

} // namespace

class TestProject : public QObject {
    Q_OBJECT

private slots:
    void init() {
        QVERIFY(window_.open(QStringLiteral("gpt2-mini-6l")));
        project_ = window_.settings().path(QStringLiteral("study.headscope"));
    }
    void cleanup() { window_.close(); } // where a test has not

    void everythingComesBack() {
        Document& document = window_->document();
        makeStudy();
        save();
        QCOMPARE(title(), QStringLiteral("study: gpt2-mini-6l — Headscope"));

        document.ablation().clearMask();
        document.setPromptText(QStringLiteral("Another one"));
        document.selection().select({0, 0});
        document.notes().setNote({4, 1}, {});
        document.comparison().turnOff();
        window()->patternView().showPage(PatternPage::Heatmap);
        QVERIFY(window_->settled());

        openProject();
        QCOMPARE(document.promptText(), kPrompt);
        QCOMPARE(document.ablation().mask().text(), std::string("2.3 4.1"));
        QCOMPARE(document.ablation().kind(), AblationKind::Mean);
        QCOMPARE(document.selection().head(), (LayerHead{4, 1}));
        QCOMPARE(document.selection().chosen().size(), std::size_t{2});
        QCOMPARE(document.thresholds().of(HeadTypeId::Induction), 0.25);
        QVERIFY(document.notes().note({4, 1}).empty()); // the user has removed it
        QCOMPARE(document.notes().projectNotes().at({4, 1}).text, std::string("finds the name"));
        QVERIFY(window_->find<QLabel>("headProjectNote")
                    ->text()
                    .contains(QStringLiteral("finds the name")));
        QVERIFY(document.comparison().isOn());
        QCOMPARE(document.comparison().promptText(), QStringLiteral("Once more"));
        QCOMPARE(window()->patternView().page(), PatternPage::Text);
        QTRY_COMPARE_WITH_TIMEOUT(document.selection().lockedRow(), std::optional<std::size_t>(3),
                                  kPatience);
        QVERIFY(!document.ablation().undoStack()->canUndo());
        QVERIFY(!window()->project().isChanged());
        QTest::mouseClick(window_->find<QPushButton>("addProjectNotes"), Qt::LeftButton);
        QCOMPARE(document.notes().note({4, 1}).text, std::string("finds the name"));
        QVERIFY(!window()->project().isChanged());
    }

    void thePagesComeBack() {
        const auto act = [this](const char* command) {
            window_->find<QAction>(command)->trigger();
        };
        PageArea& pages = window()->pages();
        act("actionAllScores");
        act("actionCircuits");
        act("actionPageAcross");
        const QStringList layout = pages.layoutText();
        QCOMPARE(layout, (QStringList{QStringLiteral("actionAllScores"),
                                      QStringLiteral("actionCircuits +")}));
        act("actionSidePanels");
        save();
        pages.closeAll();
        act("actionAttribution");
        act("actionSidePanels");
        QVERIFY(window_->settled());

        openProject();
        QCOMPARE(pages.layoutText(), layout);
        QVERIFY(!window_->find<QWidget>("headGrid")->isVisible());
        act("actionSidePanels");

        Project earlier = require(readProject(project_.toStdString()));
        earlier.view.erase("pages");
        QVERIFY(writeProject(project_.toStdString(), earlier));
        pages.closeAll();
        act("actionAttribution");
        openProject();
        QCOMPARE(pages.layoutText(), QStringList(QStringLiteral("actionAttribution")));
        pages.closeAll();
    }

    void aModelThatMovedIsFoundOrAskedFor() {
        makeStudy();
        save();
        Project moved = require(readProject(project_.toStdString()));
        moved.model_path = "/nowhere/gpt2-mini-6l.h5"; // a sample has this name
        QVERIFY(writeProject(project_.toStdString(), moved));
        openProject();
        QCOMPARE(window_->document().promptText(), kPrompt);

        moved.model_path = "/nowhere/renamed.h5";
        QVERIFY(writeProject(project_.toStdString(), moved));
        window_->dialogs.to_open = QString(); // the user does not know, either
        window_->document().setPromptText(QStringLiteral("Another one"));
        window()->openPath(project_);
        QTRY_VERIFY_WITH_TIMEOUT(message().contains(QStringLiteral("/nowhere/renamed.h5")),
                                 kPatience);
        QCOMPARE(window_->document().promptText(), QStringLiteral("Another one"));
        window_->dialogs.to_open = samplePath(QStringLiteral("gpt2-mini-6l"));
        openProject();
        QCOMPARE(window_->document().promptText(), kPrompt);
    }

    void anotherFileIsSaid() {
        makeStudy();
        save();
        Project other = require(readProject(project_.toStdString()));
        other.model_sha256 = "0";
        QVERIFY(writeProject(project_.toStdString(), other));
        window()->openPath(project_);
        QTRY_VERIFY_WITH_TIMEOUT(message().contains(QStringLiteral("SHA-256")), kPatience);
        QCOMPARE(window_->document().ablation().mask().size(),
                 std::size_t{2}); // and opened all the same
        QVERIFY(window_->settled());
    }

    void damagedProjectsChangeNothing() {
        QFile file(project_);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"headscope_project\": 1}");
        file.close();
        const auto model = window_->document().model();
        window()->openPath(project_);
        QTRY_VERIFY_WITH_TIMEOUT(message().contains(QStringLiteral("study.headscope")), kPatience);
        QCOMPARE(window_->document().model(), model);
        // At the start, where nothing is open yet, a sample is.
        window_.close();
        WindowUnderTest fresh;
        QVERIFY(fresh.startOn(project_));
        QVERIFY(fresh->messages().text().contains(QStringLiteral("study.headscope")));
        fresh.close();
    }

    void closingAsksWhatToDoWithChanges() {
        makeStudy();
        save();
        QVERIFY(!window()->project().isChanged());
        window_->document().selection().select({1, 1});
        QVERIFY(window()->project().isChanged());
        window_->dialogs.to_answer = Dialogs::SaveAnswer::Cancel;
        QVERIFY(!window()->close());
        QVERIFY(window()->isVisible());
        window_->dialogs.to_answer = Dialogs::SaveAnswer::Save;
        QVERIFY(window()->close());
        QCOMPARE(require(readProject(project_.toStdString())).selected, (LayerHead{1, 1}));
    }

    void anotherModelEndsTheProject() {
        makeStudy();
        save();
        window()->openPath(samplePath(QStringLiteral("microgpt")));
        QTRY_COMPARE_WITH_TIMEOUT(title(), QStringLiteral("microgpt — Headscope"), kPatience);
        QVERIFY(window()->project().path().isEmpty());
        QVERIFY(window_->settled());
    }

    void notesStayWithTheModel() {
        window_->document().selection().select({4, 1});
        auto* note = window_->find<QLineEdit>("headNote");
        QTest::keyClicks(note, QStringLiteral("looks back"));
        window_->find<QAction>("actionBookmark")->trigger();
        auto* star = window_->find<QToolButton>("headBookmark");
        QVERIFY(star->isChecked());
        QVERIFY(window_->find<QAction>("actionBookmark")->isChecked());
        window_->document().selection().select({0, 0});
        QVERIFY(note->text().isEmpty());
        QVERIFY(!star->isChecked());
        window_.close();

        QVERIFY(window_.openAgain(QStringLiteral("gpt2-mini-6l")));
        window_->document().selection().select({0, 0});
        // A project may bring notes on heads that the model has not; they are in no menu.
        window_->document().notes().setNote({99, 0}, {"theirs", true});
        auto* menu = window_->find<QMenu>("bookmarksMenu");
        emit menu->aboutToShow();
        QCOMPARE(menu->actions().size(), 1);
        QCOMPARE(menu->actions().first()->text(), QStringLiteral("L4 H1: looks back"));
        menu->actions().first()->trigger();
        QCOMPARE(window_->document().selection().head(), (LayerHead{4, 1}));
        QCOMPARE(window_->find<QLineEdit>("headNote")->text(), QStringLiteral("looks back"));
        QTest::mouseClick(window_->find<QToolButton>("headBookmark"), Qt::LeftButton);
        QVERIFY(!window_->document().notes().note({4, 1}).is_bookmarked);
    }

    void promptsAreRemembered() {
        Document& document = window_->document();
        document.setPromptText(kPrompt);
        document.setPromptText(kPrompt + QLatin1Char('m')); // goes by at once
        document.setPromptText(kPrompt);
        QTRY_COMPARE_WITH_TIMEOUT(document.promptHistory().prompts().value(0), kPrompt, kPatience);
        QVERIFY(!document.promptHistory().prompts().contains(kPrompt + QLatin1Char('m')));
        document.setPromptText(QStringLiteral("Another & one"));
        QTRY_COMPARE_WITH_TIMEOUT(document.promptHistory().prompts().value(0),
                                  QStringLiteral("Another & one"), kPatience);
        auto* menu = window_->find<QMenu>("earlierPromptsMenu");
        emit menu->aboutToShow();
        QCOMPARE(menu->actions().first()->text(), QStringLiteral("Another && one"));
        menu->actions().at(1)->trigger();
        QCOMPARE(document.promptText(), kPrompt);
        QVERIFY(window_->settled());
    }

    void aCopyOutlivesASuddenEnd() {
        makeStudy();
        const QString left = leaveACopy(QStringLiteral("%1").arg(deadProcess()));
        QCOMPARE(copies(), QStringList(left)); // that of the window which was closed is gone

        QVERIFY(window_.openAgain(QStringLiteral("gpt2-mini-6l")));
        QTRY_VERIFY_WITH_TIMEOUT(isOffered(), kPatience);
        QTest::mouseClick(window_->find<QPushButton>("messageAction"), Qt::LeftButton);
        Document& document = window_->document();
        QTRY_COMPARE_WITH_TIMEOUT(document.ablation().mask().text(), std::string("2.3 4.1"),
                                  kPatience);
        QCOMPARE(document.promptText(), kPrompt);
        QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(left), kPatience); // its content is in another
        QCOMPARE(copies().size(), 1);
        QVERIFY(require(readProject(copies().first().toStdString())).mask ==
                document.ablation().mask());
        document.ablation().undoStack()->undo(); // what could be undone before the end still can
        QVERIFY(document.ablation().mask().empty());
        document.ablation().undoStack()->redo();
        QCOMPARE(document.ablation().mask().text(), std::string("2.3 4.1"));
        QVERIFY(window_->settled());
    }

    void whatWasLeftIsOfferedUntilItIsDiscarded() {
        makeStudy();
        const QString left = leaveACopy(QStringLiteral("%1").arg(deadProcess()));
        for (const char* close : {"messageClose", ""}) { // later, or without a look at it
            QVERIFY(window_.openAgain(QStringLiteral("gpt2-mini-6l")));
            QTRY_VERIFY_WITH_TIMEOUT(isOffered(), kPatience);
            if (*close != '\0')
                QTest::mouseClick(window_->find<QToolButton>(close), Qt::LeftButton);
            QVERIFY(window()->close());
            window_.close();
            QVERIFY(QFile::exists(left));
        }
        QVERIFY(window_.openAgain(QStringLiteral("gpt2-mini-6l")));
        QTRY_VERIFY_WITH_TIMEOUT(isOffered(), kPatience);
        window()->messages().showError(QStringLiteral("Something else."));
        QVERIFY(!isOffered());
        QTest::mouseClick(window_->find<QToolButton>("messageClose"), Qt::LeftButton);
        QVERIFY(isOffered()); // the offer waits for what is more urgent
        QTest::mouseClick(window_->find<QPushButton>("messageOther"), Qt::LeftButton);
        QVERIFY(!QFile::exists(left));
        window_.close();
        QVERIFY(window_.openAgain(QStringLiteral("gpt2-mini-6l")));
        QTest::qWait(300);
        QVERIFY(!isOffered());
    }

    /// Where every start has the same number, as in a container, and beside whatever is opened.
    void whatWasLeftIsOfferedBesideAnything() {
        makeStudy();
        save();
        const QString left = leaveACopy(QString::number(QCoreApplication::applicationPid()));
        const QByteArray content = contentOf(left);
        for (const QString& opened :
             {project_, QStringLiteral("/nowhere/model.h5"), QStringLiteral("/nowhere/a.headscope"),
              samplePath(QStringLiteral("microgpt"))}) {
            WindowUnderTest window;
            QVERIFY(window.startOn(opened));
            const auto offers = [&] {
                return window->messages().text().contains(QStringLiteral("ended before"));
            };
            if (opened.contains(QStringLiteral("nowhere"))) { // an error comes first
                QTRY_VERIFY_WITH_TIMEOUT(
                    window->messages().text().contains(QStringLiteral("nowhere")), kPatience);
                QTest::mouseClick(window.find<QToolButton>("messageClose"), Qt::LeftButton);
            }
            QTRY_VERIFY2_WITH_TIMEOUT(offers(), qPrintable(opened), kPatience);
            window.document().setPromptText(QStringLiteral("Another"));
            QTest::qWait(2000); // longer than until a copy of this window is written
            window.close();
            QCOMPARE(contentOf(left), content);
        }
    }

    /// Two windows of one start, or of two: each has a copy of its own, and no other's.
    void aLiveWindowIsNotLeft() {
        makeStudy();
        QTRY_COMPARE_WITH_TIMEOUT(copies().size(), 1, kPatience);
        WindowUnderTest second;
        QVERIFY(second.start(QStringLiteral("gpt2-mini-6l")));
        second.document().setPromptText(QStringLiteral("Another"));
        QTRY_COMPARE_WITH_TIMEOUT(copies().size(), 2, kPatience);
        QVERIFY(!second->messages().text().contains(QStringLiteral("ended before")));
        second.close();
        QCOMPARE(copies().size(), 1);
    }

    void anotherWindowsProjectIsNotWrittenOver() {
        makeStudy();
        save();
        Project other = require(readProject(project_.toStdString()));
        other.prompt = "Of another window";
        QVERIFY(writeProject(project_.toStdString(), other));
        const QByteArray theirs = contentOf(project_);
        window_->document().selection().select({1, 1});
        window_->dialogs.to_replace = Dialogs::ReplaceAnswer::Cancel;
        window_->find<QAction>("actionSaveProject")->trigger();
        QCOMPARE(window_->dialogs.to_be_replaced, QStringList(QStringLiteral("study.headscope")));
        QCOMPARE(contentOf(project_), theirs);
        QVERIFY(window()->project().isChanged());

        const QString elsewhere = window_.settings().path(QStringLiteral("mine.headscope"));
        window_->dialogs.to_save = elsewhere;
        window_->dialogs.to_replace = Dialogs::ReplaceAnswer::SaveAs;
        window_->find<QAction>("actionSaveProject")->trigger();
        QCOMPARE(contentOf(project_), theirs);
        QCOMPARE(window()->project().path(), elsewhere);
        QCOMPARE(require(readProject(elsewhere.toStdString())).selected, (LayerHead{1, 1}));

        other.prompt = "Once more";
        QVERIFY(writeProject(elsewhere.toStdString(), other));
        window_->dialogs.to_replace = Dialogs::ReplaceAnswer::Replace;
        window_->find<QAction>("actionSaveProject")->trigger();
        QCOMPARE(require(readProject(elsewhere.toStdString())).prompt, kPrompt.toStdString());
        QCOMPARE(window_->dialogs.to_be_replaced.size(), 3);
        window_->find<QAction>("actionSaveProject")->trigger(); // nobody else since
        QCOMPARE(window_->dialogs.to_be_replaced.size(), 3);
    }

    /// A repository may hold links to devices, and an archive pipes, under the name of the lock.
    void noStrangersFileIsReadAsALock() {
        makeStudy();
        save();
        const QString lock = window_.settings().path(QStringLiteral(".study.headscope.lock"));
        const QString pipe = window_.settings().path(QStringLiteral("pipe"));
        QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
        std::atomic<bool> is_read = false;
        // Who opens it for reading is let go with nothing.
        const std::jthread watcher([&](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                const int end =
                    ::open(QFile::encodeName(pipe).constData(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
                if (end >= 0) {
                    is_read = true;
                    ::close(end);
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
        });
        QVERIFY(QFile::link(pipe, lock));
        window_->document().selection().select({1, 1});
        window_->find<QAction>("actionSaveProject")->trigger();
        QVERIFY(!is_read);
        QVERIFY2(message().contains(QStringLiteral("Saved")), qPrintable(message()));
        QCOMPARE(require(readProject(project_.toStdString())).selected, (LayerHead{1, 1}));

        QVERIFY(QFile::remove(lock));
        QCOMPARE(::link(QFile::encodeName(pipe).constData(), QFile::encodeName(lock).constData()),
                 0); // the pipe itself
        window_->document().selection().select({2, 1});
        window_->find<QAction>("actionSaveProject")->trigger();
        QVERIFY(!is_read);
        QCOMPARE(require(readProject(project_.toStdString())).selected, (LayerHead{2, 1}));
        QVERIFY(QFileInfo::exists(lock));
    }

    /// Its file has another name here.
    void aRenamedModelIsNoChange() {
        makeStudy();
        save();
        Project renamed = require(readProject(project_.toStdString()));
        renamed.model_name = "theirs";
        QVERIFY(writeProject(project_.toStdString(), renamed));
        openProject();
        QVERIFY(!window()->project().isChanged());
    }

    void aChangedProjectIsNotLeftUnasked() {
        makeStudy();
        save();
        window_->document().selection().select({1, 1});
        window_->dialogs.to_answer = Dialogs::SaveAnswer::Cancel;
        window()->openPath(samplePath(QStringLiteral("microgpt")));
        QVERIFY(!window_->document().loader()->isBusy());
        window_->dialogs.to_answer = Dialogs::SaveAnswer::Save;
        window()->openPath(samplePath(QStringLiteral("microgpt")));
        QCOMPARE(require(readProject(project_.toStdString())).selected, (LayerHead{1, 1}));
        QVERIFY(window_->settled());
    }

private:
    void makeStudy() {
        Document& document = window_->document();
        document.setPromptText(kPrompt);
        document.ablation().ablateOnly({{4, 1}, {2, 3}}, AblationKind::Mean,
                                       QStringLiteral("study"));
        document.setThreshold(HeadTypeId::Induction, 0.25);
        document.selection().choose({{2, 3}, {4, 1}}, {4, 1});
        document.notes().setNote({4, 1}, {"finds the name", true});
        document.comparison().turnOn();
        document.comparison().setPromptText(QStringLiteral("Once more"));
        window()->patternView().showPage(PatternPage::Text);
        QTRY_VERIFY_WITH_TIMEOUT(document.promptRunner().result() &&
                                     document.promptRunner().result()->prompt.text ==
                                         kPrompt.toStdString(),
                                 kPatience);
        QVERIFY(window_->settled());
        document.selection().lockRow(3);
    }
    void save() {
        window_->dialogs.to_save = project_;
        window_->find<QAction>("actionSaveProject")->trigger();
        QVERIFY2(message().contains(project_), qPrintable(message()));
    }
    /// Opens it and waits until everything has run.
    void openProject() {
        window()->openPath(project_);
        QTRY_VERIFY_WITH_TIMEOUT(!window()->project().isOpening(), kPatience);
        QVERIFY(window_->settled());
        QCOMPARE(window()->project().path(), project_);
    }
    /// Ends the window, of which a copy is left as after kill -9, under another name.
    QString leaveACopy(const QString& name) {
        const LayerHead head{4, 1};
        const auto note = [&] {
            return copies().size() == 1
                       ? require(readProject(copies().first().toStdString())).notes[head].text
                       : std::string();
        };
        const bool is_copied =
            QTest::qWaitFor([&] { return note() == "finds the name"; }, kPatience);
        const QString left = copyFolder().filePath(name + QStringLiteral(".headscope"));
        if (!is_copied || !QFile::copy(copies().value(0), left))
            return {};
        window()->close();
        window_.close();
        return left;
    }
    static QByteArray contentOf(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    bool isOffered() { return message().contains(QStringLiteral("ended before it was closed")); }
    MainWindow* window() { return &**window_; }
    QString title() { return window()->windowTitle(); }
    QString message() { return window()->messages().text(); }

    SharedWindow window_;
    QString project_;
};

const headscope::test::TestRegistration<TestProject> registration;

} // namespace test_project

#include "test_project.moc"
