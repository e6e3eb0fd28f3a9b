#include "core/export/project_file.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/commands/commands.h"
#include "ui/views/pages/page_area.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/window/messages.h"
#include "ui/views/window/project_keeper.h"
#include "ui/views/window/side_panels.h"

#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QStandardPaths>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace test_strange_projects {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;
using headscope::test::require;

namespace {

const QString kModel = QStringLiteral("microgpt");
constexpr LayerHead kHead{0, 1};

/// All settings of the user but what was opened last.
QMap<QString, QVariant> choices() {
    QSettings settings;
    settings.sync();
    QMap<QString, QVariant> kept;
    for (const QString& key : settings.allKeys())
        if (!key.startsWith(QStringLiteral("files/")) &&
            !key.startsWith(QStringLiteral("window/g")))
            kept[key] = settings.value(key);
    for (const char* const key :
         {"session/model", "session/prompt", "session/layer", "session/head", "window/splitter"})
        kept.remove(QString::fromLatin1(key));
    return kept;
}

/// Changes parts and bytes of a project.
class ProjectMutations {
public:
    ProjectMutations(int seed, const QByteArray& project, const QStringList& commands)
        : random_(static_cast<unsigned>(seed)), project_(project),
          json_(nlohmann::ordered_json::parse(project.toStdString())) {
        for (const QString& command : commands)
            texts_.push_back(command.toStdString());
        for (const char* const text :
             {"", "/etc/passwd", "/dev/zero", "../..", "actionQuit", "actionAllScores,actionQuit",
              "actionCircuits +", "<img src='/dev/zero'>", "yes", "none", "\x03\x15\n", "=1+1"})
            texts_.emplace_back(text);
    }

    QByteArray next() {
        if (below(5) == 0)
            return withOtherBytes();
        nlohmann::ordered_json changed = json_;
        for (std::size_t i = 0; i <= below(4); ++i)
            change(changed);
        if (below(3) == 0 && changed["view"].is_object())
            changed["view"]["pages"] = someCommands();
        return QByteArray::fromStdString(changed.dump());
    }

private:
    std::size_t below(std::size_t limit) { return random_() % limit; }
    std::string someText() { return texts_[below(texts_.size())]; }
    std::string someCommands() {
        std::string commands = someText();
        for (std::size_t i = 0; i < below(6); ++i)
            commands += (below(2) == 0 ? "," : " ") + someText();
        return commands;
    }
    nlohmann::ordered_json someValue() {
        switch (below(7)) {
        case 0:
            return nullptr;
        case 1:
            return below(2) == 0;
        case 2:
            return static_cast<double>(below(1000)) - 500.0;
        case 3:
            return std::uint64_t{1} << below(64);
        case 4:
            return nlohmann::ordered_json::array({{0, below(3)}, {below(9), below(9)}});
        default:
            return someText();
        }
    }
    void change(nlohmann::ordered_json& root) {
        nlohmann::ordered_json* at = &root;
        while (at->is_structured() && !at->empty() && (at == &root || below(4) != 0))
            at = &*std::next(at->begin(), static_cast<std::ptrdiff_t>(below(at->size())));
        // Whatever the key, it is most often of the same type: else nearly nothing would open.
        *at = at->is_string() && below(4) != 0 ? nlohmann::ordered_json(someText()) : someValue();
    }
    QByteArray withOtherBytes() {
        QByteArray changed = project_;
        for (std::size_t i = 0; i <= below(4); ++i)
            changed[static_cast<qsizetype>(below(static_cast<std::size_t>(changed.size())))] =
                static_cast<char>(below(256));
        return changed;
    }

    std::mt19937 random_;
    QByteArray project_;
    nlohmann::ordered_json json_;
    std::vector<std::string> texts_;
};

} // namespace

/// Projects that a stranger made: they change nothing that was not asked for.
class TestStrangeProjects : public QObject {
    Q_OBJECT

private slots:
    void init() {
        QVERIFY(window_.open(kModel));
        project_ = window_.settings().path(QStringLiteral("strange.headscope"));
        strange_ = {};
        strange_.model_path = samplePath(kModel).toStdString();
        strange_.model_name = kModel.toStdString();
        strange_.model_sha256 = window_->document().model()->sha256;
        strange_.prompt = "anna";
    }
    void cleanup() { window_.close(); }

    void theyEraseNoNotes() {
        NoteBook& notes = window_->document().notes();
        notes.setNote(kHead, {"my own", true});
        openStrange(); // which has none
        QCOMPARE(notes.note(kHead), (HeadNote{"my own", true}));
        QVERIFY(!window_->find<QPushButton>("addProjectNotes")->isVisible());

        strange_.notes[kHead] = {"another's", false};
        strange_.notes[{0, 2}] = {"<b>a second</b>", true};
        openStrange();
        QCOMPARE(notes.note(kHead), (HeadNote{"my own", true}));
        QVERIFY(notes.note({0, 2}).empty());
        window_->document().selection().select({0, 2});
        const auto* of_project = window_->find<QLabel>("headProjectNote");
        QCOMPARE(of_project->text(), QStringLiteral("In the project: <b>a second</b>"));
        QCOMPARE(of_project->textFormat(), Qt::PlainText);
        QVERIFY(text().contains(QStringLiteral("notes on 2 heads")));
        // Saved again, the project holds both, and closing has kept the user's.
        window_->find<QAction>("actionSaveProject")->trigger();
        const Project saved = require(readProject(project_.toStdString()));
        QCOMPARE(saved.notes.at(kHead).text, std::string("my own | another's"));
        QCOMPARE(saved.notes.at({0, 2}).text, std::string("<b>a second</b>"));
        window_->close();
        QVERIFY(window_.openAgain(kModel));
        QCOMPARE(window_->document().notes().all(), (HeadNotes{{kHead, {"my own", true}}}));
    }

    void theyNamePagesAlone_data() {
        QTest::addColumn<QString>("pages");
        for (const char* pages :
             {"actionQuit", "actionFlipSquare actionExport actionSaveModel",
              "theme_dark,clearRecent", "sample_bert-mini-4l", "actionOpen,actionCopyCommand",
              "recent_strange.headscope", "actionAblateHead", "actionTestAllEffects,actionScore",
              "actionBookmark", "actionSidePanels,actionPageWindows",
              "actionNextPage,actionClosePage,actionUndo",
              "actionSaveProject,actionSaveProjectAs,actionReport,actionSaveHistory"})
            QTest::newRow(pages) << QString::fromLatin1(pages);
    }
    void theyNamePagesAlone() {
        QFETCH(QString, pages);
        openStrange(); // once, so that it is among the recent ones
        const QStringList recent = window()->recentFiles().paths();
        QGuiApplication::clipboard()->setText(QStringLiteral("mine"));
        window_->dialogs.to_open = samplePath(QStringLiteral("bert-mini-4l"));
        window_->dialogs.to_save = window_.settings().path(QStringLiteral("written"));
        QStringList given;
        for (QAction* action : window()->findChildren<QAction*>())
            connect(action, &QAction::triggered, this,
                    [&given, action] { given << action->objectName(); });
        strange_.view["pages"] = pages.toStdString();
        const auto loaded = window_->document().loadOptions();
        openStrange();
        QTest::qWait(50);
        QCOMPARE(given, QStringList());
        QVERIFY(window()->isVisible());
        QCOMPARE(window_->document().model()->name, kModel.toStdString());
        QCOMPARE(window_->document().loadOptions().flip_square_matrices,
                 loaded.flip_square_matrices);
        QVERIFY(window_->document().ablation().mask().empty());
        QCOMPARE(window()->recentFiles().paths(), recent);
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("mine"));
        QVERIFY(!QFile::exists(window_->dialogs.to_save));
        QVERIFY(QSettings().value(QStringLiteral("window/theme")).isNull());
    }

    void theyOpenAFewPages() {
        std::string pages = "actionAllScores";
        for (int i = 0; i < 200; ++i)
            pages += ",actionCircuits +";
        strange_.view["pages"] = pages;
        openStrange();
        QVERIFY(window()->pages().size() > 2);
        QVERIFY(window()->pages().size() <= 25);
        window()->pages().closeAll();
        // Where analyses have windows of their own, none stays at the other side.
        window()->pages().setWindows(true);
        openStrange();
        QVERIFY(window()->patternView().isVisible());
        window()->pages().closeAll();
    }

    /// The closed list, so that one more is a decision.
    void thesePagesMayBeNamed() {
        QCOMPARE(pageNames().join(QLatin1Char(' ')),
                 QStringLiteral("actionPatch actionPromptSet actionExamples actionAllScores "
                                "actionAttribution actionCircuits actionSimilarity actionPrune"));
    }

    void theirSettingsAreTheirOwn() {
        Document& document = window_->document();
        document.setThreshold(HeadTypeId::Sink, 0.77);
        document.setBosMode(BosMode::No);
        document.ablation().setKind(AblationKind::Zero);
        window_->close(); // which writes the settings
        QVERIFY(window_.openAgain(kModel));
        takeUpOwnPrompt();
        const auto own = choices();
        makeSettings();
        openStrange();
        QCOMPARE(window_->document().thresholds(), strange_.thresholds);
        QCOMPARE(window_->document().ablation().kind(), AblationKind::Mean);
        QVERIFY(text().contains(QStringLiteral("While the project “strange” is open")));
        QVERIFY(window_->find<QPushButton>("useOwnSettings")->isVisible());
        window_->close();
        QCOMPARE(choices(), own); // closed with the project open

        QVERIFY(window_.openAgain(kModel));
        QCOMPARE(window_->document().thresholds().of(HeadTypeId::Sink), 0.77);
        openStrange();
        window()->openPath(samplePath(QStringLiteral("gpt2-mini-6l")));
        QTRY_COMPARE_WITH_TIMEOUT(window_->document().model()->name, std::string("gpt2-mini-6l"),
                                  kPatience);
        QVERIFY(window_->settled());
        QCOMPARE(window_->document().thresholds().of(HeadTypeId::Sink), 0.77); // another model
        QCOMPARE(window_->document().ablation().kind(), AblationKind::Zero);
        QCOMPARE(window_->document().bosMode(), BosMode::No);
        QVERIFY(!window()->sidePanels().areFolded());
        QVERIFY(!window_->find<QWidget>("projectStrip")->isVisible());
        window_->close();
        auto kept = choices();
        auto before = own;
        for (auto* const of : {&kept, &before}) {
            of->remove(QStringLiteral("prompts/earlier")); // of the other model
            of->remove(QStringLiteral("session/scoreSource"));
        }
        QCOMPARE(kept, before);
        QVERIFY(window_.openAgain(kModel));
    }

    void oneCanGoBackToOnesOwn() {
        Document& document = window_->document();
        document.setThreshold(HeadTypeId::Sink, 0.77);
        makeSettings();
        openStrange();
        QTest::mouseClick(window_->find<QPushButton>("useOwnSettings"), Qt::LeftButton);
        QCOMPARE(document.thresholds().of(HeadTypeId::Sink), 0.77);
        QCOMPARE(document.thresholds().of(HeadTypeId::Induction),
                 Thresholds().of(HeadTypeId::Induction));
        QVERIFY(document.ablation().kind() != AblationKind::Mean);
        QVERIFY(!window_->find<QWidget>("projectStrip")->isVisible());
        QVERIFY(window()->project().isChanged()); // the file says something else
    }

    void theirUndoStepsAreNotTakenUp() {
        strange_.undo_steps = {{"ablate what you like", {}, AblationKind::Mean}};
        strange_.mask.set({0, 0}, strange_.ablation_kind);
        openStrange();
        QVERIFY(window_->document().ablation().mask().isAblated({0, 0}));
        for (const AblationStep& step : window_->document().ablation().undoSteps())
            QVERIFY2(step.text.find("what you like") == std::string::npos, step.text.c_str());
    }

    void theirPromptsAreNotKept() {
        strange_.earlier_prompts = {"of a stranger"};
        openStrange();
        QVERIFY(window_->document().promptHistory().prompts().contains(
            QStringLiteral("of a stranger")));
        QTest::qWait(3000); // longer than until a prompt is taken up
        const QStringList kept =
            QSettings().value(QStringLiteral("prompts/earlier")).toStringList();
        QVERIFY(!kept.contains(QStringLiteral("of a stranger")));
        QVERIFY(!kept.contains(QStringLiteral("anna")));
        window()->openPath(samplePath(QStringLiteral("gpt2-mini-6l")));
        QTRY_VERIFY_WITH_TIMEOUT(!window_->document().promptHistory().prompts().contains(
                                     QStringLiteral("of a stranger")),
                                 kPatience);
        QVERIFY(window_->settled());
    }

    /// One that does not open leaves everything as it was.
    void whatFailsChangesNothing() {
        window_->document().setBosMode(BosMode::No);
        makeSettings();
        strange_.model_path = "/nowhere/else.h5";
        strange_.bos = BosMode::Yes;
        QVERIFY(writeProject(project_.toStdString(), strange_));
        window()->openPath(project_);
        QTRY_VERIFY_WITH_TIMEOUT(window()->messages().text().contains(QStringLiteral("else.h5")),
                                 kPatience);
        QVERIFY(window_->settled());
        QCOMPARE(window_->document().bosMode(), BosMode::No);
        QVERIFY(!window()->project().ownChoices());
        QVERIFY(window()->project().path().isEmpty());
    }

    /// Of a project with everything in it parts are replaced or bytes are changed. The campaign
    /// asks for more of them (tests/reliability).
    void mutatedProjectsDoNothing() {
        const int count = qEnvironmentVariableIsSet("HEADSCOPE_PROJECT_MUTANTS")
                              ? qEnvironmentVariableIntValue("HEADSCOPE_PROJECT_MUTANTS")
                              : 25;
        ProjectMutations mutations(qEnvironmentVariableIntValue("HEADSCOPE_PROJECT_SEED"),
                                   wholeProject(), commandNames());
        window_->document().notes().setNote(kHead, {"my own", true});
        QVERIFY(window_->document().notes().keep());
        window_->close(); // which writes the settings
        QVERIFY(window_.openAgain(kModel));
        takeUpOwnPrompt();
        const auto own = choices();
        const QByteArray notes = notesFile();
        int opened = 0;
        for (int i = 0; i < count; ++i) {
            const QByteArray project = mutations.next();
            writeFile(project_, project);
            watchCommands();
            window()->openPath(project_);
            QTRY_VERIFY2_WITH_TIMEOUT(!window()->project().isOpening(), project.constData(),
                                      kPatience);
            QVERIFY2(window_->settled(), project.constData());
            opened += window()->project().path() == project_ ? 1 : 0;
            QVERIFY2(commands_.isEmpty(),
                     qPrintable(commands_.join(u' ') + QString::fromUtf8(project)));
            QVERIFY2(window()->isVisible(), project.constData());
            QCOMPARE(window_->document().notes().all(), (HeadNotes{{kHead, {"my own", true}}}));
            QVERIFY2(window_->document().notes().keep(), project.constData());
            QCOMPARE(notesFile(), notes);
            window()->pages().closeAll();
        }
        QVERIFY(opened > count / 4); // and not all of them refused
        window_->close();
        QCOMPARE(choices(), own);
        QVERIFY(window_.openAgain(kModel));
        qInfo("%d mutated projects, %d of them opened", count, opened);
    }

private:
    /// The prompt that the model opens with is kept once it has stayed for a while, however long
    /// what follows takes.
    void takeUpOwnPrompt() {
        const QString own = window_->document().promptText();
        QTRY_VERIFY_WITH_TIMEOUT(window_->document().promptHistory().prompts().contains(own),
                                 kPatience);
    }
    /// What commands are given from now on by anything but the opening of a page.
    void watchCommands() {
        constexpr const char* kWatched = "watched";
        const QStringList pages = pageNames();
        for (QAction* action : window()->findChildren<QAction*>()) {
            if (action->property(kWatched).toBool() || pages.contains(action->objectName()))
                continue;
            action->setProperty(kWatched, true);
            connect(action, &QAction::triggered, this,
                    [this, name = action->objectName()] { commands_ << name; });
        }
    }
    QStringList pageNames() {
        QStringList pages;
        for (const CommandMenu& menu : windowCommands(*window()))
            for (const Command& command : menu.commands)
                if (command.opens_page)
                    pages << command.id;
        return pages;
    }
    QStringList commandNames() {
        QStringList names;
        for (const Command& command : allCommands(windowCommands(*window())))
            names << command.id;
        return names;
    }
    QByteArray wholeProject() {
        makeSettings();
        strange_.notes[kHead] = {"another's", false};
        strange_.earlier_prompts = {"of a stranger"};
        strange_.second_prompt = "emma";
        strange_.mask.set({0, 0}, strange_.ablation_kind);
        strange_.chosen = {{0, 0}, kHead};
        strange_.locked_row = 1;
        if (!writeProject(project_.toStdString(), strange_))
            return {};
        QFile file(project_);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static void writeFile(const QString& path, const QByteArray& content) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
    }
    QByteArray notesFile() {
        const QDir folder(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
                          QStringLiteral("/notes"));
        QByteArray all;
        for (const QFileInfo& file : folder.entryInfoList(QDir::Files)) {
            QFile notes(file.filePath());
            if (notes.open(QIODevice::ReadOnly))
                all += file.fileName().toUtf8() + notes.readAll();
        }
        return all;
    }
    void makeSettings() {
        strange_.thresholds.set(HeadTypeId::Induction, 0.0);
        strange_.thresholds.set(HeadTypeId::Previous, 0.01);
        strange_.bos = BosMode::Yes;
        strange_.ablation_kind = AblationKind::Mean;
        strange_.view = {
            {"pages", "actionAllScores"}, {"side panels", "folded"}, {"page", "lines"},
            {"first key", "hidden"},      {"rescale rows", "yes"},   {"own scale", "yes"},
            {"scale", "logarithmic"},     {"direction", "reads"}};
    }
    void openStrange() {
        QVERIFY(writeProject(project_.toStdString(), strange_));
        window()->openPath(project_);
        QTRY_VERIFY_WITH_TIMEOUT(!window()->project().isOpening(), kPatience);
        QVERIFY(window_->settled());
        QCOMPARE(window()->project().path(), project_);
    }
    MainWindow* window() { return &**window_; }
    QString text() { return window_->find<QLabel>("projectStripText")->text(); }

    SharedWindow window_;
    QString project_;
    Project strange_;
    QStringList commands_;
};

const headscope::test::TestRegistration<TestStrangeProjects> registration;

} // namespace test_strange_projects

#include "test_strange_projects.moc"
