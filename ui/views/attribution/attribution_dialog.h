#pragma once

#include "core/base/result.h"
#include "ui/document/attribution_reading.h"
#include "ui/document/document.h"
#include "ui/document/repetition.h"
#include "ui/workers/job_runner.h"

#include <QDialog>

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

class QComboBox;
class QLabel;
class QLayout;
class QTabWidget;

namespace headscope::ui {

class AttributionPage;
class CopyActions;
class Dialogs;
class LensPage;
class TableExport;
class TokenBox;
struct TableInSight;

/// Direct logit attribution, what each head adds to a logit, and the logit lens, what the residual
/// stream predicts after each layer. Follows the document's prompt and mask.
class AttributionDialog : public QDialog {
    Q_OBJECT

public:
    AttributionDialog(Document& document, Dialogs& dialogs, QWidget* parent = nullptr);

private:
    /// A logit that was taken apart.
    struct Readout {
        std::shared_ptr<const RunResult> run;
        PredictionQuestion asked; ///< with its token
        LogitAttribution attribution;
    };

    void makeFields();
    QLayout* layOutFields();
    void makePages();
    void makeActions(Dialogs& dialogs);
    void showRun();
    void choosePosition(std::size_t position);
    void start();
    void startAgain();
    void take(const ReadoutQuestion& question, const Result<PredictionAttribution>& readout);
    void startLens();
    void takeLens(std::shared_ptr<const RunResult> run, Result<LogitLens> lens);
    void showMessage(const QString& message);
    Repetition repetition() const;
    Result<TableInSight> table() const;
    TableInSight parts() const;
    TableInSight lens() const;
    void refreshActions();
    void record();

    Document& document_;
    ReadoutQuestion question_;
    std::optional<TokenId> token_;         ///< of the readout that is shown
    std::shared_ptr<const Readout> shown_; ///< on the direct page; null: nothing
    /// Run and token of the lens that is shown or on its way.
    std::optional<std::pair<std::shared_ptr<const RunResult>, TokenId>> lens_of_;
    QComboBox* position_ = nullptr;
    TokenBox* token_box_ = nullptr;
    TokenBox* against_box_ = nullptr;
    QLabel* refusal_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    AttributionPage* heads_ = nullptr;
    LensPage* layers_ = nullptr;
    CopyActions* copies_ = nullptr;
    TableExport* export_ = nullptr;
    JobRunner reader_;
    JobRunner lens_reader_;
};

} // namespace headscope::ui
