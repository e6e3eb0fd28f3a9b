#pragma once

#include <QAbstractTableModel>
#include <QList>
#include <QSortFilterProxyModel>
#include <QString>
#include <QStringList>

namespace headscope::ui {

/// A table of texts that is filled once and then read, searched and copied.
class TableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    explicit TableModel(QStringList header, QObject* parent = nullptr);

    /// Every row has as many texts as the header.
    void setRows(QList<QStringList> rows);
    /// Columns whose texts are numbers and sit on the right.
    void setNumericColumns(QList<int> columns);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    QStringList header_;
    QList<QStringList> rows_;
    QList<int> numeric_columns_;
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

} // namespace headscope::ui
