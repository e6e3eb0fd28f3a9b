#pragma once

#include "core/base/result.h"
#include "core/base/table.h"
#include "ui/document/circuit_reading.h"
#include "ui/document/document.h"
#include "ui/document/repetition.h"
#include "ui/workers/job_runner.h"

#include <QDialog>

#include <memory>

class QLabel;
class QTabWidget;

namespace headscope::ui {

class CompositionPage;
class CopyActions;
class CopyingPage;
class Dialogs;
class TableExport;
struct TableInSight;

/// What the weights of the open model tell by themselves: which heads feed which, and which copy.
class CircuitsDialog : public QDialog {
    Q_OBJECT

public:
    CircuitsDialog(Document& document, Dialogs& dialogs, QWidget* parent = nullptr);

private:
    void makeViews();
    void makeActions(Dialogs& dialogs);
    void connectDocument();
    void showModel();
    void start();
    void take(const std::shared_ptr<const CircuitReading>& reading);
    void showHeads();
    void showMessage(const QString& message);
    Repetition repetition() const;
    Result<TableInSight> table() const;
    TableInSight composition() const;
    TableInSight copying() const;
    Provenance origin() const;
    void refreshActions();

    Document& document_;
    std::shared_ptr<const CircuitReading> reading_; ///< of the open model; null until it is there
    QLabel* note_ = nullptr;
    CompositionPage* composition_ = nullptr;
    CopyingPage* copying_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    CopyActions* copies_ = nullptr;
    TableExport* export_ = nullptr;
    JobRunner worker_;
};

} // namespace headscope::ui
