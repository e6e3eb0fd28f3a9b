#pragma once

#include "ui/widgets/accessible/painted_cells.h"

#include <QAccessible>
#include <QPointer>
#include <QWidget>

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

} // namespace headscope::ui
