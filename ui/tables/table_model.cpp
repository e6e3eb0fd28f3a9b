#include "ui/tables/table_model.h"

#include "ui/tables/head_text.h"

#include <utility>

namespace headscope::ui {

TableModel::TableModel(QStringList header, QObject* parent)
    : QAbstractTableModel(parent), header_(std::move(header)) {}

void TableModel::setRows(QList<QStringList> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
}

void TableModel::setNumericColumns(QList<int> columns) {
    numeric_columns_ = std::move(columns);
}

int TableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int TableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(header_.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const QString& cell = rows_.at(index.row()).at(index.column());
    if (role == Qt::DisplayRole)
        return cell;
    if (role == Qt::ToolTipRole)
        return plainTip(cell);
    if (role == Qt::TextAlignmentRole && numeric_columns_.contains(index.column()))
        return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    return {};
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= header_.size())
        return {};
    if (role == Qt::DisplayRole)
        return header_.at(section);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(numeric_columns_.contains(section)
                                       ? Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter)
                                       : Qt::Alignment(Qt::AlignLeft | Qt::AlignVCenter));
    return {};
}

TableFilter::TableFilter(QAbstractItemModel* table, QObject* parent)
    : QSortFilterProxyModel(parent) {
    table->setParent(this);
    setSourceModel(table);
    setFilterKeyColumn(-1);
    setFilterCaseSensitivity(Qt::CaseInsensitive);
}

void TableFilter::search(const QString& text) {
    setFilterFixedString(text);
}

} // namespace headscope::ui
