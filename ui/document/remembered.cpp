#include "ui/document/remembered.h"

#include "ui/tables/head_text.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>

#include <algorithm>
#include <chrono>
#include <utility>

namespace headscope::ui {

namespace {

constexpr qsizetype kMost = 10;

QString settingsKey() {
    return QStringLiteral("files/recent");
}

} // namespace

RecentFiles::RecentFiles(QObject* parent)
    : QObject(parent), paths_(QSettings().value(settingsKey()).toStringList()) {}

void RecentFiles::add(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    paths_.removeAll(absolute);
    paths_.prepend(absolute);
    paths_ = paths_.first(qMin(paths_.size(), kMost));
    store();
}

void RecentFiles::clear() {
    paths_.clear();
    store();
}

void RecentFiles::store() {
    QSettings().setValue(settingsKey(), paths_);
    emit changed();
}

namespace {

constexpr std::chrono::milliseconds kStays{2500}; ///< longer than between two words
constexpr qsizetype kMostPrompts = 50;
constexpr qsizetype kLongestPrompt = 20'000; ///< characters; longer texts lie in files

QString historyKey() {
    return QStringLiteral("prompts/earlier");
}

} // namespace

PromptHistory::PromptHistory(QObject* parent)
    : QObject(parent), prompts_(QSettings().value(historyKey()).toStringList()) {
    pause_.setSingleShot(true);
    pause_.setInterval(kStays);
    connect(&pause_, &QTimer::timeout, this, &PromptHistory::takeUp);
}

void PromptHistory::follow(const QString& prompt) {
    now_ = prompt;
    pause_.start();
}

void PromptHistory::takeUp() {
    if (now_.trimmed().isEmpty() || now_.size() > kLongestPrompt || prompts_.value(0) == now_)
        return;
    prompts_.removeAll(now_);
    prompts_.prepend(now_);
    store();
}

void PromptHistory::add(const QStringList& prompts) {
    prompts_ += prompts;
    prompts_.removeDuplicates();
    store();
}

void PromptHistory::store() {
    prompts_ = prompts_.first(std::min(kMostPrompts, prompts_.size()));
    QSettings().setValue(historyKey(), prompts_);
    emit changed();
}

namespace {

constexpr std::chrono::milliseconds kNotePause{1000}; ///< of typing, before notes are written

} // namespace

NoteBook::NoteBook(QObject* parent) : QObject(parent) {
    pause_.setSingleShot(true);
    pause_.setInterval(kNotePause);
    connect(&pause_, &QTimer::timeout, this, &NoteBook::keep);
}

NoteBook::~NoteBook() {
    if (pause_.isActive())
        keep();
}

void NoteBook::setModel(const std::string& sha256) {
    if (pause_.isActive())
        keep();
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
                           QStringLiteral("/notes");
    file_ = folder + QLatin1Char('/') + toQString(sha256) + QStringLiteral(".json");
    auto kept = readNotes(file_.toStdString());
    notes_ = kept ? *std::move(kept) : HeadNotes();
    emit changed();
}

HeadNote NoteBook::note(LayerHead head) const {
    const auto found = notes_.find(head);
    return found == notes_.end() ? HeadNote() : found->second;
}

void NoteBook::setNote(LayerHead head, const HeadNote& note) {
    if (note == this->note(head))
        return;
    if (note.empty())
        notes_.erase(head);
    else
        notes_[head] = note;
    pause_.start();
    emit changed();
}

void NoteBook::setAll(const HeadNotes& notes) {
    if (notes == notes_)
        return;
    notes_ = notes;
    pause_.start();
    emit changed();
}

void NoteBook::keep() {
    pause_.stop();
    if (file_.isEmpty())
        return;
    QDir().mkpath(QFileInfo(file_).path());
    // A full disk loses notes at the end of the session only; projects hold them, too.
    const auto written = writeNotes(file_.toStdString(), notes_);
    static_cast<void>(written);
}

} // namespace headscope::ui
