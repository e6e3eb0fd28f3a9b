#include "ui/views/grid/head_grid_view.h"

#include "core/heads/head_type.h"
#include "ui/document/head_groups.h"
#include "ui/tables/head_text.h"
#include "ui/views/grid/grid_colouring.h"
#include "ui/views/grid/head_cells.h"
#include "ui/views/grid/head_choice.h"
#include "ui/views/grid/type_badge.h"
#include "ui/views/scores/scores_page.h"
#include "ui/widgets/elided_button.h"
#include "ui/widgets/head_mosaic.h"

#include <QComboBox>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::ui {
namespace {

constexpr int kLegendColumns = 2;
constexpr int kLeastWidth = 250; ///< room for the names of two types

} // namespace

HeadGridView::HeadGridView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document) {
    setMinimumWidth(kLeastWidth);
    makeControls();
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(mosaic_);
    auto* title = new QLabel(tr("Heads &by"), this);
    title->setBuddy(source_);
    auto* top = new QHBoxLayout;
    top->addWidget(title);
    top->addWidget(source_, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 6, 6, 6);
    layout->addLayout(top);
    layout->addWidget(colouring_);
    makeLegend();
    layout->addLayout(legend_);
    layout->addWidget(scroll, 1);
    layout->addWidget(note_);

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
    source_->addItems({tr("repeats and sentences"), tr("this prompt"), tr("prompt set")});
    colouring_ = new GridColouring(this);
    mosaic_ = new HeadMosaic(this);
    mosaic_->setObjectName(QStringLiteral("headGrid"));
    mosaic_->setAccessibleName(tr("Grid of heads"));
    mosaic_->setEmptyText(tr("No model is open."));
    note_ = new QLabel(this);
    note_->setTextFormat(Qt::PlainText);
    note_->setObjectName(QStringLiteral("gridNote"));
    note_->setWordWrap(true);
    note_->setForegroundRole(QPalette::PlaceholderText);
    connect(source_, &QComboBox::activated, this,
            [this](int index) { document_.setScoreSource(static_cast<ScoreSource>(index)); });
    connect(colouring_, &GridColouring::changed, this, &HeadGridView::showHeads);
}

void HeadGridView::makeLegend() {
    legend_ = new QGridLayout;
    legend_->setSpacing(2);
    for (const HeadType& type : headTypes()) {
        auto* button = new ElidedButton(this);
        button->setObjectName(QStringLiteral("legend_%1").arg(toQString(type.key)));
        button->setText(toQString(type.name));
        button->setIcon(typeIcon(type.id));
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setCheckable(true);
        button->setAutoRaise(true);
        button->installEventFilter(this);
        // The types that are shown come and go and must not move the splitter.
        button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
        button->setToolTip(tr("<b>%1</b><br>%2 Click to see only this type in the grid, again to "
                              "see all.")
                               .arg(toQString(type.name), toQString(type.summary)));
        connect(button, &QToolButton::toggled, this,
                [this, id = type.id](bool only) { document_.showType(id, only); });
        button->hide();
        legend_buttons_.insert(type.id, button);
    }
}

void HeadGridView::showLegend() {
    QSet<HeadTypeId> present = document_.shownTypes(); // so that a choice can be taken back
    if (const auto scores = document_.headScorer().scores())
        for (const LayerHead head : scores->heads)
            for (const HeadTypeId id : labels(*scores, head, document_.thresholds()))
                present.insert(id);
    shown_buttons_.clear();
    for (const HeadType& type : headTypes()) {
        QToolButton* button = legend_buttons_.value(type.id);
        legend_->removeWidget(button);
        button->setVisible(present.contains(type.id));
        if (!present.contains(type.id))
            continue;
        const int place = static_cast<int>(shown_buttons_.size());
        legend_->addWidget(button, place / kLegendColumns, place % kLegendColumns);
        shown_buttons_.append(button);
    }
    const auto focused = std::ranges::find_if(shown_buttons_, &QWidget::hasFocus);
    if (!shown_buttons_.isEmpty())
        makeTabStop(focused == shown_buttons_.end() ? shown_buttons_.front() : *focused);
}

void HeadGridView::makeTabStop(const QToolButton* stop) {
    for (QToolButton* button : shown_buttons_)
        button->setFocusPolicy(button == stop ? Qt::StrongFocus : Qt::ClickFocus);
}

bool HeadGridView::eventFilter(QObject* watched, QEvent* event) {
    const qsizetype place = shown_buttons_.indexOf(watched);
    if (place >= 0 && event->type() == QEvent::FocusIn)
        makeTabStop(shown_buttons_[place]);
    if (place < 0 || event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    const qsizetype step = key == Qt::Key_Left    ? -1
                           : key == Qt::Key_Right ? 1
                           : key == Qt::Key_Up    ? -kLegendColumns
                           : key == Qt::Key_Down  ? kLegendColumns
                                                  : 0;
    if (step == 0 || place + step < 0 || place + step >= shown_buttons_.size())
        return QWidget::eventFilter(watched, event);
    shown_buttons_[place + step]->setFocus(Qt::TabFocusReason);
    return true;
}

void HeadGridView::connectDocument() {
    connect(&document_, &Document::modelChanged, this, &HeadGridView::showHeads);
    connect(&document_, &Document::labelsChanged, this, &HeadGridView::showHeads);
    connect(&document_, &Document::maskChanged, this, &HeadGridView::showHeads);
    connect(&document_, &Document::shownTypesChanged, this, &HeadGridView::showHeads);
    connect(&document_.effectTester(), &EffectTester::effectsChanged, this,
            &HeadGridView::showHeads);
    connect(&document_, &Document::chosenChanged, this, &HeadGridView::showSelection);
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
        // Heads of one group stand apart once they are sorted.
        const std::size_t per_group = order_.isByNumber() ? spec.headsPerGroup() : 1;
        mosaic_->setCells(static_cast<int>(spec.n_layers), static_cast<int>(spec.n_heads),
                          static_cast<int>(per_group), headCells(document_, {score, order_}));
    }
    mosaic_->setColumnNumbers(order_.isByNumber());
    mosaic_->setAxisNames(tr("layer"), order_.isByNumber() ? tr("head") : tr("highest first"));
    showLegend();
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
    note_->setText(document_.headScorer().error().isEmpty() && document_.model()
                       ? missingScoresText(document_)
                       : document_.headScorer().error());
    if (note_->text().isEmpty() && !document_.shownTypes().isEmpty() && colouring_->score())
        note_->setText(tr("Coloured by %1; only heads of the types chosen above stand out.")
                           .arg(typeName(*colouring_->score())));
    note_->setVisible(!note_->text().isEmpty());
}

void HeadGridView::openMenu(LayerHead head, QPoint global) {
    const std::vector<LayerHead>& chosen = document_.chosen();
    if (std::ranges::find(chosen, head) == chosen.end())
        document_.select(head);
    const ModelSpec& spec = document_.model()->spec;
    QMenu menu(this);
    menu.setObjectName(QStringLiteral("headMenu"));
    const auto addToggle = [&](const QString& text, bool ablated, auto toggle) {
        QAction* action = menu.addAction(text, &document_, toggle);
        action->setCheckable(true);
        action->setChecked(ablated);
    };
    addToggle(tr("&Ablate %1").arg(headNames(chosen)), document_.areAblated(chosen),
              [this] { document_.toggleChosen(); });
    if (spec.n_kv_heads < spec.n_heads)
        addToggle(tr("Ablate Its KV &Group"), document_.areAblated(spec.groupOf(head)),
                  [this, head] { document_.toggleGroup(head); });
    addToggle(tr("Ablate Layer &%1").arg(head.layer),
              document_.areAblated(headsOfLayer(spec, head.layer)),
              [this, head] { document_.toggleLayer(head.layer); });
    menu.addSeparator();
    menu.addAction(tr("E&ffect of Ablating %1").arg(headName(head)), &document_,
                   [this, head] { document_.testEffect(head); });
    menu.addSeparator();
    menu.addAction(tr("&Export %1 …").arg(headName(head)), this, &HeadGridView::exportRequested);
    menu.exec(global);
}

} // namespace headscope::ui
