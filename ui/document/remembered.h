#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

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

    /// The latest first, each once; after the user's own those of the project that is open.
    QStringList prompts() const;
    /// This is the prompt now; it is taken up when it stays.
    void follow(const QString& prompt);
    /// Those of a project, which are there while it is open and are not kept.
    void setProjectPrompts(const QStringList& prompts);

signals:
    void changed();

private:
    void takeUp();
    void store();

    QStringList prompts_;
    QStringList of_project_;
    QString now_;
    QTimer pause_;
};

} // namespace headscope::ui
