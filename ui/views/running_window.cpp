#include "ui/views/running_window.h"

#include "ui/views/main_window.h"

#include <QApplication>
#include <QDBusConnectionInterface>
#include <QDBusError>
#include <QDBusMessage>
#include <QFileInfo>
#include <QUrl>

namespace headscope::ui {
namespace {

QString service() {
    return QStringLiteral("org.headscope.Headscope");
}

QString objectPath() {
    return QStringLiteral("/org/headscope/Headscope");
}

QString tokenKey() {
    return QStringLiteral("activation-token");
}

constexpr const char* kTokenVariable = "XDG_ACTIVATION_TOKEN";
constexpr int kLongestAnswer = 2000; // ms

/// By the token of the start that asked for it, without which Wayland lets no window come forward.
void bringForward(QWidget& window, const QVariantMap& platform_data) {
    const QByteArray token = platform_data.value(tokenKey()).toString().toUtf8();
    if (!token.isEmpty())
        qputenv(kTokenVariable, token);
    window.setWindowState(window.windowState() & ~Qt::WindowMinimized);
    window.raise();
    window.activateWindow();
}

QVariantMap tokenOfThisStart() {
    const QString token = qEnvironmentVariable(kTokenVariable);
    return token.isEmpty() ? QVariantMap() : QVariantMap{{tokenKey(), token}};
}

} // namespace

RunningWindow::RunningWindow(MainWindow& window, const QDBusConnection& bus) : window_(window) {
    QDBusConnection connection = bus;
    if (!connection.isConnected() ||
        !connection.registerObject(objectPath(), this, QDBusConnection::ExportAllSlots))
        return;
    connection.interface()->registerService(service(), QDBusConnectionInterface::QueueService);
}

void RunningWindow::Activate(const QVariantMap& platform_data) {
    bringForward(window_, platform_data);
}

void RunningWindow::Open(const QStringList& uris, const QVariantMap& platform_data) {
    if (QApplication::activeModalWidget()) {
        sendErrorReply(QDBusError::Failed, tr("A dialog waits for its answer."));
        return;
    }
    bringForward(window_, platform_data);
    const QString path = QUrl(uris.value(0)).toLocalFile();
    if (!path.isEmpty())
        window_.openPath(path);
}

void RunningWindow::ActivateAction(const QString& name, const QVariantList&, const QVariantMap&) {
    sendErrorReply(QDBusError::UnknownMethod, tr("There is no action %1.").arg(name));
}

bool openInRunningWindow(const QString& model, const QDBusConnection& bus) {
    if (!bus.isConnected())
        return false;
    QDBusMessage call = QDBusMessage::createMethodCall(
        service(), objectPath(), QStringLiteral("org.freedesktop.Application"),
        model.isEmpty() ? QStringLiteral("Activate") : QStringLiteral("Open"));
    if (!model.isEmpty())
        call << QStringList{QUrl::fromLocalFile(QFileInfo(model).absoluteFilePath()).toString()};
    call << tokenOfThisStart();
    call.setAutoStartService(false);
    return bus.call(call, QDBus::Block, kLongestAnswer).type() == QDBusMessage::ReplyMessage;
}

} // namespace headscope::ui
