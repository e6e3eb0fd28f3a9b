#include "ui/views/pattern/all_heads_view.h"

#include "ui/views/grid/mosaic_heads.h"
#include "ui/views/maps/pattern_content.h"
#include "ui/views/maps/pattern_maps.h"
#include "ui/widgets/colour_legend.h"
#include "ui/widgets/colours.h"
#include "ui/widgets/head_mosaic.h"

#include <QEvent>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::ui {

namespace {

constexpr std::size_t kLargestSide = 96; // pixels

/// Draws the maps of one source.
class Thumbnailer {
public:
    Thumbnailer(PatternMaps maps, const PatternSettings& settings)
        : maps_(std::move(maps)), settings_(settings),
          spec_(maps_.source().result->full->model->spec) {}

    /// One answer for all heads, in place of one for each.
    void decideOnFirstKey(ThumbnailPart& part) {
        if (maps_.areDifferences())
            return;
        double sum = 0.0;
        std::size_t heads = 0;
        for (const LayerHead head : spec_.allHeads()) {
            sum += firstKeyShare(*maps_.of(head).cells);
            ++heads;
        }
        part.first_key_share = sum / static_cast<double>(heads);
        hides_first_key_ = hidesFirstKey(settings_, part.first_key_share);
        part.hides_first_key = hides_first_key_;
    }

    /// [pixel, pixel] of a head; nothing for one that was removed from its layer.
    Tensor map(LayerHead head) const {
        if (!spec_.hasHead(head))
            return {};
        auto cells = maps_.of(head).cells;
        if (hides_first_key_)
            cells = withoutFirstKey(std::move(cells), settings_.rescale_rows);
        const std::size_t positions = cells->rows();
        const std::size_t side = std::min(positions, kLargestSide);
        return cells->pooled({{0, positions}, {0, positions}, side, side});
    }

    QImage picture(const Tensor& map, CellColours colours) const {
        if (map.empty())
            return {};
        if (settings_.own_scale && !maps_.areDifferences()) {
            const ValueScale scale = colours.scale;
            colours = coloursFor(settings_.colours, std::nullopt, map.matrix());
            colours.scale = scale;
        }
        const auto side = static_cast<int>(map.dim(0));
        return renderCells(map.matrix(), QRectF(0, 0, side, side), QSize(side, side), colours);
    }

private:
    PatternMaps maps_;
    const PatternSettings& settings_;
    const ModelSpec& spec_;
    bool hides_first_key_ = false;
};

double largestMagnitude(const std::vector<Tensor>& maps) {
    double largest = 0.0;
    for (const Tensor& map : maps)
        for (const float value : map.values())
            if (!std::isnan(value))
                largest = std::max(largest, std::fabs(static_cast<double>(value)));
    return largest;
}

Error cancelled() {
    return {ErrorCode::Cancelled, "The pictures of the heads were no longer asked for."};
}

} // namespace

Result<void> patternThumbnails(const PatternSource& source, const PatternSettings& settings,
                               const QColor& background, const PublishThumbnails& publish,
                               const Progress& progress, const std::stop_token& stop) {
    const ModelSpec& spec = source.result->full->model->spec;
    auto read = PatternMaps::read(source, settings.map, {}, stop);
    if (!read)
        return read.error();
    const bool difference = read->areDifferences();
    Thumbnailer draw(*std::move(read), settings);
    ThumbnailPart part;
    draw.decideOnFirstKey(part);
    part.colours = {settings.colours, 0.0, 1.0,
                    valueScale(settings, part.hides_first_key, part.first_key_share)};
    std::vector<Tensor> maps; // of the differences of all heads, or of one layer
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        for (std::size_t head = 0; head < spec.n_heads; ++head) {
            if (stop.stop_requested())
                return cancelled();
            maps.push_back(draw.map({layer, head}));
        }
        report(progress, static_cast<double>(layer + 1) / static_cast<double>(spec.n_layers),
               "thumbnails");
        if (difference && layer + 1 < spec.n_layers)
            continue;
        if (difference) {
            const double largest = largestMagnitude(maps);
            const double bound = largest > 0.0 ? largest : 1.0;
            part.colours = {divergingOn(background), -bound, bound,
                            valueScale(settings, false, 0.0)};
        }
        for (const Tensor& map : maps)
            part.images.append(draw.picture(map, part.colours));
        publish(part);
        part.first += part.images.size();
        part.images.clear();
        maps.clear();
    }
    return {};
}

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
    connect(&document_.labelTester(), &LabelTester::trustChanged, this, &AllHeadsView::showCells);
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
