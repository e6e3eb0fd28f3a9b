#pragma once

#include "ui/tables/number_table.h"

#include <QString>
#include <QWidget>

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QTableView;

namespace headscope::ui {

/// A table that can be searched, sorted and copied.
class TablePage : public QWidget {
    Q_OBJECT

public:
    /// Takes the table over.
    explicit TablePage(NumberTable* table, QWidget* parent = nullptr);
    /// Takes the filter over, with its table.
    explicit TablePage(TableFilter* rows, QWidget* parent = nullptr);

    QTableView* view() const { return view_; }
    QLineEdit* searchField() const { return search_; }

    /// Puts a control beside the search field.
    void addControl(QWidget* control);
    /// Shown in the place of the rows while there are none.
    void setEmptyText(const QString& text);
    /// Puts the selected rows on the clipboard, columns parted by tabs, under a line of their
    /// names.
    void copySelection() const;

private:
    void makeView();
    void addCopyAction();
    void showEmptyText();

    TableFilter* rows_;
    QLineEdit* search_ = nullptr;
    QHBoxLayout* controls_ = nullptr;
    QTableView* view_ = nullptr;
    QLabel* empty_ = nullptr;
};

/// A table of numbers with bars, of which a row can be chosen with mouse or keys.
class NumberPage : public TablePage {
    Q_OBJECT

public:
    /// `bar_column` is drawn with bars.
    NumberPage(const QList<NumberTable::Column>& columns, int bar_column,
               QWidget* parent = nullptr);

    void setRows(QList<NumberTable::Row> rows);
    /// Makes this row of setRows() the current one, without rowChosen(); −1: none.
    void showCurrent(int row);

signals:
    /// The user made this row of setRows() the current one.
    void rowChosen(int row);
    /// The pointer is on this row of setRows(); −1: on none.
    void rowPointedAt(int row);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    NumberPage(NumberTable* table, int bar_column, QWidget* parent);

    NumberTable* table_ = nullptr;
    bool showing_ = false; ///< the current row changes without the user
};

} // namespace headscope::ui
