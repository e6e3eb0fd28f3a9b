#include "ui/views/export/table_export.h"

#include "core/export/run_calls.h"
#include "core/export/table_files.h"
#include "core/export/why_calls.h"
#include "ui/document/document.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/export/export_plan.h"
#include "ui/views/pages/dialog_parts.h"

#include <QCoreApplication>
#include <QPushButton>

#include <utility>

namespace headscope::ui {

namespace {

struct ExportCallText {
    Q_DECLARE_TR_FUNCTIONS(ExportCallText)
};

/// Fails where the file would hold something else than that of the window.
Result<Call> patternsOf(const Document& document, const ExportPlan& plan) {
    const RunResult& result = *plan.source.result;
    const LoadedModel loaded = loadedModel(document, result);
    if (plan.what == ExportWhat::AllHeads)
        return patternsCall(loaded, result.prompt, result.mask);
    if (plan.what == ExportWhat::Layer)
        return patternsCall(loaded, result.prompt, result.mask, {plan.head.layer});
    if (!result.mask.empty())
        return Error{ErrorCode::Unsupported,
                     ExportCallText::tr("With ablated heads a command writes whole layers: choose "
                                        "the numbers of the layer.")
                         .toStdString()};
    return patternCall(loaded, result.prompt, result.mask, plan.head);
}

} // namespace

Repetition writtenTo(const Repetition& repetition, const QString& path) {
    if (!repetition)
        return repetition;
    Call call = repetition->front();
    if (call.command == "run" && path.endsWith(QStringLiteral(".npy")))
        return notRepeated(ExportCallText::tr("With ablated heads a command writes several arrays, "
                                              "which .npy cannot hold; choose another format."));
    if (path.endsWith(QStringLiteral(".graphml"))) {
        call.words.push_back({"--graphml", path.toStdString()});
        return Calls{std::move(call)};
    }
    return Calls{writingTo(std::move(call), path.toStdString())};
}

Repetition exportRepetition(const Document& document, const ExportPlan& plan, const QString& path) {
    switch (plan.what) {
    case ExportWhat::Figure:
        return notRepeated(ExportCallText::tr("A command writes numbers, not pictures; choose "
                                              "numbers."));
    case ExportWhat::Scores:
        return writtenTo(repetitionOfScores(document), path);
    case ExportWhat::WhyParts:
        return writtenTo(repetitionOfWhy(document, *plan.view.why, std::nullopt), path);
    case ExportWhat::WhyTrace:
        return writtenTo(repetitionOfTrace(document, *plan.view.why), path);
    case ExportWhat::Head:
    case ExportWhat::Layer:
    case ExportWhat::AllHeads:
        break;
    }
    if (!plan.source.result || plan.source.other || plan.view.map != PatternMap::Attention)
        return notRepeated(ExportCallText::tr("A command writes the attention of one run, neither "
                                              "differences nor weighted patterns."));
    return writtenTo(repetitionOf(patternsOf(document, plan)), path);
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
