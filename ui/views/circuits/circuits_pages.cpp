#include "ui/views/circuits/circuits_pages.h"

#include "ui/document/circuit_reading.h"
#include "ui/tables/head_text.h"
#include "ui/views/pages/dialog_parts.h"
#include "ui/views/pages/table_pages.h"
#include "ui/widgets/cell_source.h"
#include "ui/widgets/complex_plane.h"
#include "ui/widgets/head_graph.h"
#include "ui/widgets/heatmap.h"
#include "ui/widgets/labels.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>
#include <utility>

namespace headscope::ui {

namespace {

constexpr int kFirstEdges = 20;
constexpr int kMostEdges = 500;
constexpr int kAboveColumn = 3;

QPoint gridPoint(LayerHead head) {
    return {static_cast<int>(head.head), static_cast<int>(head.layer)};
}

} // namespace

CompositionPage::CompositionPage(QWidget* parent) : QWidget(parent) {
    makeControls();
    matrix_ = new Heatmap(this);
    matrix_->setObjectName(QStringLiteral("compositionMatrix"));
    matrix_->setAccessibleName(tr("Composition of all pairs of heads"));
    matrix_->setColourMap(ColourMap::Diverging);
    matrix_->setRange(std::nullopt);
    graph_ = new HeadGraph(this);
    graph_->setObjectName(QStringLiteral("compositionGraph"));
    graph_->setAccessibleName(tr("Strongest connections of heads"));
    list_ = new NumberPage(edgeColumns(), kAboveColumn, this);
    list_->setObjectName(QStringLiteral("compositionList"));
    list_->view()->setAccessibleName(tr("Strongest connections of heads"));
    pair_ = new TextLabel(this);
    pair_->setObjectName(QStringLiteral("compositionPair"));
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(layOutControls());
    layout->addWidget(layOutViews(), 1);
    layout->addWidget(pair_);
    connect(matrix_, &Heatmap::cellHovered, this,
            [this](std::size_t from, std::size_t to) { pair_->setText(pairText(from, to)); });
    connect(matrix_, &Heatmap::hoverLeft, this, [this] { pair_->setText(chosen_); });
    connect(matrix_, &Heatmap::cellClicked, this,
            [this](std::size_t from, std::size_t to) { choosePair(headAt(from), headAt(to)); });
    connect(graph_, &HeadGraph::edgeClicked, this, &CompositionPage::chooseEdge);
    connect(list_, &NumberPage::rowChosen, this, &CompositionPage::chooseEdge);
}

void CompositionPage::makeControls() {
    kind_ = new QComboBox(this);
    kind_->setObjectName(QStringLiteral("compositionKind"));
    kind_->setToolTip(
        tr("Which input of the later head is compared: its queries (Q), keys (K) or values (V)"));
    for (const CompositionKind kind : kCompositionKinds)
        kind_->addItem(compositionName(kind), static_cast<int>(kind));
    kind_->setCurrentIndex(static_cast<int>(CompositionKind::K));
    count_ = new QSpinBox(this);
    count_->setObjectName(QStringLiteral("compositionCount"));
    count_->setToolTip(tr("How many connections are drawn and listed"));
    count_->setRange(1, kMostEdges);
    count_->setValue(kFirstEdges);
    offset_ = new QSpinBox(this);
    offset_->setObjectName(QStringLiteral("compositionOffset"));
    offset_->setToolTip(tr("Query position minus key position: with rotary positions what a query "
                           "finds in a key depends on it"));
    offset_->setValue(1);
    offset_->setKeyboardTracking(false);
    connect(kind_, &QComboBox::currentIndexChanged, this, &CompositionPage::showKind);
    connect(count_, &QSpinBox::valueChanged, this, &CompositionPage::showKind);
    connect(offset_, &QSpinBox::valueChanged, this, &CompositionPage::offsetChanged);
}

QLayout* CompositionPage::layOutControls() {
    auto* row = new QHBoxLayout;
    addField(row, tr("&Kind"), kind_);
    addField(row, tr("&Strongest"), count_);
    offset_label_ = addField(row, tr("&Offset"), offset_);
    row->addStretch(1);
    return row;
}

QWidget* CompositionPage::layOutViews() {
    auto* right = new QSplitter(Qt::Vertical, this);
    right->addWidget(graph_);
    right->addWidget(list_);
    right->setStretchFactor(0, 3);
    right->setStretchFactor(1, 2);
    auto* views = new QSplitter(Qt::Horizontal, this);
    views->addWidget(matrix_);
    views->addWidget(right);
    views->setStretchFactor(0, 1);
    views->setStretchFactor(1, 1);
    for (QSplitter* splitter : {right, views})
        splitter->setChildrenCollapsible(false);
    return views;
}

Offset CompositionPage::offset() const {
    return offset_->value();
}

void CompositionPage::setContext(std::size_t positions) {
    const QSignalBlocker blocker(offset_);
    const int last =
        static_cast<int>(std::min<std::size_t>(positions, std::numeric_limits<int>::max())) - 1;
    offset_->setRange(0, std::max(0, last));
    offset_->setValue(1);
    offset_->setVisible(positions > 0);
    offset_label_->setVisible(positions > 0);
}

CompositionKind CompositionPage::kind() const {
    return static_cast<CompositionKind>(kind_->currentData().toInt());
}

std::size_t CompositionPage::edges() const {
    return static_cast<std::size_t>(count_->value());
}

LayerHead CompositionPage::headAt(std::size_t index) const {
    return reading_->composition->heads.at(index);
}

void CompositionPage::showReading(std::shared_ptr<const CircuitReading> reading) {
    reading_ = std::move(reading);
    showKind();
}

void CompositionPage::showHeads(const QVector<MosaicCell>& heads) {
    heads_ = heads;
    if (reading_ && reading_->composition)
        showNodes();
}

void CompositionPage::showMessage(const QString& message) {
    reading_.reset();
    edges_.clear();
    chosen_.clear();
    pair_->clear();
    matrix_->setEmpty(message);
    graph_->setGrid(0, 0);
    list_->setEmptyText(message);
    list_->setRows({});
}

void CompositionPage::showKind() {
    if (!reading_)
        return;
    if (!reading_->composition)
        return showMessage(toQString(reading_->composition.error().message));
    if (reading_->composition->heads.layers() < 2)
        return showMessage(tr("This model has one layer, so no head reads what another writes."));
    showMatrix(*reading_->composition);
    showEdges(*reading_->composition);
    chosen_ = tr("Point at a cell to read it; a click on a cell or a line selects the later head.");
    pair_->setText(chosen_);
}

void CompositionPage::showMatrix(const CompositionScores& scores) {
    HeatmapContent content;
    content.cells = std::make_shared<MatrixCells>(scoresAboveRandom(scores, kind()));
    for (const LayerHead head : scores.heads)
        content.row_labels << headName(head);
    content.column_labels = content.row_labels;
    content.title =
        tr("%1 above baseline (%2)").arg(compositionName(kind()), numberText(scores.baseline, 3));
    content.row_axis = tr("from");
    content.column_axis = tr("to");
    content.value_name = tr("above baseline");
    matrix_->setContent(std::move(content));
    matrix_->lockRow(std::nullopt);
}

void CompositionPage::showEdges(const CompositionScores& scores) {
    edges_ = strongestEdges(scores, edges(), kind());
    QList<NumberTable::Row> rows;
    QList<HeadGraph::Edge> lines;
    for (const CompositionEdge& edge : edges_) {
        rows.append(edgeRow(edge));
        lines.append({gridPoint(edge.from), gridPoint(edge.to), edge.above_baseline,
                      edgeText(scores, edge.kind, edge.from, edge.to)});
    }
    list_->setEmptyText(tr("Nothing is found."));
    list_->setRows(std::move(rows));
    graph_->setGrid(static_cast<int>(scores.heads.layers()),
                    static_cast<int>(scores.heads.heads(0)));
    graph_->setEdges(std::move(lines));
    showNodes();
}

void CompositionPage::showNodes() {
    QList<HeadGraph::Node> nodes;
    for (const MosaicCell& head : std::as_const(heads_))
        nodes.append({head.letters, head.colour, head.tooltip});
    if (static_cast<std::size_t>(nodes.size()) == reading_->composition->heads.size())
        graph_->setNodes(std::move(nodes));
}

void CompositionPage::chooseEdge(int edge) {
    const CompositionEdge& chosen = edges_[static_cast<std::size_t>(edge)];
    choosePair(chosen.from, chosen.to);
}

void CompositionPage::choosePair(LayerHead from, LayerHead to) {
    const auto found = std::ranges::find_if(
        edges_, [&](const CompositionEdge& edge) { return edge.from == from && edge.to == to; });
    const int edge = found == edges_.end() ? -1 : static_cast<int>(found - edges_.begin());
    graph_->setCurrent(edge);
    list_->showCurrent(edge);
    chosen_ = edgeText(*reading_->composition, kind(), from, to);
    pair_->setText(chosen_);
    if (from.layer < to.layer)
        emit headChosen(to);
}

QString CompositionPage::pairText(std::size_t from, std::size_t to) const {
    return reading_ ? edgeText(*reading_->composition, kind(), headAt(from), headAt(to))
                    : QString();
}

namespace {

constexpr int kCopyingColumn = 1;

} // namespace

CopyingPage::CopyingPage(QWidget* parent) : QWidget(parent) {
    table_ = new NumberPage(copyingColumns(), kCopyingColumn, this);
    table_->setObjectName(QStringLiteral("copyingTable"));
    table_->view()->setAccessibleName(tr("Copying score of each head, highest first"));
    name_ = new TextLabel(this);
    name_->setObjectName(QStringLiteral("copyingHead"));
    name_->setWordWrap(true);
    plane_ = new ComplexPlane(this);
    plane_->setObjectName(QStringLiteral("copyingPlane"));
    plane_->setAccessibleName(tr("Eigenvalues of the selected head"));
    plane_->setToolTip(tr("The eigenvalues of W_E W_V W_O W_U: those on the right raise what they "
                          "read, those on the left lower it"));
    auto* right = new QVBoxLayout;
    right->addWidget(name_);
    right->addWidget(plane_, 1);
    auto* layout = new QHBoxLayout(this);
    layout->addWidget(table_, 1);
    layout->addLayout(right, 1);
    connect(table_, &NumberPage::rowChosen, this,
            [this](int row) { emit headChosen(heads_[static_cast<std::size_t>(row)].head); });
}

void CopyingPage::showCopying(const Result<std::vector<HeadCopying>>& copying) {
    if (!copying)
        return showMessage(toQString(copying.error().message));
    heads_ = strongestCopying(*copying);
    QList<NumberTable::Row> rows;
    for (const HeadCopying& head : heads_)
        rows.append(copyingRow(head));
    table_->setRows(std::move(rows));
    table_->show();
    plane_->show();
    showHead(head_);
}

void CopyingPage::showHead(LayerHead head) {
    head_ = head;
    const auto found = std::ranges::find(heads_, head, &HeadCopying::head);
    if (found == heads_.end())
        return;
    table_->showCurrent(static_cast<int>(found - heads_.begin()));
    name_->setText(tr("%1: %2 eigenvalues, score %3")
                       .arg(headName(head))
                       .arg(found->eigenvalues.size())
                       .arg(numberText(found->score, 3)));
    plane_->setNumbers(found->eigenvalues);
}

void CopyingPage::showMessage(const QString& message) {
    heads_.clear();
    table_->setRows({});
    table_->hide();
    plane_->hide();
    name_->setText(message);
}

} // namespace headscope::ui
