#include "ui/views/pages/export_place.h"

#include "ui/tables/head_text.h"
#include "ui/views/dialogs.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>

namespace headscope::ui {

namespace {

struct ExportPlaceText {
    Q_DECLARE_TR_FUNCTIONS(ExportPlaceText)
};

QString folderKey() {
    return QStringLiteral("export/folder");
}

} // namespace

QString exportFolder() {
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    const QString last = QSettings().value(folderKey(), documents).toString();
    return QFileInfo(last).isDir() ? last : QDir::homePath();
}

QString askWhereToExport(Dialogs& dialogs, QWidget* parent, const QString& name,
                         const QString& extension, const QString& filter) {
    const QString path =
        dialogs.fileToSave(parent, QDir(exportFolder()).filePath(name + extension), filter);
    return path.isEmpty() || !QFileInfo(path).suffix().isEmpty() ? path : path + extension;
}

QString tableFilter() {
    return ExportPlaceText::tr("Table (*.csv);;JSON (*.json);;HDF5 (*.h5)");
}

void keepExportFolder(const QString& path) {
    QSettings().setValue(folderKey(), QFileInfo(path).absolutePath());
}

QString outcomeOfWriting(const Result<void>& written, const QString& path) {
    if (!written)
        return toQString(written.error().message);
    keepExportFolder(path);
    return ExportPlaceText::tr("Written: %1").arg(path);
}

} // namespace headscope::ui
