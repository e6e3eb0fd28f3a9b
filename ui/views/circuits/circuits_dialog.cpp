#include "ui/views/circuits/circuits_dialog.h"

#include "core/export/analysis_calls.h"
#include "ui/tables/head_text.h"
#include "ui/views/circuits/composition_page.h"
#include "ui/views/circuits/copying_page.h"
#include "ui/views/grid/head_cells.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/dialog_parts.h"

#include <QLabel>
#include <QTabWidget>
#include <QVBoxLayout>

namespace headscope::ui {
namespace {

constexpr QSize kCircuitsSize{1000, 700};

} // namespace

CircuitsDialog::CircuitsDialog(Document& document, QWidget* parent)
    : QDialog(parent), document_(document) {
    setObjectName(QStringLiteral("circuitsDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("OV/QK circuits"));
    resize(kCircuitsSize);
    note_ = new QLabel(this);
    note_->setObjectName(QStringLiteral("circuitsNote"));
    note_->setWordWrap(true);
    note_->setTextFormat(Qt::PlainText);
    note_->setForegroundRole(QPalette::PlaceholderText);
    composition_ = new CompositionPage(this);
    copying_ = new CopyingPage(this);
    tabs_ = new QTabWidget(this);
    tabs_->setObjectName(QStringLiteral("circuitsTabs"));
    tabs_->addTab(composition_, tr("Co&mposition"));
    tabs_->addTab(copying_, tr("OV cop&ying"));
    auto* footer = new JobFooter(this);
    footer->watch(&worker_, tr("Reading circuits"));
    copies_ = new CopyActions(this, [this] { return repetition(); });
    footer->offer(*copies_);
    connect(tabs_, &QTabWidget::currentChanged, copies_, &CopyActions::refresh);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(tabs_, 1);
    layout->addWidget(note_);
    layout->addWidget(footer);
    connect(footer, &JobFooter::againRequested, this, &CircuitsDialog::start);
    connect(&worker_, &JobRunner::busyChanged, this, [this](bool busy) {
        if (!busy && !reading_)
            showMessage(tr("Stopped; “Compute Again” reads the circuits."));
    });
    connect(composition_, &CompositionPage::offsetChanged, this, &CircuitsDialog::start);
    connect(composition_, &CompositionPage::headChosen, &document_, &Document::select);
    connect(copying_, &CopyingPage::headChosen, &document_, &Document::select);
    connect(&document_, &Document::modelChanged, this, &CircuitsDialog::showModel);
    connect(&document_, &Document::labelsChanged, this, &CircuitsDialog::showHeads);
    connect(&document_, &Document::maskChanged, this, &CircuitsDialog::showHeads);
    connect(&document_, &Document::shownTypesChanged, this, &CircuitsDialog::showHeads);
    connect(&document_, &Document::selectionChanged, this,
            [this] { copying_->showHead(document_.selected()); });
    showModel();
}

void CircuitsDialog::showModel() {
    const ModelSpec& spec = document_.model()->spec;
    reading_.reset();
    copying_->showHead(document_.selected());
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
            return readCircuits(*model, offset, known.get(), progress, stop);
        },
        [this](const std::shared_ptr<const CircuitReading>& reading) { take(reading); });
}

void CircuitsDialog::take(const std::shared_ptr<const CircuitReading>& reading) {
    reading_ = reading;
    note_->setText(circuitNote(*reading));
    composition_->showReading(reading);
    copying_->showCopying(reading->copying);
    document_.history().add(tr("OV and QK circuits"), repetition());
    copies_->refresh();
}

/// Of the page in sight.
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

void CircuitsDialog::showMessage(const QString& message) {
    note_->clear();
    composition_->showMessage(message);
    copying_->showMessage(message);
    copies_->refresh();
}

} // namespace headscope::ui
