#include "ui/views/circuits/circuits_dialog.h"

#include "core/circuits/copying.h"
#include "core/circuits/tables.h"
#include "core/export/analysis_calls.h"
#include "core/export/provenance.h"
#include "ui/tables/head_text.h"
#include "ui/views/circuits/circuits_pages.h"
#include "ui/views/grid/mosaic_heads.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/views/pages/table_export.h"
#include "ui/widgets/labels.h"

#include <QTabWidget>
#include <QVBoxLayout>

namespace headscope::ui {
namespace {

constexpr QSize kCircuitsSize{1000, 700};

} // namespace

CircuitsDialog::CircuitsDialog(Document& document, Dialogs& dialogs, QWidget* parent)
    : QDialog(parent), document_(document) {
    setObjectName(QStringLiteral("circuitsDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("OV/QK circuits"));
    resize(kCircuitsSize);
    makeViews();
    makeActions(dialogs);
    auto* footer = new JobFooter(this);
    footer->watch(&worker_, tr("Reading circuits"));
    footer->offer(*copies_);
    footer->offer(*export_);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(tabs_, 1);
    layout->addWidget(note_);
    layout->addWidget(footer);
    connect(footer, &JobFooter::againRequested, this, &CircuitsDialog::start);
    connect(&worker_, &JobRunner::busyChanged, this, [this](bool busy) {
        if (!busy && !reading_)
            showMessage(tr("Stopped; “Compute Again” reads the circuits."));
    });
    connectDocument();
    showModel();
}

void CircuitsDialog::makeViews() {
    note_ = new TextLabel(this);
    note_->setObjectName(QStringLiteral("circuitsNote"));
    note_->setWordWrap(true);
    note_->setForegroundRole(QPalette::PlaceholderText);
    composition_ = new CompositionPage(this);
    copying_ = new CopyingPage(this);
    tabs_ = new QTabWidget(this);
    tabs_->setObjectName(QStringLiteral("circuitsTabs"));
    tabs_->addTab(composition_, tr("Co&mposition"));
    tabs_->addTab(copying_, tr("OV cop&ying"));
    connect(composition_, &CompositionPage::offsetChanged, this, &CircuitsDialog::start);
    connect(composition_, &CompositionPage::headChosen, &document_.selection(), &Selection::select);
    connect(copying_, &CopyingPage::headChosen, &document_.selection(), &Selection::select);
}

void CircuitsDialog::makeActions(Dialogs& dialogs) {
    copies_ = new CopyActions(this, [this] { return repetition(); });
    export_ = new TableExport(document_, dialogs, this, [this] { return table(); });
    connect(tabs_, &QTabWidget::currentChanged, this, &CircuitsDialog::refreshActions);
}

void CircuitsDialog::connectDocument() {
    connect(&document_, &Document::modelChanged, this, &CircuitsDialog::showModel);
    connect(&document_, &Document::labelsChanged, this, &CircuitsDialog::showHeads);
    connect(&document_.ablation(), &Ablation::changed, this, &CircuitsDialog::showHeads);
    connect(&document_.selection(), &Selection::shownTypesChanged, this,
            &CircuitsDialog::showHeads);
    connect(&document_.selection(), &Selection::headChanged, this,
            [this] { copying_->showHead(document_.selection().head()); });
}

void CircuitsDialog::showModel() {
    const ModelSpec& spec = document_.model()->spec;
    reading_.reset();
    copying_->showHead(document_.selection().head());
    composition_->setContext(spec.positions == PositionKind::Rotary ? spec.n_ctx : 0);
    showMessage(tr("Reading circuits …"));
    showHeads();
    start();
}

void CircuitsDialog::showHeads() {
    composition_->showHeads(headCells(document_, {}));
}

void CircuitsDialog::start() {
    const auto model = document_.model();
    std::optional<Offset> offset;
    if (model->spec.positions == PositionKind::Rotary)
        offset = composition_->offset();
    worker_.start(
        [model, offset, known = reading_](const Progress& progress, const std::stop_token& stop) {
            return readCircuits(model, offset, known.get(), progress, stop);
        },
        [this](const std::shared_ptr<const CircuitReading>& reading) { take(reading); });
}

void CircuitsDialog::take(const std::shared_ptr<const CircuitReading>& reading) {
    reading_ = reading;
    note_->setText(circuitNote(*reading));
    composition_->showReading(reading);
    copying_->showCopying(reading->copying);
    document_.history().add(tr("OV and QK circuits"), repetition());
    refreshActions();
}

/// What repeats the page in sight.
Repetition CircuitsDialog::repetition() const {
    if (!reading_)
        return notRepeated(tr("There is nothing to repeat yet."));
    if (tabs_->currentWidget() == copying_)
        return reading_->copying ? Repetition(Calls{copyingCall(loadedModel(document_))})
                                 : Repetition(reading_->copying.error());
    if (!reading_->composition)
        return reading_->composition.error();
    return Calls{compositionCall(loadedModel(document_), composition_->kind(),
                                 composition_->edges(), reading_->composition->offset)};
}

Provenance CircuitsDialog::origin() const {
    Provenance origin = provenanceOf(*document_.model());
    origin.note = reading_->weights->note;
    return origin;
}

TableInSight CircuitsDialog::composition() const {
    return {tableFileName(origin(), QStringLiteral("composition")),
            [reading = reading_, kind = composition_->kind(), count = composition_->edges(),
             origin = origin()](const Progress&, const std::stop_token&) {
                const CompositionScores& scores = *reading->composition;
                return compositionTable(scores, strongestEdges(scores, count, kind), origin);
            },
            repetition()};
}

/// The accuracies in it are not on the page, and are measured when they are written.
TableInSight CircuitsDialog::copying() const {
    return {tableFileName(origin(), QStringLiteral("copying")),
            [reading = reading_, origin = origin()](const Progress& progress,
                                                    const std::stop_token& stop) -> Result<Table> {
                const auto measured =
                    measureCopying(*reading->weights, reading->copying->size(), progress, stop);
                return measured ? Result<Table>(copyingTable(*measured, origin)) : measured.error();
            },
            repetition()};
}

/// The table of the page in sight.
Result<TableInSight> CircuitsDialog::table() const {
    if (!reading_)
        return nothingToWrite();
    if (tabs_->currentWidget() == copying_)
        return reading_->copying ? Result<TableInSight>(copying()) : reading_->copying.error();
    return reading_->composition ? Result<TableInSight>(composition())
                                 : reading_->composition.error();
}

void CircuitsDialog::refreshActions() {
    copies_->refresh();
    export_->refresh();
}

void CircuitsDialog::showMessage(const QString& message) {
    note_->clear();
    composition_->showMessage(message);
    copying_->showMessage(message);
    refreshActions();
}

} // namespace headscope::ui
