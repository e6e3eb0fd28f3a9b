#include "ui/views/dialogs.h"

#include <QCoreApplication>
#include <QFileDialog>

namespace headscope::ui {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Dialogs", text);
}

} // namespace

QString Dialogs::fileToOpen(QWidget* parent, const QString& folder) {
    return QFileDialog::getOpenFileName(parent, tr("Open a model"), folder,
                                        tr("Models (*.h5 *.hdf5 *.safetensors);;All files (*)"));
}

QString Dialogs::fileToSave(QWidget* parent, const QString& suggestion, const QString& filter) {
    return QFileDialog::getSaveFileName(parent, tr("Export to"), suggestion, filter);
}

} // namespace headscope::ui
