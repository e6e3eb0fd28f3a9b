#include "ui/views/dialogs.h"

#include "ui/widgets/message_boxes.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QFileDialog>
#include <QFileInfo>
#include <QUrl>

namespace headscope::ui {
namespace {

struct DialogText {
    Q_DECLARE_TR_FUNCTIONS(DialogText)
};

} // namespace

QString Dialogs::fileToOpen(QWidget* parent, const QString& folder) {
    return QFileDialog::getOpenFileName(
        parent, DialogText::tr("Open a model"), folder,
        DialogText::tr("Models and projects (*.h5 *.hdf5 *.safetensors *.gguf *.keras *.json "
                       "*.headscope);;All files (*)"));
}

QString Dialogs::folderToOpen(QWidget* parent, const QString& folder) {
    return QFileDialog::getExistingDirectory(parent, DialogText::tr("Open the folder of a model"),
                                             folder);
}

QString Dialogs::examplesToOpen(QWidget* parent, const QString& folder) {
    return QFileDialog::getExistingDirectory(
        parent, DialogText::tr("Open a folder with examples of heads"), folder);
}

QString Dialogs::storedOutputsToOpen(QWidget* parent, const QString& folder) {
    return QFileDialog::getOpenFileName(
        parent, DialogText::tr("Outputs to compare with"), folder,
        DialogText::tr("Stored outputs (*.h5 *.hdf5 *.safetensors);;All files (*)"));
}

QString Dialogs::textToOpen(QWidget* parent, const QString& folder) {
    return QFileDialog::getOpenFileName(parent, DialogText::tr("Open a text"), folder,
                                        DialogText::tr("Texts (*.txt *.md);;All files (*)"));
}

QString Dialogs::fileToSave(QWidget* parent, const QString& suggestion, const QString& filter) {
    return QFileDialog::getSaveFileName(parent, DialogText::tr("Export to"), suggestion, filter);
}

Dialogs::SaveAnswer Dialogs::askToSave(QWidget* parent, const QString& name) {
    const auto answer =
        askInBox(parent, DialogText::tr("Save the project?"),
                 DialogText::tr("%1 was changed since it was saved.").arg(name),
                 QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save);
    if (answer == QMessageBox::Save)
        return SaveAnswer::Save;
    return answer == QMessageBox::Discard ? SaveAnswer::Discard : SaveAnswer::Cancel;
}

Dialogs::ReplaceAnswer Dialogs::askToReplace(QWidget* parent, const QString& name) {
    const auto answer =
        chooseInBox(parent, DialogText::tr("Replace the project?"),
                    DialogText::tr("%1 was changed by another window or program since it was "
                                   "opened here. What was written there would be lost.")
                        .arg(name),
                    {DialogText::tr("Save &As …"), DialogText::tr("&Replace It")});
    if (!answer)
        return ReplaceAnswer::Cancel;
    return *answer == 0 ? ReplaceAnswer::SaveAs : ReplaceAnswer::Replace;
}

void Dialogs::showInFolder(const QString& path) {
    QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(path).absolutePath()));
}

} // namespace headscope::ui
