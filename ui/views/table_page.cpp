#include "ui/views/table_page.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::ui {

TablePage::TablePage(QAbstractItemModel* table, QWidget* parent) : QWidget(parent) {
    table->setParent(this);
    found_ = new QSortFilterProxyModel(this);
    found_->setSourceModel(table);
    found_->setFilterKeyColumn(-1);
    found_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    search_ = new QLineEdit(this);
    search_->setObjectName(QStringLiteral("tableSearch"));
    search_->setPlaceholderText(tr("Search"));
    search_->setAccessibleName(tr("Search in the table"));
    search_->setClearButtonEnabled(true);
    view_ = new QTableView(this);
    view_->setObjectName(QStringLiteral("tableView"));
    view_->setModel(found_);
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

    auto* copy = new QAction(tr("&Copy Rows"), this);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    view_->addAction(copy);
    view_->setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(search_);
    layout->addWidget(view_);

    connect(search_, &QLineEdit::textChanged, found_, &QSortFilterProxyModel::setFilterFixedString);
    connect(copy, &QAction::triggered, this, &TablePage::copySelection);
    view_->resizeColumnsToContents();
}

void TablePage::copySelection() const {
    QModelIndexList rows = view_->selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end());
    QStringList lines;
    for (const QModelIndex& row : rows) {
        QStringList texts;
        for (int column = 0; column < found_->columnCount(); ++column)
            texts << row.siblingAtColumn(column).data().toString();
        lines << texts.join(QLatin1Char('\t'));
    }
    if (!lines.isEmpty())
        QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

} // namespace headscope::ui
