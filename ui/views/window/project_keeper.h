#pragma once

#include "core/export/project_file.h"
#include "ui/views/window/recovery_copy.h"
#include "ui/workers/job_runner.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class QLockFile;

namespace headscope::ui {

class Dialogs;
class Document;
class MessageBar;
class PatternView;

/// Saves what is done in the window as a project and opens it again. While a project is open that
/// came from a file, its settings are used, and those of the user are kept aside. Keeps a copy in
/// the user's data while the window is open, which a later start offers when this one was not
/// closed. Lives on the GUI thread.
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
    /// Asks where, the first time, and whether to write over what somebody else has made of the
    /// file. False when it was not written.
    bool save();
    bool saveAs();
    bool isOpening() const { return opening_ || reader_->isBusy(); }
    /// The file; empty: none is open.
    QString path() const { return path_; }
    /// Whether the file says something else than the window.
    bool isChanged() const;
    /// Asks what to do with changes before the project goes; false: it must stay.
    bool mayGo();

    /// The user's own settings and layout while a project has its own; null: those of the window
    /// are.
    const Project* ownChoices() const { return own_ ? &*own_ : nullptr; }
    /// Puts the user's thresholds, BOS and kind of ablation in place of the project's.
    void useOwnSettings();

    /// Offers what windows left that were not closed.
    void offerRecovery();
    /// Something was done that the copy does not say.
    void copySoon();
    /// The window is closed: nothing of it is left to recover.
    void close();

signals:
    void pathChanged();
    /// The project or its model could not be opened; everything is as it was.
    void openFailed(const QString& path, const QString& message);

private:
    /// A project as its file says it.
    struct FromFile {
        Project project;
        std::string stamp; ///< fileStamp()
    };
    /// A project on its way.
    struct Opening {
        FromFile from;
        QString path; ///< empty: recovered, and never saved
        std::optional<RecoveryCopy> recovered = {};
        Project own = {};        ///< the user's choices
        QStringList models = {}; ///< places where its model may be
        QString problem = {};    ///< why the last of them was none
    };
    static Result<FromFile> readFile(const std::string& path);
    void begin(Opening opening, const QStringList& known);
    void openNextModel();
    void takeModel();
    void askForModel();
    void finish(Opening opening);
    void endProject();
    Project choices() const;
    Project project() const;
    void lockRow();
    bool write(const QString& path);
    enum class Write { Here, Elsewhere, No };
    Write askBeforeWriting(const QString& path, QLockFile& lock);
    void setPath(const QString& path);
    void offerNext();
    void offer(const Result<Project>& project);
    void restore(const Project& project);
    void discard();
    void keepCopy();

    Window window_;
    QString path_;
    Project saved_;     ///< what the file says
    std::string stamp_; ///< of the file as it was read or written here
    std::optional<Project> own_;
    std::optional<Opening> opening_;
    std::optional<std::size_t> wanted_row_; ///< to lock when its prompt has run
    std::optional<RecoveryCopy> copy_;      ///< none: nothing was copied yet
    std::optional<RecoveryCopy> restored_;  ///< until its content is in `copy_`
    std::vector<RecoveryCopy> left_;        ///< to be offered, the first one now
    QTimer copy_pause_;
    std::unique_ptr<JobRunner> copier_;
    std::unique_ptr<JobRunner> reader_;
    std::unique_ptr<JobRunner> recovery_reader_;
};

} // namespace headscope::ui
