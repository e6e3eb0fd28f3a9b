#include "ui/views/pages/table_pages.h"

#include "core/export/table_files.h"
#include "ui/tables/head_text.h"
#include "ui/tables/number_table.h"
#include "ui/views/pages/bar_delegate.h"
#include "ui/widgets/labels.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLayout>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace headscope::ui {

TablePage::TablePage(NumberTable* table, QWidget* parent)
    : TablePage(new TableFilter(table), parent) {
    rows_->setSortRole(NumberTable::kSortRole);
}

TablePage::TablePage(TableFilter* rows, QWidget* parent) : QWidget(parent), rows_(rows) {
    rows_->setParent(this);
    search_ = new QLineEdit(this);
    search_->setObjectName(QStringLiteral("tableSearch"));
    search_->setPlaceholderText(tr("Search"));
    search_->setAccessibleName(tr("Search in the table"));
    search_->setClearButtonEnabled(true);
    makeView();
    addCopyAction();
    controls_ = new QHBoxLayout;
    controls_->addWidget(search_, 1);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(controls_);
    layout->addWidget(view_);

    connect(search_, &QLineEdit::textChanged, rows_, &TableFilter::search);
    for (const auto change : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(rows_, change, this, &TablePage::showEmptyText);
    connect(rows_, &QAbstractItemModel::modelReset, this, &TablePage::showEmptyText);
    setEmptyText(tr("Nothing is found."));
    view_->resizeColumnsToContents();
}

void TablePage::makeView() {
    view_ = new QTableView(this);
    view_->setObjectName(QStringLiteral("tableView"));
    view_->setModel(rows_);
    view_->setSelectionBehavior(QAbstractItemView::SelectRows);
    view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view_->setAlternatingRowColors(true);
    view_->setShowGrid(false);
    view_->setWordWrap(false);
    view_->verticalHeader()->hide();
    view_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    view_->horizontalHeader()->setStretchLastSection(true);
    view_->setSortingEnabled(true);
    view_->sortByColumn(-1, Qt::AscendingOrder);
    empty_ = new TextLabel(view_->viewport());
    empty_->setObjectName(QStringLiteral("tableEmpty"));
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setWordWrap(true);
    empty_->setMargin(24);
    empty_->setForegroundRole(QPalette::PlaceholderText);
    auto* over_rows = new QVBoxLayout(view_->viewport());
    over_rows->addWidget(empty_);
}

void TablePage::addCopyAction() {
    auto* copy = new QAction(tr("&Copy Rows"), this);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    view_->addAction(copy);
    view_->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(copy, &QAction::triggered, this, &TablePage::copySelection);
}

void TablePage::addControl(QWidget* control) {
    controls_->addWidget(control);
}

void TablePage::setEmptyText(const QString& text) {
    empty_->setText(text);
    showEmptyText();
}

void TablePage::showEmptyText() {
    empty_->setVisible(rows_->rowCount() == 0);
}

void TablePage::copySelection() const {
    QModelIndexList rows = view_->selectionModel()->selectedRows();
    if (rows.isEmpty())
        return;
    std::sort(rows.begin(), rows.end());
    const auto line = [this](auto text_of) {
        std::vector<std::string> cells;
        for (int column = 0; column < rows_->columnCount(); ++column)
            cells.push_back(text_of(column).toString().toStdString());
        return toQString(tabRow(std::move(cells)));
    };
    QStringList lines{
        line([this](int column) { return rows_->headerData(column, Qt::Horizontal); })};
    for (const QModelIndex& row : rows)
        lines << line([&row](int column) { return row.siblingAtColumn(column).data(); });
    QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

namespace {

QSortFilterProxyModel* sortedRows(const QTableView* view) {
    return qobject_cast<QSortFilterProxyModel*>(view->model());
}

} // namespace

NumberPage::NumberPage(const QList<NumberTable::Column>& columns, int bar_column, QWidget* parent)
    : NumberPage(new NumberTable(columns), bar_column, parent) {}

NumberPage::NumberPage(NumberTable* table, int bar_column, QWidget* parent)
    : TablePage(table, parent), table_(table) {
    layout()->setContentsMargins(0, 0, 0, 0);
    view()->setItemDelegateForColumn(bar_column, new BarDelegate(this));
    view()->setSelectionMode(QAbstractItemView::SingleSelection);
    view()->setTabKeyNavigation(false);
    view()->setMouseTracking(true);
    view()->viewport()->installEventFilter(this);
    connect(view(), &QTableView::entered, this, [this](const QModelIndex& index) {
        emit rowPointedAt(sortedRows(view())->mapToSource(index).row());
    });
    // Typing in the search moves the current row too, which chooses nothing.
    connect(view()->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, search = findChild<QLineEdit*>()](const QModelIndex& current) {
                if (!showing_ && current.isValid() && !search->hasFocus())
                    emit rowChosen(sortedRows(view())->mapToSource(current).row());
            });
}

bool NumberPage::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Leave)
        emit rowPointedAt(-1);
    return TablePage::eventFilter(watched, event);
}

void NumberPage::setRows(QList<NumberTable::Row> rows) {
    const QScopedValueRollback showing(showing_, true);
    table_->setRows(std::move(rows));
    view()->resizeColumnsToContents();
}

void NumberPage::showCurrent(int row) {
    const QScopedValueRollback showing(showing_, true);
    const QModelIndex index = sortedRows(view())->mapFromSource(table_->index(row, 0));
    if (index.isValid())
        view()->setCurrentIndex(index);
    else
        view()->clearSelection();
}

} // namespace headscope::ui
