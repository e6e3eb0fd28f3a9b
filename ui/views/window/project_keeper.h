#pragma once

#include "core/export/project_file.h"
#include "ui/workers/job_runner.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

namespace headscope::ui {

class Dialogs;
class Document;
class MessageBar;
class PatternView;

/// Saves what is done in the window as a project and opens it again. Keeps a copy in the user's
/// data while the window is open, which the next start offers when this one was not closed. Lives
/// on the GUI thread.
class ProjectKeeper : public QObject {
    Q_OBJECT

public:
    struct Window {
        Document& document;
        PatternView& pattern;
        MessageBar& messages;
        Dialogs& dialogs;
        QWidget* parent;
        /// Puts what the window shows beside the patterns into Project::view, and shows it again.
        std::function<void(Project&)> put_layout;
        std::function<void(const Project&)> take_layout;
    };
    explicit ProjectKeeper(const Window& window);
    ~ProjectKeeper() override;

    static bool isProject(const QString& path);

    /// The model is looked for where the project says, beside the project and at `known` places;
    /// where it is nowhere, the user is asked.
    void open(const QString& path, const QStringList& known);
    /// Asks where, the first time. False when it was not written.
    bool save();
    bool saveAs();
    bool isOpening() const { return opening_.has_value(); }
    /// The file; empty: none is open.
    QString path() const { return path_; }
    /// Whether the file says something else than the window.
    bool isChanged() const;

    /// Offers what a window left that was not closed.
    void offerRecovery();
    /// Something was done that the copy does not say.
    void copySoon();
    /// The window is closed: nothing is left to recover, nor what was offered and not wanted.
    void close();

signals:
    void pathChanged();
    /// The project or its model could not be opened; everything is as it was.
    void openFailed(const QString& path, const QString& message);

private:
    /// A project on its way.
    struct Opening {
        Project project;
        QString path; ///< empty: recovered, and never saved
        QString recovered_from;
        QStringList models;   ///< places where its model may be
        QString problem = {}; ///< why the last of them was none
    };
    void begin(Opening opening, const QStringList& known);
    void openNextModel();
    void takeModel();
    void askForModel();
    void finish(const Opening& opening);
    Project project() const;
    void lockRow();
    bool write(const QString& path);
    void setPath(const QString& path);
    void keepCopy();

    Window window_;
    QString path_;
    Project saved_; ///< what the file says
    std::optional<Opening> opening_;
    std::optional<std::size_t> wanted_row_; ///< to lock when its prompt has run
    QString copy_;
    QString left_; ///< of a window that was not closed; empty: none
    bool is_offered_ = false;
    QTimer copy_pause_;
    std::unique_ptr<JobRunner> copier_;
};

} // namespace headscope::ui
