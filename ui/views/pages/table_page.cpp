#include "ui/views/pages/table_page.h"

#include "ui/tables/table_filter.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::ui {

TablePage::TablePage(QAbstractItemModel* table, QWidget* parent)
    : TablePage(new TableFilter(table), parent) {}

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
    empty_ = new QLabel(view_->viewport());
    empty_->setTextFormat(Qt::PlainText);
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
        QStringList texts;
        for (int column = 0; column < rows_->columnCount(); ++column)
            texts << text_of(column).toString();
        return texts.join(QLatin1Char('\t'));
    };
    QStringList lines{
        line([this](int column) { return rows_->headerData(column, Qt::Horizontal); })};
    for (const QModelIndex& row : rows)
        lines << line([&row](int column) { return row.siblingAtColumn(column).data(); });
    QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

} // namespace headscope::ui
