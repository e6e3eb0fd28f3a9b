#include "ui/views/window/recovery_copy.h"

#include "core/export/project_file.h"
#include "ui/tables/head_text.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <QSysInfo>
#include <QUuid>

#include <sys/file.h>

#include <cerrno>
#include <csignal>
#include <utility>

namespace headscope::ui {
namespace {

QString suffix() {
    return toQString(kProjectExtension);
}

QDir copyFolder() {
    return {QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
            QStringLiteral("/open")};
}

/// A home folder may be shared by machines, which do not see each other's locks.
QString machine() {
    const QByteArray hash =
        QCryptographicHash::hash(QSysInfo::machineUniqueId(), QCryptographicHash::Sha256);
    return QString::fromLatin1(hash.toHex().first(8));
}

/// Null while another window holds it.
std::unique_ptr<QFile> lockOf(const QString& copy) {
    auto lock = std::make_unique<QFile>(copy + QStringLiteral(".lock"));
    const bool is_free =
        lock->open(QIODevice::ReadWrite) && ::flock(lock->handle(), LOCK_EX | LOCK_NB) == 0;
    return is_free ? std::move(lock) : nullptr;
}

/// Earlier versions named copies by their process alone, without a lock. The number may be that of
/// this process by now, which makes no such copies.
bool isOfEarlierWindow(const QString& name) {
    bool is_number = false;
    const pid_t process = name.toInt(&is_number);
    return is_number && process > 0 && process != ::getpid() && ::kill(process, 0) == 0;
}

bool mayBeLeft(const QFileInfo& copy) {
    const QString name = copy.completeBaseName();
    if (!name.contains(u'-'))
        return !isOfEarlierWindow(name);
    return name.startsWith(machine() + u'-');
}

} // namespace

RecoveryCopy::RecoveryCopy(QString path, std::unique_ptr<QFile> lock)
    : path_(std::move(path)), lock_(std::move(lock)) {}

RecoveryCopy RecoveryCopy::make() {
    copyFolder().mkpath(QStringLiteral("."));
    const QString path = copyFolder().filePath(
        machine() + u'-' + QUuid::createUuid().toString(QUuid::WithoutBraces) + suffix());
    return {path, lockOf(path)};
}

std::vector<RecoveryCopy> RecoveryCopy::left() {
    std::vector<RecoveryCopy> left;
    const QFileInfoList copies =
        copyFolder().entryInfoList({QLatin1Char('*') + suffix()}, QDir::Files, QDir::Time);
    for (const QFileInfo& copy : copies)
        if (mayBeLeft(copy))
            if (auto lock = lockOf(copy.filePath()))
                if (QFileInfo::exists(copy.filePath())) // another window may just have taken it
                    left.push_back({copy.filePath(), std::move(lock)});
    return left;
}

void RecoveryCopy::remove() {
    QFile::remove(path_);
    if (lock_)
        lock_->remove();
}

} // namespace headscope::ui
