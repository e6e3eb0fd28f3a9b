#include "ui/views/pages/table_export.h"

#include "core/export/table_files.h"
#include "ui/document/document.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/views/pages/export_place.h"

#include <QCoreApplication>
#include <QPushButton>

#include <utility>

namespace headscope::ui {

namespace {

struct WrittenToText {
    Q_DECLARE_TR_FUNCTIONS(WrittenToText)
};

} // namespace

Repetition writtenTo(const Repetition& repetition, const QString& path) {
    if (!repetition)
        return repetition;
    Call call = repetition->front();
    if (call.command == "run" && path.endsWith(QStringLiteral(".npy")))
        return notRepeated(WrittenToText::tr("With ablated heads a command writes several arrays, "
                                             "which .npy cannot hold; choose another format."));
    if (path.endsWith(QStringLiteral(".graphml"))) {
        call.words.push_back({"--graphml", path.toStdString()});
        return Calls{std::move(call)};
    }
    return Calls{writingTo(std::move(call), path.toStdString())};
}

Error nothingToWrite() {
    return {ErrorCode::InvalidArgument, TableExport::tr("There is no table yet.").toStdString()};
}

QString tableFileName(const Provenance& origin, const QString& what) {
    const QString prompt =
        origin.ids.empty() ? QString() : QLatin1Char('_') + toQString(origin.promptId());
    return toQString(origin.model_name) + prompt + QLatin1Char('_') + what;
}

TableExport::TableExport(Document& document, Dialogs& dialogs, QWidget* owner, Ask ask)
    : QObject(owner), document_(document), dialogs_(dialogs), ask_(std::move(ask)) {
    button_ = makeButton("tableExport", tr("E&xport …"), {}, owner);
    setExports(button_);
    connect(button_, &QPushButton::clicked, this, &TableExport::write);
    connect(&worker_, &JobRunner::busyChanged, this, &TableExport::refresh);
    refresh();
}

void TableExport::refresh() {
    const auto table = ask_();
    button_->setEnabled(table && !worker_.isBusy());
    button_->setToolTip(asTip(table ? tr("Writes this table to .csv, .json or .h5")
                                    : toQString(table.error().message)));
}

void TableExport::write() {
    const auto table = ask_();
    if (!table)
        return emit said(toQString(table.error().message));
    const QString path = askWhereToExport(dialogs_, button_, table->file_name,
                                          QStringLiteral(".csv"), tableFilter());
    if (path.isEmpty())
        return;
    worker_.start(
        [make = table->make, file = path.toStdString()](
            const Progress& progress, const std::stop_token& stop) -> Result<void> {
            const auto made = make(progress, stop);
            return made ? writeTable(file, *made) : made.error();
        },
        [this, path, repetition = writtenTo(table->repetition, path)](const Result<void>& written) {
            finish(written, path, repetition);
        });
}

void TableExport::finish(const Result<void>& written, const QString& path,
                         const Repetition& repetition) {
    if (written)
        document_.history().add(tr("Exported %1").arg(path), repetition);
    emit said(outcomeOfWriting(written, path));
}

} // namespace headscope::ui
