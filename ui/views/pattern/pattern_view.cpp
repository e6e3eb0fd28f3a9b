#include "ui/views/pattern/pattern_view.h"

#include "ui/tables/core_text.h"
#include "ui/tables/head_text.h"
#include "ui/views/inside/inside_page.h"
#include "ui/views/maps/pattern_content.h"
#include "ui/views/pattern/all_heads_view.h"
#include "ui/views/pattern/outline_box.h"
#include "ui/views/tokens/token_page.h"
#include "ui/views/why/why_page.h"
#include "ui/widgets/heatmap.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/stale.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QImage>
#include <QKeyEvent>
#include <QMenu>
#include <QScopedValueRollback>
#include <QStackedWidget>
#include <QTemporaryDir>
#include <QVBoxLayout>

#include <utility>

namespace headscope::ui {
namespace {

/// Whether a difference can be nothing but 0.
bool isOfOneRun(const PatternSource& source) {
    return source.other && source.other->full->model == source.result->full->model &&
           source.other->prompt.ids == source.result->prompt.ids &&
           source.other->mask == source.result->mask;
}

} // namespace

PatternView::PatternView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document) {
    stale_ = new TextLabel(this);
    stale_->setObjectName(QStringLiteral("staleLabel"));
    stale_->setWordWrap(true);
    stale_->setForegroundRole(QPalette::PlaceholderText);
    cell_ = new TextLabel(this);
    cell_->setObjectName(QStringLiteral("cellLabel"));
    cell_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    controls_ = new PatternControls(document_, this);
    makePages();

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(controls_->pageSwitch());
    layout->addWidget(stale_);
    layout->addWidget(pages_, 1);
    layout->addWidget(cell_);
    layout->addWidget(controls_);
    connectControls();
    connectDocument();
    showPattern();
}

void PatternView::makePages() {
    heatmap_ = new Heatmap(this);
    heatmap_->setObjectName(QStringLiteral("heatmap"));
    heatmap_->setAccessibleName(tr("Attention pattern"));
    all_heads_ = new AllHeadsView(document_, this);
    pages_ = new QStackedWidget(this);
    pages_->addWidget(heatmap_);
    tokens_ = new TokenPage(document_, this);
    pages_->addWidget(all_heads_);
    pages_->addWidget(tokens_);
    why_ = new WhyPage(document_, this);
    pages_->addWidget(why_);
    connect(why_, &WhyPage::shownChanged, this, &PatternView::whyChanged);
    inside_ = new InsidePage(document_, this);
    pages_->addWidget(inside_);
    connect(inside_, &InsidePage::keyChosen, why_, &WhyPage::explainCell);
    connect(heatmap_, &Heatmap::cellHovered, this, &PatternView::showCell);
    connect(heatmap_, &Heatmap::hoverLeft, this, &PatternView::showRow);
    connect(heatmap_, &Heatmap::cellClicked, why_, &WhyPage::explainCell);
    connect(heatmap_, &Heatmap::rowLocked, this, [this](std::optional<std::size_t> row) {
        if (!is_showing_) // else other rows came, of which the document may have locked one
            document_.selection().lockRow(row);
    });
    connect(all_heads_, &AllHeadsView::activated, this, [this] { showPage(PatternPage::Heatmap); });
}

void PatternView::showPage(PatternPage page) {
    controls_->showPage(page);
    emit pageAsked();
}

void PatternView::connectControls() {
    connect(controls_, &PatternControls::settingsChanged, this, [this] {
        compute();
        all_heads_->setSettings(settings());
        tokens_->setSettings(settings());
        emit settingsChanged();
    });
    connect(controls_, &PatternControls::outlineChanged, this, &PatternView::showPattern);
    connect(controls_, &PatternControls::outlineChanged, this, &PatternView::settingsChanged);
    connect(controls_, &PatternControls::pageChanged, this, &PatternView::turnPage);
    connect(controls_, &PatternControls::pageChanged, this, &PatternView::settingsChanged);
    connect(controls_, &PatternControls::directionChanged, this, [this] {
        tokens_->setDirection(controls_->direction());
        emit settingsChanged();
    });
    connect(controls_, &PatternControls::zoomResetRequested, this, &PatternView::resetZoom);
    connect(all_heads_, &AllHeadsView::firstKeyChanged, this, &PatternView::showFirstKey);
    connect(tokens_, &TokenPage::firstKeyChanged, this, &PatternView::showFirstKey);
}

void PatternView::connectDocument() {
    connect(&document_, &Document::modelChanged, this, &PatternView::compute);
    connect(&document_, &Document::shownChanged, this, &PatternView::compute);
    connect(&document_.selection(), &Selection::headChanged, this, &PatternView::compute);
    connect(&document_, &Document::labelsChanged, this, &PatternView::showPattern);
    connect(&document_, &Document::promptChanged, this, &PatternView::showStale);
    connect(&document_.promptRunner(), &PromptRunner::errorChanged, this, &PatternView::showStale);
    connect(&document_.promptRunner(), &PromptRunner::currentChanged, this, [this] {
        running_ = tr("Running the prompt …");
        showStale();
    });
    connect(document_.promptRunner().worker(), &JobRunner::progressed, this,
            [this](double, const QString& stage) {
                if (document_.promptRunner().isCurrent())
                    return;
                running_ = tr("Running the prompt: %1").arg(coreText(stage));
                showStale();
            });
    connect(&document_.selection(), &Selection::lockedRowChanged, this, [this] {
        heatmap_->lockRow(document_.selection().lockedRow());
        showRow();
    });
}

void PatternView::compute() {
    const PatternSource& source = document_.shown();
    if (!source.result) {
        worker_.cancel();
        shown_ = {};
        return showPattern();
    }
    worker_.start(
        [asked = Shown{source, document_.selection().head(), {}, shown_.maps},
         settings = settings()](const Progress&, const std::stop_token& stop) {
            return read(asked, settings, stop);
        },
        [this](const Result<Shown>& shown) { take(shown); });
}

Result<PatternView::Shown> PatternView::read(Shown asked, const PatternSettings& settings,
                                             const std::stop_token& stop) {
    auto maps = PatternMaps::read(asked.source, settings.map, asked.maps, stop);
    if (!maps)
        return maps.error();
    asked.maps = *std::move(maps);
    asked.pattern = asked.maps.of(asked.head);
    showPastFirstKey(asked.pattern, settings);
    asked.pattern.shown->overview();
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
    if (document_.comparison().side() != Side::A && document_.promptRunner().result())
        return tr("The pattern appears here when B has run.");
    return model->spec.cannot_run.empty()
               ? tr("The pattern appears here when the prompt has run.")
               : tr("This model is weights only: see View > Model Card.");
}

void PatternView::turnPage() {
    if (showsTokens())
        tokens_->turnTo(page() == PatternPage::Text ? TokenPage::Kind::Text
                                                    : TokenPage::Kind::Lines);
    const bool is_heatmap = page() == PatternPage::Heatmap;
    QWidget* all_pages[] = {heatmap_, all_heads_, tokens_,
                            tokens_,  why_,       inside_}; // by PatternPage
    pages_->setCurrentWidget(all_pages[static_cast<std::size_t>(page())]);
    cell_->setVisible(is_heatmap);
    controls_->setVisible(!isOfOneQuery());
    showFirstKey();
    showStale();
}

bool PatternView::showsTokens() const {
    return page() == PatternPage::Text || page() == PatternPage::Lines;
}

/// What has controls of its own in place of those of maps.
bool PatternView::isOfOneQuery() const {
    return page() == PatternPage::Why || page() == PatternPage::Inside;
}

ValueScale PatternView::scale() const {
    return valueScale(settings(), shown_.pattern.hidesFirstKey(), shown_.pattern.first_key_share);
}

void PatternView::showColours() {
    const bool difference = shown_.pattern.isDifference();
    heatmap_->setColourMap(difference ? ColourMap::Diverging : settings().colours);
    heatmap_->setScale(scale());
    heatmap_->setRange(difference || settings().own_scale ? std::nullopt
                                                          : std::optional(std::pair{0.0, 1.0}));
}

void PatternView::showPattern() {
    showFirstKey();
    showColours();
    if (!shown_.pattern.cells) {
        cell_->clear();
        heatmap_->setEmpty(emptyText());
        tokens_->setEmptyText(emptyText());
        why_->setEmptyText(emptyText());
        inside_->setEmptyText(emptyText());
        return showStale();
    }
    const QString title =
        patternTitle(shown_.source, shown_.head, document_.scoresOf(shown_.source).get(),
                     document_.thresholds(), shown_.pattern.map);
    HeatmapContent content = patternContent(shown_.source, shown_.pattern, title);
    content.note += scaleNote(scale());
    controls_->outline().addTo(content, *shown_.source.result);
    if (document_.loadOptions().flip_square_matrices)
        content.note += QStringLiteral(" · ") + tr("square matrices transposed");
    {
        const QScopedValueRollback showing(is_showing_, true);
        heatmap_->setContent(std::move(content));
        heatmap_->lockRow(document_.selection().lockedRow());
    }
    showStale();
    showRow();
}

void PatternView::showFirstKey() {
    if (showsTokens())
        controls_->showFirstKey(tokens_->hidesFirstKey(), tokens_->firstKeyShare());
    else if (page() == PatternPage::AllHeads)
        controls_->showFirstKey(all_heads_->hidesFirstKey(), all_heads_->firstKeyShare());
    else
        controls_->showFirstKey(shown_.pattern.hidesFirstKey(), shown_.pattern.first_key_share);
}

QString PatternView::notice() const {
    if (shown_.source.result && !document_.promptRunner().error().isEmpty())
        return tr("Still showing the earlier prompt: “%1”")
            .arg(promptExcerpt(*shown_.source.result));
    if (settings().map == PatternMap::Difference && document_.model() &&
        document_.ablation().mask().empty())
        return tr("No head is ablated, so nothing differs from the whole model.");
    if (isOfOneRun(shown_.source))
        return tr("A and B are the same: change the prompt, the heads or the model of B.");
    if (isOfOneQuery() && document_.shown().other)
        return tr("This page explains A, and not the difference: show B to explain that.");
    return page() == PatternPage::Heatmap ? controls_->outline().emptyText(heatmap_->content())
                                          : QString();
}

void PatternView::showStale() {
    stale_->setText(notice());
    stale_->setVisible(!stale_->text().isEmpty());
    // What it has been told of a new run it reads first.
    const PromptRunner& runner = document_.promptRunner();
    const bool is_behind = !runner.isCurrent() || (isStale(pages_) && worker_.isBusy());
    setStale(pages_, shown_.source.result && is_behind,
             runner.error().isEmpty() ? running_ : QString());
}

void PatternView::showCell(std::size_t query, std::size_t key) {
    if (shown_.pattern.cells && query < shown_.pattern.cells->rows() &&
        key < shown_.pattern.cells->columns())
        cell_->setText(cellText(shown_.source, shown_.pattern, query, key));
}

void PatternView::showRow() {
    const auto row = document_.selection().lockedRow();
    cell_->setText(row && shown_.pattern.cells && *row < shown_.pattern.cells->rows()
                       ? rowText(*shown_.source.result, shown_.pattern, *row)
                       : tr("Point at a cell to read it, click to keep its row."));
}

void PatternView::resetZoom() {
    heatmap_->resetZoom();
}

ShownView PatternView::shownView() const {
    return {settings().map, page(), page() == PatternPage::Why ? why_->shownReading() : nullptr,
            page() == PatternPage::Inside ? inside_->shownReading() : nullptr};
}

std::optional<WhyDetail> PatternView::whyDetail() const {
    return why_->detail();
}

Result<void> PatternView::saveFigure(const QString& path) const {
    if (!shown_.pattern.cells)
        return Error{ErrorCode::InvalidArgument,
                     tr("There is no pattern to write yet; run a prompt first.").toStdString()};
    if (page() == PatternPage::Why)
        return why_->saveFigure(path);
    if (page() == PatternPage::Inside)
        return inside_->saveFigure(path);
    return showsTokens() ? tokens_->saveFigure(path) : heatmap_->saveFigure(path, kFigureSize);
}

Result<void> PatternView::copyFigure() const {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("figure.png"));
    if (auto saved = saveFigure(path); !saved)
        return saved;
    QApplication::clipboard()->setImage(QImage(path));
    return {};
}

void PatternView::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.setObjectName(QStringLiteral("patternMenu"));
    menu.addActions(actions());
    if (page() == PatternPage::Heatmap) {
        addRowAction(menu);
        addWhyAction(menu);
    }
    menu.exec(event->globalPos());
}

void PatternView::addRowAction(QMenu& menu) {
    const auto locked = heatmap_->lockedRow();
    const auto cell = heatmap_->hoveredCell();
    if (!cell && !locked)
        return;
    const bool unlocks = !cell || cell->row == locked;
    menu.addSeparator();
    menu.addAction(unlocks ? tr("Un&lock the Row") : tr("&Lock This Row"), this,
                   [this, cell, unlocks] {
                       document_.selection().lockRow(unlocks ? std::nullopt
                                                             : std::optional(cell->row));
                   })
        ->setObjectName(QStringLiteral("lockPatternRow"));
}

void PatternView::addWhyAction(QMenu& menu) {
    const auto cell = heatmap_->hoveredCell();
    if (!cell)
        return;
    menu.addAction(tr("&Why It Looks There"), this,
                   [this, query = cell->row, key = cell->column] {
                       document_.selection().lockRow(query);
                       why_->explainCell(query, key);
                       showPage(PatternPage::Why);
                   })
        ->setObjectName(QStringLiteral("whyPatternCell"));
}

void PatternView::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Left:
        return document_.selection().move(0, -1);
    case Qt::Key_Right:
        return document_.selection().move(0, 1);
    case Qt::Key_Up:
        return document_.selection().move(-1, 0);
    case Qt::Key_Down:
        return document_.selection().move(1, 0);
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace headscope::ui
