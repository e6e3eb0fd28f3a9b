#pragma once

#include "ui/document/document.h"
#include "ui/document/remembered.h"
#include "ui/document/repetition.h"

#include <QList>
#include <QMainWindow>
#include <QString>

#include <functional>
#include <optional>

class QSplitter;

namespace headscope {
struct Project;
}

namespace headscope::ui {

class CompareBar;
struct CommandMenu;
class Dialogs;
class HeadGridView;
class MainMenu;
class LessonBar;
class MessageBar;
class PageArea;
class PatternView;
class ProjectKeeper;
class PromptBar;
class SidePanels;

/// What the command line asked for; empty fields leave the choice to the last session.
struct StartOptions {
    QString model;
    std::optional<QString> text;
    QString head; ///< "4.1"
};

/// The window: prompt above, heads on the left, patterns and analyses in the middle, types and
/// ablation on the right.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    /// What makes the commands of this window, of which its menus are made.
    using MakeCommands = QList<CommandMenu> (*)(MainWindow&);

    MainWindow(Dialogs& dialogs, MakeCommands make_commands, ScoreHeads score = scoreHeads,
               QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Opens what was asked for, else the model of the last session, else a sample.
    void start(const StartOptions& options);

    QList<CommandMenu> commands();
    Document& document() { return document_; }
    RecentFiles& recentFiles() { return recent_; }
    HeadGridView& headGrid() { return *heads_; }
    PatternView& patternView() { return *pattern_; }
    PageArea& pages() { return *pages_; }
    SidePanels& sidePanels() { return *sides_; }

    PromptBar& promptBar() { return *prompt_; }
    CompareBar& compareBar() { return *compare_; }
    MessageBar& messages() { return *message_; }
    LessonBar& lesson() { return *lesson_; }
    Dialogs& systemDialogs() { return dialogs_; }
    ProjectKeeper& project() { return *project_; }

    /// Opens a model and says so, or a project.
    void openPath(const QString& path);
    /// Says so of a model, with a way to open it.
    void saySaved(const QString& path);
    /// Opens the model again with its square matrices transposed, and says so.
    void flipSquareMatrices();

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void layOut();
    QWidget* makeSidePanel();
    void offerCopies(QWidget* widget, Repetition (*repetition)(const Document&));
    void restoreGeometryAndChoices();
    void openPages(const QStringList& pages);
    void putLayout(Project& project) const;
    void takeLayout(const Project& project);
    void makeMenu();
    void showModel();
    void showTitle();
    void sayOpened(const Model& model);
    void dimWhileLoading();
    void showLoadError(const QString& path, const QString& message);
    void selectFromText(const QString& head);

    Dialogs& dialogs_;
    MakeCommands make_commands_;
    Document document_;
    RecentFiles recent_;
    MessageBar* message_ = nullptr;
    PromptBar* prompt_ = nullptr;
    CompareBar* compare_ = nullptr;
    LessonBar* lesson_ = nullptr;
    QSplitter* splitter_ = nullptr;
    HeadGridView* heads_ = nullptr;
    PatternView* pattern_ = nullptr;
    PageArea* pages_ = nullptr;
    SidePanels* sides_ = nullptr;
    MainMenu* menu_ = nullptr;
    ProjectKeeper* project_ = nullptr;
    bool announce_ = false;             ///< the user opened the next model, and wants to hear of it
    std::function<void()> after_start_; ///< once, when the first model is there
};

} // namespace headscope::ui
