#pragma once

#include "core/pruning/orders.h"

#include <QString>
#include <QWidget>

#include <cstdint>
#include <map>
#include <vector>

class QCheckBox;
class QGridLayout;
class QPushButton;
class QSpinBox;

namespace headscope::ui {

class Dialogs;

/// The orders in which heads may go, any number of them.
class OrdersPanel : public QWidget {
    Q_OBJECT

public:
    explicit OrdersPanel(Dialogs& dialogs, QWidget* parent = nullptr);

    /// Those that are ticked. Fails when none is, and for an own list that this network does not
    /// understand.
    Result<std::vector<OrderSpec>> orders(const ModelSpec& spec, std::uint64_t seed) const;
    QString listFile() const { return list_file_; }

signals:
    /// A list could not be read.
    void failed(const QString& message);

private:
    void addOrder(QGridLayout& grid, OrderKind kind);
    QWidget* explanation(OrderKind kind);
    void chooseList();
    bool isTicked(OrderKind kind) const;

    Dialogs& dialogs_;
    std::map<OrderKind, QCheckBox*> boxes_;
    QSpinBox* random_ = nullptr;
    QPushButton* list_ = nullptr;
    QString list_file_;
    std::string list_text_;
};

} // namespace headscope::ui
