#include "ui/views/window/project_keeper.h"

#include "core/model/model.h"
#include "ui/document/document.h"
#include "ui/tables/head_text.h"
#include "ui/views/dialogs.h"
#include "ui/views/pages/export_place.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/window/messages.h"
#include "ui/views/window/window_state.h"

#include <QDir>
#include <QFileInfo>
#include <QLockFile>

#include <chrono>
#include <utility>

namespace headscope::ui {
namespace {

constexpr std::chrono::milliseconds kCopyPause{1500};
constexpr int kLockWait = 2000;   ///< milliseconds, for another window that saves the same project
constexpr int kStaleLock = 10000; ///< no window holds the lock as long
constexpr qint64 kLargestLock = 4096; ///< bytes
// A key of Project::view, in copies.
constexpr const char* kProjectPath = "project";
constexpr const char* kProjectStamp = "project stamp";

QString projectSuffix() {
    return toQString(kProjectExtension);
}

/// A hidden file beside the project.
QString lockFileOf(const QString& path) {
    const QFileInfo file(path);
    return file.dir().filePath(u'.' + file.fileName() + QStringLiteral(".lock"));
}

/// Whether what is there can be the lock of a window. Anybody may have put a pipe there, or a link
/// to a device, which QLockFile would read without end.
bool mayBeLock(const QString& path) {
    const QFileInfo there(path);
    const bool is_small_file = there.isFile() && !there.isSymLink() && there.size() <= kLargestLock;
    return is_small_file || (!there.exists() && !there.isSymLink());
}

std::string viewText(const Project& project, const char* key) {
    const auto found = project.view.find(key);
    return found == project.view.end() ? std::string() : found->second;
}

} // namespace

ProjectKeeper::ProjectKeeper(const Window& window)
    : QObject(window.parent), window_(window), copier_(std::make_unique<JobRunner>()),
      reader_(std::make_unique<JobRunner>()), recovery_reader_(std::make_unique<JobRunner>()) {
    copy_pause_.setSingleShot(true);
    copy_pause_.setInterval(kCopyPause);
    connect(&copy_pause_, &QTimer::timeout, this, &ProjectKeeper::keepCopy);
    const Document& document = window_.document;
    connect(&document, &Document::modelChanged, this, &ProjectKeeper::takeModel);
    connect(&document, &Document::loadFailed, this,
            [this](const QString& /*path*/, const QString& message) {
                if (!opening_ || opening_->models.isEmpty())
                    return;
                opening_->models.removeFirst();
                opening_->problem = message;
                openNextModel();
            });
    connect(&document, &Document::shownChanged, this, &ProjectKeeper::lockRow);
    connect(&document, &Document::promptChanged, this, &ProjectKeeper::copySoon);
    connect(&document.ablation(), &Ablation::changed, this, &ProjectKeeper::copySoon);
    connect(&document.selection(), &Selection::chosenChanged, this, &ProjectKeeper::copySoon);
    connect(&document.selection(), &Selection::lockedRowChanged, this, &ProjectKeeper::copySoon);
    connect(&document, &Document::labelsChanged, this, &ProjectKeeper::copySoon);
    connect(&document.comparison(), &Comparison::changed, this, &ProjectKeeper::copySoon);
    connect(&document.notes(), &NoteBook::changed, this, &ProjectKeeper::copySoon);
    connect(&document.notes(), &NoteBook::moreRead, this, [this] {
        if (!path_.isEmpty() && !restored_) // nobody changed anything
            saved_.notes = window_.document.notes().notesForProject();
    });
    connect(&window_.pattern, &PatternView::settingsChanged, this, &ProjectKeeper::copySoon);
}

void ProjectKeeper::copySoon() {
    if (copier_ && !copy_pause_.isActive())
        copy_pause_.start();
}

ProjectKeeper::~ProjectKeeper() {
    copier_.reset();
    if (copy_)
        copy_->remove();
}

bool ProjectKeeper::isProject(const QString& path) {
    return path.endsWith(projectSuffix());
}

void ProjectKeeper::setPath(const QString& path) {
    path_ = path;
    emit pathChanged();
}

// Opening

/// The stamp first: what changes the file meanwhile is found when it is saved.
Result<ProjectKeeper::FromFile> ProjectKeeper::readFile(const std::string& path) {
    std::string stamp = fileStamp(path);
    auto project = readProject(path);
    if (!project)
        return project.error();
    return FromFile{*std::move(project), std::move(stamp)};
}

void ProjectKeeper::open(const QString& path, const QStringList& known) {
    reader_->start([file = path.toStdString()](const Progress&,
                                               const std::stop_token&) { return readFile(file); },
                   [this, path, known](Result<FromFile> read) {
                       if (!read)
                           return emit openFailed(path, toQString(read.error().message));
                       begin({*std::move(read), path}, known);
                   });
}

void ProjectKeeper::begin(Opening opening, const QStringList& known) {
    const QString model = QString::fromStdString(opening.from.project.model_path.string());
    const QString name = QFileInfo(model).fileName();
    QStringList places{model, QFileInfo(opening.path).dir().filePath(name)};
    for (const QString& path : known)
        if (QFileInfo(path).fileName() == name)
            places << path;
    for (const QString& place : std::as_const(places))
        if (const QString clean = QDir::cleanPath(QFileInfo(place).absoluteFilePath());
            QFileInfo::exists(clean) && !opening.models.contains(clean))
            opening.models << clean;
    opening.own = own_ ? *own_ : choices();
    opening_ = std::move(opening);
    openNextModel();
}

void ProjectKeeper::askForModel() {
    const QString name = toQString(opening_->from.project.model_name);
    const QString problem =
        opening_->problem.isEmpty()
            ? tr("%1, the model of this project, is not at %2 any more.")
                  .arg(name, QString::fromStdString(opening_->from.project.model_path.string()))
            : opening_->problem;
    window_.messages.showError(problem + QLatin1Char(' ') + tr("Choose where it is now."));
    const QString chosen =
        window_.dialogs.fileToOpen(window_.parent, QFileInfo(opening_->path).absolutePath());
    if (!chosen.isEmpty())
        return opening_->models.append(QFileInfo(chosen).absoluteFilePath());
    const Opening given_up = *std::exchange(opening_, std::nullopt);
    // A file at one of the places may have been taken up with the project's BOS.
    const auto model = window_.document.model();
    if (own_ && model && model->sha256 != saved_.model_sha256) {
        endProject();
    } else if (!own_) {
        window_.document.setBosMode(given_up.own.bos);
    }
    emit openFailed(given_up.path, problem);
}

void ProjectKeeper::openNextModel() {
    if (opening_->models.isEmpty())
        askForModel();
    if (!opening_)
        return;
    const Project& project = opening_->from.project;
    window_.document.openForProject(opening_->models.first(), toQString(project.prompt),
                                    project.bos,
                                    {.flip_square_matrices = project.flip_square_matrices});
}

void ProjectKeeper::takeModel() {
    const auto model = window_.document.model();
    if (!opening_) { // opened by itself, or the open one was read another way
        if (model->sha256 != saved_.model_sha256)
            endProject();
        return;
    }
    const bool is_it = model->sha256 == opening_->from.project.model_sha256;
    const QString path = opening_->models.takeFirst();
    if (!is_it && path != QString::fromStdString(model->path.string())) {
        opening_.reset(); // the user opened another one meanwhile
        return endProject();
    }
    if (!is_it && !opening_->models.isEmpty())
        return openNextModel();
    finish(*std::exchange(opening_, std::nullopt));
    if (!is_it)
        window_.messages.showError(tr("%1 is not the file that this project was made with (its "
                                      "SHA-256 differs), so its numbers may differ, too.")
                                       .arg(path));
}

void ProjectKeeper::finish(Opening opening) {
    Project& project = opening.from.project;
    if (!opening.recovered)
        project.undo_steps.clear(); // only what this program kept may be undone
    wanted_row_ = project.locked_row;
    applyProject(project, window_.document, window_.pattern);
    window_.take_layout(project);
    lockRow();
    const bool has_file = !opening.path.isEmpty();
    own_ = has_file ? std::optional(std::move(opening.own)) : std::nullopt;
    saved_ = opening.recovered ? Project() : project;
    saved_.model_path = window_.document.model()->path;
    saved_.model_name = window_.document.model()->name;
    saved_.model_sha256 = window_.document.model()->sha256;
    if (!opening.recovered) {
        saved_.bos = window_.document.bosMode(); // none, where the model has none
        saved_.notes = window_.document.notes().notesForProject();
    }
    stamp_ = opening.from.stamp;
    setPath(opening.path);
    if (opening.recovered) {
        restored_ = std::move(opening.recovered);
        keepCopy();
    }
}

/// The user's own settings are used again.
void ProjectKeeper::endProject() {
    window_.document.promptHistory().setProjectPrompts({});
    if (const auto own = std::exchange(own_, std::nullopt)) {
        applyChoices(*own, window_.document, window_.pattern);
        window_.take_layout(*own);
    }
    setPath({});
}

void ProjectKeeper::useOwnSettings() {
    if (!own_)
        return;
    window_.document.setThresholds(own_->thresholds);
    if (window_.document.model()->spec.bos_token)
        window_.document.setBosMode(own_->bos);
    window_.document.ablation().setKind(own_->ablation_kind);
}

void ProjectKeeper::lockRow() {
    const auto& result = window_.document.shown().result;
    if (!wanted_row_ || !result || toQString(result->prompt.text) != window_.document.promptText())
        return;
    if (const std::size_t row = *std::exchange(wanted_row_, std::nullopt);
        row < result->prompt.ids.size())
        window_.document.selection().lockRow(row);
}

// Saving

Project ProjectKeeper::choices() const {
    Project choices = choicesOf(window_.document, window_.pattern);
    window_.put_layout(choices);
    return choices;
}

Project ProjectKeeper::project() const {
    Project project = projectOf(window_.document, window_.pattern);
    window_.put_layout(project);
    return project;
}

/// Whether the file says what it said when it was read or written here, or may be replaced all the
/// same. The lock on it is free while the user is asked.
ProjectKeeper::Write ProjectKeeper::askBeforeWriting(const QString& path, QLockFile& lock) {
    lock.setStaleLockTime(kStaleLock);
    while (true) {
        if (mayBeLock(lock.fileName()) && !lock.tryLock(kLockWait) &&
            lock.error() == QLockFile::LockFailedError) {
            window_.messages.showError(
                tr("%1 is being saved by another window; save it again.").arg(path));
            return Write::No;
        }
        if (path != path_)
            return Write::Here;
        const std::string there = fileStamp(path.toStdString());
        if (there.empty() || there == stamp_)
            return Write::Here;
        lock.unlock();
        switch (window_.dialogs.askToReplace(window_.parent, QFileInfo(path).fileName())) {
        case Dialogs::ReplaceAnswer::Replace:
            stamp_ = there; // and asks again where it changes once more
            break;
        case Dialogs::ReplaceAnswer::SaveAs:
            return Write::Elsewhere;
        case Dialogs::ReplaceAnswer::Cancel:
            return Write::No;
        }
    }
}

bool ProjectKeeper::write(const QString& path) {
    QLockFile lock(lockFileOf(path));
    if (const Write where = askBeforeWriting(path, lock); where != Write::Here)
        return where == Write::Elsewhere && saveAs();
    const Project now = project();
    const auto written = writeProject(path.toStdString(), now);
    if (!written) {
        window_.messages.showError(toQString(written.error().message));
        return false;
    }
    stamp_ = fileStamp(path.toStdString());
    saved_ = now;
    window_.document.notes().setProjectNotes(now.notes);
    keepExportFolder(path);
    setPath(path);
    window_.messages.showInfo(tr("Saved %1.").arg(path));
    return true;
}

bool ProjectKeeper::save() {
    return path_.isEmpty() ? saveAs() : write(path_);
}

bool ProjectKeeper::saveAs() {
    const QString name = toQString(window_.document.model()->name);
    const QString path = askWhereToExport(window_.dialogs, window_.parent, name, projectSuffix(),
                                          tr("Projects of Headscope (*%1)").arg(projectSuffix()));
    return !path.isEmpty() && write(path);
}

bool ProjectKeeper::isChanged() const {
    return !path_.isEmpty() && window_.document.model() &&
           contentOf(project()) != contentOf(saved_);
}

bool ProjectKeeper::mayGo() {
    if (!isChanged())
        return true;
    const Dialogs::SaveAnswer answer =
        window_.dialogs.askToSave(window_.parent, QFileInfo(path_).fileName());
    return answer == Dialogs::SaveAnswer::Discard ||
           (answer == Dialogs::SaveAnswer::Save && save());
}

// The copy that outlives a sudden end

void ProjectKeeper::keepCopy() {
    if (!window_.document.model() || opening_)
        return;
    if (!copy_)
        copy_ = RecoveryCopy::make();
    Project now = project();
    now.undo_steps = window_.document.ablation().undoSteps();
    now.view[kProjectPath] = path_.toStdString();
    now.view[kProjectStamp] = stamp_;
    copier_->start([file = copy_->path().toStdString(), now = std::move(now)](
                       const Progress&, const std::stop_token&) { return writeProject(file, now); },
                   [this](const Result<void>& written) { // where it failed, the next one may not
                       if (written && restored_)
                           std::exchange(restored_, std::nullopt)->remove();
                   });
}

void ProjectKeeper::offerRecovery() {
    left_ = RecoveryCopy::left();
    offerNext();
}

void ProjectKeeper::offerNext() {
    if (left_.empty())
        return;
    recovery_reader_->start(
        [file = left_.front().path().toStdString()](const Progress&, const std::stop_token&) {
            return readProject(file);
        },
        [this](const Result<Project>& project) { offer(project); });
}

/// It stays where it is until it is restored or discarded.
void ProjectKeeper::offer(const Result<Project>& project) {
    std::vector<MessageBar::Choice> choices{{tr("Discard"), [this] { discard(); }}};
    if (!project)
        return window_.messages.showOffer(
            tr("A window of Headscope ended before it was closed. What was kept of it cannot be "
               "read: %1")
                .arg(toQString(project.error().message)),
            choices);
    choices.insert(choices.begin(),
                   {tr("Restore"), [this, project = *project] { restore(project); }});
    window_.messages.showOffer(
        tr("Headscope ended before it was closed. Continue with %1 where you stopped?")
            .arg(toQString(project->model_name)),
        choices);
}

void ProjectKeeper::restore(const Project& project) {
    if (!mayGo())
        return offerNext();
    RecoveryCopy copy = std::move(left_.front());
    left_.clear(); // other windows may offer the rest
    begin({{project, viewText(project, kProjectStamp)},
           toQString(viewText(project, kProjectPath)),
           std::move(copy)},
          {});
}

void ProjectKeeper::discard() {
    left_.front().remove();
    left_.erase(left_.begin());
    offerNext();
}

void ProjectKeeper::close() {
    copy_pause_.stop();
    copier_.reset(); // waits for what it writes
    for (auto* const copy : {&copy_, &restored_})
        if (*copy)
            std::exchange(*copy, std::nullopt)->remove();
}

} // namespace headscope::ui
