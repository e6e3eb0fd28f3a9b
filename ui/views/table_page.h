#pragma once

#include <QWidget>

class QAbstractItemModel;
class QLineEdit;
class QSortFilterProxyModel;
class QTableView;

namespace headscope::ui {

/// A table that can be searched, sorted and copied.
class TablePage : public QWidget {
    Q_OBJECT

public:
    /// Takes the table over.
    explicit TablePage(QAbstractItemModel* table, QWidget* parent = nullptr);

    QTableView* view() const { return view_; }

private:
    void copySelection() const;

    QSortFilterProxyModel* found_ = nullptr;
    QLineEdit* search_ = nullptr;
    QTableView* view_ = nullptr;
};

} // namespace headscope::ui
