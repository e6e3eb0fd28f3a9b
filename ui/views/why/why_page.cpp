#include "ui/views/why/why_page.h"

#include "ui/document/repetition.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"
#include "ui/views/pages/table_pages.h"
#include "ui/views/why/detail_tabs.h"
#include "ui/views/why/why_choices.h"
#include "ui/views/why/why_content.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/stale.h"
#include "ui/widgets/trace_graph.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QScrollArea>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace headscope::ui {
namespace {

constexpr int kAddsColumn = 1;
constexpr int kShareColumn = 2;
constexpr int kNameWidth = 80;
constexpr int kShareWidth = 56;
constexpr int kAddsWidth = 152; ///< with room for bar and number

} // namespace

WhyPage::WhyPage(Document& document, QWidget* parent) : QWidget(parent), document_(document) {
    makeChoices();
    makeViews();
    layOut();
    connectDocument();
    showMessage(QString());
}

void WhyPage::makeChoices() {
    choices_ = new WhyChoices(this);
    connect(choices_, &WhyChoices::changed, this, &WhyPage::askOfThisCell);
    connect(choices_, &WhyChoices::queryChosen, &document_.selection(), &Selection::lockRow);
    connect(choices_, &WhyChoices::keyChosen, this, [this] {
        followed_.clear();
        ask();
    });
}

WhyPage::SideView WhyPage::sideView(HeadSide side, const char* name) {
    SideView view;
    view.side = side;
    view.heading = new TextLabel(this);
    view.table = new NumberPage(sideColumns(side), kAddsColumn, this);
    view.table->setObjectName(QString::fromLatin1(name));
    view.table->searchField()->hide();
    view.table->view()->verticalHeader()->hide();
    view.table->view()->horizontalHeader()->setMinimumSectionSize(kShareWidth);
    view.table->view()->horizontalHeader()->setStretchLastSection(true);
    view.table->view()->setAccessibleName(side == HeadSide::Key
                                              ? tr("What the key reads, strongest first")
                                              : tr("What the query reads, strongest first"));
    return view;
}

void WhyPage::makeViews() {
    sentence_ = new MarkupLabel(this);
    sentence_->setObjectName(QStringLiteral("whySentence"));
    sentence_->setWordWrap(true);
    sentence_->setToolTip(
        tr("Shares of each side add up to 100 %; what speaks against the key has a "
           "negative one, so that others may be above 100 %."));
    sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    key_side_ = sideView(HeadSide::Key, "whyKeyParts");
    query_side_ = sideView(HeadSide::Query, "whyQueryParts");
    for (const SideView* side : {&key_side_, &query_side_}) {
        connect(side->table, &NumberPage::rowChosen, this,
                [this, side](int row) { choosePart(*side, row); });
        connect(side->table, &NumberPage::rowPointedAt, this,
                [this, side](int row) { lightHead(partAt(*side, row)); });
    }
    graph_ = new TraceGraph(this);
    graph_->setObjectName(QStringLiteral("whyGraph"));
    graph_->setAccessibleName(tr("Where it came from"));
    connect(graph_, &TraceGraph::nodeClicked, this, &WhyPage::follow);
    connect(graph_, &TraceGraph::nodeActivated, this, &WhyPage::explain);
    connect(graph_, &TraceGraph::nodePointedAt, this, [this](int node) {
        const auto& nodes = reading_.trace.nodes;
        const auto index = static_cast<std::size_t>(node);
        lightHead(node >= 0 && index < nodes.size() ? std::optional(nodes[index].place->writer)
                                                    : std::nullopt);
    });
    removal_ = new RemovalBar(document_, this);
}

void WhyPage::layOut() {
    auto* tables = new QWidget(this);
    auto* sides = new QHBoxLayout(tables);
    sides->setContentsMargins(0, 6, 0, 0);
    for (const SideView* side : {&key_side_, &query_side_}) {
        auto* column = new QVBoxLayout;
        column->addWidget(side->heading);
        column->addWidget(side->table, 1);
        sides->addLayout(column, 1);
    }
    details_ = new DetailTabs(tables, this);
    details_->setObjectName(QStringLiteral("whyDetails"));
    connect(details_, &DetailTabs::directionChosen, this, &WhyPage::chooseDirection);
    connect(details_, &QTabWidget::currentChanged, this, &WhyPage::shownChanged);
    auto* graph = new QScrollArea(this);
    graph->setWidget(graph_);
    graph->setWidgetResizable(true);
    graph->setFrameShape(QFrame::StyledPanel);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->setObjectName(QStringLiteral("whySplitter"));
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(graph);
    splitter->addWidget(details_);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);

    content_ = new QWidget(this);
    auto* inner = new QVBoxLayout(content_);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->addWidget(splitter, 1);
    inner->addWidget(removal_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(choices_);
    layout->addWidget(sentence_);
    layout->addWidget(content_, 1);
    layout->addStretch(0);
}

void WhyPage::connectDocument() {
    const auto askAnew = [this] {
        forgetCell();
        ask();
    };
    connect(&document_, &Document::modelChanged, this, askAnew);
    connect(&document_, &Document::shownChanged, this, askAnew);
    connect(&document_.selection(), &Selection::headChanged, this, askAnew);
    connect(&document_.selection(), &Selection::lockedRowChanged, this, askAnew);
}

void WhyPage::forgetCell() {
    choices_->forgetCell();
    followed_.clear();
}

void WhyPage::explainCell(std::size_t asked_query, std::size_t key) {
    if (!document_.shown().result || asked_query != query())
        return;
    choices_->askKey(key);
    followed_.clear();
    ask();
}

/// The cell that is shown, in another way.
void WhyPage::askOfThisCell() {
    if (reading_.result && !isReading())
        choices_->askKey(reading_.parts.question.key);
    ask();
}

void WhyPage::setEmptyText(const QString& text) {
    empty_text_ = text;
    if (!reading_.result)
        showMessage(empty_text_);
}

void WhyPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    read();
}

void WhyPage::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    document_.selection().pointAt(std::nullopt);
}

void WhyPage::ask() {
    is_stale_ = true;
    removal_->forget();
    read();
}

/// The locked row, else the position that predicts.
std::size_t WhyPage::query() const {
    const RunResult& result = *document_.shown().result;
    const std::size_t last = result.prompt.ids.size() - 1;
    return std::min(document_.selection().lockedRow().value_or(result.predicted_at.value_or(last)),
                    last);
}

void WhyPage::read() {
    const auto& result = document_.shown().result;
    if (!result) {
        worker_.cancel();
        reading_ = {};
        return showMessage(empty_text_);
    }
    if (!isVisible() || !is_stale_)
        return;
    is_stale_ = false;
    setStale(content_, true);
    const WhyQuestion question{result,
                               document_.selection().head(),
                               query(),
                               choices_->askedKey(),
                               choices_->contrast(),
                               choices_->askedOther(),
                               choices_->leastShare(),
                               followed_};
    worker_.start(
        [question, known = reading_](const Progress&, const std::stop_token& stop) {
            return readWhy(question, known, stop);
        },
        [this](const Result<WhyReading>& reading) { take(reading); });
}

void WhyPage::take(const Result<WhyReading>& reading) {
    setStale(content_, false);
    reading_ = reading ? *reading : WhyReading();
    if (reading)
        showReading();
    else
        showMessage(toQString(reading.error().message));
    if (reading)
        document_.history().add(
            tr("Why %1 looks there").arg(headName(document_.selection().head())),
            repetitionOfTrace(document_, reading_));
    emit shownChanged();
}

void WhyPage::showReading() {
    sentence_->setMarkup(whyMarkup(reading_));
    for (const SideView* side : {&key_side_, &query_side_}) {
        side->heading->setText(sideHeading(reading_, side->side));
        side->table->setRows(sideRows(reading_, side->side));
        side->table->view()->setColumnWidth(0, kNameWidth);
        side->table->view()->setColumnWidth(kAddsColumn, kAddsWidth);
        side->table->view()->setColumnWidth(kShareColumn, kShareWidth);
        side->table->showCurrent(-1);
    }
    graph_->setContent(traceContent(reading_));
    picturer_.start(
        [reading = reading_](const Progress&, const std::stop_token& stop) {
            return tracedPatterns(reading, stop);
        },
        [this](const std::map<LayerHead, Tensor>& patterns) {
            graph_->setPictures(tracePictures(reading_, patterns));
        });
    details_->setReading(reading_);
    removal_->setReading(reading_);
    content_->show();
    choices_->showReading(reading_);
}

void WhyPage::showMessage(const QString& message) {
    sentence_->setMarkup(Markup(message));
    content_->hide();
    picturer_.cancel();
    graph_->setContent({});
    choices_->showReading(reading_);
}

/// None for the row of the distance, and for −1.
std::optional<StreamWriter> WhyPage::partAt(const SideView& side, int row) const {
    const std::vector<WriterPart> parts = reading_.parts.ranked(side.side);
    const auto index = static_cast<std::size_t>(row);
    return row >= 0 && index < parts.size() ? std::optional(parts[index].writer) : std::nullopt;
}

/// In the grid.
void WhyPage::lightHead(const std::optional<StreamWriter>& writer) {
    const bool is_head = writer && writer->kind == WriterKind::Head;
    document_.selection().pointAt(is_head ? std::optional(writer->of) : std::nullopt);
}

void WhyPage::choosePart(const SideView& side, int row) {
    const std::optional<StreamWriter> writer = partAt(side, row);
    (side.side == HeadSide::Key ? query_side_ : key_side_).table->showCurrent(-1);
    const bool can_go = writer && writer->kind != WriterKind::Biases;
    if (!can_go)
        return removal_->chooseNothing(tr("Biases and distances are part of the head itself; "
                                          "choose something that was written before it."));
    const ScoreQuestion& cell = reading_.parts.question;
    removal_->choose(
        {cell.head, cell.query, cell.key, side.side, *writer},
        tr("Measure what this cell becomes without %1 on this side.").arg(writerName(*writer)));
}

void WhyPage::chooseDirection(std::size_t rank) {
    for (const SideView* side : {&key_side_, &query_side_})
        side->table->showCurrent(-1);
    removal_->chooseDirection(rank, tr("Measure what this cell becomes without what the key holds "
                                       "along direction %1.")
                                        .arg(rank));
}

void WhyPage::follow(int node) {
    const TraceNode& clicked = reading_.trace.nodes[static_cast<std::size_t>(node)];
    if (clicked.followed || clicked.place->writer.kind != WriterKind::Head)
        return;
    followed_.push_back(*clicked.place);
    askOfThisCell();
}

/// Goes to a head of the graph, at the token at which it wrote.
void WhyPage::explain(int node) {
    const TraceNode clicked = reading_.trace.nodes[static_cast<std::size_t>(node)];
    if (clicked.place->writer.kind != WriterKind::Head)
        return;
    document_.selection().lockRow(clicked.place->position);
    document_.selection().select(clicked.place->writer.of);
}

std::shared_ptr<const WhyReading> WhyPage::shownReading() const {
    return reading_.result && !isReading() ? std::make_shared<const WhyReading>(reading_) : nullptr;
}

std::optional<WhyDetail> WhyPage::detail() const {
    return details_->shown();
}

Result<void> WhyPage::saveFigure(const QString& path) const {
    if (!reading_.result || isReading())
        return Error{ErrorCode::InvalidArgument,
                     tr("The head is being read; try again in a moment.").toStdString()};
    return graph_->saveFigure(path);
}

} // namespace headscope::ui
