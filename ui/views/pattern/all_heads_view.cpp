#include "ui/views/pattern/all_heads_view.h"

#include "ui/views/grid/head_cells.h"
#include "ui/views/grid/head_choice.h"
#include "ui/views/pattern/pattern_content.h"
#include "ui/views/pattern/thumbnails.h"
#include "ui/widgets/colour_legend.h"
#include "ui/widgets/head_mosaic.h"

#include <QEvent>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::ui {
namespace {

constexpr int kSmallestCell = 3;
constexpr int kLargestCell = 160;

} // namespace

AllHeadsView::AllHeadsView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document) {
    mosaic_ = new HeadMosaic(this);
    mosaic_->setObjectName(QStringLiteral("allHeads"));
    mosaic_->setAccessibleName(tr("Patterns of all heads"));
    mosaic_->setCellSizeRange(kSmallestCell, kLargestCell);
    mosaic_->setEmptyText(tr("No prompt was run yet."));
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(mosaic_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(scroll, 1);
    legend_ = new ColourLegend(this);
    legend_->setObjectName(QStringLiteral("allHeadsLegend"));
    legend_->setToolTip(tr("What the colours of the pictures stand for"));
    legend_->setColours({}, legendName());
    layout->addWidget(legend_, 0, Qt::AlignHCenter);

    connectHeadChoice(*mosaic_, document_, order_);
    followZoom(*mosaic_, *scroll);
    connect(mosaic_, &HeadMosaic::activated, this, [this](int row, int column) {
        document_.selection().select(headAt(row, column));
        emit activated();
    });
    connect(&document_, &Document::modelChanged, this, &AllHeadsView::draw);
    connect(&document_, &Document::shownChanged, this, &AllHeadsView::draw);
    connect(&document_.ablation(), &Ablation::changed, this, &AllHeadsView::showCells);
    connect(&document_, &Document::labelsChanged, this, &AllHeadsView::showCells);
    connect(&document_.selection(), &Selection::shownTypesChanged, this, &AllHeadsView::showCells);
    connect(&document_.effectTester(), &EffectTester::effectsChanged, this,
            &AllHeadsView::showCells);
    connect(&document_.selection(), &Selection::chosenChanged, this, &AllHeadsView::showSelection);
}

void AllHeadsView::setSettings(const PatternSettings& settings) {
    settings_ = settings;
    asked_ = {};
    draw();
}

void AllHeadsView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    showCells(); // much may have changed while it was hidden
    draw();
}

void AllHeadsView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || !isDiverging(drawn_.colours.map))
        return;
    asked_ = {};
    draw();
}

void AllHeadsView::draw() {
    const PatternSource& source = document_.shown();
    if (!source.result) {
        thumbnails_.clear();
        asked_ = {};
        worker_.cancel();
        return showCells();
    }
    if (!isVisible() || source == asked_)
        return;
    asked_ = source;
    fresh_ = 0;
    showCells();
    worker_.startInParts<ThumbnailPart>(
        [source, settings = settings_, background = palette().color(QPalette::Base)](
            const Progress& progress, const std::stop_token& stop,
            const PublishThumbnails& publish) {
            return patternThumbnails(source, settings, background, publish, progress, stop);
        },
        [this](const ThumbnailPart& part) { take(part); }, [](const Result<void>&) {});
}

void AllHeadsView::take(const ThumbnailPart& part) {
    fresh_ = part.first + part.images.size();
    thumbnails_.resize(qMax(thumbnails_.size(), fresh_));
    std::ranges::copy(part.images, thumbnails_.begin() + part.first);
    drawn_ = part;
    drawn_.images.clear();
    legend_->setColours(part.colours, legendName());
    showCells();
    emit firstKeyChanged();
}

QString AllHeadsView::legendName() const {
    if (asked_.other || settings_.map == PatternMap::Difference)
        return valueName(settings_.map, asked_.other != nullptr);
    return settings_.own_scale ? tr("weight, each head up to its largest") : tr("weight");
}

void AllHeadsView::showCells() {
    const auto model = document_.model();
    if (!model || !isVisible())
        return;
    const ModelSpec& spec = model->spec;
    QVector<MosaicCell> cells = headCells(document_, {});
    for (qsizetype i = 0; i < qMin(cells.size(), thumbnails_.size()); ++i) {
        cells[i].thumbnail = thumbnails_[i];
        cells[i].faded |= i >= fresh_;
    }
    mosaic_->setCells(static_cast<int>(spec.n_layers), static_cast<int>(spec.n_heads),
                      static_cast<int>(spec.headsPerGroup()), cells);
    showSelection();
}

void AllHeadsView::showSelection() {
    showHeadChoice(*mosaic_, document_, order_);
}

} // namespace headscope::ui
