#pragma once

#include "core/base/result.h"
#include "core/export/head_notes.h"
#include "ui/workers/job_runner.h"

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
/// never written over, and what cannot be read is kept as a .bak. Files are read off the GUI
/// thread; what is written before they have come is joined with them. Lives on the GUI thread.
class NoteBook : public QObject {
    Q_OBJECT

public:
    explicit NoteBook(QObject* parent = nullptr);
    ~NoteBook() override;

    /// Keeps the notes of the model before, and takes up those of this one.
    void setModel(const std::string& sha256);

    /// Whether some of the notes kept before are still to come.
    bool isReading() const { return reader_.isBusy(); }

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
    /// Notes kept before have come; changed() follows.
    void moreRead();
    /// Notes cannot be read or written.
    void problem(const QString& message);

private:
    /// What a file says, and what tells it from a later one.
    struct ReadNotes {
        Result<HeadNotes> notes;
        std::string stamp;
    };
    /// Those of the user's file, and of the own one.
    struct BothNotes {
        ReadNotes kept;
        ReadNotes own;
    };
    static ReadNotes readFile(const std::string& path);
    QString fileOfThisVersion() const;
    void read();
    void takeRead(BothNotes& read);
    void takeKept(ReadNotes& kept);
    void takeOwn(const ReadNotes& own);
    void keepSoon();
    bool keepIn(QLockFile& lock, std::chrono::milliseconds wait);
    bool merge();
    bool hasOwnInNotes() const;
    bool setAside();
    void say(const QString& message);

    QString file_;     ///< empty: no model is open
    QString own_file_; ///< where notes go while those in `file_` are of a later version
    bool is_later_ = false;
    HeadNotes notes_;
    HeadNotes kept_;        ///< what the file said when it was last read or written
    std::string stamp_;     ///< of the file then; empty: it was not, or there is none
    std::string own_stamp_; ///< of the own file, whose notes are among these; empty: they are not
    HeadNotes of_project_;
    QTimer pause_;
    QString said_; ///< once
    JobRunner reader_;
};

} // namespace headscope::ui
