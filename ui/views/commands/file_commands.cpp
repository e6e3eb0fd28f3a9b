#include "ui/document/document.h"
#include "ui/document/remembered.h"
#include "ui/document/sample_models.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/commands/commands.h"
#include "ui/views/dialogs.h"
#include "ui/views/export/export_dialog.h"
#include "ui/views/export/report_values.h"
#include "ui/views/export/save_model_dialog.h"
#include "ui/views/main_window.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/views/pages/export_place.h"
#include "ui/views/pages/page_area.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/window/messages.h"
#include "ui/views/window/project_keeper.h"
#include "ui/workers/job_runner.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDir>
#include <QFileInfo>
#include <QPushButton>

#include <algorithm>
#include <stop_token>

namespace headscope::ui {
namespace {

struct FileText {
    Q_DECLARE_TR_FUNCTIONS(FileText)
};

/// A name as text of a menu, which would take & for the mark of a mnemonic.
QString lastFolder(MainWindow& window) {
    const QStringList& recent = window.recentFiles().paths();
    return recent.isEmpty() ? QString() : QFileInfo(recent.first()).path();
}

void openChosen(MainWindow& window, const QString& path) {
    if (!path.isEmpty())
        window.openPath(path);
}

void saveModel(MainWindow& window) {
    Document& document = window.document();
    auto* dialog = new SaveModelDialog(document.model(), document.loadOptions(),
                                       window.systemDialogs(), &window);
    QObject::connect(
        dialog, &SaveModelDialog::saved, &window,
        [&window](const QString& path, const QString& note, const Repetition& repetition) {
            window.document().history().add(FileText::tr("Saved %1").arg(path), repetition);
            window.messages().showInfo(
                note.isEmpty() ? FileText::tr("Saved %1.").arg(path)
                               : FileText::tr("Saved %1. %2").arg(path, note),
                FileText::tr("&Open It"), [&window, path] { window.openPath(path); });
        });
    dialog->open();
}

void sayWritten(MainWindow& window, const QString& path) {
    window.messages().showInfo(FileText::tr("Written: %1").arg(path),
                               FileText::tr("Show in &Folder"),
                               [&window, path] { window.systemDialogs().showInFolder(path); });
}

QString exportRefusal(MainWindow& window) {
    return window.pages().current() || window.document().promptRunner().result()
               ? QString()
               : FileText::tr("There is no pattern to write yet; run a prompt first.");
}

void exportPatterns(MainWindow& window) {
    auto* dialog = new ExportDialog(
        window.document(), window.patternView().shownView(),
        [&window](const QString& path) { return window.patternView().saveFigure(path); },
        window.systemDialogs(), &window);
    QObject::connect(dialog, &ExportDialog::exported, &window,
                     [&window](const QString& path, const Repetition& repetition) {
                         window.document().history().add(FileText::tr("Exported %1").arg(path),
                                                         repetition);
                         sayWritten(window, path);
                     });
    dialog->open();
}

/// What is in front.
void exportView(MainWindow& window) {
    const QDialog* page = window.pages().current();
    if (!page)
        return exportPatterns(window);
    QPushButton* button = exportButtonOf(*page);
    if (button && button->isEnabled())
        return button->click();
    window.messages().showInfo(FileText::tr("There is nothing to export on this page yet."));
}

void exportReport(MainWindow& window) {
    const QString path =
        askWhereToExport(window.systemDialogs(), &window, reportName(window.document()),
                         QStringLiteral(".html"), FileText::tr("Report (*.html)"));
    if (path.isEmpty())
        return;
    auto* worker = new JobRunner(&window);
    worker->start([draft = reportDraft(window.document(), window.patternView()),
                   path](const Progress&,
                         const std::stop_token& stop) { return writeReport(draft, path, stop); },
                  [&window, worker, path](const Result<void>& written) {
                      worker->deleteLater();
                      if (!written)
                          return window.messages().showError(toQString(written.error().message));
                      keepExportFolder(path);
                      sayWritten(window, path);
                  });
}

void saveHistory(MainWindow& window) {
    const Document& document = window.document();
    const QString path = askWhereToExport(
        window.systemDialogs(), &window,
        toQString(document.model()->name) + QStringLiteral("-history"), QStringLiteral(".sh"),
        FileText::tr("Shell script (*.sh);;Python script (*.py)"));
    if (path.isEmpty())
        return;
    if (const auto written = document.history().save(path); !written)
        return window.messages().showError(toQString(written.error().message));
    keepExportFolder(path);
    sayWritten(window, path);
}

QList<Command> recentCommands(MainWindow& window) {
    QList<Command> commands;
    for (const QString& path : window.recentFiles().paths()) {
        const QFileInfo file(path);
        const bool is_only =
            std::ranges::count_if(window.recentFiles().paths(), [&](const QString& other) {
                return QFileInfo(other).fileName() == file.fileName();
            }) == 1;
        // Folders tell files of one name apart, in the menu and for whoever looks for the entry.
        const QString full =
            is_only ? file.fileName()
                    : FileText::tr("%1 — %2").arg(file.fileName(), file.dir().dirName());
        const QString name = asCaption(full);
        Command command{.id = QStringLiteral("recent_") + full, .text = name, .tip = path};
        if (file.exists())
            command.act = [&window, path] { window.openPath(path); };
        else
            command.text = FileText::tr("%1 (missing)").arg(name);
        commands << command;
    }
    if (!commands.isEmpty())
        commands << Command{.id = QStringLiteral("clearRecent"),
                            .text = FileText::tr("&Forget These Files"),
                            .act = [&window] { window.recentFiles().clear(); },
                            .opens_section = true};
    return commands;
}

QList<Command> sampleCommands(MainWindow& window) {
    QList<Command> commands;
    for (const SampleModel& sample : sampleModels())
        commands << Command{
            .id = QStringLiteral("sample_") + sample.name,
            .text = asCaption(QStringLiteral("%1: %2").arg(sample.name, sample.summary)),
            .keywords = FileText::tr("sample"),
            .act = [&window, path = sample.path] { window.openPath(path); }};
    return commands;
}

} // namespace

QList<Command> fileCommands(MainWindow& window) {
    return {
        {.id = QStringLiteral("actionOpen"),
         .text = FileText::tr("&Open Model or Project …"),
         .keywords = FileText::tr("load file weights"),
         .keys = keys({"Ctrl+O"}),
         .act =
             [&window] {
                 openChosen(window, window.systemDialogs().fileToOpen(&window, lastFolder(window)));
             }},
        {.id = QStringLiteral("actionOpenFolder"),
         .text = FileText::tr("Open Model &Folder …"),
         .keywords = FileText::tr("load directory Hugging Face"),
         .keys = keys({"Ctrl+Shift+O"}),
         .act =
             [&window] {
                 openChosen(window,
                            window.systemDialogs().folderToOpen(&window, lastFolder(window)));
             }},
        {.id = QStringLiteral("recentMenu"),
         .text = FileText::tr("Open &Recent"),
         .submenu = [&window] { return recentCommands(window); }},
        {.id = QStringLiteral("sampleMenu"),
         .text = FileText::tr("Sample &Models"),
         .submenu = [&window] { return sampleCommands(window); }},
        {.id = QStringLiteral("actionSaveProject"),
         .text = FileText::tr("Save &Project"),
         .keywords = FileText::tr("headscope session notes keep"),
         .keys = keys({"Ctrl+Shift+S"}),
         .needs = Needs::Model,
         .act = [&window] { window.project().save(); },
         .opens_section = true},
        {.id = QStringLiteral("actionSaveProjectAs"),
         .text = FileText::tr("Save Project &As …"),
         .keywords = FileText::tr("headscope session notes copy"),
         .needs = Needs::Model,
         .act = [&window] { window.project().saveAs(); }},
        {.id = QStringLiteral("actionSaveModel"),
         .text = FileText::tr("&Save Model as HDF5 …"),
         .keywords = FileText::tr("convert write h5"),
         .keys = keys({"Ctrl+S"}),
         .needs = Needs::Model,
         .act = [&window] { saveModel(window); },
         .opens_section = true},
        {.id = QStringLiteral("actionExport"),
         .text = FileText::tr("&Export …"),
         .keywords = FileText::tr("figure picture numbers table csv json npz svg pdf png"),
         .keys = keys({"Ctrl+E"}),
         .needs = Needs::Model,
         .act = [&window] { exportView(window); },
         .refusal = [&window] { return exportRefusal(window); }},
        {.id = QStringLiteral("actionReport"),
         .text = FileText::tr("Repor&t …"),
         .keywords = FileText::tr("html page print mail share summary"),
         .keys = keys({"Ctrl+Shift+H"}),
         .needs = Needs::Model,
         .act = [&window] { exportReport(window); }},
        {.id = QStringLiteral("actionSaveHistory"),
         .text = FileText::tr("Save &History as Script …"),
         .keywords = FileText::tr("log record what was done repeat shell python sh py"),
         .tip = FileText::tr("Writes what was done in this window as a script of headscope-cli "
                             "(.sh) or of Python (.py)"),
         .needs = Needs::Model,
         .act = [&window] { saveHistory(window); }},
        {.id = QStringLiteral("actionQuit"),
         .text = FileText::tr("&Quit"),
         .keywords = FileText::tr("close exit"),
         .keys = keys({"Ctrl+Q"}),
         .act = [&window] { window.close(); },
         .opens_section = true},
    };
}

} // namespace headscope::ui
