#pragma once

#include "ui/widgets/accessible/painted_cells.h"

#include <QAccessibleWidget>
#include <QHash>

#include <utility>

namespace headscope::ui {

/// PaintedCells as QAccessible asks for them. There may be millions: each is made when it is asked
/// for, and lives until there are others. May outlive the PaintedCells, and is then without cells.
class AccessibleCells : public QAccessibleWidget, public QAccessibleTableInterface {
public:
    explicit AccessibleCells(QWidget* widget) : QAccessibleWidget(widget) {}

    void forgetCells();
    QAccessibleInterface* currentCell() const;
    int indexOf(GridCell cell) const;

    QAccessible::Role role() const override;
    QString text(QAccessible::Text text) const override;
    void* interface_cast(QAccessible::InterfaceType type) override;
    int childCount() const override;
    QAccessibleInterface* child(int index) const override;
    int indexOfChild(const QAccessibleInterface* child) const override;
    QAccessibleInterface* childAt(int x, int y) const override;
    QAccessibleInterface* focusChild() const override;

    QAccessibleInterface* caption() const override { return nullptr; }
    QAccessibleInterface* summary() const override { return nullptr; }
    QAccessibleInterface* cellAt(int row, int column) const override;
    int rowCount() const override;
    int columnCount() const override;
    QString rowDescription(int row) const override;
    QString columnDescription(int column) const override;
    int selectedCellCount() const override;
    QList<QAccessibleInterface*> selectedCells() const override;
    int selectedRowCount() const override { return static_cast<int>(selectedRows().size()); }
    int selectedColumnCount() const override { return static_cast<int>(selectedColumns().size()); }
    QList<int> selectedRows() const override;
    QList<int> selectedColumns() const override;
    bool isRowSelected(int row) const override;
    bool isColumnSelected(int column) const override;
    bool selectRow(int) override { return false; }
    bool selectColumn(int) override { return false; }
    bool unselectRow(int) override { return false; }
    bool unselectColumn(int) override { return false; }
    void modelChange(QAccessibleTableModelChangeEvent*) override {}

protected:
    ~AccessibleCells() override;

private:
    const PaintedCells* painted() const;

    mutable QHash<std::pair<int, int>, QAccessible::Id> made_; ///< cells by row and column
};

} // namespace headscope::ui
