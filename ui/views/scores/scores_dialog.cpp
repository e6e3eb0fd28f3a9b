#include "ui/views/scores/scores_dialog.h"

#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/dialogs.h"
#include "ui/views/export/export_plan.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/dialog_parts.h"
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
    copies_ = new CopyActions(this, [this] { return repetitionOfScores(document_); });
    layOut();
    copies_->offerOn(table_->view());
    resize(kScoresSize);
    connect(copies_, &CopyActions::said, this,
            [this](const QString& text) { head_->setText(text.simplified()); });
    connect(copy_, &QPushButton::clicked, this, [this] { table_->copySelection(); });
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
    auto* pages = new QTabWidget(this);
    pages->setObjectName(QStringLiteral("scoresPages"));
    pages->addTab(table_, tr("&Table"));
    pages->addTab(new ScatterPage(document_, this), tr("&Scatter"));
    return pages;
}

void ScoresDialog::layOut() {
    auto* close = makeButton("closeDialog", tr("&Close"), {}, this);
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(copy_);
    bottom->addWidget(write_);
    bottom->addWidget(copies_->makeButton(this));
    bottom->addWidget(head_, 1);
    bottom->addWidget(close);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(makePages(), 1);
    layout->addLayout(bottom);
}

void ScoresDialog::showState() {
    const auto model = document_.model();
    setWindowTitle(model ? tr("Scores of all heads of %1").arg(asTitle(toQString(model->name)))
                         : tr("Scores of all heads"));
    copy_->setEnabled(document_.headScorer().scores() != nullptr);
    write_->setEnabled(document_.headScorer().scores() && !worker_.isBusy());
    copies_->refresh();
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
