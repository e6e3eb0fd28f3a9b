#pragma once

#include "core/export/head_notes.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <chrono>
#include <string>

class QLockFile;

namespace headscope::ui {

/// What the user says of the heads of the model that is open. Kept in the user's data by the hash
/// of the weights, so that it is there again wherever the file is. Several windows may keep notes
/// on one model: each takes up what the others wrote before it writes. Notes of a later version are
/// never written over, and what cannot be read is kept as a .bak. Lives on the GUI thread.
class NoteBook : public QObject {
    Q_OBJECT

public:
    explicit NoteBook(QObject* parent = nullptr);
    ~NoteBook() override;

    /// Keeps the notes of the model before, and takes up those of this one.
    void setModel(const std::string& sha256);

    HeadNote note(LayerHead head) const;
    void setNote(LayerHead head, const HeadNote& note);
    const HeadNotes& all() const { return notes_; }

    /// Those of the project that is open. They are shown beside the user's, which they change only
    /// by addProjectNotes().
    void setProjectNotes(const HeadNotes& notes);
    /// What they say that the user's do not.
    HeadNotes projectNotes() const { return notesBeside(notes_, of_project_); }
    HeadNote projectNote(LayerHead head) const;
    /// Nothing where no file could hold them beside the user's, which problem() says.
    void addProjectNotes();
    /// What the project says now: its own, and the user's.
    HeadNotes notesForProject() const { return joinedNotes(notes_, of_project_); }

    /// Writes what is not written yet. False when it could not, which problem() says.
    bool keep();

signals:
    void changed();
    /// Notes cannot be read or written.
    void problem(const QString& message);

private:
    QString fileOfThisVersion() const;
    void read();
    void keepSoon();
    bool keepIn(QLockFile& lock, std::chrono::milliseconds wait);
    bool merge();
    bool takeOwnFile();
    bool setAside();
    void say(const QString& message);

    QString file_;     ///< empty: no model is open
    QString own_file_; ///< where notes go while those in `file_` are of a later version
    bool is_later_ = false;
    HeadNotes notes_;
    HeadNotes kept_; ///< what the file said when it was last read or written
    HeadNotes of_project_;
    QTimer pause_;
    QString said_; ///< once
};

} // namespace headscope::ui
