#pragma once

#include "core/export/project_file.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <string>

namespace headscope::ui {

/// What the user says of the heads of the model that is open. Kept in the user's data by the hash
/// of the weights, so that it is there again wherever the file lies. Lives on the GUI thread.
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
    void setAll(const HeadNotes& notes);

signals:
    void changed();

private:
    void keep();

    QString file_; ///< empty: no model is open
    HeadNotes notes_;
    QTimer pause_;
};

} // namespace headscope::ui
