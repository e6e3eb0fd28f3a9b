#pragma once

#include "ui/tables/number_table.h"
#include "ui/views/pages/table_page.h"

namespace headscope::ui {

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
