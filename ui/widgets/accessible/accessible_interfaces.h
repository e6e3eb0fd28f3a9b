#pragma once

#include "ui/widgets/accessible/painted.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QHash>
#include <QPointer>
#include <QWidget>

#include <utility>

namespace headscope::ui {

/// One of the PaintedCells, or no longer: then it is not valid, and says nothing.
class AccessibleCell : public QAccessibleInterface,
                       public QAccessibleTableCellInterface,
                       public QAccessibleActionInterface {
public:
    AccessibleCell(QWidget& widget, GridCell place) : widget_(&widget), place_(place) {}

    const QWidget* widget() const { return widget_; }
    GridCell place() const { return place_; }

    bool isValid() const override { return cells() != nullptr; }
    QObject* object() const override { return nullptr; }
    QWindow* window() const override;
    QAccessibleInterface* parent() const override;
    QAccessibleInterface* child(int) const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QString text(QAccessible::Text text) const override;
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override;
    QAccessible::Role role() const override;
    QAccessible::State state() const override;
    void* interface_cast(QAccessible::InterfaceType type) override;

    bool isSelected() const override;
    QList<QAccessibleInterface*> columnHeaderCells() const override { return {}; }
    QList<QAccessibleInterface*> rowHeaderCells() const override { return {}; }
    int columnIndex() const override { return place_.column; }
    int rowIndex() const override { return place_.row; }
    int columnExtent() const override { return 1; }
    int rowExtent() const override { return 1; }
    QAccessibleInterface* table() const override { return parent(); }

    QStringList actionNames() const override;
    void doAction(const QString& name) override;
    QStringList keyBindingsForAction(const QString&) const override { return {}; }

private:
    /// None once the widget has no such cell.
    PaintedCells* cells() const;

    QPointer<QWidget> widget_;
    GridCell place_;
};

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

/// A PaintedValue as QAccessible asks for it. May outlive it, and is then without value.
class AccessibleValue : public QAccessibleWidget, public QAccessibleValueInterface {
public:
    explicit AccessibleValue(QWidget* widget) : QAccessibleWidget(widget) {}

    QAccessible::Role role() const override;
    QAccessible::State state() const override;
    QString text(QAccessible::Text text) const override;
    void* interface_cast(QAccessible::InterfaceType type) override;

    QVariant currentValue() const override;
    void setCurrentValue(const QVariant& value) override;
    QVariant minimumValue() const override { return 0.0; }
    QVariant maximumValue() const override { return 1.0; }
    QVariant minimumStepSize() const override;

private:
    PaintedValue* painted() const;
    bool canBeMoved() const;
};

/// From now on QAccessible knows the widgets that are PaintedCells, PaintedValue or PaintedChart.
void installPaintedFactory();

} // namespace headscope::ui
