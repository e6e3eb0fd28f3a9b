#pragma once

#include "core/base/result.h"
#include "ui/document/document.h"

#include <QDialog>

#include <memory>

class QLabel;
class QPushButton;
class QTabWidget;

namespace headscope::ui {

class CopyActions;
class Dialogs;
class LabelsPage;
class ScoresPage;
class TableExport;

/// All scores of all heads, as a table and as a scatter of two of them, and what is known of all
/// labels. Follows the document.
class ScoresDialog : public QDialog {
    Q_OBJECT

public:
    ScoresDialog(Document& document, Dialogs& dialogs, QWidget* parent = nullptr);

private:
    QWidget* makePages();
    void layOut();
    bool showsLabels() const;
    void showPage();
    void showState();
    void record();
    void showHead();
    void write();
    void finish(const Result<void>& written, const QString& path);

    Document& document_;
    Dialogs& dialogs_;
    QTabWidget* pages_ = nullptr;
    ScoresPage* table_ = nullptr;
    LabelsPage* labels_ = nullptr;
    QLabel* head_ = nullptr;
    QPushButton* copy_ = nullptr;
    QPushButton* write_ = nullptr;
    TableExport* labels_export_ = nullptr;
    CopyActions* copies_ = nullptr;
    std::shared_ptr<const HeadScores> recorded_; ///< in the history
    JobRunner worker_;
};

} // namespace headscope::ui
