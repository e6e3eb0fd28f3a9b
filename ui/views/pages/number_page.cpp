#include "ui/views/pages/number_page.h"

#include "ui/views/scores/bar_delegate.h"

#include <QEvent>
#include <QLayout>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QTableView>

#include <utility>

namespace headscope::ui {
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
    sortedRows(view())->setSortRole(NumberTable::kSortRole);
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
