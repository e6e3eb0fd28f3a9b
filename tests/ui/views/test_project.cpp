#include "core/export/project_file.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/pages/page_area.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/window/messages.h"
#include "ui/views/window/project_keeper.h"

#include <QLineEdit>
#include <QMenu>
#include <QProcess>
#include <QPushButton>
#include <QStandardPaths>
#include <QToolButton>

namespace test_project {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;
using headscope::test::require;

namespace {

const QString kPrompt = QStringLiteral("Once upon a time there was a cat named Tom");

QString copyFile(qint64 process) {
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
           QStringLiteral("/open/%1.headscope").arg(process);
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
        document.notes().setAll({});
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
        QCOMPARE(document.notes().note({4, 1}).text, std::string("finds the name"));
        QVERIFY(document.comparison().isOn());
        QCOMPARE(document.comparison().promptText(), QStringLiteral("Once more"));
        QCOMPARE(window()->patternView().page(), PatternPage::Text);
        QTRY_COMPARE_WITH_TIMEOUT(document.selection().lockedRow(), std::optional<std::size_t>(3),
                                  kPatience);
        QVERIFY(!document.ablation().undoStack()->canUndo());
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
        QVERIFY2(message().contains(QStringLiteral("/nowhere/renamed.h5")), qPrintable(message()));
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
        QVERIFY(message().contains(QStringLiteral("study.headscope")));
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
        const QString copy = copyFile(QCoreApplication::applicationPid());
        const LayerHead head{4, 1};
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(copy), kPatience);
        const auto note = [&] { return require(readProject(copy.toStdString())).notes[head].text; };
        QTRY_COMPARE_WITH_TIMEOUT(note(), std::string("finds the name"), kPatience);
        const QString left = copyFile(deadProcess());
        QVERIFY(QFile::copy(copy, left)); // as it lies there after kill -9
        QVERIFY(window()->close());
        window_.close();
        QVERIFY(!QFile::exists(copy)); // this one was closed

        QVERIFY(window_.openAgain(QStringLiteral("gpt2-mini-6l")));
        QTRY_VERIFY_WITH_TIMEOUT(message().contains(QStringLiteral("ended before it was closed")),
                                 kPatience);
        QTest::mouseClick(window_->find<QPushButton>("messageAction"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(window_->document().ablation().mask().text(),
                                  std::string("2.3 4.1"), kPatience);
        QCOMPARE(window_->document().promptText(), kPrompt);
        QVERIFY(!QFile::exists(left));
        QVERIFY(window_->settled());
    }

    // What a user did not want back is not offered a second time.
    void anOfferIsMadeOnce() {
        const QString left = copyFile(deadProcess());
        makeStudy();
        const QString copy = copyFile(QCoreApplication::applicationPid());
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(copy), kPatience);
        QVERIFY(QFile::copy(copy, left));
        QVERIFY(window()->close());
        window_.close();
        QVERIFY(window_.openAgain(QStringLiteral("gpt2-mini-6l")));
        QTRY_VERIFY_WITH_TIMEOUT(message().contains(QStringLiteral("ended before")), kPatience);
        QVERIFY(window()->close());
        window_.close();
        QVERIFY(!QFile::exists(left));
        QVERIFY(window_.openAgain(QStringLiteral("gpt2-mini-6l")));
        QVERIFY(!message().contains(QStringLiteral("ended before")));
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
    MainWindow* window() { return &**window_; }
    QString title() { return window()->windowTitle(); }
    QString message() { return window()->messages().text(); }

    SharedWindow window_;
    QString project_;
};

const headscope::test::TestRegistration<TestProject> registration;

} // namespace test_project

#include "test_project.moc"
