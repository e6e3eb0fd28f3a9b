#pragma once

#include "core/base/result.h"
#include "ui/document/document.h"
#include "ui/document/repetition.h"
#include "ui/document/similarity_reading.h"
#include "ui/workers/job_runner.h"

#include <QDialog>

#include <memory>
#include <vector>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLayout;

namespace headscope::ui {

class CopyActions;
class Dialogs;
class Heatmap;
class NumberPage;
class TableExport;
struct TableInSight;

/// Which heads look at the same: distances of all pairs, ordered by clusters, and the closest
/// pairs. Follows the open model, and its prompt where heads are compared on that.
class SimilarityDialog : public QDialog {
    Q_OBJECT

public:
    SimilarityDialog(Document& document, Dialogs& dialogs, QWidget* parent = nullptr);

private:
    void makeFields();
    QLayout* layOutFields();
    void makeViews();
    void makeActions(Dialogs& dialogs);
    bool onPrompt() const;
    void start();
    void take(Result<HeadSimilarity> similarity);
    void showMatrix();
    void showPairs();
    void showMessage(const QString& message);
    QString cellText(std::size_t row, std::size_t column) const;
    Repetition repetition() const;
    Result<TableInSight> table() const;
    void refreshActions();

    Document& document_;
    std::shared_ptr<const HeadSimilarity> similarity_; ///< null: nothing to show
    std::vector<HeadPair> pairs_;                      ///< closest first
    QComboBox* input_ = nullptr;
    QDoubleSpinBox* below_ = nullptr;
    QLabel* clusters_ = nullptr;
    Heatmap* matrix_ = nullptr;
    NumberPage* list_ = nullptr;
    QLabel* pair_ = nullptr;
    CopyActions* copies_ = nullptr;
    TableExport* export_ = nullptr;
    std::shared_ptr<const RunResult> compared_on_; ///< of what is shown; null: random tokens
    JobRunner worker_;
};

} // namespace headscope::ui
