#pragma once

#include "core/pruning/pruning_curve.h"
#include "ui/document/pruning_bench.h"

#include <QWidget>

class QPushButton;
class QSpinBox;

namespace headscope::ui {

class Dialogs;
class Document;
class OrdersPanel;
class TextsPanel;
class WayPanel;

/// Everything that is asked before the curves are measured, and the button that begins.
class SetupPanel : public QWidget {
    Q_OBJECT

public:
    SetupPanel(Document& document, PruningBench& bench, Dialogs& dialogs,
               QWidget* parent = nullptr);

    const TextsPanel& texts() const { return *texts_; }
    const OrdersPanel& orders() const { return *orders_; }

signals:
    /// Why nothing can be measured as it is asked.
    void refused(const QString& message);

private:
    void makeControls();
    QWidget* makeContent(Document& document, Dialogs& dialogs);
    void measure();
    void showState();

    PruningBench& bench_;
    TextsPanel* texts_ = nullptr;
    OrdersPanel* orders_ = nullptr;
    WayPanel* way_ = nullptr;
    QSpinBox* points_ = nullptr;
    QPushButton* measure_ = nullptr;
};

} // namespace headscope::ui
