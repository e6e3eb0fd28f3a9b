#include "ui/views/scores/scores_dialog.h"

#include "core/base/table.h"
#include "core/export/provenance.h"
#include "core/trust/tables.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/dialogs.h"
#include "ui/views/export/export_plan.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/views/pages/export_place.h"
#include "ui/views/pages/table_export.h"
#include "ui/views/scores/labels_page.h"
#include "ui/views/scores/scatter_page.h"
#include "ui/views/scores/scores_page.h"
#include "ui/widgets/labels.h"

#include <QDir>
#include <QHBoxLayout>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace headscope::ui {
namespace {

constexpr QSize kScoresSize{1040, 660};

/// The table of what is known now.
Result<TableInSight> labelsTable(const Document& document) {
    if (!document.model() || document.labelTester().trust().labels.empty())
        return nothingToWrite();
    Provenance origin = provenanceOf(*document.model());
    if (document.loadOptions().flip_square_matrices)
        origin.note = kSquaresTransposed;
    return TableInSight{
        tableFileName(origin, QStringLiteral("labels")),
        [trust = document.labelTester().trust(), origin](const Progress&, const std::stop_token&) {
            return Result<Table>(trustTable(trust, origin));
        },
        document.labelTester().areAllTested()
            ? repetitionOfLabels(document)
            : notRepeated(ScoresDialog::tr("Not all labels are tested, and a command tests all."))};
}

} // namespace

ScoresDialog::ScoresDialog(Document& document, Dialogs& dialogs, QWidget* parent)
    : QDialog(parent), document_(document), dialogs_(dialogs) {
    setObjectName(QStringLiteral("scoresDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    head_ = new TextLabel(this);
    head_->setObjectName(QStringLiteral("scoresHead"));
    head_->setWordWrap(true);
    head_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    copy_ = makeButton("scoresCopy", tr("&Copy Rows"),
                       tr("Puts the selected rows on the clipboard as a table (Ctrl+C)"), this);
    write_ = makeButton(
        "scoresExport", tr("&Export …"),
        tr("Writes every score with baseline, interval and input to .csv, .json or .h5"), this);
    copies_ = new CopyActions(this, [this] {
        return showsLabels() ? repetitionOfLabels(document_) : repetitionOfScores(document_);
    });
    labels_export_ =
        new TableExport(document_, dialogs_, this, [this] { return labelsTable(document_); });
    layOut();
    copies_->offerOn(table_->view());
    copies_->offerOn(labels_->view());
    connect(labels_export_, &TableExport::said, this,
            [this](const QString& text) { head_->setText(text); });
    connect(&document_.labelTester(), &LabelTester::trustChanged, labels_export_,
            &TableExport::refresh);
    connect(pages_, &QTabWidget::currentChanged, this, &ScoresDialog::showPage);
    resize(kScoresSize);
    connect(copies_, &CopyActions::said, this,
            [this](const QString& text) { head_->setText(text.simplified()); });
    connect(copy_, &QPushButton::clicked, this, [this] {
        if (showsLabels())
            labels_->copySelection();
        else
            table_->copySelection();
    });
    setExports(write_);
    connect(write_, &QPushButton::clicked, this, &ScoresDialog::write);
    connect(&worker_, &JobRunner::busyChanged, this, &ScoresDialog::showState);
    connect(&document_, &Document::modelChanged, this, &ScoresDialog::showState);
    connect(&document_, &Document::labelsChanged, this, &ScoresDialog::showState);
    connect(&document_.selection(), &Selection::headChanged, this, &ScoresDialog::showHead);
    showState();
}

QWidget* ScoresDialog::makePages() {
    table_ = new ScoresPage(document_, this);
    labels_ = new LabelsPage(document_, this);
    pages_ = new QTabWidget(this);
    pages_->setObjectName(QStringLiteral("scoresPages"));
    pages_->addTab(table_, tr("&Table"));
    pages_->addTab(new ScatterPage(document_, this), tr("&Scatter"));
    pages_->addTab(labels_, tr("Labels"));
    return pages_;
}

bool ScoresDialog::showsLabels() const {
    return pages_ && pages_->currentWidget() == labels_;
}

/// What is exported is what is shown.
void ScoresDialog::showPage() {
    write_->setVisible(!showsLabels());
    labels_export_->button()->setVisible(showsLabels());
    copies_->refresh();
}

void ScoresDialog::layOut() {
    auto* close = makeButton("closeDialog", tr("&Close"), {}, this);
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(copy_);
    bottom->addWidget(write_);
    bottom->addWidget(labels_export_->button());
    bottom->addWidget(copies_->makeButton(this));
    bottom->addWidget(head_, 1);
    bottom->addWidget(close);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(makePages(), 1);
    layout->addLayout(bottom);
    showPage();
}

void ScoresDialog::showState() {
    const auto model = document_.model();
    setWindowTitle(model ? tr("Scores of all heads of %1").arg(asTitle(toQString(model->name)))
                         : tr("Scores of all heads"));
    copy_->setEnabled(document_.headScorer().scores() != nullptr);
    write_->setEnabled(document_.headScorer().scores() && !worker_.isBusy());
    copies_->refresh();
    labels_export_->refresh();
    record();
    showHead();
}

/// Scores that are whole, once.
void ScoresDialog::record() {
    const auto scores = document_.headScorer().scores();
    if (!scores || scores == recorded_ || document_.headScorer().isMeasuring())
        return;
    recorded_ = scores;
    document_.history().add(tr("Scores of all heads"), repetitionOfScores(document_));
}

void ScoresDialog::showHead() {
    const auto scores = document_.headScorer().scores();
    const LayerHead head = document_.selection().head();
    head_->setText(scores ? QStringLiteral("%1 · %2").arg(
                                headName(head), labelText(*scores, head, document_.thresholds()))
                          : QString());
}

void ScoresDialog::write() {
    const ExportPlan plan = exportPlan(document_, ExportWhat::Scores);
    const QString extension = QStringLiteral(".csv");
    const QString suggestion = QDir(exportFolder()).filePath(exportFileName(plan, extension));
    const QString path = dialogs_.fileToSave(this, suggestion, tableFilter());
    if (path.isEmpty())
        return;
    worker_.start(
        [plan, path](const Progress&, const std::stop_token&) { return writeExport(plan, path); },
        [this, path](const Result<void>& written) { finish(written, path); });
}

void ScoresDialog::finish(const Result<void>& written, const QString& path) {
    head_->setText(outcomeOfWriting(written, path));
}

} // namespace headscope::ui
