#include "ui/views/pattern/pattern_view.h"

#include "core/attribution/value_weighted.h"
#include "ui/tables/head_text.h"
#include "ui/views/pattern/all_heads_view.h"
#include "ui/views/pattern/outline_box.h"
#include "ui/widgets/heatmap.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace headscope::ui {
namespace {

QToolButton* makeButton(const QString& name, const QString& text, const QString& tip,
                        QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setObjectName(name);
    button->setText(text);
    button->setToolTip(tip);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

} // namespace

PatternView::PatternView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document) {
    stale_ = new QLabel(this);
    stale_->setTextFormat(Qt::PlainText);
    stale_->setObjectName(QStringLiteral("staleLabel"));
    stale_->setWordWrap(true);
    stale_->setForegroundRole(QPalette::PlaceholderText);
    cell_ = new QLabel(this);
    cell_->setObjectName(QStringLiteral("cellLabel"));
    cell_->setTextFormat(Qt::PlainText);
    cell_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    makePages();

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(stale_);
    layout->addWidget(pages_, 1);
    layout->addWidget(cell_);
    layout->addLayout(makeControls());
    connectDocument();
    showPattern();
}

void PatternView::makePages() {
    heatmap_ = new Heatmap(this);
    heatmap_->setObjectName(QStringLiteral("heatmap"));
    heatmap_->setAccessibleName(tr("Attention pattern"));
    heatmap_->setRange(std::pair{0.0, 1.0});
    all_heads_ = new AllHeadsView(document_, this);
    pages_ = new QStackedWidget(this);
    pages_->addWidget(heatmap_);
    pages_->addWidget(all_heads_);
    connect(heatmap_, &Heatmap::cellHovered, this, &PatternView::showCell);
    connect(heatmap_, &Heatmap::hoverLeft, this, &PatternView::showRow);
    connect(heatmap_, &Heatmap::rowLocked, this,
            [this](std::optional<std::size_t> row) { document_.lockRow(row); });
    connect(all_heads_, &AllHeadsView::activated, this, [this] { showAllHeads(false); });
}

QLayout* PatternView::makeControls() {
    one_button_ = makeButton(QStringLiteral("oneHeadButton"), tr("Heatmap"),
                             tr("The pattern of the selected head"), this);
    all_button_ = makeButton(QStringLiteral("allHeadsButton"), tr("All heads"),
                             tr("The patterns of all heads side by side"), this);
    auto* pages = new QButtonGroup(this);
    for (QToolButton* button : {one_button_, all_button_}) {
        button->setCheckable(true);
        pages->addButton(button);
    }
    one_button_->setChecked(true);
    connect(all_button_, &QToolButton::toggled, this, &PatternView::showAllHeads);

    map_ = new QComboBox(this);
    map_->setObjectName(QStringLiteral("patternMap"));
    map_->setAccessibleName(tr("Map"));
    map_->setToolTip(tr("Attention: where the head looks, A[q, k]. Value-weighted: what reaches "
                        "the query from each key, A[q, k]·‖v_k W_O‖ (Kobayashi et al. 2020), each "
                        "row divided by its sum; a key with a small value fades."));
    for (const PatternMap map : {PatternMap::Attention, PatternMap::ValueWeighted})
        map_->addItem(patternMapName(map), static_cast<int>(map));
    connect(map_, &QComboBox::currentIndexChanged, this, &PatternView::compute);

    colours_ = new QComboBox(this);
    colours_->setObjectName(QStringLiteral("colourMap"));
    colours_->setAccessibleName(tr("Colours"));
    colours_->setToolTip(tr("Colours of the weights"));
    for (const ColourMap map : sequentialColourMaps())
        colours_->addItem(colourMapName(map), static_cast<int>(map));
    connect(colours_, &QComboBox::currentIndexChanged, this, [this] {
        heatmap_->setColourMap(colourMap());
        all_heads_->setColourMap(colourMap());
    });
    scale_ = makeButton(QStringLiteral("ownScale"), tr("Own scale"),
                        tr("Stretch the colours to the largest weight of this head. Off: the same "
                           "scale 0 to 1 for every head, so that pictures can be compared."),
                        this);
    scale_->setCheckable(true);
    connect(scale_, &QToolButton::toggled, this, [this](bool own) {
        heatmap_->setRange(own ? std::nullopt : std::optional(std::pair{0.0, 1.0}));
    });
    zoom_ = makeButton(QStringLiteral("resetZoom"), tr("Reset zoom"),
                       tr("Show the whole pattern (double click, or 0)"), this);
    connect(zoom_, &QToolButton::clicked, this, &PatternView::resetZoom);

    outline_ = new OutlineBox(document_, this);
    connect(outline_, &QComboBox::currentIndexChanged, this, &PatternView::showPattern);
    for (QComboBox* box : {map_, static_cast<QComboBox*>(outline_)})
        connect(box, &QComboBox::currentIndexChanged, this, &PatternView::settingsChanged);
    for (QToolButton* button : {all_button_, scale_})
        connect(button, &QToolButton::toggled, this, &PatternView::settingsChanged);

    auto* controls = new QHBoxLayout;
    controls->setSpacing(4);
    for (QWidget* widget : {one_button_, all_button_})
        controls->addWidget(widget);
    controls->addStretch(1);
    for (QWidget* widget : {static_cast<QWidget*>(map_), static_cast<QWidget*>(outline_),
                            static_cast<QWidget*>(colours_), static_cast<QWidget*>(scale_),
                            static_cast<QWidget*>(zoom_)})
        controls->addWidget(widget);
    return controls;
}

void PatternView::connectDocument() {
    connect(&document_, &Document::modelChanged, this, &PatternView::compute);
    connect(&document_.promptRunner(), &PromptRunner::resultChanged, this, &PatternView::compute);
    connect(&document_, &Document::selectionChanged, this, &PatternView::compute);
    connect(&document_, &Document::labelsChanged, this, &PatternView::showPattern);
    connect(&document_, &Document::maskChanged, this, &PatternView::showPattern);
    connect(&document_, &Document::promptChanged, this, &PatternView::showStale);
    connect(&document_.promptRunner(), &PromptRunner::errorChanged, this, &PatternView::showStale);
    connect(&document_, &Document::lockedRowChanged, this, [this] {
        heatmap_->lockRow(document_.lockedRow());
        showRow();
    });
}

void PatternView::compute() {
    const auto result = document_.promptRunner().result();
    if (!result) {
        worker_.cancel();
        shown_ = {};
        return showPattern();
    }
    const Shown asked{
        result, document_.selected(), {}, shown_.result == result ? shown_.norms : nullptr};
    worker_.start(
        [asked, map = map()](const Progress&, const std::stop_token& stop) {
            return read(asked, map, stop);
        },
        [this](const Result<Shown>& shown) { take(shown); });
}

Result<PatternView::Shown> PatternView::read(Shown asked, PatternMap map,
                                             const std::stop_token& stop) {
    const auto& run = asked.result->masked;
    if (map == PatternMap::ValueWeighted && !asked.norms) {
        HookSet hooks;
        addAblation(hooks, asked.result->mask, run->model->spec);
        auto norms = valueNorms(run->model, run->ids, hooks, stop);
        if (!norms)
            return norms.error();
        asked.norms = std::make_shared<const Tensor>(*std::move(norms));
    }
    asked.pattern = map == PatternMap::Attention ? attentionMap(run, asked.head)
                                                 : valueWeightedMap(run, asked.norms, asked.head);
    asked.pattern.cells->overview();
    return asked;
}

void PatternView::take(const Result<Shown>& shown) {
    shown_ = shown ? *shown : Shown();
    showPattern();
    if (!shown)
        heatmap_->setEmpty(toQString(shown.error().message));
}

QString PatternView::emptyText() const {
    const auto model = document_.model();
    if (!model)
        return tr("Open a model with Ctrl+O, or drop a file here.");
    return model->spec.cannot_run.empty()
               ? tr("The pattern appears here when the prompt has run.")
               : tr("This model is weights only: see View > Model Card.");
}

void PatternView::showPattern() {
    if (!shown_.pattern.cells) {
        cell_->clear();
        heatmap_->setEmpty(emptyText());
        return showStale();
    }
    const QString title =
        patternTitle(shown_.head, document_.headScorer().scores().get(), document_.thresholds(),
                     document_.mask(), shown_.pattern.map);
    HeatmapContent content = patternContent(*shown_.result, shown_.pattern, title);
    outline_->addTo(content, *shown_.result);
    heatmap_->setContent(std::move(content));
    showStale();
    showRow();
}

void PatternView::showStale() {
    const bool stale = shown_.result && !document_.promptRunner().error().isEmpty();
    stale_->setText(stale ? tr("Still showing the earlier prompt: “%1”")
                                .arg(QString::fromStdString(shown_.result->prompt.text))
                          : outline_->emptyText(heatmap_->content()));
    stale_->setVisible(!stale_->text().isEmpty());
}

void PatternView::showCell(std::size_t query, std::size_t key) {
    if (shown_.pattern.cells && query < shown_.pattern.cells->rows() &&
        key < shown_.pattern.cells->columns())
        cell_->setText(cellText(*shown_.result, shown_.pattern, query, key));
}

void PatternView::showRow() {
    const auto row = document_.lockedRow();
    cell_->setText(row && shown_.pattern.cells && *row < shown_.pattern.cells->rows()
                       ? rowText(*shown_.result, shown_.pattern, *row)
                       : tr("Point at a cell to read it, click to keep its row."));
}

ColourMap PatternView::colourMap() const {
    return static_cast<ColourMap>(colours_->currentData().toInt());
}

void PatternView::setColourMap(ColourMap map) {
    colours_->setCurrentIndex(qMax(0, colours_->findData(static_cast<int>(map))));
}

PatternMap PatternView::map() const {
    return static_cast<PatternMap>(map_->currentData().toInt());
}

void PatternView::setMap(PatternMap map) {
    map_->setCurrentIndex(map_->findData(static_cast<int>(map)));
}

bool PatternView::ownScale() const {
    return scale_->isChecked();
}

void PatternView::setOwnScale(bool own) {
    scale_->setChecked(own);
}

void PatternView::toggleOutline() {
    outline_->toggle();
}

bool PatternView::hasOutline() const {
    return outline_->type().has_value();
}

void PatternView::showAllHeads(bool all) {
    (all ? all_button_ : one_button_)->setChecked(true);
    pages_->setCurrentIndex(all ? 1 : 0);
    map_->setEnabled(!all);
    outline_->setEnabled(!all);
    scale_->setEnabled(!all);
    zoom_->setEnabled(!all);
    cell_->setVisible(!all);
}

bool PatternView::showsAllHeads() const {
    return all_button_->isChecked();
}

void PatternView::resetZoom() {
    heatmap_->resetZoom();
}

Result<void> PatternView::saveFigure(const QString& path) const {
    if (!shown_.pattern.cells)
        return Error{ErrorCode::InvalidArgument,
                     tr("There is no pattern to write yet; run a prompt first.").toStdString()};
    return heatmap_->saveFigure(path, kFigureSize);
}

void PatternView::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Left:
        return document_.moveSelection(0, -1);
    case Qt::Key_Right:
        return document_.moveSelection(0, 1);
    case Qt::Key_Up:
        return document_.moveSelection(-1, 0);
    case Qt::Key_Down:
        return document_.moveSelection(1, 0);
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace headscope::ui
