#pragma once

#include <QDBusConnection>
#include <QDBusContext>
#include <QObject>
#include <QStringList>
#include <QVariantMap>

namespace headscope::ui {

class MainWindow;

/// What a window offers other programs on the session's bus: the interface
/// org.freedesktop.Application of the desktop entry specification (section D-Bus Activation), under
/// the name of the desktop entry. Of several windows the one opened first answers; when it closes,
/// the next.
class RunningWindow : public QObject, protected QDBusContext {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Application")

public:
    RunningWindow(MainWindow& window, const QDBusConnection& bus);

    // The bus calls them; platform_data may hold the activation-token of the desktop.
    // NOLINTBEGIN(readability-identifier-naming): the interface's names
public slots:
    void Activate(const QVariantMap& platform_data);
    /// Opens the first; an error while a dialog waits for its answer, which is about another model.
    void Open(const QStringList& uris, const QVariantMap& platform_data);
    /// The desktop entry has no actions.
    void ActivateAction(const QString& name, const QVariantList& parameter,
                        const QVariantMap& platform_data);
    // NOLINTEND(readability-identifier-naming)

private:
    MainWindow& window_;
};

/// Whether a window that is open has come to the front and opens the model; empty: comes to the
/// front only. Waits for its answer, two seconds at most.
bool openInRunningWindow(const QString& model, const QDBusConnection& bus);

} // namespace headscope::ui
