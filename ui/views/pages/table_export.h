#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/table.h"
#include "core/export/provenance.h"
#include "ui/document/repetition.h"
#include "ui/workers/job_runner.h"

#include <QObject>
#include <QString>

#include <functional>
#include <stop_token>

class QPushButton;
class QWidget;

namespace headscope::ui {

/// The same numbers in this file, or why no command writes it.
Repetition writtenTo(const Repetition& repetition, const QString& path);

class Dialogs;
class Document;

/// A table that a dialog shows, as a file holds it.
struct TableInSight {
    QString file_name; ///< without an extension
    /// Called on a worker thread, since the file may say more than the screen.
    std::function<Result<Table>(const Progress&, const std::stop_token&)> make;
    Repetition repetition; ///< writes the same bytes
};

/// Why a dialog that is not ready has no table.
Error nothingToWrite();

/// "gpt2_1a2b3c4d_attribution", and without a prompt "gpt2_similarity".
QString tableFileName(const Provenance& origin, const QString& what);

/// Writes the table that a dialog shows as .csv, .json or .h5, as headscope-cli does for the same
/// question.
class TableExport : public QObject {
    Q_OBJECT

public:
    /// Asks for the table that is in sight now; it fails while there is none.
    using Ask = std::function<Result<TableInSight>()>;

    TableExport(Document& document, Dialogs& dialogs, QWidget* owner, Ask ask);

    /// The button that asks for a file, enabled while there is a table; else its tip says why not.
    QPushButton* button() { return button_; }
    JobRunner* worker() { return &worker_; }
    /// What is shown is something else now.
    void refresh();

signals:
    /// Where the table was written, or why it was not.
    void said(const QString& text);

private:
    void write();
    void finish(const Result<void>& written, const QString& path, const Repetition& repetition);

    Document& document_;
    Dialogs& dialogs_;
    Ask ask_;
    QPushButton* button_ = nullptr;
    JobRunner worker_;
};

} // namespace headscope::ui
