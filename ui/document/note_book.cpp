#include "ui/document/note_book.h"

#include "core/export/project_file.h"
#include "ui/tables/head_text.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLockFile>
#include <QStandardPaths>

#include <utility>

namespace headscope::ui {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kNotePause{1000};   ///< of typing, before notes are written
constexpr milliseconds kShortWait{20};     ///< for another window, while this one is in use
constexpr milliseconds kLongWait{12000};   ///< where there is no second time
constexpr milliseconds kStaleAfter{10000}; ///< no window holds the lock as long

} // namespace

NoteBook::NoteBook(QObject* parent) : QObject(parent) {
    pause_.setSingleShot(true);
    pause_.setInterval(kNotePause);
    connect(&pause_, &QTimer::timeout, this, &NoteBook::keepSoon);
}

NoteBook::~NoteBook() {
    keep();
}

void NoteBook::setModel(const std::string& sha256) {
    keep();
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
                           QStringLiteral("/notes");
    const QString file = folder + QLatin1Char('/') + toQString(sha256) + QStringLiteral(".json");
    if (std::exchange(file_, file) != file)
        of_project_.clear();
    own_file_ = folder + QLatin1Char('/') + toQString(sha256) + QStringLiteral(".version-1.json");
    said_.clear();
    notes_.clear();
    read();
    emit changed();
}

void NoteBook::read() {
    is_later_ = false;
    kept_.clear();
    stamp_.clear();
    own_stamp_.clear();
    reader_.cancel();
    if (!QFileInfo::exists(file_) && !QFileInfo::exists(own_file_))
        return;
    const auto read = [file = file_.toStdString(),
                       own = own_file_.toStdString()](const Progress&, const std::stop_token&) {
        return BothNotes{readFile(file), readFile(own)};
    };
    reader_.start(read, [this](BothNotes both) { takeRead(both); });
}

NoteBook::ReadNotes NoteBook::readFile(const std::string& path) {
    std::string stamp = fileStamp(path); // first: what changes the file meanwhile is found
    return {readNotes(path), std::move(stamp)};
}

/// What was kept while they were read has taken up one of the files already.
void NoteBook::takeRead(BothNotes& read) {
    const HeadNotes before = notes_;
    if (stamp_.empty())
        takeKept(read.kept);
    if (!is_later_ || stamp_.empty())
        takeOwn(read.own);
    if (notes_ == before)
        return;
    emit moreRead();
    emit changed();
}

void NoteBook::takeKept(ReadNotes& kept) {
    if (kept.notes) {
        notes_ = mergedNotes(kept_, notes_, *kept.notes);
        kept_ = *std::move(kept.notes);
        stamp_ = std::move(kept.stamp);
        return;
    }
    is_later_ = kept.notes.error().code == ErrorCode::Unsupported;
    say(toQString(kept.notes.error().message) + QLatin1Char(' ') +
        (is_later_ ? tr("The notes there stay as they are; new ones go to %1.").arg(own_file_)
                   : tr("It is kept as a .bak when you write a note.")));
}

void NoteBook::takeOwn(const ReadNotes& own) {
    if (!own.notes)
        return say(toQString(own.notes.error().message));
    notes_ = joinedNotes(notes_, *own.notes);
    if (is_later_) {
        kept_ = *own.notes;
        stamp_ = own.stamp;
    } else if (!own.stamp.empty()) {
        own_stamp_ = own.stamp;
        pause_.start();
    }
}

HeadNote NoteBook::note(LayerHead head) const {
    const auto found = notes_.find(head);
    return found == notes_.end() ? HeadNote() : found->second;
}

/// A note that the project has from the user follows the user's.
void NoteBook::setNote(LayerHead head, const HeadNote& note) {
    const HeadNote before = this->note(head);
    if (note == before)
        return;
    const auto of_project = of_project_.find(head);
    if (of_project != of_project_.end() &&
        notesBeside(HeadNotes{{head, before}}, HeadNotes{*of_project}).empty())
        of_project_.erase(of_project);
    if (note.empty())
        notes_.erase(head);
    else
        notes_[head] = note;
    pause_.start();
    emit changed();
}

void NoteBook::setProjectNotes(const HeadNotes& notes) {
    of_project_ = notes;
    emit changed();
}

HeadNote NoteBook::projectNote(LayerHead head) const {
    const auto found = of_project_.find(head);
    return found == of_project_.end() ? HeadNote() : noteBeside(note(head), found->second);
}

void NoteBook::addProjectNotes() {
    HeadNotes joined = notesForProject();
    if (const auto fits = checkNotes(joined); !fits) {
        said_.clear(); // the user asked once more
        return say(
            tr("The notes of the project were not added: %1").arg(toQString(fits.error().message)));
    }
    notes_ = std::move(joined);
    pause_.start();
    emit changed();
}

// Writing

void NoteBook::say(const QString& message) {
    if (std::exchange(said_, message) == message)
        return;
    // Queued: a window that takes up a model says what it opened first.
    QMetaObject::invokeMethod(
        this, [this, message] { emit problem(message); }, Qt::QueuedConnection);
}

QString NoteBook::fileOfThisVersion() const {
    return is_later_ ? own_file_ : file_;
}

void NoteBook::keepSoon() {
    QDir().mkpath(QFileInfo(file_).path());
    QLockFile lock(file_ + QStringLiteral(".lock"));
    if (!keepIn(lock, kShortWait) && lock.error() == QLockFile::LockFailedError)
        pause_.start(); // another window writes
}

bool NoteBook::keep() {
    if (file_.isEmpty() || notes_ == kept_)
        return true;
    QDir().mkpath(QFileInfo(file_).path());
    QLockFile lock(file_ + QStringLiteral(".lock"));
    return keepIn(lock, kLongWait);
}

bool NoteBook::keepIn(QLockFile& lock, milliseconds wait) {
    pause_.stop();
    if (file_.isEmpty())
        return true;
    lock.setStaleLockTime(static_cast<int>(kStaleAfter.count()));
    if (!lock.tryLock(static_cast<int>(wait.count()))) {
        if (lock.error() != QLockFile::LockFailedError)
            say(tr("Your notes on this model cannot be kept: %1 cannot be written. Save a project "
                   "elsewhere, which holds them, too.")
                    .arg(QDir::toNativeSeparators(QFileInfo(file_).path())));
        return false;
    }
    if (!merge())
        return false;
    const bool has_own = hasOwnInNotes();
    const auto written = writeNotes(fileOfThisVersion().toStdString(), notes_);
    if (!written) {
        say(toQString(written.error().message));
        return false;
    }
    kept_ = notes_;
    stamp_ = fileStamp(fileOfThisVersion().toStdString());
    if (has_own) {
        QFile::remove(own_file_); // its notes are in the other file now
        own_stamp_.clear();
    }
    return true;
}

/// Whether all that the file says which was written while the other was of a later version is among
/// the notes here.
bool NoteBook::hasOwnInNotes() const {
    return !is_later_ && !own_stamp_.empty() && fileStamp(own_file_.toStdString()) == own_stamp_;
}

/// Takes up what other windows wrote; false where what is there can neither be read nor set aside.
bool NoteBook::merge() {
    for (int tries = 0; tries < 2; ++tries) {
        const QString file = fileOfThisVersion();
        if (!QFileInfo::exists(file))
            return true;
        if (!stamp_.empty() && fileStamp(file.toStdString()) == stamp_)
            return true; // nobody wrote since
        auto theirs = readNotes(file.toStdString());
        if (theirs) {
            HeadNotes merged = mergedNotes(kept_, notes_, *theirs);
            if (std::exchange(notes_, std::move(merged)) != notes_)
                emit changed();
            return true;
        }
        if (!is_later_ && theirs.error().code == ErrorCode::Unsupported)
            is_later_ = true; // a window of that version wrote them meanwhile
        else if (!setAside())
            return false;
    }
    return true;
}

bool NoteBook::setAside() {
    const QString file = fileOfThisVersion();
    QString aside = file + QStringLiteral(".bak");
    for (int number = 2; QFileInfo::exists(aside); ++number)
        aside = file + QStringLiteral(".bak") + QString::number(number);
    const bool is_aside = QFile::rename(file, aside);
    say(is_aside ? tr("The notes on this model could not be read; they are kept in %1.").arg(aside)
                 : tr("The notes on this model can neither be read nor kept: %1.").arg(file));
    return is_aside;
}

} // namespace headscope::ui
