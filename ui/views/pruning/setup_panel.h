#pragma once

#include "ui/document/pruning_bench.h"
#include "ui/document/pruning_command.h"

#include <QWidget>

#include <optional>

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

    /// What was last measured, without its model; nothing where a text was pasted, which a command
    /// cannot read.
    const std::optional<PruningCommand>& asked() const { return asked_; }

signals:
    /// Why nothing can be measured as it is asked.
    void refused(const QString& message);

private:
    void makeControls();
    QWidget* makeContent(Document& document, Dialogs& dialogs);
    void measure();
    void showState();

    PruningBench& bench_;
    std::optional<PruningCommand> asked_;
    TextsPanel* texts_ = nullptr;
    OrdersPanel* orders_ = nullptr;
    WayPanel* way_ = nullptr;
    QSpinBox* points_ = nullptr;
    QPushButton* measure_ = nullptr;
};

} // namespace headscope::ui
