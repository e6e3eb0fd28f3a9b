#pragma once

#include "core/export/pruning_calls.h"
#include "ui/document/pruning_bench.h"
#include "ui/document/repetition.h"

#include <QWidget>

#include <filesystem>
#include <optional>

class QPushButton;
class QSpinBox;

namespace headscope::ui {

class Dialogs;
class Document;
class OrdersPanel;
class TextsPanel;
class WayPanel;

/// What curves were measured on, as a command asks for it.
struct AskedCurves {
    PruningTextFiles texts;
    std::filesystem::path list; ///< of OrderKind::OwnList
    PruningQuestion question;
};

/// Everything that is asked before the curves are measured, and the button that begins.
class SetupPanel : public QWidget {
    Q_OBJECT

public:
    SetupPanel(Document& document, PruningBench& bench, Dialogs& dialogs,
               QWidget* parent = nullptr);

    /// What was last measured; nothing where a text was pasted, which a command cannot read.
    const std::optional<AskedCurves>& asked() const { return asked_; }
    /// The texts as they are chosen; likewise.
    std::optional<PruningTextFiles> textFiles() const;

signals:
    /// Why nothing can be measured as it is asked.
    void refused(const QString& message);

private:
    void makeControls();
    QWidget* makeContent(Document& document, Dialogs& dialogs);
    void measure();
    void showState();

    PruningBench& bench_;
    std::optional<AskedCurves> asked_;
    TextsPanel* texts_ = nullptr;
    OrdersPanel* orders_ = nullptr;
    WayPanel* way_ = nullptr;
    QSpinBox* points_ = nullptr;
    QPushButton* measure_ = nullptr;
};

} // namespace headscope::ui
