#pragma once

#include "core/base/table.h"

#include <QAbstractTableModel>
#include <QList>
#include <QSortFilterProxyModel>
#include <QString>
#include <QVariant>

#include <span>

namespace headscope::ui {

/// A table of texts and numbers. Numbers sort as such, also inside texts.
class NumberTable : public QAbstractTableModel {
    Q_OBJECT

public:
    struct Column {
        QString name;
        QString tip = {};
        int decimals = 4;      ///< of its numbers
        double full_bar = 0.0; ///< the magnitude of a whole bar; 0: the largest in the column
        bool grouped = false;  ///< whole numbers are written as "5,898,240"
    };
    using Row = QList<QVariant>; ///< QString, double or qlonglong, as many as there are columns

    /// The number, −∞ for one that is not defined, or the text with its numbers of equal length.
    static constexpr int kSortRole = Qt::UserRole;
    /// The share of a whole bar that a number fills, −1..1.
    static constexpr int kBarRole = Qt::UserRole + 1;

    explicit NumberTable(QList<Column> columns, QObject* parent = nullptr);

    void setRows(QList<Row> rows);
    /// Other columns, with their rows.
    void setTable(QList<Column> columns, QList<Row> rows);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    QString text(const QModelIndex& index) const;
    QVariant bar(const QModelIndex& index) const;

    QList<Column> columns_;
    QList<Row> rows_;
    QList<double> full_bars_; ///< by column
};

/// The rows of a table that a user asked for, in the order of a column.
class TableFilter : public QSortFilterProxyModel {
    Q_OBJECT

public:
    /// Takes the table over.
    explicit TableFilter(QAbstractItemModel* table, QObject* parent = nullptr);

    /// Keeps the rows with `text` in some column.
    virtual void search(const QString& text);
};

/// The same number with a true minus sign, in place of a hyphen.
QString withMinus(QString number);

/// "0.1235", "−0.0412", and "–" for NaN.
QString numberText(double value, int decimals);

// What of a core table is shown on screen, for NumberTable.

QList<NumberTable::Column> shownColumns(std::span<const Column> columns);
/// Numbers as such, so that they sort and have bars; everything else as its text.
QList<NumberTable::Row> shownRows(const Table& table);

} // namespace headscope::ui
