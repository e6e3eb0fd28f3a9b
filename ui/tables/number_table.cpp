#include "ui/tables/number_table.h"

#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>

namespace headscope::ui {

namespace {

bool isCount(const QVariant& cell) {
    return cell.typeId() == QMetaType::LongLong;
}

bool isNumber(const QVariant& cell) {
    return cell.typeId() == QMetaType::Double || isCount(cell);
}

QVariant alignmentOf(const QVariant& cell) {
    return QVariant::fromValue(Qt::Alignment(isNumber(cell) ? Qt::AlignRight : Qt::AlignLeft) |
                               Qt::AlignVCenter);
}

/// Sorts "L2 H1" before "L10 H0".
QString sortKey(const QString& text) {
    constexpr int kDigits = 9;
    QString key;
    QString digits;
    for (const QChar letter : text + QChar()) {
        if (letter.isDigit()) {
            digits += letter;
            continue;
        }
        if (!digits.isEmpty())
            key += std::exchange(digits, QString()).rightJustified(kDigits, QLatin1Char('0'));
        key += letter;
    }
    return key;
}

} // namespace

QString withMinus(QString number) {
    return number.replace(QLatin1Char('-'), QChar(0x2212));
}

QString numberText(double value, int decimals) {
    if (std::isnan(value))
        return QStringLiteral("–");
    return withMinus(QString::number(value, 'f', decimals));
}

NumberTable::NumberTable(QList<Column> columns, QObject* parent)
    : QAbstractTableModel(parent), columns_(std::move(columns)) {}

void NumberTable::setTable(QList<Column> columns, QList<Row> rows) {
    beginResetModel();
    columns_ = std::move(columns);
    rows_.clear();
    endResetModel();
    setRows(std::move(rows));
}

void NumberTable::setRows(QList<Row> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    full_bars_.clear();
    for (qsizetype i = 0; i < columns_.size(); ++i) {
        double full = columns_[i].full_bar;
        for (const Row& row : std::as_const(rows_))
            if (columns_[i].full_bar == 0.0 && isNumber(row[i]))
                full = std::fmax(full, std::fabs(row[i].toDouble()));
        full_bars_.append(full);
    }
    endResetModel();
}

int NumberTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int NumberTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QString NumberTable::text(const QModelIndex& index) const {
    const QVariant& cell = rows_[index.row()][index.column()];
    if (!isNumber(cell))
        return cell.toString();
    const Column& column = columns_[index.column()];
    if (isCount(cell) && column.grouped)
        return groupedText(cell.toULongLong());
    return numberText(cell.toDouble(), isCount(cell) ? 0 : column.decimals);
}

QVariant NumberTable::bar(const QModelIndex& index) const {
    const QVariant& cell = rows_[index.row()][index.column()];
    const double full = full_bars_[index.column()];
    if (!isNumber(cell) || std::isnan(cell.toDouble()) || full == 0.0)
        return {};
    return std::clamp(cell.toDouble() / full, -1.0, 1.0);
}

QVariant NumberTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const QVariant& cell = rows_[index.row()][index.column()];
    switch (role) {
    case Qt::DisplayRole:
        return text(index);
    case Qt::ToolTipRole:
        return asTip(text(index));
    case Qt::TextAlignmentRole:
        return alignmentOf(cell);
    case kSortRole:
        if (!isNumber(cell))
            return sortKey(cell.toString());
        return std::isnan(cell.toDouble()) ? -std::numeric_limits<double>::infinity()
                                           : cell.toDouble();
    case kBarRole:
        return bar(index);
    default:
        return {};
    }
}

QVariant NumberTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columns_.size())
        return {};
    if (role == Qt::DisplayRole)
        return columns_[section].name;
    if (role == Qt::ToolTipRole)
        return asTip(columns_[section].tip);
    if (role == Qt::TextAlignmentRole && !rows_.isEmpty())
        return alignmentOf(rows_.front()[section]);
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

namespace {

QVariant shownCell(const Value& value, int decimals) {
    if (const auto* real = std::get_if<double>(&value.held))
        return *real;
    if (const auto* real = std::get_if<float>(&value.held))
        return static_cast<double>(*real);
    if (const auto* count = std::get_if<std::int64_t>(&value.held))
        return static_cast<qlonglong>(*count);
    return toQString(shownText(value, decimals));
}

} // namespace

QList<NumberTable::Column> shownColumns(std::span<const Column> columns) {
    QList<NumberTable::Column> shown;
    for (const Column& column : columns)
        if (!column.title.empty())
            shown.append(
                {toQString(headingText(column)), toQString(column.meaning), column.decimals});
    return shown;
}

QList<NumberTable::Row> shownRows(const Table& table) {
    QList<NumberTable::Row> rows;
    for (const TableRow& row : table.rows) {
        NumberTable::Row shown;
        for (std::size_t i = 0; i < row.size(); ++i)
            if (!table.columns[i].title.empty())
                shown.append(shownCell(row[i], table.columns[i].decimals));
        rows.append(std::move(shown));
    }
    return rows;
}

} // namespace headscope::ui
