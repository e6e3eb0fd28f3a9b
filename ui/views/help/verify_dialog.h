#pragma once

#include "core/base/result.h"
#include "core/model/model.h"
#include "core/verify/report.h"
#include "ui/document/repetition.h"
#include "ui/workers/job_runner.h"

#include <QDialog>

#include <memory>
#include <optional>

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QTreeWidget;

namespace headscope::ui {

class CopyActions;
class Dialogs;

/// Checks the program and the open model off the GUI thread, as soon as it opens, and shows the
/// report, which can be copied and saved.
class VerifyDialog : public QDialog {
    Q_OBJECT

public:
    /// Without a model only what needs none is checked.
    /// `options` are those that the model was loaded with.
    VerifyDialog(std::shared_ptr<const Model> model, const LoadOptions& options, Dialogs& dialogs,
                 QWidget* parent = nullptr);

private:
    void makeFields();
    QPushButton* addButton(const char* name, const QString& text, void (VerifyDialog::*act)());
    void layOut();
    void start();
    void stop();
    void finish(const Result<VerifyReport>& report);
    void showSection(const Section& section);
    void showState();
    void browse();
    void copy();
    void save();
    Repetition repetition() const;

    std::shared_ptr<const Model> model_;
    LoadOptions options_;
    Dialogs& dialogs_;
    std::optional<VerifyReport> report_;
    QLineEdit* reference_ = nullptr;
    QPushButton* browse_ = nullptr;
    QPushButton* run_ = nullptr;
    QPushButton* stop_ = nullptr;
    QPushButton* copy_ = nullptr;
    CopyActions* copies_ = nullptr;
    QString verified_reference_; ///< of the report; empty: none
    QPushButton* save_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QLabel* state_ = nullptr;
    QTreeWidget* checks_ = nullptr;
    JobRunner worker_;
};

} // namespace headscope::ui
