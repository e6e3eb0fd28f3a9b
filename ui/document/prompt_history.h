#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

namespace headscope::ui {

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

} // namespace headscope::ui
