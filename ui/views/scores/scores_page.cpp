#include "ui/views/scores/scores_page.h"

#include "ui/tables/head_text.h"
#include "ui/tables/score_table.h"
#include "ui/views/grid/missing_scores.h"
#include "ui/views/grid/type_controls.h"

#include <QCheckBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QStyledItemDelegate>
#include <QTableView>

namespace headscope::ui {
namespace {

constexpr int kHeadWidth = 70;
constexpr int kTypesWidth = 210;
constexpr int kScoreWidth = 84;
constexpr float kScoreTint = 0.35f; ///< weak enough for the numbers on it in light and dark

/// Scores that make a label are bold, on the colour of the type.
class ScoreDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        const QVariant label = index.data(ScoreTable::LabelRole);
        if (!label.isValid())
            return;
        option->font.setBold(true);
        QColor tint = typeColourOf(static_cast<HeadTypeId>(label.toInt()));
        tint.setAlphaF(kScoreTint);
        option->backgroundBrush = tint;
    }
};

} // namespace

ScoresPage::ScoresPage(Document& document, QWidget* parent)
    : ScoresPage(document, new ScoreFilter(new ScoreTable), parent) {}

ScoresPage::ScoresPage(Document& document, ScoreFilter* found, QWidget* parent)
    : TablePage(found, parent), document_(document), found_(found), table_(found->table()) {
    setObjectName(QStringLiteral("scoresTable"));
    setUpColumns();
    addLabelledOnly();
    connect(view()->horizontalHeader(), &QHeaderView::sortIndicatorChanged, view(),
            &QTableView::scrollToTop);
    // A click makes a row current before it selects it, a key after.
    connect(view()->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &ScoresPage::selectCurrentHead);
    connect(view()->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &ScoresPage::selectCurrentHead);
    connect(searchField(), &QLineEdit::textChanged, this, &ScoresPage::showSelection);
    connect(found_, &QAbstractItemModel::modelReset, this, &ScoresPage::setWidths);
    connect(&document_, &Document::modelChanged, this, &ScoresPage::showScores);
    connect(&document_, &Document::labelsChanged, this, &ScoresPage::showScores);
    connect(&document_.selection(), &Selection::headChanged, this, &ScoresPage::showSelection);
    showScores();
}

void ScoresPage::setUpColumns() {
    view()->setAccessibleName(tr("Scores of all heads"));
    view()->setItemDelegate(new ScoreDelegate(view()));
    view()->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    QHeaderView* header = view()->horizontalHeader();
    header->setStretchLastSection(false);
    header->setHighlightSections(false);
    header->setDefaultSectionSize(kScoreWidth);
    header->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter |
                                static_cast<Qt::Alignment>(Qt::TextWordWrap));
    header->setFixedHeight(2 * fontMetrics().height() + 10);
    searchField()->setPlaceholderText(tr("Find heads: 4.1, L4, induction"));
    searchField()->setToolTip(
        tr("Words that all hold: a head (4.1), a layer (L4), a head in every layer (H1), or part "
           "of the name of a type"));
}

void ScoresPage::setWidths() {
    view()->setColumnWidth(ScoreTable::HeadColumn, kHeadWidth);
    view()->setColumnWidth(ScoreTable::TypesColumn, kTypesWidth);
}

void ScoresPage::addLabelledOnly() {
    auto* labelled = new QCheckBox(tr("&Labelled heads only"), this);
    labelled->setObjectName(QStringLiteral("labelledOnly"));
    labelled->setToolTip(tr("Leaves out heads that have no type"));
    addControl(labelled);
    connect(labelled, &QCheckBox::toggled, this, [this](bool only) {
        found_->setLabelledOnly(only);
        showWhatIsMissing();
        showSelection();
    });
}

void ScoresPage::showScores() {
    table_.setScores(document_.headScorer().scores(), document_.thresholds());
    showWhatIsMissing();
    showSelection();
}

void ScoresPage::showWhatIsMissing() {
    const QString missing = missingScoresText(document_);
    setEmptyText(!missing.isEmpty() ? missing
                                    : tr("No head fits. A head is written 4.1 or L4 H1, a layer "
                                         "L4, a type by its name."));
}

void ScoresPage::showSelection() {
    const int row = table_.rowOf(document_.selection().head());
    const QModelIndex head =
        row < 0 ? QModelIndex() : found_->mapFromSource(table_.index(row, ScoreTable::HeadColumn));
    QItemSelectionModel* selection = view()->selectionModel();
    if (!head.isValid())
        return selection->clear();
    if (selection->isRowSelected(head.row(), {}))
        return;
    selection->setCurrentIndex(head,
                               QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    view()->scrollTo(head);
}

void ScoresPage::selectCurrentHead() {
    // Where a filter takes the current row away, the next one becomes current but not selected.
    const QModelIndex row = view()->currentIndex();
    if (!row.isValid() || !view()->selectionModel()->isRowSelected(row.row(), {}))
        return;
    const LayerHead head = table_.headAt(found_->mapToSource(row).row());
    if (head != document_.selection().head())
        document_.selection().select(head);
}

} // namespace headscope::ui
