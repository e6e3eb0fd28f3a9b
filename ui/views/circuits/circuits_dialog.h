#pragma once

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

/// What the weights of the open model tell by themselves: which heads feed which, and which copy.
class CircuitsDialog : public QDialog {
    Q_OBJECT

public:
    explicit CircuitsDialog(Document& document, QWidget* parent = nullptr);

private:
    void showModel();
    void start();
    void take(const std::shared_ptr<const CircuitReading>& reading);
    void showHeads();
    void showMessage(const QString& message);
    Repetition repetition() const;

    Document& document_;
    std::shared_ptr<const CircuitReading> reading_; ///< of the open model; null until it is there
    QLabel* note_ = nullptr;
    CompositionPage* composition_ = nullptr;
    CopyingPage* copying_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    CopyActions* copies_ = nullptr;
    JobRunner worker_;
};

} // namespace headscope::ui
