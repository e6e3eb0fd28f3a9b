#include "ui/views/window/project_keeper.h"

#include "ui/document/document.h"
#include "ui/tables/head_text.h"
#include "ui/views/dialogs.h"
#include "ui/views/export/export_plan.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/window/messages.h"
#include "ui/views/window/window_state.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

namespace headscope::ui {
namespace {

constexpr std::chrono::milliseconds kCopyPause{1500};

QString projectSuffix() {
    return toQString(kProjectExtension);
}

QDir copyFolder() {
    return {QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
            QStringLiteral("/open")};
}

QString copyOf(qint64 process) {
    return copyFolder().filePath(QString::number(process) + projectSuffix());
}

/// The latest copy of a process that is no more; empty: none.
QString leftCopy() {
    const QFileInfoList copies = copyFolder().entryInfoList(
        {QLatin1Char('*') + projectSuffix()}, QDir::Files, QDir::Time); // the latest first
    for (const QFileInfo& copy : copies) {
        bool is_number = false;
        const pid_t process = copy.completeBaseName().toInt(&is_number);
        if (is_number && process > 0 && kill(process, 0) != 0 && errno == ESRCH)
            return copy.filePath();
    }
    return {};
}

} // namespace

ProjectKeeper::ProjectKeeper(const Window& window)
    : QObject(window.parent), window_(window), copy_(copyOf(QCoreApplication::applicationPid())),
      copier_(std::make_unique<JobRunner>()) {
    copy_pause_.setSingleShot(true);
    copy_pause_.setInterval(kCopyPause);
    connect(&copy_pause_, &QTimer::timeout, this, &ProjectKeeper::keepCopy);
    const Document& document = window_.document;
    connect(&document, &Document::modelChanged, this, &ProjectKeeper::takeModel);
    connect(&document, &Document::loadFailed, this,
            [this](const QString& /*path*/, const QString& message) {
                if (!opening_)
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
    connect(&window_.pattern, &PatternView::settingsChanged, this, &ProjectKeeper::copySoon);
}

void ProjectKeeper::copySoon() {
    if (copier_ && !copy_pause_.isActive())
        copy_pause_.start();
}

ProjectKeeper::~ProjectKeeper() {
    copier_.reset();
    QFile::remove(copy_);
}

bool ProjectKeeper::isProject(const QString& path) {
    return path.endsWith(projectSuffix());
}

void ProjectKeeper::setPath(const QString& path) {
    path_ = path;
    emit pathChanged();
}

// Opening

void ProjectKeeper::open(const QString& path, const QStringList& known) {
    auto project = readProject(path.toStdString());
    if (!project)
        return emit openFailed(path, toQString(project.error().message));
    begin({*std::move(project), path, {}, {}}, known);
}

void ProjectKeeper::begin(Opening opening, const QStringList& known) {
    const QString model = QString::fromStdString(opening.project.model_path.string());
    const QString name = QFileInfo(model).fileName();
    QStringList places{model, QFileInfo(opening.path).dir().filePath(name)};
    for (const QString& path : known)
        if (QFileInfo(path).fileName() == name)
            places << path;
    for (const QString& place : std::as_const(places))
        if (const QString clean = QDir::cleanPath(QFileInfo(place).absoluteFilePath());
            QFileInfo::exists(clean) && !opening.models.contains(clean))
            opening.models << clean;
    opening_ = std::move(opening);
    openNextModel();
}

void ProjectKeeper::askForModel() {
    const QString name = toQString(opening_->project.model_name);
    const QString problem =
        opening_->problem.isEmpty()
            ? tr("%1, the model of this project, is not at %2 any more.")
                  .arg(name, QString::fromStdString(opening_->project.model_path.string()))
            : opening_->problem;
    window_.messages.showError(problem + QLatin1Char(' ') + tr("Choose where it is now."));
    const QString chosen =
        window_.dialogs.fileToOpen(window_.parent, QFileInfo(opening_->path).absolutePath());
    if (!chosen.isEmpty())
        return opening_->models.append(QFileInfo(chosen).absoluteFilePath());
    const Opening given_up = *std::exchange(opening_, std::nullopt);
    emit openFailed(given_up.path, problem);
}

void ProjectKeeper::openNextModel() {
    if (opening_->models.isEmpty())
        askForModel();
    if (!opening_)
        return;
    const Project& project = opening_->project;
    window_.document.setBosMode(project.bos);
    window_.document.open(opening_->models.first(), toQString(project.prompt),
                          {.flip_square_matrices = project.flip_square_matrices});
}

void ProjectKeeper::takeModel() {
    const auto model = window_.document.model();
    if (!opening_) { // opened by itself, or the open one was read another way
        if (model->sha256 != saved_.model_sha256)
            setPath({});
        return;
    }
    const bool is_it = model->sha256 == opening_->project.model_sha256;
    const QString path = opening_->models.takeFirst();
    if (!is_it && path != QString::fromStdString(model->path.string())) {
        opening_.reset(); // the user opened another one meanwhile
        return setPath({});
    }
    if (!is_it && !opening_->models.isEmpty())
        return openNextModel();
    const Opening opened = *std::exchange(opening_, std::nullopt);
    finish(opened);
    if (!is_it)
        window_.messages.showError(tr("%1 is not the file that this project was made with (its "
                                      "SHA-256 differs), so its numbers may differ, too.")
                                       .arg(path));
}

void ProjectKeeper::finish(const Opening& opening) {
    wanted_row_ = opening.project.locked_row;
    applyProject(opening.project, window_.document, window_.pattern);
    window_.take_layout(opening.project);
    lockRow();
    saved_ = opening.recovered_from.isEmpty() ? opening.project : Project();
    saved_.model_path = window_.document.model()->path;
    saved_.model_sha256 = window_.document.model()->sha256;
    setPath(opening.path);
    if (!opening.recovered_from.isEmpty()) {
        QFile::remove(opening.recovered_from);
        keepCopy();
    }
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

Project ProjectKeeper::project() const {
    Project project = projectOf(window_.document, window_.pattern);
    window_.put_layout(project);
    return project;
}

bool ProjectKeeper::write(const QString& path) {
    const Project now = project();
    const auto written = writeProject(path.toStdString(), now);
    if (!written) {
        window_.messages.showError(toQString(written.error().message));
        return false;
    }
    saved_ = now;
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

// The copy that outlives a sudden end

void ProjectKeeper::keepCopy() {
    if (!window_.document.model() || opening_)
        return;
    copyFolder().mkpath(QStringLiteral("."));
    Project now = project();
    now.view["project"] = path_.toStdString();
    copier_->start([file = copy_.toStdString(), now = std::move(now)](
                       const Progress&, const std::stop_token&) { return writeProject(file, now); },
                   [](const Result<void>&) {}); // there is no more to do than to try again
}

void ProjectKeeper::offerRecovery() {
    left_ = leftCopy();
    if (left_.isEmpty() || window_.messages.isVisible()) // an error comes first
        return;
    const auto project = readProject(left_.toStdString());
    if (!project)
        return;
    is_offered_ = true;
    window_.messages.showOffer(
        tr("Headscope ended before it was closed. Go on with %1 where you were?")
            .arg(toQString(project->model_name)),
        tr("Restore"), [this, project = *project] {
            const auto of_file = project.view.find("project");
            begin({project,
                   of_file == project.view.end() ? QString() : toQString(of_file->second),
                   left_,
                   {}},
                  {});
        });
}

void ProjectKeeper::close() {
    copy_pause_.stop();
    copier_.reset(); // waits for what it writes
    QFile::remove(copy_);
    if (is_offered_)
        QFile::remove(left_);
}

} // namespace headscope::ui
