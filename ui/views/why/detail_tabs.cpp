#include "ui/views/why/detail_tabs.h"

#include "core/interventions/token_dependence.h"
#include "ui/markup/markup.h"
#include "ui/tables/core_text.h"
#include "ui/tables/head_text.h"
#include "ui/tables/number_table.h"
#include "ui/views/pages/bar_delegate.h"
#include "ui/views/pages/copy_actions.h"
#include "ui/views/pages/table_pages.h"
#include "ui/widgets/cell_source.h"
#include "ui/widgets/colours.h"
#include "ui/widgets/heatmap.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/stale.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace headscope::ui {

namespace {

Repetition nothingMeasured() {
    return notRepeated(RemovalBar::tr("Nothing is measured without a part yet."));
}

} // namespace

RemovalBar::RemovalBar(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), repetition_(nothingMeasured()) {
    measure_ = new QPushButton(tr("&Measure Without It"), this);
    measure_->setObjectName(QStringLiteral("whyMeasure"));
    measure_->setToolTip(tr("Take the chosen part out of what this head reads, only there, and run "
                            "on: prediction beside measurement, and beside random directions"));
    measured_ = new TextLabel(this);
    measured_->setObjectName(QStringLiteral("whyMeasured"));
    measured_->setWordWrap(true);
    measured_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    copies_ = new CopyActions(
        this, [this] { return repetition_; }, CopyActions::Keys::None);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(measure_, 0, Qt::AlignTop);
    layout->addWidget(measured_, 1);
    copy_ = copies_->makeButton(this);
    copy_->hide(); // until something is measured: the page itself is copied by its own commands
    layout->addWidget(copy_, 0, Qt::AlignTop);
    connect(measure_, &QPushButton::clicked, this, &RemovalBar::measure);
    connect(&worker_, &JobRunner::busyChanged, this, &RemovalBar::showState);
    connect(copies_, &CopyActions::said, measured_, &QLabel::setText);
}

void RemovalBar::setReading(const WhyReading& reading) {
    reading_ = reading;
    setChoice(std::nullopt, std::nullopt, tr("Choose a part in a table to take it away."));
}

void RemovalBar::forget() {
    worker_.cancel();
    setChoice(std::nullopt, std::nullopt, measured_->text());
}

void RemovalBar::choose(const RemovalQuestion& part, const QString& text) {
    setChoice(part, std::nullopt, text);
}

void RemovalBar::chooseDirection(std::size_t rank, const QString& text) {
    setChoice(std::nullopt, rank, text);
}

void RemovalBar::chooseNothing(const QString& text) {
    setChoice(std::nullopt, std::nullopt, text);
}

void RemovalBar::setChoice(std::optional<RemovalQuestion> part, std::optional<std::size_t> rank,
                           const QString& text) {
    part_ = std::move(part);
    direction_ = rank;
    repetition_ = nothingMeasured();
    measured_->setText(text);
    showState();
}

void RemovalBar::showState() {
    measure_->setEnabled(!worker_.isBusy() && (part_ || direction_));
    copy_->setVisible(bool(repetition_));
    copies_->refresh();
}

void RemovalBar::measure() {
    if (!part_ && !direction_)
        return;
    repetition_ = nothingMeasured();
    measured_->setText(tr("Measuring …"));
    worker_.start(
        [run = reading_.run, cell = reading_.parts.question, part = part_,
         rank = direction_](const Progress&, const std::stop_token& stop) -> Result<PartRemoval> {
            const auto question =
                part ? Result<RemovalQuestion>(*part)
                     : directionRemoval(*run, cell, HeadSide::Key, rank.value_or(1));
            return question ? removePart(*run, *question, stop) : question.error();
        },
        [this, rank = direction_](const Result<PartRemoval>& removal) { take(removal, rank); });
}

void RemovalBar::take(const Result<PartRemoval>& removal, std::optional<std::size_t> rank) {
    if (!removal)
        return measured_->setText(toQString(removal.error().message));
    measured_->setText(removalText(reading_, *removal));
    repetition_ = repetitionOfRemoval(document_, reading_, removal->question, rank);
    showState();
    document_.history().add(tr("Measured without %1").arg(partName(removal->question.part)),
                            repetition_);
}

namespace {

constexpr int kBarWidth = 160;    ///< with room for bar and number
constexpr int kNarrowWidth = 128; ///< of several side by side

/// The columns that say what something adds or changes.
QList<int> barColumns(const Table& table) {
    QList<int> bars;
    int shown = 0;
    for (const Column& column : table.columns) {
        if (column.title.empty())
            continue;
        const bool is_of_method = std::ranges::any_of(tokenMethods(), [&](TokenMethod method) {
            return tokenMethodName(method) == column.key;
        });
        if (column.key == "value" || is_of_method)
            bars.append(shown);
        ++shown;
    }
    return bars;
}

} // namespace

QWidget* DetailTabs::contentOf(const Page& page) {
    if (page.view)
        return page.view;
    return page.picture;
}

DetailTabs::DetailTabs(QWidget* sides, QWidget* parent) : QTabWidget(parent) {
    setDocumentMode(true);
    addTab(sides, tr("Sides"));
    setTabToolTip(0, tr("What the key reads, and what the query reads"));
    addPage(WhyDetail::Pairs, "whyPairs", tr("Pairs"),
            tr("What the query reads times what the key reads"));
    addPage(WhyDetail::Directions, "whyDirections", tr("Directions"),
            tr("The score along the singular directions of the head"));
    addPage(WhyDetail::Dimensions, "whyDimensions", tr("Dimensions"),
            tr("The score by dimension of query and key"));
    addPage(WhyDetail::AllKeys, "whyAllKeys", tr("All keys"),
            tr("Query and key by dimension, for every key that the query sees"));
    addPage(WhyDetail::Tokens, "whyTokens", tr("Tokens"),
            tr("Which tokens of the prompt the attention depends on"));
    connect(this, &QTabWidget::currentChanged, this, &DetailTabs::read);
    connect(&worker_, &JobRunner::progressed, this, [this](double, const QString& stage) {
        const int page = currentIndex() - 1;
        if (page >= 0 && pages_[page].is_stale && !stage.isEmpty())
            pages_[page].heading->setText(tr("Reading … %1").arg(coreText(stage)));
    });
}

void DetailTabs::addPage(WhyDetail detail, const char* name, const QString& title,
                         const QString& tip) {
    auto* widget = new QWidget(this);
    Page page;
    page.detail = detail;
    page.heading = new TextLabel(widget);
    page.heading->setObjectName(QString::fromLatin1(name) + QStringLiteral("Heading"));
    page.heading->setWordWrap(true);
    auto* layout = new QVBoxLayout(widget);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->addWidget(page.heading);
    layout->addWidget(detail == WhyDetail::AllKeys ? makePicture(page, name, title, widget)
                                                   : makeTable(page, name, title, widget),
                      1);
    setTabToolTip(addTab(widget, title), asTip(tip));
    pages_.append(page);
}

QWidget* DetailTabs::makeTable(Page& page, const char* name, const QString& title,
                               QWidget* parent) {
    page.table = new NumberTable({}, parent);
    page.view = new TablePage(page.table, parent);
    page.view->setObjectName(QString::fromLatin1(name));
    page.view->layout()->setContentsMargins(0, 0, 0, 0);
    page.view->searchField()->hide();
    page.view->view()->verticalHeader()->hide();
    page.view->view()->horizontalHeader()->setStretchLastSection(false);
    page.view->view()->setAccessibleName(title);
    if (page.detail == WhyDetail::Directions) {
        page.view->view()->setSelectionMode(QAbstractItemView::SingleSelection);
        connect(page.view->view()->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
                [this](const QModelIndex& current) {
                    if (current.isValid())
                        emit directionChosen(static_cast<std::size_t>(
                            current.siblingAtColumn(0).data().toULongLong()));
                });
    }
    return page.view;
}

QWidget* DetailTabs::makePicture(Page& page, const char* name, const QString& title,
                                 QWidget* parent) {
    page.picture = new Heatmap(parent);
    page.picture->setObjectName(QString::fromLatin1(name));
    page.picture->setAccessibleName(title);
    page.picture->setRange(std::nullopt); // of the values, symmetric around 0
    connect(page.picture, &Heatmap::cellHovered, this,
            [this, heading = page.heading, picture = page.picture](std::size_t row,
                                                                   std::size_t dimension) {
                const QString key = picture->content().row_labels[static_cast<qsizetype>(row)];
                heading->setText(dimensionText(key, *all_keys_.dimensions, row, dimension));
            });
    connect(page.picture, &Heatmap::hoverLeft, this,
            [this, heading = page.heading] { heading->setText(all_keys_.heading); });
    return page.picture;
}

void DetailTabs::setReading(const WhyReading& reading) {
    reading_ = reading;
    worker_.cancel();
    for (Page& page : pages_) {
        page.is_stale = true;
        setStale(contentOf(page), true);
    }
    read();
}

bool DetailTabs::isReading() const {
    const int page = currentIndex() - 1;
    return worker_.isBusy() || (page >= 0 && pages_[page].is_stale);
}

std::optional<WhyDetail> DetailTabs::shown() const {
    const int page = currentIndex() - 1;
    return page >= 0 ? std::optional(pages_[page].detail) : std::nullopt;
}

void DetailTabs::showEvent(QShowEvent* event) {
    QTabWidget::showEvent(event);
    read();
}

void DetailTabs::read() {
    const int index = currentIndex() - 1;
    if (index < 0 || !isVisible() || !reading_.result || !pages_[index].is_stale)
        return worker_.cancel();
    pages_[index].heading->setText(tr("Reading …"));
    worker_.start(
        [detail = pages_[index].detail, reading = reading_](const Progress& progress,
                                                            const std::stop_token& stop) {
            return readWhyDetail(detail, reading, progress, stop);
        },
        [this, index](const Result<WhyDetailTable>& found) { take(pages_[index], found); });
}

void DetailTabs::take(Page& page, const Result<WhyDetailTable>& found) {
    page.is_stale = false;
    setStale(contentOf(page), false);
    page.heading->setText(found ? found->heading : toQString(found.error().message));
    if (page.view)
        return showTable(page, found ? found->table : Table());
    all_keys_ = found ? *found : WhyDetailTable();
    showPicture(page);
}

void DetailTabs::showTable(const Page& page, const Table& table) {
    page.table->setTable(shownColumns(table.columns), shownRows(table));
    QTableView* view = page.view->view();
    view->resizeColumnsToContents();
    const QList<int> bars = barColumns(table);
    for (const int column : bars) {
        if (!qobject_cast<BarDelegate*>(view->itemDelegateForColumn(column)))
            view->setItemDelegateForColumn(column, new BarDelegate(page.view));
        view->setColumnWidth(column, bars.size() > 1 ? kNarrowWidth : kBarWidth);
    }
}

void DetailTabs::showPicture(const Page& page) {
    if (!all_keys_.dimensions)
        return page.picture->setEmpty(QString());
    const DoubleMatrix& parts = all_keys_.dimensions->parts;
    Tensor cells({parts.rows, parts.cols});
    std::ranges::transform(parts.values, cells.data(),
                           [](double part) { return static_cast<float>(part); });
    HeatmapContent content;
    content.cells = std::make_shared<MatrixCells>(std::move(cells));
    for (std::size_t row = 0; row < parts.rows; ++row)
        content.row_labels << positionName(*reading_.result,
                                           all_keys_.dimensions->positions.begin + row);
    for (std::size_t dimension = 0; dimension < parts.cols; ++dimension)
        content.column_labels << QString::number(dimension);
    content.row_axis = tr("key");
    content.column_axis = tr("dimension");
    content.value_name = tr("adds");
    page.picture->setColourMap(divergingOn(palette().color(QPalette::Base)));
    page.picture->setContent(std::move(content));
}

} // namespace headscope::ui
