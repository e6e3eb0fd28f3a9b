#include "ui/views/prompts/prompt_set_window.h"

#include "core/datasets/bundled.h"
#include "core/export/provenance.h"
#include "core/export/table_files.h"
#include "core/heads/head_type.h"
#include "core/interventions/prompt_set.h"
#include "core/model/prompt.h"
#include "ui/document/document.h"
#include "ui/tables/head_text.h"
#include "ui/tables/number_table.h"
#include "ui/views/dialogs.h"
#include "ui/views/grid/type_controls.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/views/pages/export_place.h"
#include "ui/views/pages/job_indicator.h"
#include "ui/views/pages/table_pages.h"
#include "ui/views/prompts/text_source.h"
#include "ui/widgets/labels.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include <initializer_list>
#include <optional>
#include <string>

namespace headscope::ui {

namespace {

std::string bundledLines() {
    std::string lines;
    for (const Sentence& sentence : bundledSentences())
        lines += sentence.text + '\n';
    return lines;
}

} // namespace

PromptSetSource::PromptSetSource(Dialogs& dialogs, QWidget* parent) : QWidget(parent) {
    choice_ = new TextChoice(
        {.prefix = QStringLiteral("promptSet"),
         .bundled = {tr("Bundled sentences"), tr("Indirect objects, made for this model")},
         .pasted = tr("Pasted lines"),
         .tip = tr("A file or pasted lines hold one prompt per line; a line of JSON holds it under "
                   "“prompt” or “text”"),
         .pasted_name = tr("the pasted lines"),
         .placeholder = tr("Paste prompts here, one per line.")},
        kLargestPromptSetBytes, dialogs, this);
    choice_->box()->setAccessibleName(tr("Where the prompts come from"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(choice_->box(), 0, Qt::AlignLeft);
    layout->addWidget(choice_->pastedField());
    connect(choice_, &TextChoice::failed, this, &PromptSetSource::failed);
}

QComboBox* PromptSetSource::box() const {
    return choice_->box();
}

PromptSetText PromptSetSource::text() const {
    const std::optional<std::size_t> bundled = choice_->bundled();
    if (!bundled)
        return {choice_->name(), choice_->text(), choice_->file()};
    if (*bundled == 0)
        return {"the bundled sentences", bundledLines()};
    return {"the indirect objects", std::nullopt};
}

namespace {

constexpr QSize kPromptSetSize{1080, 680};
constexpr int kPromptWidth = 340; ///< of its column, pixels

QSortFilterProxyModel* rowsOf(const TablePage* page) {
    return qobject_cast<QSortFilterProxyModel*>(page->view()->model());
}

} // namespace

PromptSetWindow::PromptSetWindow(Document& document, Dialogs& dialogs, QWidget* parent)
    : QDialog(parent), document_(document), dialogs_(dialogs), run_(document) {
    setObjectName(QStringLiteral("promptSetWindow"));
    setWindowTitle(tr("Prompt set"));
    summary_ = new TextLabel(this);
    summary_->setObjectName(QStringLiteral("promptSetSummary"));
    summary_->setWordWrap(true);
    summary_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    makeTable();
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(makeTop());
    layout->addWidget(summary_);
    layout->addWidget(page_, 1);
    layout->addWidget(makeFooter());
    resize(kPromptSetSize);
    start_->setFocus();
    connectDocument();
    showState();
}

QWidget* PromptSetWindow::makeTop() {
    auto* top = new QWidget(this);
    source_ = new PromptSetSource(dialogs_, top);
    auto* name = new TextLabel(tr("&Prompts"), top);
    name->setBuddy(source_->box());
    start_ = makeButton("promptSetRun", tr("&Run"),
                        tr("Runs every prompt in the whole model, and with the heads ablated that "
                           "are so in the main window"),
                        this);
    auto* layout = new QHBoxLayout(top);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(name, 0, Qt::AlignTop);
    layout->addWidget(source_, 1, Qt::AlignTop);
    layout->addWidget(start_, 0, Qt::AlignTop);
    connect(start_, &QPushButton::clicked, this, [this] { run_.run(source_->text()); });
    connect(source_, &PromptSetSource::failed, summary_, &QLabel::setText);
    return top;
}

void PromptSetWindow::makeTable() {
    numbers_ = new NumberTable({}, this);
    page_ = new TablePage(numbers_, this);
    page_->layout()->setContentsMargins(0, 0, 0, 0);
    connect(page_->view(), &QTableView::activated, this, &PromptSetWindow::openPrompt);
    page_->view()->setToolTip(tr("Double-click or press Return to open a prompt"));
    head_ = new TextLabel(page_);
    head_->setObjectName(QStringLiteral("promptSetHead"));
    type_ = new ScoreBox({}, page_);
    type_->setObjectName(QStringLiteral("promptSetType"));
    type_->setAccessibleName(tr("Score of the selected head"));
    type_->setToolTip(tr("What the selected head does in each prompt, as a column to sort by"));
    head_->setBuddy(type_);
    page_->addControl(head_);
    page_->addControl(type_);
    connect(type_, &ScoreBox::changed, this, &PromptSetWindow::showRows);
}

QWidget* PromptSetWindow::makeFooter() {
    auto* footer = new QWidget(this);
    jobs_ = new JobIndicator(footer);
    jobs_->watch(run_.worker(), tr("Prompts"));
    grid_ =
        makeButton("promptSetGrid", tr("Show in the &Grid"),
                   tr("Types in the grid of heads are then the means over these prompts"), this);
    auto* copy =
        makeButton("promptSetCopy", tr("&Copy Rows"),
                   tr("Puts the selected rows on the clipboard as a table (Ctrl+C)"), this);
    write_ = makeButton("promptSetExport", tr("&Export …"),
                        tr("Writes the table with its means to .csv, .json or .h5"), this);
    setExports(write_);
    auto* close = makeButton("promptSetClose", tr("C&lose"), {}, this);
    auto* layout = new QHBoxLayout(footer);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(jobs_);
    layout->addStretch(1);
    copies_ = new CopyActions(this, [this] { return run_.repetition(choice()); });
    copies_->offerOn(page_->view());
    connect(copies_, &CopyActions::said, this,
            [this](const QString& text) { summary_->setText(text); });
    for (QWidget* button :
         std::initializer_list<QWidget*>{grid_, copy, copies_->makeButton(footer), write_, close})
        layout->addWidget(button);
    connect(grid_, &QPushButton::clicked, this, &PromptSetWindow::showInGrid);
    connect(copy, &QPushButton::clicked, page_, &TablePage::copySelection);
    connect(write_, &QPushButton::clicked, this, &PromptSetWindow::write);
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    return footer;
}

void PromptSetWindow::connectDocument() {
    connect(&run_, &PromptSetRun::resultChanged, this, &PromptSetWindow::showResult);
    connect(&run_, &PromptSetRun::stateChanged, this, &PromptSetWindow::showState);
    connect(&document_, &Document::modelChanged, this, &PromptSetWindow::showState);
    connect(&document_.selection(), &Selection::headChanged, this, &PromptSetWindow::showResult);
}

void PromptSetWindow::showEvent(QShowEvent* event) {
    showResult();
    QDialog::showEvent(event);
}

void PromptSetWindow::done(int result) {
    run_.worker()->cancel();
    QDialog::done(result);
}

void PromptSetWindow::showState() {
    start_->setEnabled(document_.model() != nullptr && !run_.worker()->isBusy());
    grid_->setEnabled(run_.isWhole());
    write_->setEnabled(run_.result() && !run_.result()->outcomes.empty());
    copies_->refresh();
    summary_->setText(summary());
}

void PromptSetWindow::showResult() {
    if (!isVisible())
        return; // until showEvent(): heads are selected far more often than sets are looked at
    showState();
    showTypes();
    showRows();
}

QString PromptSetWindow::summary() const {
    if (!run_.error().isEmpty())
        return run_.error();
    if (!run_.result())
        return tr("Runs many prompts at once: their losses and predictions, what the ablated heads "
                  "change in each, and the means.");
    QString text = toQString(promptSetText(*run_.result()));
    if (run_.isStale())
        text += QStringLiteral(" · ") + tr("Other heads are ablated now: run again.");
    return text;
}

void PromptSetWindow::showTypes() {
    const bool is_whole = run_.isWhole();
    head_->setVisible(is_whole);
    type_->setVisible(is_whole);
    if (!is_whole)
        return;
    const LayerHead head = document_.selection().head();
    head_->setText(tr("&Score of %1").arg(headName(head)));
    const HeadScores& scores = run_.result()->scores;
    type_->setTypes(scores.types);
    if (type_->wanted())
        return;
    const std::vector<HeadTypeId> found = labels(scores, head, document_.thresholds());
    type_->choose(found.empty() ? scores.types.front() : found.front());
}

std::optional<HeadReadingChoice> PromptSetWindow::choice() const {
    const auto type = run_.isWhole() ? type_->chosen() : std::nullopt;
    return type ? std::optional(HeadReadingChoice{document_.selection().head(), *type})
                : std::nullopt;
}

Table PromptSetWindow::table() const {
    const PromptSetResult& result = *run_.result();
    return promptSetTable(result, choice(), provenanceOf(*result.model, {}, result.mask));
}

void PromptSetWindow::showRows() {
    if (!run_.result()) {
        page_->setEmptyText(tr("No prompts were run yet."));
        return numbers_->setTable({}, {});
    }
    const Table rows = table();
    numbers_->setTable(shownColumns(rows.columns), shownRows(rows));
    QTableView* view = page_->view();
    view->resizeColumnsToContents();
    view->setColumnWidth(0, std::min(kPromptWidth, view->columnWidth(0)));
}

void PromptSetWindow::openPrompt(const QModelIndex& row) {
    const int prompt = rowsOf(page_)->mapToSource(row).row();
    document_.setPromptText(
        toQString(promptText(run_.result()->set.prompts[static_cast<std::size_t>(prompt)])));
}

void PromptSetWindow::showInGrid() {
    document_.setScoreSource(ScoreSource::PromptSet);
}

void PromptSetWindow::write() {
    const QString path = askWhereToExport(
        dialogs_, this, toQString(run_.result()->model->name) + QStringLiteral("-prompts"),
        QStringLiteral(".csv"), tableFilter());
    if (!path.isEmpty())
        summary_->setText(outcomeOfWriting(writeTable(path.toStdString(), table()), path));
}

} // namespace headscope::ui
