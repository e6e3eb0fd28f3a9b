#include "ui/document/note_book.h"

#include "ui/tables/head_text.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

#include <chrono>
#include <utility>

namespace headscope::ui {
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
