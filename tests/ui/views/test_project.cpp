#include "core/export/project_file.h"
#include "tests/support/bait_pipe.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/ui/views/study_window.h"
#include "ui/views/pages/page_area.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/window/messages.h"
#include "ui/views/window/project_keeper.h"

#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include <unistd.h>

namespace test_project {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;
using headscope::test::require;

class TestProject : public QObject, protected StudyWindow {
    Q_OBJECT

private slots:
    void init() { QVERIFY(openWindow()); }
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
        const QString path = window_.settings().path(QStringLiteral("pipe"));
        const BaitPipe pipe(path);
        QVERIFY(QFile::link(path, lock));
        window_->document().selection().select({1, 1});
        window_->find<QAction>("actionSaveProject")->trigger();
        QVERIFY(!pipe.wasRead());
        QVERIFY2(message().contains(QStringLiteral("Saved")), qPrintable(message()));
        QCOMPARE(require(readProject(project_.toStdString())).selected, (LayerHead{1, 1}));

        QVERIFY(QFile::remove(lock));
        QCOMPARE(::link(QFile::encodeName(path).constData(), QFile::encodeName(lock).constData()),
                 0); // the pipe itself
        window_->document().selection().select({2, 1});
        window_->find<QAction>("actionSaveProject")->trigger();
        QVERIFY(!pipe.wasRead());
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
};

const headscope::test::TestRegistration<TestProject> registration;

} // namespace test_project

#include "test_project.moc"
