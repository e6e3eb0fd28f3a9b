#pragma once

#include "core/export/project_file.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <string>

namespace headscope::ui {

/// The files opened last, newest first, kept in the settings.
class RecentFiles : public QObject {
    Q_OBJECT

public:
    explicit RecentFiles(QObject* parent = nullptr);

    const QStringList& paths() const { return paths_; }
    void add(const QString& path);
    void clear();

signals:
    void changed();

private:
    void store();

    QStringList paths_;
};

/// The prompts that were looked at for more than a moment, kept in the settings. Lives on the GUI
/// thread.
class PromptHistory : public QObject {
    Q_OBJECT

public:
    explicit PromptHistory(QObject* parent = nullptr);

    /// The latest first, each once.
    const QStringList& prompts() const { return prompts_; }
    /// This is the prompt now; it is taken up when it stays.
    void follow(const QString& prompt);
    /// Adds those of a project behind its own.
    void add(const QStringList& prompts);

signals:
    void changed();

private:
    void takeUp();
    void store();

    QStringList prompts_;
    QString now_;
    QTimer pause_;
};

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
