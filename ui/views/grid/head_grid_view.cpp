#include "ui/views/grid/head_grid_view.h"

#include "ui/tables/head_text.h"
#include "ui/views/grid/grid_colouring.h"
#include "ui/views/grid/missing_scores.h"
#include "ui/views/grid/mosaic_heads.h"
#include "ui/views/grid/type_controls.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/widgets/head_mosaic.h"
#include "ui/widgets/labels.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QMenu>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::ui {
namespace {

constexpr int kLeastWidth = 210; ///< room for the beginnings of the names of two types

} // namespace

HeadGridView::HeadGridView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document) {
    makeControls();
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(mosaic_);
    auto* title = new TextLabel(tr("Heads &by"), this);
    title->setBuddy(source_);
    auto* top = new QHBoxLayout;
    top->addWidget(title);
    top->addWidget(source_, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 6, 6, 6);
    layout->addStrut(kLeastWidth - 10 - 6);
    layout->addLayout(top);
    layout->addWidget(colouring_);
    layout->addWidget(scroll, 3);
    layout->addWidget(legend_, 2);

    connectHeadChoice(*mosaic_, document_, order_);
    followZoom(*mosaic_, *scroll);
    connect(mosaic_, &HeadMosaic::contextMenuRequested, this,
            [this](int row, int column, QPoint global) { openMenu(headOf(row, column), global); });
    connectDocument();
    showHeads();
}

void HeadGridView::makeControls() {
    source_ = new QComboBox(this);
    source_->setObjectName(QStringLiteral("scoreSource"));
    source_->setAccessibleName(tr("Input that the types are measured on"));
    source_->setToolTip(tr("Input that the types are measured on"));
    letShrink(source_);
    source_->addItems({tr("repeats and sentences"), tr("this prompt"), tr("prompt set")});
    colouring_ = new GridColouring(this);
    mosaic_ = new HeadMosaic(this);
    mosaic_->setObjectName(QStringLiteral("headGrid"));
    mosaic_->setAccessibleName(tr("Grid of heads"));
    mosaic_->setEmptyText(tr("No model is open."));
    legend_ = new TypeLegend(document_, this);
    connect(source_, &QComboBox::activated, this,
            [this](int index) { document_.setScoreSource(static_cast<ScoreSource>(index)); });
    connect(colouring_, &GridColouring::changed, this, &HeadGridView::showHeads);
}

void HeadGridView::connectDocument() {
    connect(&document_, &Document::modelChanged, this, &HeadGridView::showHeads);
    connect(&document_, &Document::labelsChanged, this, &HeadGridView::showHeads);
    connect(&document_.ablation(), &Ablation::changed, this, &HeadGridView::showHeads);
    connect(&document_.selection(), &Selection::shownTypesChanged, this, &HeadGridView::showHeads);
    connect(&document_.effectTester(), &EffectTester::effectsChanged, this,
            &HeadGridView::showHeads);
    connect(&document_.labelTester(), &LabelTester::trustChanged, this, &HeadGridView::showHeads);
    connect(&document_.selection(), &Selection::chosenChanged, this, &HeadGridView::showSelection);
}

void HeadGridView::focusGrid() {
    mosaic_->setFocus(Qt::ShortcutFocusReason);
}

void HeadGridView::showHeads() {
    const auto scores = document_.headScorer().scores();
    if (scores)
        colouring_->setTypes(scores->types);
    const auto score = scores ? colouring_->score() : std::nullopt;
    order_ = score && colouring_->isSorted() ? HeadOrder(*scores, *score) : HeadOrder();
    if (const auto model = document_.model()) {
        const ModelSpec& spec = model->spec;
        // Heads of one group are apart once they are sorted.
        const std::size_t per_group = order_.isByNumber() ? spec.headsPerGroup() : 1;
        mosaic_->setCells(static_cast<int>(spec.n_layers), static_cast<int>(spec.n_heads),
                          static_cast<int>(per_group), headCells(document_, {score, order_}));
    }
    mosaic_->setColumnNumbers(order_.isByNumber());
    mosaic_->setAxisNames(tr("layer"), order_.isByNumber() ? tr("head") : tr("highest first"));
    showSelection();
    showSource();
}

void HeadGridView::showSelection() {
    showHeadChoice(*mosaic_, document_, order_);
}

void HeadGridView::showSource() {
    const QSignalBlocker blocker(source_);
    source_->setCurrentIndex(static_cast<int>(document_.headScorer().effectiveSource()));
    auto* entries = qobject_cast<QStandardItemModel*>(source_->model());
    entries->item(static_cast<int>(ScoreSource::PromptSet))
        ->setEnabled(document_.headScorer().hasPromptSetScores());
    QString note = document_.model() ? missingScoresText(document_) : QString();
    if (note.isEmpty())
        note = document_.headScorer().error(); // of others than those that are shown
    const auto scores = document_.headScorer().scores();
    const Naming naming = scores ? scores->naming() : Naming::Possible;
    if (naming == Naming::WeightsAlone && !colouring_->score())
        note = tr("Heads are called by what they do in a run, and this model does not run; colour "
                  "them by what their weights could do.");
    if (naming == Naming::OneText && !colouring_->score())
        note = tr("One text gives scores, and no types: another may say otherwise. Colour the "
                  "heads by one of the scores.");
    if (note.isEmpty() && !document_.selection().shownTypes().isEmpty() && colouring_->score())
        note = tr("Coloured by %1; only heads of the types chosen above stand out.")
                   .arg(typeName(*colouring_->score()));
    legend_->setNote(note);
}

void HeadGridView::copyTypes(LayerHead head) const {
    const auto scores = document_.headScorer().scores();
    QString text = headName(head);
    if (scores)
        text += QStringLiteral(": ") + labelText(*scores, head, document_.thresholds());
    QApplication::clipboard()->setText(text);
}

/// Commands act on the heads that are chosen, and the one under the pointer is then among them.
void HeadGridView::openMenu(LayerHead head, QPoint global) {
    const std::vector<LayerHead> chosen = document_.selection().chosen();
    if (std::ranges::find(chosen, head) == chosen.end())
        document_.selection().select(head);
    else
        document_.selection().choose(chosen, head);
    QMenu menu(this);
    menu.setObjectName(QStringLiteral("gridMenu"));
    menu.setToolTipsVisible(true);
    menu.addSection(headNames(document_.selection().chosen()));
    menu.addActions(actions());
    menu.addSeparator();
    menu.addAction(tr("&Copy Types of %1").arg(headName(head)), this,
                   [this, head] { copyTypes(head); })
        ->setObjectName(QStringLiteral("copyTypes"));
    menu.exec(global);
}

} // namespace headscope::ui
